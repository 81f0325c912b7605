#include "frontend/sass/floats.h"

#include "frontend/sass/decode.h"

namespace smpipe::sass {
namespace {

/// Drops the `lost` low bits of `value` with rounding.
std::uint64_t round_bits(std::uint64_t value, unsigned lost, bool negative, Rounding mode) {
  if (lost == 0) return value;
  // Beyond the word only the fact that something is lost matters.
  if (lost > 62) {
    value = value != 0;
    lost = 62;
  }
  const std::uint64_t kept = value >> lost;
  const std::uint64_t rest = value & ((std::uint64_t{1} << lost) - 1);
  const std::uint64_t half = std::uint64_t{1} << (lost - 1);
  bool up = false;
  switch (mode) {
    case Rounding::kNearest:
      up = rest > half || (rest == half && (kept & 1));
      break;
    case Rounding::kUp:
      up = rest != 0 && !negative;
      break;
    case Rounding::kDown:
      up = rest != 0 && negative;
      break;
    case Rounding::kZero:
      break;
  }
  return kept + (up ? 1 : 0);
}

/// Any IEEE-like 16-bit format from a double.
std::uint16_t narrow(double v, Rounding mode, unsigned exponent_bits, unsigned fraction_bits) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(v);
  const bool negative = bits >> 63;
  const unsigned sign_at = exponent_bits + fraction_bits;
  const std::uint32_t sign = negative ? 1u << sign_at : 0u;
  const unsigned top = (1u << exponent_bits) - 1;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t significand = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7ff) {
    return static_cast<std::uint16_t>(significand ? (1u << sign_at) - 1 : sign | top << fraction_bits);
  }
  if (exponent != 0) significand |= std::uint64_t{1} << 52;
  int biased = exponent - 1023 + static_cast<int>(top >> 1);
  unsigned lost = 52 - fraction_bits;
  if (biased <= 0) {
    lost += static_cast<unsigned>(1 - biased);
    biased = 0;
  }
  std::uint64_t rounded = round_bits(significand, lost, negative, mode);
  // The hidden one adds to the exponent field, so that rounding up may carry into it.
  if (biased > 0) rounded += std::uint64_t(biased - 1) << fraction_bits;
  const std::uint64_t infinity = std::uint64_t{top} << fraction_bits;
  if (rounded >= infinity) {
    const bool to_infinity =
        mode == Rounding::kNearest || (mode == Rounding::kUp && !negative) || (mode == Rounding::kDown && negative);
    rounded = to_infinity ? infinity : infinity - 1;
  }
  return static_cast<std::uint16_t>(sign | rounded);
}

}  // namespace

std::uint16_t float_to_half(float v, Rounding mode) { return narrow(double{v}, mode, 5, 10); }
std::uint16_t double_to_half(double v, Rounding mode) { return narrow(v, mode, 5, 10); }
std::uint16_t float_to_bfloat(float v, Rounding mode) { return narrow(double{v}, mode, 8, 7); }
std::uint16_t double_to_bfloat(double v, Rounding mode) { return narrow(v, mode, 8, 7); }

Rounding rounding_of(Decoder& d) {
  switch (d.modifier_of({"RN", "RM", "RP", "RZ"})) {
    case 1:
      return Rounding::kDown;
    case 2:
      return Rounding::kUp;
    case 3:
      return Rounding::kZero;
    default:
      return Rounding::kNearest;
  }
}

}  // namespace smpipe::sass
