// Lane loops. Every elementwise handler is one small function applied to 32 lanes; it is compiled twice, for the
// baseline and for hosts with AVX2 and FMA. Both give the same bits.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "frontend/sass/machine.h"

#define SMPIPE_INLINE inline __attribute__((always_inline))
#if defined(__x86_64__)
#define SMPIPE_WIDE __attribute__((target("avx2,fma,bmi,bmi2,lzcnt,popcnt")))
#else
#define SMPIPE_WIDE
#endif

namespace smpipe::sass {

SMPIPE_INLINE bool wide_host() {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return wide;
#else
  return false;
#endif
}

std::uint32_t load_constant(Warp& warp, const Op& op, unsigned lane, unsigned bank, std::uint64_t offset,
                            unsigned bytes);

/// Slow part of `fetch`: everything that is not a plain row.
SMPIPE_INLINE void fill(Warp& warp, const Op& op, const Source& source, LaneMask active, std::uint32_t* out) {
  const std::uint32_t* in = nullptr;
  if (source.kind == SourceKind::kRegister) {
    in = warp.row(source.index);
  } else if (source.kind == SourceKind::kUniform) {
    const std::uint32_t v = ((warp.uniform[source.index] & source.and_mask) ^ source.xor_mask) + source.increment;
    for (unsigned i = 0; i < kLanes; ++i) out[i] = v;
    return;
  } else if (source.kind == SourceKind::kIndexedConstant) {
    const std::uint32_t* index = warp.row(source.index);
    for (unsigned i = 0; i < kLanes; ++i) {
      out[i] = active >> i & 1
                   ? load_constant(warp, op, i, source.bank,
                                   std::uint64_t{index[i]} + warp.uniform[source.uniform] + source.offset, 4)
                   : 0;
    }
    in = out;
  } else {
    in = source.row->lane;
  }
  const std::uint32_t a = source.and_mask, x = source.xor_mask, n = source.increment;
  for (unsigned i = 0; i < kLanes; ++i) out[i] = ((in[i] & a) ^ x) + n;
}

/// The 32 lane values of an operand; `scratch` is used when they are not simply a register.
SMPIPE_INLINE const std::uint32_t* fetch(Warp& warp, const Op& op, const Source& source, LaneMask active,
                                         std::uint32_t* scratch) {
  if (source.kind == SourceKind::kFixed) return source.row->lane;
  if (source.kind == SourceKind::kRegister && !source.modified) return warp.row(source.index);
  fill(warp, op, source, active, scratch);
  return scratch;
}

SMPIPE_INLINE void store_lanes(std::uint32_t* row, const std::uint32_t* value, LaneMask active) {
  if (active == kAllLanes) {
    std::memcpy(row, value, sizeof(std::uint32_t) * kLanes);
    return;
  }
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t keep = (active >> i & 1) - 1u;  // all ones for lanes that keep their value
    row[i] = (row[i] & keep) | (value[i] & ~keep);
  }
}

/// Bit i of the result is the truth of lane i.
SMPIPE_INLINE LaneMask gather_bits(const std::uint32_t* truth) {
  LaneMask bits = 0;
  for (unsigned i = 0; i < kLanes; ++i) bits |= (truth[i] & 1u) << i;
  return bits;
}

// --- d = f(a, b, c) ---------------------------------------------------------------------------------------------

template <unsigned N, class F>
SMPIPE_INLINE void map_body(Warp& warp, const Op& op, LaneMask active) {
  alignas(64) std::uint32_t scratch[N][kLanes];
  alignas(64) std::uint32_t result[kLanes];
  const std::uint32_t* s[N];
  for (unsigned k = 0; k < N; ++k) s[k] = fetch(warp, op, op.src[k], active, scratch[k]);
  const F f{};
  if constexpr (N == 1) {
    for (unsigned i = 0; i < kLanes; ++i) result[i] = f(s[0][i]);
  } else if constexpr (N == 2) {
    for (unsigned i = 0; i < kLanes; ++i) result[i] = f(s[0][i], s[1][i]);
  } else {
    for (unsigned i = 0; i < kLanes; ++i) result[i] = f(s[0][i], s[1][i], s[2][i]);
  }
  store_lanes(warp.row(op.dst), result, active);
}

template <unsigned N, class F>
void map_base(Warp& warp, const Op& op, LaneMask active, Step&) {
  map_body<N, F>(warp, op, active);
}
template <unsigned N, class F>
SMPIPE_WIDE void map_wide(Warp& warp, const Op& op, LaneMask active, Step&) {
  map_body<N, F>(warp, op, active);
}
/// Handler for a stateless f over N 32-bit sources.
template <unsigned N, class F>
Handler map(F) {
  return wide_host() ? map_wide<N, F> : map_base<N, F>;
}

// --- arbitrary bodies that profit from vector code ------------------------------------------------------------------

template <class F>
void body_base(Warp& warp, const Op& op, LaneMask active, Step& out) {
  F{}(warp, op, active, out);
}
template <class F>
SMPIPE_WIDE void body_wide(Warp& warp, const Op& op, LaneMask active, Step& out) {
  F{}(warp, op, active, out);
}
/// Handler for a stateless functor f(warp, op, active, step) whose call operator is always inlined.
template <class F>
Handler body(F) {
  return wide_host() ? body_wide<F> : body_base<F>;
}

// --- predicates -----------------------------------------------------------------------------------------------------

enum class Combine : std::uint8_t { kAnd, kOr, kXor };

SMPIPE_INLINE LaneMask combine(Combine how, LaneMask a, LaneMask b) {
  return how == Combine::kAnd ? a & b : how == Combine::kOr ? a | b : a ^ b;
}

/// Pd = t op Pc, Pe = !t op Pc.
SMPIPE_INLINE void set_compare(Warp& warp, const Op& op, LaneMask truth, LaneMask active) {
  const LaneMask third = warp.guard_mask(op.predicate[0]);
  const Combine how = static_cast<Combine>(op.kind);
  warp.set_predicate(op.dst_predicate[0], combine(how, truth, third), active);
  warp.set_predicate(op.dst_predicate[1], combine(how, ~truth, third), active);
}

template <class F>
SMPIPE_INLINE void compare_body(Warp& warp, const Op& op, LaneMask active) {
  alignas(64) std::uint32_t scratch[2][kLanes];
  alignas(64) std::uint32_t truth[kLanes];
  const std::uint32_t* a = fetch(warp, op, op.src[0], active, scratch[0]);
  const std::uint32_t* b = fetch(warp, op, op.src[1], active, scratch[1]);
  const F f{};
  for (unsigned i = 0; i < kLanes; ++i) truth[i] = f(a[i], b[i]) ? 1u : 0u;
  set_compare(warp, op, gather_bits(truth), active);
}
template <class F>
void compare_base(Warp& warp, const Op& op, LaneMask active, Step&) {
  compare_body<F>(warp, op, active);
}
template <class F>
SMPIPE_WIDE void compare_wide(Warp& warp, const Op& op, LaneMask active, Step&) {
  compare_body<F>(warp, op, active);
}
template <class F>
Handler compare(F) {
  return wide_host() ? compare_wide<F> : compare_base<F>;
}

// --- 64-bit values in register pairs --------------------------------------------------------------------------------

SMPIPE_INLINE std::uint64_t join64(std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; }
SMPIPE_INLINE void store_pair(Warp& warp, std::uint16_t dst, const std::uint32_t* low, const std::uint32_t* high,
                              LaneMask active) {
  store_lanes(warp.row(dst), low, active);
  if (dst != warp.image().trash_row) store_lanes(warp.row(static_cast<std::uint16_t>(dst + 1)), high, active);
}

}  // namespace smpipe::sass
