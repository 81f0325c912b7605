// Matrix multiply-accumulate. Element positions follow the PTX ISA's fragment tables; products are accumulated one
// after the other in ascending k with a rounding after each addition, so that every host gives the same bytes.
#include <bit>
#include <cmath>
#include <cstdint>

#include "frontend/sass/decode.h"
#include "frontend/sass/floats.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;

const u32* operand_row(Warp& warp, const Op& op, unsigned k, unsigned offset) {
  const Source& s = op.src[k];
  const std::uint16_t base = s.kind == SourceKind::kRegister ? s.index : warp.image().zero_row;
  return warp.row(static_cast<std::uint16_t>(base + offset));
}

enum class Element : std::uint8_t { kHalf, kBfloat, kTf32 };

template <Element E>
SMPIPE_INLINE float low_element(u32 v) {
  return E == Element::kHalf ? half_to_float(v & 0xffff) : bfloat_to_float(v & 0xffff);
}
template <Element E>
SMPIPE_INLINE float high_element(u32 v) {
  return E == Element::kHalf ? half_to_float(v >> 16) : bfloat_to_float(v >> 16);
}
/// Tensor cores ignore the 13 low bits of a TF32 operand.
SMPIPE_INLINE float tf32(u32 v) { return as_float(v & 0xffffe000); }

/// D[16x8] = A[16xK] B[Kx8] + C for 16-bit elements (K = 8, 16) and TF32 (K = 4, 8).
template <Element E, unsigned K, bool HalfAccumulate>
struct Hmma {
  SMPIPE_INLINE void operator()(Warp& warp, const Op& op, LaneMask active, Step&) const {
    constexpr bool narrow = E != Element::kTf32;
    constexpr unsigned half_k = narrow ? 8 : 4;  // k covered by one register pair (rows g and g + 8)
    constexpr unsigned groups = K / half_k == 0 ? 1 : K / half_k;
    alignas(64) float a[16][K], b[K][8], c[16][8];
    for (unsigned h = 0; h < groups; ++h) {
      const u32* upper = operand_row(warp, op, 0, 2 * h);
      const u32* lower = operand_row(warp, op, 0, 2 * h + 1);
      const u32* column = operand_row(warp, op, 1, h);
      alignas(64) float decoded[6][kLanes];
      for (unsigned i = 0; i < kLanes; ++i) {
        if constexpr (narrow) {
          decoded[0][i] = low_element<E>(upper[i]);
          decoded[1][i] = high_element<E>(upper[i]);
          decoded[2][i] = low_element<E>(lower[i]);
          decoded[3][i] = high_element<E>(lower[i]);
          decoded[4][i] = low_element<E>(column[i]);
          decoded[5][i] = high_element<E>(column[i]);
        } else {
          decoded[0][i] = tf32(upper[i]);
          decoded[2][i] = tf32(lower[i]);
          decoded[4][i] = tf32(column[i]);
        }
      }
      for (unsigned i = 0; i < kLanes; ++i) {
        const unsigned g = i / 4, t = i % 4;
        if constexpr (narrow) {
          const unsigned k = half_k * h + 2 * t;
          a[g][k] = decoded[0][i];
          a[g][k + 1] = decoded[1][i];
          a[g + 8][k] = decoded[2][i];
          a[g + 8][k + 1] = decoded[3][i];
          b[k][g] = decoded[4][i];
          b[k + 1][g] = decoded[5][i];
        } else {
          const unsigned k = half_k * h + t;
          a[g][k] = decoded[0][i];
          a[g + 8][k] = decoded[2][i];
          b[k][g] = decoded[4][i];
        }
      }
    }
    load_accumulator(warp, op, c);
    for (unsigned m = 0; m < 16; ++m) {
      for (unsigned k = 0; k < K; ++k) {
        const float x = a[m][k];
        // The product is exact in single precision, so a fused operation would give the same sum.
        float product[8];
        for (unsigned n = 0; n < 8; ++n) product[n] = x * b[k][n];
        for (unsigned n = 0; n < 8; ++n) c[m][n] = c[m][n] + product[n];
      }
    }
    store_result(warp, op, c, active);
  }

  static SMPIPE_INLINE void load_accumulator(Warp& warp, const Op& op, float (&c)[16][8]) {
    for (unsigned h = 0; h < 2; ++h) {
      const u32* first = operand_row(warp, op, 2, HalfAccumulate ? h : 2 * h);
      const u32* second = operand_row(warp, op, 2, HalfAccumulate ? h : 2 * h + 1);
      for (unsigned i = 0; i < kLanes; ++i) {
        const unsigned row = i / 4 + 8 * h, column = 2 * (i % 4);
        c[row][column] = HalfAccumulate ? half_to_float(first[i] & 0xffff) : as_float(first[i]);
        c[row][column + 1] = HalfAccumulate ? half_to_float(first[i] >> 16) : as_float(second[i]);
      }
    }
  }

  static SMPIPE_INLINE void store_result(Warp& warp, const Op& op, const float (&c)[16][8], LaneMask active) {
    for (unsigned h = 0; h < 2; ++h) {
      alignas(64) u32 first[kLanes], second[kLanes];
      for (unsigned i = 0; i < kLanes; ++i) {
        const unsigned row = i / 4 + 8 * h, column = 2 * (i % 4);
        if constexpr (HalfAccumulate) {
          first[i] = nearest_half(as_bits(c[row][column])) | nearest_half(as_bits(c[row][column + 1])) << 16;
        } else {
          first[i] = canonical(as_bits(c[row][column]));
          second[i] = canonical(as_bits(c[row][column + 1]));
        }
      }
      const unsigned base = op.dst + (HalfAccumulate ? h : 2 * h);
      store_lanes(warp.row(static_cast<std::uint16_t>(base)), first, active);
      if constexpr (!HalfAccumulate) store_lanes(warp.row(static_cast<std::uint16_t>(base + 1)), second, active);
    }
  }
};

void matrix_source(Decoder& d, unsigned k, unsigned count) {
  const TextOperand& operand = d.take();
  if (operand.kind != OperandKind::kRegister || operand.negate || operand.absolute) {
    d.refuse("a matrix operand is not a plain register");
  }
  TextOperand plain = operand;
  if (operand.index != kRegisterZero) d.register_row(operand.index, count);
  d.source_from(k, plain, ValueType::kBits);
}

template <Element E>
void choose_hmma(Decoder& d, unsigned k, bool half_accumulate) {
  if constexpr (E == Element::kTf32) {
    d.op.run = k == 8 ? body(Hmma<E, 8, false>{}) : body(Hmma<E, 4, false>{});
  } else if constexpr (E == Element::kBfloat) {
    d.op.run = k == 16 ? body(Hmma<E, 16, false>{}) : body(Hmma<E, 8, false>{});
  } else {
    if (half_accumulate)
      d.op.run = k == 16 ? body(Hmma<E, 16, true>{}) : body(Hmma<E, 8, true>{});
    else
      d.op.run = k == 16 ? body(Hmma<E, 16, false>{}) : body(Hmma<E, 8, false>{});
  }
}

void decode_hmma(Decoder& d) {
  const int shape = d.modifier_of({"1684", "1688", "16816"});
  if (shape < 0) d.refuse("this shape is not supported");
  const bool half_accumulate = d.modifier("F16");
  d.ignore({"F32"});
  const bool bfloat = d.modifier("BF16"), tf = d.modifier("TF32");
  const unsigned k = shape == 0 ? 4 : shape == 1 ? 8 : 16;
  if ((k == 4) != (tf && k == 4)) d.refuse("this shape is not supported");
  const unsigned a_registers = tf ? k / 2 : k / 4;
  d.dst(half_accumulate ? 2 : 4);
  matrix_source(d, 0, a_registers);
  matrix_source(d, 1, a_registers / 2);
  matrix_source(d, 2, half_accumulate ? 2 : 4);
  if (tf)
    choose_hmma<Element::kTf32>(d, k, false);
  else if (bfloat)
    choose_hmma<Element::kBfloat>(d, k, false);
  else
    choose_hmma<Element::kHalf>(d, k, half_accumulate);
}

// --- integer
// ------------------------------------------------------------------------------------------------------------

/// Shape and types of an integer MMA, packed into Op::kind and Op::extra.
struct IntegerShape {
  unsigned rows, k, bits;
  bool a_signed, b_signed, saturate;
};

std::int32_t integer_element(u32 word, unsigned index, unsigned bits, bool is_signed) {
  const u32 v = word >> (index * bits);
  if (bits == 8) return is_signed ? std::int32_t{static_cast<std::int8_t>(v)} : static_cast<std::int32_t>(v & 255);
  const std::int32_t n = static_cast<std::int32_t>(v & 15);
  return is_signed && n >= 8 ? n - 16 : n;
}

u32 accumulate(u32 c, std::int64_t sum, bool saturates) {
  if (!saturates) return c + static_cast<u32>(sum);
  const std::int64_t total = std::int64_t{static_cast<std::int32_t>(c)} + sum;
  if (total > INT32_MAX) return INT32_MAX;
  if (total < INT32_MIN) return static_cast<u32>(INT32_MIN);
  return static_cast<u32>(total);
}

/// Register r of A holds row g + 8 (r % 2) and the (r / 2)-th group of k; of B the r-th group. For 8-row shapes A has
/// one register per group. 4 lanes cover a group.
template <class Dot>
void integer_mma(Warp& warp, const Op& op, LaneMask active, const IntegerShape& s, Dot dot) {
  const unsigned group_k = 4 * (32 / s.bits);
  const unsigned groups = s.k / group_k, halves = s.rows / 8;
  u32 result[4][kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    for (unsigned r = 0; r < 2 * halves; ++r) {
      const unsigned row = i / 4, half = r / 2, column = 2 * (i % 4) + r % 2;
      std::int64_t sum = 0;
      for (unsigned g = 0; g < groups; ++g) {
        const u32* a = operand_row(warp, op, 0, g * halves + half);
        const u32* b = operand_row(warp, op, 1, g);
        for (unsigned t = 0; t < 4; ++t) sum += dot(a[4 * row + t], b[4 * column + t]);
      }
      result[r][i] = accumulate(operand_row(warp, op, 2, r)[i], sum, s.saturate);
    }
  }
  for (unsigned r = 0; r < 2 * halves; ++r) {
    store_lanes(warp.row(static_cast<std::uint16_t>(op.dst + r)), result[r], active);
  }
}

IntegerShape unpack(const Op& op) {
  return {op.extra[0] & 31,   op.extra[1],        op.extra[0] >> 8 & 15,
          (op.kind & 1) != 0, (op.kind & 2) != 0, (op.kind & 4) != 0};
}

void run_imma(Warp& warp, const Op& op, LaneMask active, Step&) {
  const IntegerShape s = unpack(op);
  integer_mma(warp, op, active, s, [&](u32 a, u32 b) {
    std::int64_t sum = 0;
    for (unsigned e = 0; e < 32 / s.bits; ++e) {
      sum += integer_element(a, e, s.bits, s.a_signed) * integer_element(b, e, s.bits, s.b_signed);
    }
    return sum;
  });
}

void run_bmma(Warp& warp, const Op& op, LaneMask active, Step&) {
  const IntegerShape s = unpack(op);
  const bool exclusive = op.kind & 8;
  integer_mma(warp, op, active, s,
              [&](u32 a, u32 b) { return std::int64_t{std::popcount(exclusive ? a ^ b : a & b)}; });
}

void finish_integer(Decoder& d, unsigned rows, unsigned k, unsigned bits) {
  const unsigned groups = k / (4 * (32 / bits));
  d.op.extra[0] = rows | bits << 8;
  d.op.extra[1] = k;
  d.dst(rows / 4);
  matrix_source(d, 0, groups * rows / 8);
  matrix_source(d, 1, groups);
  matrix_source(d, 2, rows / 4);
}

void decode_imma(Decoder& d) {
  const int shape = d.modifier_of({"8816", "16816", "16832", "8832", "16864"});
  if (shape < 0) d.refuse("this shape is not supported");
  std::uint8_t kind = d.modifier("SAT") ? 4 : 0;
  unsigned bits = 0, operand = 0;
  for (const std::string& m : d.text.modifiers) {
    if (m != "S8" && m != "U8" && m != "S4" && m != "U4") continue;
    d.modifier(m);
    bits = m[1] == '8' ? 8 : 4;
    if (m[0] == 'S' && operand < 2) kind = static_cast<std::uint8_t>(kind | (1 << operand));
    ++operand;
  }
  if (operand != 2) d.refuse("its operand types are not understood");
  static constexpr unsigned rows[] = {8, 16, 16, 8, 16}, ks[] = {16, 16, 32, 32, 64};
  d.op.kind = kind;
  if (ks[shape] < 4 * (32 / bits)) d.refuse("this shape is not supported");
  finish_integer(d, rows[shape], ks[shape], bits);
  d.op.run = run_imma;
}

void decode_bmma(Decoder& d) {
  const int shape = d.modifier_of({"88128", "168128", "168256"});
  if (shape < 0) d.refuse("this shape is not supported");
  d.ignore({"POPC"});
  d.op.kind = d.modifier("XOR") ? 8 : 0;
  d.ignore({"AND"});
  finish_integer(d, shape == 0 ? 8 : 16, shape == 2 ? 256 : 128, 1);
  d.op.run = run_bmma;
}

// --- double
// -------------------------------------------------------------------------------------------------------------

double pair_value(Warp& warp, const Op& op, unsigned k, unsigned index, unsigned lane) {
  return as_double(operand_row(warp, op, k, 2 * index)[lane], operand_row(warp, op, k, 2 * index + 1)[lane]);
}

/// D[8x8] = A[8x4] B[4x8] + C, or 16 rows and K = 4, 8, 16 on sm_90.
void run_dmma(Warp& warp, const Op& op, LaneMask active, Step&) {
  const unsigned rows = op.extra[0], k_total = op.extra[1];
  const unsigned halves = rows / 8;
  double result[8][kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    for (unsigned r = 0; r < 2 * halves; ++r) {
      const unsigned row = i / 4, half = r / 2, column = 2 * (i % 4) + r % 2;
      double sum = pair_value(warp, op, 2, r, i);
      for (unsigned k = 0; k < k_total; ++k) {
        const double a = pair_value(warp, op, 0, (k / 4) * halves + half, 4 * row + k % 4);
        const double b = pair_value(warp, op, 1, k / 4, 4 * column + k % 4);
        sum = std::fma(a, b, sum);
      }
      result[r][i] = sum;
    }
  }
  for (unsigned r = 0; r < 2 * halves; ++r) {
    u32 low[kLanes], high[kLanes];
    for (unsigned i = 0; i < kLanes; ++i) {
      const std::uint64_t bits = std::bit_cast<std::uint64_t>(result[r][i]);
      low[i] = static_cast<u32>(bits);
      high[i] = static_cast<u32>(bits >> 32);
    }
    store_lanes(warp.row(static_cast<std::uint16_t>(op.dst + 2 * r)), low, active);
    store_lanes(warp.row(static_cast<std::uint16_t>(op.dst + 2 * r + 1)), high, active);
  }
}

void decode_dmma(Decoder& d) {
  const int shape = d.modifier_of({"884", "8x8x4", "16x8x4", "16x8x8", "16x8x16"});
  if (shape < 0) d.refuse("this shape is not supported");
  static constexpr unsigned rows[] = {8, 8, 16, 16, 16}, ks[] = {4, 4, 4, 8, 16};
  const unsigned groups = ks[shape] / 4;
  d.op.extra[0] = rows[shape];
  d.op.extra[1] = ks[shape];
  d.dst(rows[shape] / 2);
  matrix_source(d, 0, 2 * groups * rows[shape] / 8);
  matrix_source(d, 1, 2 * groups);
  matrix_source(d, 2, rows[shape] / 2);
  d.op.run = run_dmma;
}

}  // namespace

void register_tensor(DecodeTable& t) {
  t["HMMA"] = decode_hmma;
  t["IMMA"] = decode_imma;
  t["BMMA"] = decode_bmma;
  t["DMMA"] = decode_dmma;
}

}  // namespace smpipe::sass
