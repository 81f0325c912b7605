// Float helpers that give the GPU's results on every host.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>

#include "frontend/sass/lanes.h"

namespace smpipe::sass {

enum class Rounding : std::uint8_t { kNearest, kDown, kUp, kZero };

SMPIPE_INLINE float as_float(std::uint32_t v) { return std::bit_cast<float>(v); }
SMPIPE_INLINE std::uint32_t as_bits(float v) { return std::bit_cast<std::uint32_t>(v); }
SMPIPE_INLINE double as_double(std::uint32_t low, std::uint32_t high) {
  return std::bit_cast<double>(low | std::uint64_t{high} << 32);
}

SMPIPE_INLINE bool is_nan_bits(std::uint32_t v) { return (v & 0x7fffffff) > 0x7f800000; }
/// The GPU's one NaN for arithmetic results.
SMPIPE_INLINE std::uint32_t canonical(std::uint32_t v) { return is_nan_bits(v) ? 0x7fffffffu : v; }
/// Denormals become zeros of the same sign.
SMPIPE_INLINE std::uint32_t flush(std::uint32_t v) { return (v & 0x7f800000) == 0 ? v & 0x80000000 : v; }
SMPIPE_INLINE std::uint32_t saturate(std::uint32_t v) {
  // NaN and negative values give +0.
  if (is_nan_bits(v) || (v >> 31)) return 0;
  return v > 0x3f800000 ? 0x3f800000u : v;
}

/// Sets the host's rounding mode for a scope. Operands must pass through volatile memory within it.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding mode) : saved_(std::fegetround()) {
    static constexpr int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    std::fesetround(modes[static_cast<int>(mode)]);
  }
  ~RoundingScope() { std::fesetround(saved_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int saved_;
};

/// IEEE binary16 bits of `v`.
std::uint16_t float_to_half(float v, Rounding mode);
std::uint16_t double_to_half(double v, Rounding mode);
std::uint16_t float_to_bfloat(float v, Rounding mode);
std::uint16_t double_to_bfloat(double v, Rounding mode);

SMPIPE_INLINE float half_to_float(std::uint32_t h) {
  const std::uint32_t magnitude = (h & 0x7fff) << 13;
  // Multiplying by 2^112 moves the exponent, and normalises denormals exactly.
  const std::uint32_t scaled = as_bits(as_float(magnitude) * 0x1p112f);
  const std::uint32_t special = (h & 0x7c00) == 0x7c00 ? magnitude | 0x7f800000 : scaled;
  return as_float(special | (h & 0x8000) << 16);
}
/// Nearest binary16 of a float; vectorises.
SMPIPE_INLINE std::uint32_t nearest_half(std::uint32_t v) {
  const std::uint32_t x = v & 0x7fffffff;
  const std::uint32_t normal = (x + 0xfff + (x >> 13 & 1) - 0x38000000) >> 13;
  // Adding 0.5 aligns the sum to units of 2^-24, the least binary16 denormal.
  const std::uint32_t denormal = as_bits(as_float(x) + 0.5f) - 0x3f000000;
  std::uint32_t r = x < 0x38800000 ? denormal : normal;
  r = x >= 0x47800000 ? 0x7c00 : r;
  r |= v >> 16 & 0x8000;
  return x > 0x7f800000 ? 0x7fff : r;
}
SMPIPE_INLINE std::uint32_t nearest_bfloat(std::uint32_t v) {
  return is_nan_bits(v) ? 0x7fff : (v + 0x7fff + (v >> 16 & 1)) >> 16;
}
SMPIPE_INLINE float bfloat_to_float(std::uint32_t b) { return as_float(b << 16); }

/// .RN (none), .RM, .RP, .RZ
Rounding rounding_of(class Decoder& d);

}  // namespace smpipe::sass
