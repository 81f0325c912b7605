// Atomic operations and reductions. The lanes of a warp act one after the other in ascending order.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "frontend/sass/decode.h"
#include "frontend/sass/floats.h"
#include "frontend/sass/lanes.h"
#include "frontend/sass/memory_access.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

enum Operation : std::uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExch, kCas, kCast, kPopcInc };
enum Type : std::uint8_t { kU32, kS32, kU64, kS64, kF32, kF64, kF16x2, kBf16x2 };

template <class T>
T combine_integer(Operation op, T old, T v) {
  switch (op) {
    case kMin:
      return std::min(old, v);
    case kMax:
      return std::max(old, v);
    case kInc:
      return old >= v ? T{0} : static_cast<T>(old + 1);
    case kDec:
      return old == 0 || old > v ? v : static_cast<T>(old - 1);
    case kAnd:
      return old & v;
    case kOr:
      return old | v;
    case kXor:
      return old ^ v;
    case kExch:
      return v;
    default:
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(v));
  }
}

u32 combine_half(Operation op, u32 a, u32 b, bool bfloat) {
  const float x = bfloat ? bfloat_to_float(a) : half_to_float(a), y = bfloat ? bfloat_to_float(b) : half_to_float(b);
  const float r = op == kMin ? std::min(x, y) : op == kMax ? std::max(x, y) : x + y;
  return bfloat ? nearest_bfloat(as_bits(r)) : nearest_half(as_bits(r));
}

u32 combine_float(Operation op, u32 old, u32 v, bool flushes) {
  if (op == kMin) return as_bits(std::min(as_float(old), as_float(v)));
  if (op == kMax) return as_bits(std::max(as_float(old), as_float(v)));
  if (!flushes) return canonical(as_bits(as_float(old) + as_float(v)));
  return canonical(flush(as_bits(as_float(flush(old)) + as_float(flush(v)))));
}

u64 combine_value(const Op& op, u64 old, u64 v) {
  const Operation operation = static_cast<Operation>(op.extra[0] & 255);
  if (operation == kExch) return v;
  switch (static_cast<Type>(op.extra[0] >> 8 & 255)) {
    case kS32:
      return static_cast<u32>(combine_integer(operation, static_cast<std::int32_t>(old), static_cast<std::int32_t>(v)));
    case kU64:
      return combine_integer<u64>(operation, old, v);
    case kS64:
      return static_cast<u64>(combine_integer(operation, static_cast<i64>(old), static_cast<i64>(v)));
    case kF32:
      return combine_float(operation, static_cast<u32>(old), static_cast<u32>(v), op.extra[0] >> 16 & 1);
    case kF64:
      return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(v));
    case kF16x2:
    case kBf16x2: {
      const bool bfloat = static_cast<Type>(op.extra[0] >> 8 & 255) == kBf16x2;
      const u32 a = static_cast<u32>(old), b = static_cast<u32>(v);
      return combine_half(operation, a & 0xffff, b & 0xffff, bfloat) | combine_half(operation, a >> 16, b >> 16, bfloat)
                                                                           << 16;
    }
    default:
      return combine_integer<u32>(operation, static_cast<u32>(old), static_cast<u32>(v));
  }
}

u64 data_value(Warp& warp, std::uint16_t row, unsigned lane, unsigned bytes) {
  const u64 low = warp.row(row)[lane];
  return bytes == 8 ? low | u64{warp.row(static_cast<std::uint16_t>(row + 1))[lane]} << 32 : low;
}

/// New value of the word, and what the instruction returns in `result`.
u64 perform(Warp& warp, const Op& op, unsigned lane, unsigned bytes, u64 old, u64& result) {
  const Operation operation = static_cast<Operation>(op.extra[0] & 255);
  result = old;
  if (operation == kPopcInc) return old + 1;
  const u64 first = data_value(warp, op.data, lane, bytes);
  if (operation == kCas || operation == kCast) {
    const u64 swap = data_value(warp, static_cast<std::uint16_t>(op.extra[1]), lane, bytes);
    const bool hit = old == first;
    // CAST tells whether it succeeded instead of what was there.
    if (operation == kCast) result = hit ? 1 : 0;
    return hit ? swap : old;
  }
  return combine_value(op, old, first);
}

Space space_of_lanes(Warp& warp, const Op& op, LaneMask active, Step& out) {
  const Space listed = op.instruction->memory.space;
  if (listed != Space::kGeneric) return listed;
  Space space = Space::kGlobal;
  bool first = true;
  for (LaneMask left = active; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    const Space s = resolve_generic(out.address[i]);
    if (s == Space::kLocal) warp.fault(op, i, "an atomic operation on local memory");
    if (!first && s != space) {
      warp.fault(op, i, "lanes of one generic access lie in different memory spaces",
                 "smpipe simulates such an access only when all lanes agree");
    }
    space = s;
    first = false;
  }
  return space;
}

void run_atomic(Warp& warp, const Op& op, LaneMask active, Step& out) {
  const Space listed = op.instruction->memory.space;
  compute_addresses(warp, op, active, listed != Space::kShared, out.address.data());
  const Space space = space_of_lanes(warp, op, active, out);
  out.space = space;
  // Packed half additions exist in global memory only: on shared memory the instruction reports failure and the code
  // that follows does the work.
  const Type type = static_cast<Type>(op.extra[0] >> 8 & 255);
  if (listed == Space::kGeneric && space == Space::kShared && (type == kF16x2 || type == kBf16x2)) {
    warp.set_predicate(op.dst_predicate[0], 0, active);
    return;
  }
  out.memory_mask = active;
  const unsigned bytes = op.kind;
  for (LaneMask left = active; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    std::uint8_t* p = space == Space::kShared ? shared_pointer(warp, op, i, out.address[i], bytes)
                                              : global_pointer(warp, op, i, out.address[i], bytes);
    u64 old = 0, result = 0;
    std::memcpy(&old, p, bytes);
    const u64 value = perform(warp, op, i, bytes, old, result);
    std::memcpy(p, &value, bytes);
    warp.row(op.dst)[i] = static_cast<u32>(result);
    if (bytes == 8) warp.row(static_cast<std::uint16_t>(op.dst + 1))[i] = static_cast<u32>(result >> 32);
  }
  warp.set_predicate(op.dst_predicate[0], kAllLanes, active);
}

/// RED.ADD.F32x2 and F32x4: one single-precision addition per register of a vector.
void run_vector_add(Warp& warp, const Op& op, LaneMask active, Step& out) {
  compute_addresses(warp, op, active, true, out.address.data());
  out.space = Space::kGlobal;
  out.memory_mask = active;
  const unsigned count = op.kind;
  for (LaneMask left = active; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    std::uint8_t* p = global_pointer(warp, op, i, out.address[i], 4 * count);
    for (unsigned w = 0; w < count; ++w) {
      u32 old = 0;
      std::memcpy(&old, p + 4 * w, 4);
      const u32 v = warp.row(static_cast<std::uint16_t>(op.data + w))[i];
      const u32 sum = combine_float(kAdd, old, v, op.extra[0] != 0);
      std::memcpy(p + 4 * w, &sum, 4);
      if (op.dst != warp.image().trash_row) warp.row(static_cast<std::uint16_t>(op.dst + w))[i] = old;
    }
  }
  warp.set_predicate(op.dst_predicate[0], kAllLanes, active);
}

Type type_of(Decoder& d) {
  const int k = d.modifier_of({"U32", "S32", "U64", "S64", "F32", "F64", "F16x2", "BF16x2", "64", "32", "BF16_V2"});
  if (k == 8) return kU64;
  if (k == 9 || k < 0) return kU32;
  if (k == 10) return kBf16x2;
  return static_cast<Type>(k);
}

u32 data_register(Decoder& d, unsigned count) {
  const TextOperand& operand = d.take();
  if (operand.kind != OperandKind::kRegister) d.refuse("the data is not a register");
  return d.register_row(operand.index, count);
}

void decode_atomic(Decoder& d) {
  const std::string& m = d.text.mnemonic;
  const bool shared = m == "ATOMS" || m == "REDS";
  const bool returns = m[0] == 'A';
  if (shared && d.text.has("ARRIVE")) return decode_shared_arrive(d);
  d.ignore({"E", "STRONG", "WEAK", "CTA", "SM", "GPU", "SYS", "RN", "SPIN", "PRIVATE"});
  const bool ftz = d.modifier("FTZ");
  const bool popc = d.modifier("POPC");
  int operation = d.modifier_of({"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS", "CAST"});
  if (operation < 0) d.refuse("its operation is not supported");
  if (popc) operation = kPopcInc;
  if (const int vector = d.modifier_of({"F32x2", "F32x4"}); vector >= 0) {
    if (operation != kAdd || d.text.mnemonic.back() != 'G') d.refuse("this vector form is not supported");
    d.op.kind = vector == 0 ? 2 : 4;
    d.op.extra[0] = ftz;
    if (returns) {
      d.optional_dst_predicate(0);
      d.dst(d.op.kind);
    }
    d.address(true);
    d.op.data = static_cast<std::uint16_t>(data_register(d, d.op.kind));
    d.op.run = run_vector_add;
    return;
  }
  const Type type = type_of(d);
  const bool wide = type == kU64 || type == kS64 || type == kF64;
  d.op.kind = wide ? 8 : 4;
  d.op.extra[0] = static_cast<u32>(operation) | u32{type} << 8 | u32{ftz} << 16;
  if (returns) {
    d.optional_dst_predicate(0);
    d.dst(wide ? 2 : 1);
  }
  d.address(!shared);
  if (operation != kPopcInc) {
    d.op.data = static_cast<std::uint16_t>(data_register(d, wide ? 2 : 1));
    if (operation == kCas || operation == kCast) d.op.extra[1] = data_register(d, wide ? 2 : 1);
  }
  if (d.left() && d.next_is(OperandKind::kPredicate)) d.take();
  d.op.run = run_atomic;
}

}  // namespace

void register_atomic(DecodeTable& t) {
  for (const char* name : {"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS"}) t[name] = decode_atomic;
}

}  // namespace smpipe::sass
