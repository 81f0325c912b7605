// Element types of buffers, arguments and reports: size, name, conversion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace smpipe {

enum class ElementType : std::uint8_t { kU8, kI8, kU16, kI16, kU32, kI32, kU64, kI64, kF16, kBf16, kF32, kF64 };

/// Names in the order of the enumeration: "u8", "i8", ...
const std::vector<std::string>& element_type_names();
const std::string& name_of(ElementType type);
/// False if there is no such type.
bool find_element_type(std::string_view name, ElementType& out);

std::uint32_t size_of(ElementType type);  ///< bytes
bool is_float(ElementType type);
/// Range of an integer type; kU64 ends at 2^63 - 1, the largest integer that TOML can state.
std::int64_t lowest(ElementType type);
std::int64_t highest(ElementType type);

/// IEEE half and bfloat16 from single precision, rounded to nearest even, and back.
std::uint16_t to_f16(float value);
std::uint16_t to_bf16(float value);
float from_f16(std::uint16_t bits);
float from_bf16(std::uint16_t bits);

/// Element at `at` as a double (64-bit integers beyond 2^53 are rounded).
double load_element(ElementType type, const std::uint8_t* at);
/// Stores a number rounded to a floating-point type; integer types take it truncated.
void store_number(ElementType type, double value, std::uint8_t* at);
/// Stores the low bits of an integer; floating-point types take the rounded number.
void store_integer(ElementType type, std::int64_t value, std::uint8_t* at);

}  // namespace smpipe
