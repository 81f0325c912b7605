// Loads, stores, matrix loads and asynchronous copies.
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "frontend/sass/decode.h"
#include "frontend/sass/lanes.h"
#include "frontend/sass/memory_access.h"

namespace smpipe::sass {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Width and sign extension of an access, packed into Op::kind: bytes | 32 for signed.
constexpr std::uint8_t kSignedBit = 32;

u32 extend(u32 value, unsigned bytes, bool is_signed) {
  if (bytes == 1) return is_signed ? static_cast<u32>(std::int32_t{static_cast<std::int8_t>(value)}) : value & 255;
  if (bytes == 2) return is_signed ? static_cast<u32>(std::int32_t{static_cast<std::int16_t>(value)}) : value & 0xffff;
  return value;
}

/// Copies one lane's loaded bytes into its registers.
void deliver(Warp& warp, const Op& op, unsigned lane, const std::uint8_t* from) {
  const unsigned bytes = op.kind & 31;
  if (bytes >= 4) {
    for (unsigned w = 0; w < bytes / 4; ++w) {
      std::memcpy(&warp.row(static_cast<std::uint16_t>(op.dst + w))[lane], from + 4 * w, 4);
    }
    return;
  }
  u32 raw = 0;
  std::memcpy(&raw, from, bytes);
  warp.row(op.dst)[lane] = extend(raw, bytes, op.kind & kSignedBit);
}

void collect(Warp& warp, const Op& op, unsigned lane, std::uint8_t* to) {
  const unsigned bytes = op.kind & 31;
  if (bytes >= 4) {
    for (unsigned w = 0; w < bytes / 4; ++w) {
      std::memcpy(to + 4 * w, &warp.row(static_cast<std::uint16_t>(op.data + w))[lane], 4);
    }
    return;
  }
  std::memcpy(to, &warp.row(op.data)[lane], bytes);
}

void load_local(Warp& warp, const Op& op, unsigned lane, u64 address, Step& out) {
  const unsigned bytes = op.kind & 31;
  const unsigned word = local_word(warp, op, lane, address, bytes);
  out.address[lane] = local_backing(warp, word, lane) + (address & 3);
  if (bytes >= 4) {
    for (unsigned w = 0; w < bytes / 4; ++w) {
      warp.row(static_cast<std::uint16_t>(op.dst + w))[lane] = warp.local(word + w, lane);
    }
    return;
  }
  warp.row(op.dst)[lane] = extend(warp.local(word, lane) >> (8 * (address & 3)), bytes, op.kind & kSignedBit);
}

void store_local(Warp& warp, const Op& op, unsigned lane, u64 address, Step& out) {
  const unsigned bytes = op.kind & 31;
  const unsigned word = local_word(warp, op, lane, address, bytes);
  out.address[lane] = local_backing(warp, word, lane) + (address & 3);
  if (bytes >= 4) {
    for (unsigned w = 0; w < bytes / 4; ++w) {
      warp.local(word + w, lane) = warp.row(static_cast<std::uint16_t>(op.data + w))[lane];
    }
    return;
  }
  const unsigned shift = 8 * static_cast<unsigned>(address & 3);
  const u32 mask = ((1u << (8 * bytes)) - 1) << shift;
  u32& slot = warp.local(word, lane);
  slot = (slot & ~mask) | ((warp.row(op.data)[lane] << shift) & mask);
}

/// Space of the access; generic accesses are resolved lane by lane and must agree.
Space resolve(Warp& warp, const Op& op, LaneMask active, Step& out) {
  const Space listed = op.instruction->memory.space;
  if (listed != Space::kGeneric) return listed;
  Space space = Space::kGlobal;
  bool first = true;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!(active >> i & 1)) continue;
    const Space s = resolve_generic(out.address[i]);
    if (!first && s != space) {
      warp.fault(op, i, "lanes of one generic access lie in different memory spaces",
                 "smpipe simulates such an access only when all lanes agree");
    }
    space = s;
    first = false;
  }
  return space;
}

template <bool Store>
void run_access(Warp& warp, const Op& op, LaneMask active, Step& out) {
  const Space listed = op.instruction->memory.space;
  const bool wide = listed == Space::kGlobal || listed == Space::kGeneric;
  compute_addresses(warp, op, active, wide, out.address.data());
  const Space space = resolve(warp, op, active, out);
  out.space = space;
  out.memory_mask = active;
  const unsigned bytes = op.kind & 31;
  for (LaneMask left = active; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    if (space == Space::kLocal) {
      if (Store)
        store_local(warp, op, i, out.address[i], out);
      else
        load_local(warp, op, i, out.address[i], out);
      continue;
    }
    std::uint8_t* p = space == Space::kShared ? shared_pointer(warp, op, i, out.address[i], bytes)
                                              : global_pointer(warp, op, i, out.address[i], bytes);
    if (Store)
      collect(warp, op, i, p);
    else
      deliver(warp, op, i, p);
  }
}

/// Accesses of whole words that lie in one buffer or in shared memory, all lanes checked at once: the usual case.
template <bool Store, unsigned Bytes>
void run_fast(Warp& warp, const Op& op, LaneMask active, Step& out) {
  const Space listed = op.instruction->memory.space;
  const bool global = listed != Space::kShared;
  compute_addresses(warp, op, active, global, out.address.data());
  u64 lowest = ~u64{0}, highest = 0, low_bits = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const u64 on = 0 - u64{active >> i & 1};
    const u64 a = out.address[i];
    const u64 low = a | ~on, high = a & on;
    lowest = low < lowest ? low : lowest;
    highest = high > highest ? high : highest;
    low_bits |= a & on;
  }
  // Generic addresses below the windows are global ones.
  if (listed == Space::kGeneric && highest >= kSharedWindow) return run_access<Store>(warp, op, active, out);
  std::uint8_t* base = nullptr;
  if ((low_bits & (Bytes - 1)) == 0) {
    if (global)
      base = warp.image().memory->find(lowest, highest - lowest + Bytes);
    else if (highest + Bytes <= warp.block().shared.size())
      base = warp.block().shared.data() + lowest;
  }
  if (!base) return run_access<Store>(warp, op, active, out);
  out.space = global ? Space::kGlobal : Space::kShared;
  out.memory_mask = active;
  constexpr unsigned words = Bytes / 4;
  if constexpr (Store) {
    // Lanes in ascending order: of several lanes that store to one address the last wins.
    for (LaneMask left = active; left; left &= left - 1) {
      const unsigned i = static_cast<unsigned>(std::countr_zero(left));
      std::uint8_t* p = base + (out.address[i] - lowest);
      for (unsigned w = 0; w < words; ++w) {
        std::memcpy(p + 4 * w, &warp.row(static_cast<std::uint16_t>(op.data + w))[i], 4);
      }
    }
  } else {
    for (LaneMask left = active; left; left &= left - 1) {
      const unsigned i = static_cast<unsigned>(std::countr_zero(left));
      const std::uint8_t* p = base + (out.address[i] - lowest);
      for (unsigned w = 0; w < words; ++w) {
        std::memcpy(&warp.row(static_cast<std::uint16_t>(op.dst + w))[i], p + 4 * w, 4);
      }
    }
  }
}

template <bool Store>
Handler access_handler(Space space, unsigned bytes) {
  if (space != Space::kLocal) {
    if (bytes == 4) return run_fast<Store, 4>;
    if (bytes == 8) return run_fast<Store, 8>;
    if (bytes == 16) return run_fast<Store, 16>;
  }
  return run_access<Store>;
}

/// Modifiers that say how caches treat the access; `classify` has read them.
void ignore_cache_modifiers(Decoder& d) {
  d.ignore({"E",  "STRONG", "WEAK", "CTA",     "SM",     "GPU",     "SYS",     "CONSTANT", "EF", "EL",   "LU",
            "EU", "NA",     "MMIO", "PRIVATE", "LTC64B", "LTC128B", "LTC256B", "CI",       "U",  "NODEC"});
}

void access_width(Decoder& d) {
  static constexpr std::uint8_t kinds[] = {1, 1 | kSignedBit, 2, 2 | kSignedBit, 8, 16, 4};
  const int k = d.modifier_of({"U8", "S8", "U16", "S16", "64", "128", "32"});
  d.op.kind = k < 0 ? 4 : kinds[k];
}

void decode_load(Decoder& d) {
  const bool wide = d.text.mnemonic == "LD" || d.text.mnemonic == "LDG";
  access_width(d);
  ignore_cache_modifiers(d);
  d.ignore({"ZD"});
  const unsigned registers = std::max(1u, (d.op.kind & 31u) / 4);
  if (d.next_is(OperandKind::kPredicate)) d.refuse("a load with a predicate result is not supported");
  d.dst(registers);
  d.address(wide);
  if (d.left()) d.refuse("this operand form is not supported");
  d.op.run = access_handler<false>(wide ? (d.text.mnemonic == "LD" ? Space::kGeneric : Space::kGlobal)
                                   : d.text.mnemonic == "LDS" ? Space::kShared
                                                              : Space::kLocal,
                                   d.op.kind & 31);
}

void decode_store(Decoder& d) {
  const bool wide = d.text.mnemonic == "ST" || d.text.mnemonic == "STG";
  access_width(d);
  ignore_cache_modifiers(d);
  const unsigned registers = std::max(1u, (d.op.kind & 31u) / 4);
  d.address(wide);
  const TextOperand& data = d.take();
  if (data.kind != OperandKind::kRegister) d.refuse("the data is not a register");
  d.op.data = d.register_row(data.index, registers);
  d.op.run = access_handler<true>(wide ? (d.text.mnemonic == "ST" ? Space::kGeneric : Space::kGlobal)
                                  : d.text.mnemonic == "STS" ? Space::kShared
                                                             : Space::kLocal,
                                  d.op.kind & 31);
}

// --- matrices
// -----------------------------------------------------------------------------------------------------------

/// LDSM.16.M88[.2|.4]: lane 8m + r holds the address of row r of matrix m. Lane 4r + c receives elements 2c, 2c + 1 of
/// row r; with .MT88 those of column r.
void run_ldsm(Warp& warp, const Op& op, LaneMask active, Step& out) {
  compute_addresses(warp, op, active, false, out.address.data());
  const unsigned count = op.kind & 7;
  const bool transposed = op.kind & 8;
  out.space = Space::kShared;
  out.memory_mask = active & (count == 4 ? kAllLanes : (1u << (8 * count)) - 1);
  for (unsigned m = 0; m < count; ++m) {
    std::uint16_t element[8][8];
    for (unsigned r = 0; r < 8; ++r) {
      const unsigned lane = 8 * m + r;
      std::memcpy(element[r], shared_pointer(warp, op, lane, out.address[lane], 16), 16);
    }
    u32 result[kLanes];
    for (unsigned i = 0; i < kLanes; ++i) {
      const unsigned r = i / 4, c = 2 * (i % 4);
      const u32 low = transposed ? element[c][r] : element[r][c];
      const u32 high = transposed ? element[c + 1][r] : element[r][c + 1];
      result[i] = low | high << 16;
    }
    store_lanes(warp.row(static_cast<std::uint16_t>(op.dst + m)), result, active);
  }
}

void run_stsm(Warp& warp, const Op& op, LaneMask active, Step& out) {
  compute_addresses(warp, op, active, false, out.address.data());
  const unsigned count = op.kind & 7;
  const bool transposed = op.kind & 8;
  out.space = Space::kShared;
  out.memory_mask = active & (count == 4 ? kAllLanes : (1u << (8 * count)) - 1);
  for (unsigned m = 0; m < count; ++m) {
    const u32* data = warp.row(static_cast<std::uint16_t>(op.data + m));
    std::uint16_t element[8][8];
    for (unsigned i = 0; i < kLanes; ++i) {
      const unsigned r = i / 4, c = 2 * (i % 4);
      (transposed ? element[c][r] : element[r][c]) = static_cast<std::uint16_t>(data[i]);
      (transposed ? element[c + 1][r] : element[r][c + 1]) = static_cast<std::uint16_t>(data[i] >> 16);
    }
    for (unsigned r = 0; r < 8; ++r) {
      const unsigned lane = 8 * m + r;
      std::memcpy(shared_pointer(warp, op, lane, out.address[lane], 16), element[r], 16);
    }
  }
}

void matrix_modifiers(Decoder& d) {
  d.ignore({"16"});
  const bool transposed = d.modifier("MT88");
  if (!transposed && !d.modifier("M88")) d.refuse("this matrix shape is not supported");
  const unsigned count = d.modifier("4") ? 4 : d.modifier("2") ? 2 : 1;
  d.op.kind = static_cast<std::uint8_t>(count | (transposed ? 8 : 0));
}

void decode_ldsm(Decoder& d) {
  matrix_modifiers(d);
  d.dst(d.op.kind & 7);
  d.address(false);
  d.op.run = run_ldsm;
}

void decode_stsm(Decoder& d) {
  matrix_modifiers(d);
  d.address(false);
  const TextOperand& data = d.take();
  if (data.kind != OperandKind::kRegister) d.refuse("the data is not a register");
  d.op.data = d.register_row(data.index, d.op.kind & 7);
  d.op.run = run_stsm;
}

/// MOVM.16.MT88: transposes an 8x8 matrix of 16-bit elements held by the warp.
void run_movm(Warp& warp, const Op& op, LaneMask active, Step&) {
  u32 scratch[kLanes], result[kLanes];
  const u32* a = fetch(warp, op, op.src[0], active, scratch);
  std::uint16_t element[8][8];
  for (unsigned i = 0; i < kLanes; ++i) {
    element[i / 4][2 * (i % 4)] = static_cast<std::uint16_t>(a[i]);
    element[i / 4][2 * (i % 4) + 1] = static_cast<std::uint16_t>(a[i] >> 16);
  }
  for (unsigned i = 0; i < kLanes; ++i) {
    result[i] = element[2 * (i % 4)][i / 4] | u32{element[2 * (i % 4) + 1][i / 4]} << 16;
  }
  store_lanes(warp.row(op.dst), result, active);
}

void decode_movm(Decoder& d) {
  d.ignore({"16"});
  if (!d.modifier("MT88")) d.refuse("this matrix shape is not supported");
  d.dst();
  d.source(0);
  d.op.run = run_movm;
}

// --- asynchronous copies
// ------------------------------------------------------------------------------------------------

/// Second address of LDGSTS, kept in Op::src[1] (register) and Op::extra[0] (offset).
struct SharedAddress {
  u32 base;
  const u32* row;
  unsigned scale;
};

SharedAddress shared_operand(Warp& warp, const Op& op) {
  const Source& s = op.src[1];
  return {op.extra[0] + warp.uniform[s.uniform], warp.row(s.index), s.select};
}

/// A lane whose predicate operand is false writes zeros. With .ZFILL the low bits of the source address say how many
/// bytes at the end are zeros instead of copied ones (that is how a source size register is compiled). Data moves at
/// issue; when it becomes visible is the timing core's business.
void run_ldgsts(Warp& warp, const Op& op, LaneMask active, Step& out) {
  compute_addresses(warp, op, active, true, out.address.data());
  const SharedAddress to = shared_operand(warp, op);
  const unsigned bytes = op.kind & 31;
  const bool zero_fill = op.extra[1] != 0;
  const LaneMask reads = warp.guard_mask(op.predicate[0]) & active;
  out.space = Space::kGlobal;
  out.memory_mask = reads;
  out.shared_mask = active;
  for (LaneMask left = active; left; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(left));
    out.shared_address[i] = (to.row[i] << to.scale) + to.base;
    std::uint8_t* destination = shared_pointer(warp, op, i, out.shared_address[i], bytes);
    if (!(reads >> i & 1)) {
      std::memset(destination, 0, bytes);
      continue;
    }
    unsigned zeros = 0;
    if (zero_fill) {
      zeros = static_cast<unsigned>(out.address[i] & (bytes - 1));
      out.address[i] -= zeros;
    }
    std::memcpy(destination, global_pointer(warp, op, i, out.address[i], bytes), bytes - zeros);
    std::memset(destination + (bytes - zeros), 0, zeros);
  }
}

void decode_ldgsts(Decoder& d) {
  access_width(d);
  ignore_cache_modifiers(d);
  d.ignore({"BYPASS", "ACCESS"});
  d.op.extra[1] = d.modifier("ZFILL") ? 1 : 0;
  const TextOperand to = d.take();
  if (to.kind != OperandKind::kAddress) d.refuse("a shared address is expected");
  Source& s = d.op.src[1];
  s.index = to.index == kNoIndex ? d.image().zero_row : d.register_row(to.index);
  s.uniform = to.uniform == kNoIndex ? kUniformZero : to.uniform;
  s.select = to.scale;
  d.op.extra[0] = static_cast<u32>(to.value);
  d.address(true);
  d.optional_predicate(0);
  d.op.run = run_ldgsts;
}

/// QSPC.E.S / .L / .G: whether a generic address lies in that space.
void run_qspc(Warp& warp, const Op& op, LaneMask active, Step& out) {
  compute_addresses(warp, op, active, true, out.address.data());
  LaneMask hit = 0;
  u32 result[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    u64 a = out.address[i];
    const Space space = resolve_generic(a);
    const bool yes = static_cast<Space>(op.kind) == space;
    hit |= u32{yes} << i;
    result[i] = yes;
  }
  store_lanes(warp.row(op.dst), result, active);
  warp.set_predicate(op.dst_predicate[0], hit, active);
}

void decode_qspc(Decoder& d) {
  const int k = d.modifier_of({"S", "L", "G"});
  d.ignore({"E"});
  if (k < 0) d.refuse("this space is not supported");
  d.op.kind = static_cast<std::uint8_t>(k == 0 ? Space::kShared : k == 1 ? Space::kLocal : Space::kGlobal);
  d.optional_dst_predicate(0);
  d.dst();
  d.address(true);
  d.op.run = run_qspc;
}

}  // namespace

void register_memory(DecodeTable& t) {
  for (const char* name : {"LD", "LDG", "LDS", "LDL"}) t[name] = decode_load;
  for (const char* name : {"ST", "STG", "STS", "STL"}) t[name] = decode_store;
  t["LDSM"] = decode_ldsm;
  t["STSM"] = decode_stsm;
  t["MOVM"] = decode_movm;
  t["LDGSTS"] = decode_ldgsts;
  t["QSPC"] = decode_qspc;
}

}  // namespace smpipe::sass
