// Reports and checks: each kind passes on a right result and fails on a wrong one.
#include "launch/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "launch/fill.h"

namespace smpipe {
namespace {

Buffer random_buffer(const std::string& name, ElementType type, std::uint64_t elements, std::uint64_t seed) {
  Buffer buffer;
  buffer.name = name;
  buffer.bytes = elements * size_of(type);
  buffer.fill.kind = FillKind::kRandom;
  buffer.fill.type = type;
  buffer.fill.seed = seed;
  buffer.data = make_contents(buffer.fill, buffer.bytes, 0);
  return buffer;
}

Buffer zero_buffer(const std::string& name, std::uint64_t bytes) {
  Buffer buffer;
  buffer.name = name;
  buffer.bytes = bytes;
  buffer.data.resize(bytes);
  return buffer;
}

FinalContents contents_of(const Launch& launch) {
  FinalContents contents;
  for (const Buffer& buffer : launch.buffers) contents.push_back(buffer.data);
  return contents;
}

struct Gemm {
  Launch launch;
  FinalContents contents;
};

/// A right result, computed in the plain way.
Gemm make_gemm(bool a_transposed, bool b_transposed) {
  constexpr std::uint64_t kM = 5, kN = 7, kK = 33;
  Gemm g;
  g.launch.buffers = {random_buffer("A", ElementType::kBf16, kM * kK, 1),
                      random_buffer("B", ElementType::kBf16, kN * kK, 2), zero_buffer("C", kM * kN * 4)};
  GemmCheck spec;
  spec.a = 0;
  spec.b = 1;
  spec.c = 2;
  spec.m = kM;
  spec.n = kN;
  spec.k = kK;
  spec.a_transposed = a_transposed;
  spec.b_transposed = b_transposed;
  spec.tolerance = 1e-6;
  g.launch.checks = {Check{"gemm", 1, spec}};
  g.contents = contents_of(g.launch);
  const auto element = [&](std::size_t buffer, std::uint64_t at) {
    return load_element(ElementType::kBf16, &g.launch.buffers[buffer].data[at * 2]);
  };
  for (std::uint64_t i = 0; i < kM; ++i) {
    for (std::uint64_t j = 0; j < kN; ++j) {
      double sum = 0;
      for (std::uint64_t k = 0; k < kK; ++k) {
        sum += element(0, a_transposed ? k * kM + i : i * kK + k) * element(1, b_transposed ? k * kN + j : j * kK + k);
      }
      store_number(ElementType::kF32, sum, &g.contents[2][(i * kN + j) * 4]);
    }
  }
  return g;
}

TEST(Verify, GemmInAllLayouts) {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const Gemm g = make_gemm(a, b);
      const auto results = evaluate_checks(g.launch, g.contents);
      ASSERT_EQ(results.size(), 1u);
      EXPECT_TRUE(results[0].passed) << results[0].detail;
    }
  }
}

TEST(Verify, GemmFindsOneWrongElementAndNaN) {
  Gemm g = make_gemm(false, false);
  const std::uint64_t element = 2 * 7 + 3;
  const double right = load_element(ElementType::kF32, &g.contents[2][element * 4]);
  store_number(ElementType::kF32, right + 0.01, &g.contents[2][element * 4]);
  auto result = evaluate_checks(g.launch, g.contents)[0];
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.detail.find("1 wrong, first C[2][3]"), std::string::npos) << result.detail;
  store_number(ElementType::kF32, std::numeric_limits<double>::quiet_NaN(), &g.contents[2][element * 4]);
  result = evaluate_checks(g.launch, g.contents)[0];
  EXPECT_FALSE(result.passed);
}

TEST(Verify, EqualsComparesWithInitialContents) {
  Launch launch;
  launch.buffers = {random_buffer("A", ElementType::kF32, 16, 1), zero_buffer("B", 64)};
  EqualsCheck spec;
  spec.buffer = 1;
  spec.type = ElementType::kF32;
  spec.count = 16;
  spec.expected_buffer = 0;
  launch.checks = {Check{"equals", 1, spec}};
  FinalContents contents = contents_of(launch);
  EXPECT_FALSE(evaluate_checks(launch, contents)[0].passed);
  contents[1] = launch.buffers[0].data;
  contents[0].assign(64, 0);  // the kernel may overwrite its input
  EXPECT_TRUE(evaluate_checks(launch, contents)[0].passed);
}

TEST(Verify, EqualsAFill) {
  Launch launch;
  launch.buffers = {zero_buffer("B", 12)};
  EqualsCheck spec;
  spec.type = ElementType::kF32;
  spec.count = 3;
  spec.expected.kind = FillKind::kConstant;
  spec.expected.type = ElementType::kF32;
  spec.expected.start = {false, 0, 3.0};
  spec.tolerance = 0.5;
  launch.checks = {Check{"equals", 1, spec}};
  FinalContents contents = contents_of(launch);
  for (std::size_t i = 0; i < 3; ++i) store_number(ElementType::kF32, 3.25, &contents[0][i * 4]);
  EXPECT_TRUE(evaluate_checks(launch, contents)[0].passed);
  store_number(ElementType::kF32, 3.75, &contents[0][8]);
  const CheckResult result = evaluate_checks(launch, contents)[0];
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.detail.find("element 2 is 3.75 instead of 3"), std::string::npos) << result.detail;
}

TEST(Verify, SumOfIntegersIsExactAndSigned) {
  Launch launch;
  launch.buffers = {zero_buffer("in", 3), zero_buffer("out", 8)};
  launch.buffers[0].data = {0xff, 0xfe, 1};  // -1 - 2 + 1
  SumCheck spec;
  spec.input = 0;
  spec.input_type = ElementType::kI8;
  spec.input_count = 3;
  spec.buffer = 1;
  spec.type = ElementType::kI32;
  spec.index = 1;
  launch.checks = {Check{"sum", 1, spec}};
  FinalContents contents = contents_of(launch);
  store_integer(ElementType::kI32, -2, &contents[1][4]);
  EXPECT_TRUE(evaluate_checks(launch, contents)[0].passed);
  store_integer(ElementType::kI32, -3, &contents[1][4]);
  EXPECT_FALSE(evaluate_checks(launch, contents)[0].passed);
}

TEST(Verify, Crc32) {
  const char* text = "123456789";
  EXPECT_EQ(crc32(reinterpret_cast<const std::uint8_t*>(text), 9), 0xcbf43926u);
  EXPECT_EQ(crc32(nullptr, 0), 0u);
}

TEST(Verify, Reports) {
  Launch launch;
  launch.buffers = {zero_buffer("out", 16)};
  launch.reports = {{"latency", "out", "i64", "cycles", 1, 0.5}};
  FinalContents contents = contents_of(launch);
  store_integer(ElementType::kI64, -46, &contents[0][8]);
  const auto values = evaluate_reports(launch, contents);
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].value, -23.0);
  EXPECT_EQ(needed_buffers(launch), std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace smpipe
