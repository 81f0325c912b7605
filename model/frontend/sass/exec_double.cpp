// Double precision arithmetic.
#include <bit>
#include <cmath>

#include "frontend/sass/decode.h"
#include "frontend/sass/floats.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Add {
  static constexpr unsigned n = 2;
  SMPIPE_INLINE double operator()(double a, double b, double) const { return a + b; }
};
struct Multiply {
  static constexpr unsigned n = 2;
  SMPIPE_INLINE double operator()(double a, double b, double) const { return a * b; }
};
struct Fused {
  static constexpr unsigned n = 3;
  SMPIPE_INLINE double operator()(double a, double b, double c) const { return __builtin_fma(a, b, c); }
};

/// Arithmetic results that are NaN get the GPU's one NaN; an operand NaN keeps its payload in hardware, which no
/// compiled code depends on.
SMPIPE_INLINE void split(double r, u32& low, u32& high) {
  u64 bits = std::bit_cast<u64>(r);
  bits = (bits & 0x7fffffffffffffff) > 0x7ff0000000000000 ? u64{0x7ff8000000000000} : bits;
  low = static_cast<u32>(bits);
  high = static_cast<u32>(bits >> 32);
}

template <class F>
struct Arithmetic {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    alignas(64) u32 scratch[6][kLanes];
    alignas(64) u32 low[kLanes], high[kLanes];
    const u32* s[6];
    for (unsigned k = 0; k < 6; ++k) {
      if (k >= 2 * F::n)
        s[k] = s[0];
      else
        s[k] = fetch(warp, op, op.src[k], active, scratch[k]);
    }
    for (unsigned i = 0; i < kLanes; ++i) {
      split(F{}(as_double(s[0][i], s[1][i]), as_double(s[2][i], s[3][i]), as_double(s[4][i], s[5][i])), low[i],
            high[i]);
    }
    store_pair(warp, op.dst, low, high, active);
  }
};

template <class F>
void run_directed(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[6][kLanes], low[kLanes], high[kLanes];
  const u32* s[6];
  for (unsigned k = 0; k < 6; ++k) {
    if (k >= 2 * F::n)
      s[k] = s[0];
    else
      s[k] = fetch(warp, op, op.src[k], active, scratch[k]);
  }
  RoundingScope scope(static_cast<Rounding>(op.kind));
  for (unsigned i = 0; i < kLanes; ++i) {
    volatile double a = as_double(s[0][i], s[1][i]), b = as_double(s[2][i], s[3][i]), c = as_double(s[4][i], s[5][i]);
    volatile double r = F{}(a, b, c);
    split(r, low[i], high[i]);
  }
  store_pair(warp, op.dst, low, high, active);
}

template <class F>
void decode_arithmetic(Decoder& d) {
  const Rounding mode = rounding_of(d);
  d.dst(2);
  for (unsigned k = 0; k < F::n; ++k) d.source_pair(2 * k, ValueType::kDoubleHigh);
  d.op.kind = static_cast<std::uint8_t>(mode);
  d.op.run = mode == Rounding::kNearest ? body(Arithmetic<F>{}) : run_directed<F>;
}

enum Extremum : u32 { kNone = 0, kMin = 32, kMax = 64 };

void run_dsetp(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[4][kLanes];
  const u32* s[4];
  for (unsigned k = 0; k < 4; ++k) s[k] = fetch(warp, op, op.src[k], active, scratch[k]);
  LaneMask truth = 0, both_nan = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const double a = as_double(s[0][i], s[1][i]), b = as_double(s[2][i], s[3][i]);
    const bool na = std::isnan(a), nb = std::isnan(b);
    bool t = false;
    if (op.extra[0] >= kMin) {
      // Whether the first operand is the minimum or maximum; a number wins over NaN, and -0 is less than +0.
      const bool less = a < b || (a == b && std::signbit(a) > std::signbit(b));
      const bool greater = a > b || (a == b && std::signbit(a) < std::signbit(b));
      t = na ? false : nb ? true : op.extra[0] == kMin ? less : greater;
    } else {
      const u32 relation = na || nb ? 8 : a < b ? 1 : a == b ? 2 : 4;
      t = (op.extra[0] & relation) != 0;
    }
    truth |= u32{t} << i;
    both_nan |= u32{na && nb} << i;
  }
  if (op.extra[0] < kMin) return set_compare(warp, op, truth, active);
  const LaneMask third = warp.guard_mask(op.predicate[0]);
  warp.set_predicate(op.dst_predicate[0], combine(static_cast<Combine>(op.kind), truth, third), active);
  warp.set_predicate(op.dst_predicate[1], both_nan, active);
}

void decode_dsetp(Decoder& d) {
  const int set = d.modifier_of({"F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU",
                                 "NEU", "GEU", "T", "MIN", "MAX"});
  if (set < 0) d.refuse("it has no comparison");
  d.op.extra[0] = set < 16 ? static_cast<u32>(set) : set == 16 ? u32{kMin} : u32{kMax};
  d.op.kind = static_cast<std::uint8_t>(std::max(d.modifier_of({"AND", "OR", "XOR"}), 0));
  d.dst_predicate(0);
  d.dst_predicate(1);
  d.source_pair(0, ValueType::kDoubleHigh);
  d.source_pair(2, ValueType::kDoubleHigh);
  d.optional_predicate(0);
  d.op.run = run_dsetp;
}

void run_dmnmx(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[4][kLanes], low[kLanes], high[kLanes];
  const u32* s[4];
  for (unsigned k = 0; k < 4; ++k) s[k] = fetch(warp, op, op.src[k], active, scratch[k]);
  const LaneMask p = warp.guard_mask(op.predicate[0]);
  for (unsigned i = 0; i < kLanes; ++i) {
    const double a = as_double(s[0][i], s[1][i]), b = as_double(s[2][i], s[3][i]);
    split(p >> i & 1 ? std::fmin(a, b) : std::fmax(a, b), low[i], high[i]);
  }
  store_pair(warp, op.dst, low, high, active);
}

void decode_dmnmx(Decoder& d) {
  d.dst(2);
  d.source_pair(0, ValueType::kDoubleHigh);
  d.source_pair(2, ValueType::kDoubleHigh);
  d.predicate(0);
  d.op.run = run_dmnmx;
}

}  // namespace

void register_double(DecodeTable& t) {
  t["DADD"] = decode_arithmetic<Add>;
  t["DMUL"] = decode_arithmetic<Multiply>;
  t["DFMA"] = decode_arithmetic<Fused>;
  t["DSETP"] = decode_dsetp;
  t["DMNMX"] = decode_dmnmx;
}

}  // namespace smpipe::sass
