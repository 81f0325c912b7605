#include "launch/element_type.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace smpipe {
namespace {

template <class T>
T load(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store(T value, std::uint8_t* at) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

const std::vector<std::string>& element_type_names() {
  static const std::vector<std::string> names = {"u8",  "i8",  "u16", "i16",  "u32", "i32",
                                                 "u64", "i64", "f16", "bf16", "f32", "f64"};
  return names;
}

const std::string& name_of(ElementType type) { return element_type_names()[static_cast<unsigned>(type)]; }

bool find_element_type(std::string_view name, ElementType& out) {
  const auto& names = element_type_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != name) continue;
    out = static_cast<ElementType>(i);
    return true;
  }
  return false;
}

std::uint32_t size_of(ElementType type) {
  constexpr std::uint32_t kSizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  return kSizes[static_cast<unsigned>(type)];
}

bool is_float(ElementType type) { return type >= ElementType::kF16; }

std::int64_t lowest(ElementType type) {
  const bool is_signed = static_cast<unsigned>(type) % 2 == 1;
  return is_signed ? std::numeric_limits<std::int64_t>::min() >> (64 - 8 * size_of(type)) : 0;
}

std::int64_t highest(ElementType type) {
  const bool is_signed = static_cast<unsigned>(type) % 2 == 1;
  const unsigned bits = 8 * size_of(type) - (is_signed ? 1 : 0);
  return bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // rounds to 65536 or more
  if (magnitude < 0x38800000) {
    // Subnormal half: adding 0.5 aligns the mantissa so that the hardware rounds at the right bit.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
  }
  const std::uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = bits & 0x7fff;
  if (magnitude < 0x400) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  const std::uint32_t exponent = magnitude >= 0x7c00 ? 0x70000000 : 0x38000000;
  return std::bit_cast<float>(sign | ((magnitude << 13) + exponent));
}

double load_element(ElementType type, const std::uint8_t* at) {
  switch (type) {
    case ElementType::kU8:
      return load<std::uint8_t>(at);
    case ElementType::kI8:
      return load<std::int8_t>(at);
    case ElementType::kU16:
      return load<std::uint16_t>(at);
    case ElementType::kI16:
      return load<std::int16_t>(at);
    case ElementType::kU32:
      return load<std::uint32_t>(at);
    case ElementType::kI32:
      return load<std::int32_t>(at);
    case ElementType::kU64:
      return static_cast<double>(load<std::uint64_t>(at));
    case ElementType::kI64:
      return static_cast<double>(load<std::int64_t>(at));
    case ElementType::kF16:
      return from_f16(load<std::uint16_t>(at));
    case ElementType::kBf16:
      return from_bf16(load<std::uint16_t>(at));
    case ElementType::kF32:
      return load<float>(at);
    case ElementType::kF64:
      return load<double>(at);
  }
  return 0;
}

void store_number(ElementType type, double value, std::uint8_t* at) {
  switch (type) {
    case ElementType::kF16:
      return store(to_f16(static_cast<float>(value)), at);
    case ElementType::kBf16:
      return store(to_bf16(static_cast<float>(value)), at);
    case ElementType::kF32:
      return store(static_cast<float>(value), at);
    case ElementType::kF64:
      return store(value, at);
    default:
      return store_integer(type, static_cast<std::int64_t>(value), at);
  }
}

void store_integer(ElementType type, std::int64_t value, std::uint8_t* at) {
  if (is_float(type)) return store_number(type, static_cast<double>(value), at);
  std::memcpy(at, &value, size_of(type));  // little-endian: the low bytes come first
}

}  // namespace smpipe
