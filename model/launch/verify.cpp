#include "launch/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

#include "core/error.h"
#include "launch/fill.h"

namespace smpipe {
namespace {

/// Rows of a matrix as doubles, transposed into place if need be.
std::vector<float> rows_of(const Buffer& buffer, std::uint64_t rows, std::uint64_t columns, ElementType type,
                           bool transposed) {
  std::vector<float> out(rows * columns);
  const std::uint32_t size = size_of(type);
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t c = 0; c < columns; ++c) {
      const std::uint64_t at = transposed ? c * rows + r : r * columns + c;
      out[r * columns + c] = static_cast<float>(load_element(type, &buffer.data[at * size]));
    }
  }
  return out;
}

struct Dot {
  double sum = 0, magnitude = 0;
};

/// Products of two floats are exact in double; four lanes let the compiler use vectors without reassociating.
Dot dot(const float* a, const float* b, std::uint64_t k) {
  constexpr std::size_t kWide = 4;
  std::array<double, kWide> sum{}, magnitude{};
  std::uint64_t i = 0;
  for (; i + kWide <= k; i += kWide) {
    for (std::size_t lane = 0; lane < kWide; ++lane) {
      const double product = static_cast<double>(a[i + lane]) * b[i + lane];
      sum[lane] += product;
      magnitude[lane] += std::abs(product);
    }
  }
  Dot result;
  for (; i < k; ++i) {
    const double product = static_cast<double>(a[i]) * b[i];
    result.sum += product;
    result.magnitude += std::abs(product);
  }
  for (std::size_t lane = 0; lane < kWide; ++lane) {
    result.sum += sum[lane];
    result.magnitude += magnitude[lane];
  }
  return result;
}

class GemmVerifier {
 public:
  GemmVerifier(const Launch& launch, const GemmCheck& gemm, const std::vector<std::uint8_t>& result)
      : gemm_(gemm),
        a_(rows_of(launch.buffers[gemm.a], gemm.m, gemm.k, gemm.type, gemm.a_transposed)),
        b_(rows_of(launch.buffers[gemm.b], gemm.n, gemm.k, gemm.type, gemm.b_transposed)),
        c_(result) {}

  CheckResult run() {
    const std::uint64_t elements = gemm_.m * gemm_.n;
    const bool all = gemm_.samples == 0 || gemm_.samples >= elements;
    const CounterRandom random(0);
    const std::uint64_t count = all ? elements : gemm_.samples;
    for (std::uint64_t i = 0; i < count; ++i) compare(all ? i : random(i) % elements);
    CheckResult result{"gemm", wrong_ == 0, ""};
    result.detail = fmt::format("{} of {} elements compared, largest error {:.2g} of sum|a*b| (allowed {:.2g})", count,
                                elements, worst_, gemm_.tolerance);
    if (wrong_ != 0) result.detail += fmt::format("; {} wrong, first {}", wrong_, first_);
    return result;
  }

 private:
  void compare(std::uint64_t element) {
    const std::uint64_t row = element / gemm_.n, column = element % gemm_.n;
    const Dot expected = dot(&a_[row * gemm_.k], &b_[column * gemm_.k], gemm_.k);
    const double got = load_element(gemm_.out_type, &c_[element * size_of(gemm_.out_type)]);
    const double error = std::abs(got - expected.sum);
    // Written so that a NaN counts as wrong.
    if (!(error <= gemm_.tolerance * expected.magnitude)) {
      if (wrong_++ == 0) {
        first_ = fmt::format("C[{}][{}] = {:.7g} instead of {:.7g}", row, column, got, expected.sum);
      }
    }
    const double relative = expected.magnitude > 0 ? error / expected.magnitude : error;
    if (!(relative <= worst_)) worst_ = relative;
  }

  const GemmCheck& gemm_;
  std::vector<float> a_, b_;
  const std::vector<std::uint8_t>& c_;
  std::uint64_t wrong_ = 0;
  double worst_ = 0;
  std::string first_;
};

CheckResult verify(const Launch& launch, const GemmCheck& gemm, const FinalContents& contents) {
  return GemmVerifier(launch, gemm, contents[gemm.c]).run();
}

CheckResult verify(const Launch& launch, const EqualsCheck& equals, const FinalContents& contents) {
  const std::uint32_t size = size_of(equals.type);
  const std::uint64_t bytes = equals.count * size;
  std::vector<std::uint8_t> made;
  const std::uint8_t* expected = nullptr;
  if (equals.expected_buffer) {
    expected = launch.buffers[*equals.expected_buffer].data.data() + equals.expected_offset;
  } else {
    // A fill may need whole elements or nodes: make a little more than is compared.
    const std::uint64_t unit = std::max<std::uint64_t>({8, equals.expected.stride});
    const bool from_file = equals.expected.kind == FillKind::kFile;
    const std::uint64_t needed = equals.expected_offset + bytes;
    made = make_contents(equals.expected, from_file ? needed : (needed + unit - 1) / unit * unit,
                         launch.buffers[equals.buffer].address);
    expected = made.data() + equals.expected_offset;
  }
  const std::uint8_t* got = contents[equals.buffer].data() + equals.offset;
  std::uint64_t wrong = 0;
  std::string first;
  for (std::uint64_t i = 0; i < equals.count; ++i) {
    const std::uint8_t* g = got + i * size;
    const std::uint8_t* e = expected + i * size;
    if (std::memcmp(g, e, size) == 0) continue;
    const double is = load_element(equals.type, g), should = load_element(equals.type, e);
    if (equals.tolerance > 0 && std::abs(is - should) <= equals.tolerance) continue;
    // Equal numbers with different bits: the two zeros.
    if (is_float(equals.type) && is == should) continue;
    if (wrong++ == 0) first = fmt::format("element {} is {:.9g} instead of {:.9g}", i, is, should);
  }
  CheckResult result{"equals", wrong == 0,
                     fmt::format("{} elements of '{}' compared", equals.count, launch.buffers[equals.buffer].name)};
  if (wrong != 0) result.detail += fmt::format("; {} wrong, first: {}", wrong, first);
  return result;
}

std::uint64_t load_integer(ElementType type, const std::uint8_t* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, size_of(type));
  const unsigned bits = 8 * size_of(type);
  const bool negative = lowest(type) < 0 && bits < 64 && ((value >> (bits - 1)) & 1) != 0;
  return negative ? value | (~std::uint64_t{0} << bits) : value;
}

CheckResult verify(const Launch& launch, const SumCheck& sum, const FinalContents& contents) {
  const Buffer& input = launch.buffers[sum.input];
  const std::uint32_t size = size_of(sum.input_type);
  const std::uint8_t* result = &contents[sum.buffer][sum.index * size_of(sum.type)];
  if (!is_float(sum.type)) {
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < sum.input_count; ++i) expected += load_integer(sum.input_type, &input.data[i * size]);
    const bool equal = std::memcmp(&expected, result, size_of(sum.type)) == 0;
    std::uint64_t low = 0;
    std::memcpy(&low, &expected, size_of(sum.type));
    std::uint64_t got = 0;
    std::memcpy(&got, result, size_of(sum.type));
    return {"sum", equal, fmt::format("sum of {} elements is {:#x}, expected {:#x}", sum.input_count, got, low)};
  }
  double expected = 0, magnitude = 0;
  for (std::uint64_t i = 0; i < sum.input_count; ++i) {
    const double value = load_element(sum.input_type, &input.data[i * size]);
    expected += value;
    magnitude += std::abs(value);
  }
  const double got = load_element(sum.type, result);
  return {"sum", std::abs(got - expected) <= sum.tolerance * magnitude,
          fmt::format("sum of {} elements is {:.9g}, expected {:.9g}", sum.input_count, got, expected)};
}

CheckResult verify(const Launch&, const Crc32Check& crc, const FinalContents& contents) {
  const std::uint32_t got = crc32(&contents[crc.buffer][crc.offset], crc.bytes);
  return {"crc32", got == crc.value, fmt::format("CRC-32 is {:#010x}, expected {:#010x}", got, crc.value)};
}

std::size_t result_of(const GemmCheck& check) { return check.c; }
template <class Other>
std::size_t result_of(const Other& check) {
  return check.buffer;
}

const Buffer& named(const Launch& launch, const std::string& name, std::size_t& index) {
  for (index = 0; index < launch.buffers.size(); ++index) {
    if (launch.buffers[index].name == name) return launch.buffers[index];
  }
  throw ModelError("report of a buffer that does not exist: " + name);
}

}  // namespace

std::vector<std::size_t> needed_buffers(const Launch& launch) {
  std::set<std::size_t> needed;
  for (const Report& report : launch.reports) {
    std::size_t index = 0;
    named(launch, report.buffer, index);
    needed.insert(index);
  }
  for (const Check& check : launch.checks) {
    needed.insert(std::visit([](const auto& spec) { return result_of(spec); }, check.spec));
  }
  return {needed.begin(), needed.end()};
}

std::vector<ReportValue> evaluate_reports(const Launch& launch, const FinalContents& contents) {
  std::vector<ReportValue> values;
  for (const Report& report : launch.reports) {
    std::size_t index = 0;
    named(launch, report.buffer, index);
    ElementType type{};
    find_element_type(report.type, type);
    const double element = load_element(type, &contents[index][report.index * size_of(type)]);
    values.push_back({report.name, element * report.scale, report.unit});
  }
  return values;
}

std::vector<CheckResult> evaluate_checks(const Launch& launch, const FinalContents& contents) {
  std::vector<CheckResult> results;
  for (const Check& check : launch.checks) {
    results.push_back(std::visit([&](const auto& spec) { return verify(launch, spec, contents); }, check.spec));
  }
  return results;
}

std::uint32_t crc32(const std::uint8_t* data, std::size_t bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320u : 0);
      made[i] = value;
    }
    return made;
  }();
  std::uint32_t value = 0xffffffff;
  for (std::size_t i = 0; i < bytes; ++i) value = (value >> 8) ^ table[(value ^ data[i]) & 0xff];
  return value ^ 0xffffffff;
}

}  // namespace smpipe
