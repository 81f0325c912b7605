// Branches, calls, convergence barriers, warp synchronisation, exit.
#include <bit>

#include <fmt/format.h>

#include "frontend/sass/decode.h"
#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

constexpr std::uint32_t kBytes = 16;

void run_nop(Warp&, const Op&, LaneMask, Step&) {}

/// Lanes of `active` that also satisfy the extra predicate operand.
LaneMask condition(Warp& warp, const Op& op, LaneMask active) { return active & warp.guard_mask(op.predicate[0]); }

void run_bra(Warp& warp, const Op& op, LaneMask active, Step& out) {
  warp.branch(condition(warp, op, active), op.target, out);
}

void run_bra_together(Warp& warp, const Op& op, LaneMask active, Step& out) {
  const LaneMask wanted = condition(warp, op, active);
  const bool take = op.kind ? wanted != 0 : wanted == warp.mask;
  warp.branch(take ? warp.mask : 0, op.target, out);
}

/// BRA.DIV compares the lanes that pass the guard with a mask: unless they are exactly the mask's lanes, the whole path
/// branches. BRA.CONV branches when they are. Lanes that have exited do not count.
void run_bra_mask(Warp& warp, const Op& op, LaneMask active, Step& out) {
  std::uint32_t scratch[kLanes];
  const std::uint32_t* value = fetch(warp, op, op.src[0], warp.mask, scratch);
  const LaneMask wanted = value[std::countr_zero(warp.mask)] & warp.alive;
  const bool converged = condition(warp, op, active) == wanted;
  const bool take = converged == (op.kind == 1);
  warp.branch(take ? warp.mask : 0, op.target, out);
}

std::uint32_t checked_target(Warp& warp, const Op& op, unsigned lane, std::uint64_t address) {
  const std::uint64_t size = warp.image().ops.size() * std::uint64_t{kBytes};
  if (address % kBytes != 0 || address >= size) {
    warp.fault(op, lane, fmt::format("control transfer to {:#x}, which is not in the listing", address),
               "function pointers and code of other sections need a listing that holds them");
  }
  return static_cast<std::uint32_t>(address / kBytes);
}

/// Target in a register pair plus an offset (BRX, RET, CALL by register).
void run_indirect(Warp& warp, const Op& op, LaneMask active, Step& out) {
  std::array<std::uint32_t, kLanes> targets{};
  std::uint32_t scratch[kLanes];
  const std::uint32_t* low = fetch(warp, op, op.src[0], active, scratch);
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!(active >> i & 1)) continue;
    // Code addresses are offsets in the kernel; 32 bits hold them.
    const std::uint32_t address = low[i] + op.extra[0];
    targets[i] = checked_target(warp, op, i, address);
  }
  warp.branch_indexed(active, targets, out);
}

void run_exit(Warp& warp, const Op& op, LaneMask active, Step& out) {
  const LaneMask leaving = condition(warp, op, active);
  if (leaving == 0) {
    warp.advance();
    return;
  }
  warp.exit_lanes(leaving, out);
}

void run_bssy(Warp& warp, const Op& op, LaneMask active, Step&) { warp.begin_convergence(op.kind, active); }
void run_bsync(Warp& warp, const Op& op, LaneMask active, Step&) {
  const LaneMask a = condition(warp, op, active);
  if (a == 0)
    warp.advance();
  else
    warp.converge(op.kind, a);
}
void run_break(Warp& warp, const Op& op, LaneMask active, Step&) {
  const LaneMask a = condition(warp, op, active);
  warp.advance();
  if (a) warp.break_convergence(op.kind, a);
}

void run_bmov_read(Warp& warp, const Op& op, LaneMask active, Step&) {
  std::uint32_t* d = warp.row(op.dst);
  for (unsigned i = 0; i < kLanes; ++i) {
    if (!(active >> i & 1)) continue;
    d[i] = warp.convergence[op.kind][i];
    if (op.extra[0]) warp.convergence[op.kind][i] = 0;
  }
}
void run_bmov_write(Warp& warp, const Op& op, LaneMask active, Step&) {
  std::uint32_t scratch[kLanes];
  const std::uint32_t* s = fetch(warp, op, op.src[0], active, scratch);
  for (unsigned i = 0; i < kLanes; ++i) {
    if (active >> i & 1) warp.convergence[op.kind][i] = s[i];
  }
}

void run_warpsync(Warp& warp, const Op& op, LaneMask active, Step&) {
  std::array<LaneMask, kLanes> masks{};
  std::uint32_t scratch[kLanes];
  const std::uint32_t* s = fetch(warp, op, op.src[0], active, scratch);
  for (unsigned i = 0; i < kLanes; ++i) masks[i] = s[i];
  warp.warp_sync(masks, active, op.kind != 0);
}

void run_yield(Warp& warp, const Op&, LaneMask, Step&) {
  warp.advance();
  if (warp.diverged()) warp.rotate();
}

void run_nanosleep(Warp& warp, const Op& op, LaneMask active, Step& out) {
  std::uint32_t scratch[kLanes];
  const std::uint32_t* s = fetch(warp, op, op.src[0], active, scratch);
  std::uint32_t longest = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    if ((active >> i & 1) && s[i] > longest) longest = s[i];
  }
  out.sleep_cycles = longest;
  warp.advance();
  if (warp.diverged()) warp.rotate();
}

void run_bpt(Warp& warp, const Op& op, LaneMask active, Step&) {
  warp.fault(op, static_cast<unsigned>(std::countr_zero(active)), "the kernel stops itself with a trap",
             "check the kernel's arguments: it detected an error (__trap or a failed assertion)");
}

void run_lepc(Warp& warp, const Op& op, LaneMask active, Step&) {
  std::uint32_t low[kLanes], high[kLanes] = {};
  for (unsigned i = 0; i < kLanes; ++i) low[i] = op.instruction->address + op.extra[0];
  store_pair(warp, op.dst, low, high, active);
}

// --- decoding
// -----------------------------------------------------------------------------------------------------------

void target(Decoder& d) {
  const std::int64_t address = d.integer();
  const std::uint64_t size = d.image().kernel.text.size() * std::uint64_t{kBytes};
  if (address < 0 || address % kBytes != 0 || static_cast<std::uint64_t>(address) >= size) {
    d.refuse("its target is not in the listing");
  }
  d.op.target = static_cast<std::uint32_t>(address / kBytes);
}

void decode_bra(Decoder& d) {
  d.op.flow = true;
  d.ignore({"INC", "DEC"});
  // .U.ANY and .U.ALL branch as one: when any lane, or every lane, wants to.
  const bool uniform = d.modifier("U");
  const bool any = d.modifier("ANY"), all = d.modifier("ALL");
  const bool div = d.modifier("DIV"), conv = d.modifier("CONV");
  d.op.run = run_bra;
  d.optional_predicate(0);
  if (div || conv) {
    d.op.run = run_bra_mask;
    d.op.always = true;
    d.op.kind = conv ? 1 : 0;
    d.source(0);
  }
  if (uniform && (any || all)) {
    d.op.kind = any ? 1 : 0;
    d.op.always = true;
    d.op.run = run_bra_together;
  }
  target(d);
}

void relative_register(Decoder& d, std::uint32_t base) {
  d.op.flow = true;
  d.op.run = run_indirect;
  d.source(0);
  const std::int64_t offset = d.left() ? d.integer() : 0;
  d.op.extra[0] = base + static_cast<std::uint32_t>(offset);
}

void decode_ret(Decoder& d) {
  // RET.REL R 0x0: the listing shows the sum of program counter and offset, so the register is an offset in the kernel.
  d.ignore({"REL", "ABS", "NODEC", "DEC"});
  d.optional_predicate(0);
  relative_register(d, 0);
}

void decode_brx(Decoder& d) {
  // BRX R4 -0x130 adds the register and the offset to the next instruction's address.
  d.optional_predicate(0);
  relative_register(d, d.next_address());
}

void decode_call(Decoder& d) {
  d.ignore({"REL", "ABS", "NOINC", "INC"});
  d.op.flow = true;
  d.optional_predicate(0);
  if (d.next_is(OperandKind::kRegister)) return relative_register(d, 0);
  d.op.run = run_bra;
  target(d);
}

void decode_jmp(Decoder& d) {
  d.ignore({"INC", "DEC", "U"});
  d.op.flow = true;
  d.op.run = run_bra;
  d.optional_predicate(0);
  target(d);
}

std::uint8_t convergence_register(Decoder& d) {
  if (!d.next_is(OperandKind::kConvergence)) d.refuse("a convergence register is expected");
  return static_cast<std::uint8_t>(d.take().index);
}

void decode_bssy(Decoder& d) {
  d.ignore({"RELIABLE", "RECONVERGENT"});
  d.op.run = run_bssy;
  d.optional_predicate(0);
  d.op.kind = convergence_register(d);
  target(d);
}
void decode_bsync(Decoder& d) {
  d.ignore({"RELIABLE", "RECONVERGENT"});
  d.op.flow = true;
  d.op.run = run_bsync;
  d.optional_predicate(0);
  d.op.kind = convergence_register(d);
}
void decode_break(Decoder& d) {
  d.ignore({"RELIABLE", "RECONVERGENT"});
  d.op.flow = true;
  d.op.run = run_break;
  d.optional_predicate(0);
  d.op.kind = convergence_register(d);
}
void decode_bmov(Decoder& d) {
  d.ignore({"32", "PQUAD"});
  d.op.extra[0] = d.modifier("CLEAR") ? 1 : 0;
  if (d.next_is(OperandKind::kConvergence)) {
    d.op.kind = convergence_register(d);
    d.op.run = run_bmov_write;
    d.source(0);
    return;
  }
  d.dst();
  d.op.kind = convergence_register(d);
  d.op.run = run_bmov_read;
}

void decode_warpsync(Decoder& d) {
  const bool collective = d.modifier("COLLECTIVE");
  d.op.kind = d.modifier("EXCLUSIVE") || collective ? 1 : 0;
  d.op.flow = true;
  d.op.run = run_warpsync;
  d.optional_predicate(0);
  if (d.modifier("ALL")) {
    TextOperand all;
    all.value = 0xffffffff;
    d.source_from(0, all, ValueType::kBits);
    return;
  }
  d.source(0);
  if (collective) target(d);
}

void decode_exit(Decoder& d) {
  d.ignore({"NO_ATEXIT", "PREEMPTED", "KEEPREFCOUNT"});
  d.op.flow = true;
  d.op.run = run_exit;
  d.optional_predicate(0);
}

void decode_nop(Decoder& d) {
  d.op.run = run_nop;
  while (d.left()) d.take();
  for (const std::string& m : d.text.modifiers) d.modifier(m);
}

void decode_yield(Decoder& d) {
  d.op.flow = true;
  d.op.run = run_yield;
}
void decode_nanosleep(Decoder& d) {
  d.ignore({"WARP", "SYNCS"});
  d.op.flow = true;
  d.op.run = run_nanosleep;
  d.optional_predicate(0);
  d.source(0);
}
void decode_bpt(Decoder& d) {
  d.op.run = run_bpt;
  d.ignore({"TRAP", "INT", "PAUSE", "DRAIN"});
  while (d.left()) d.take();
}
void decode_lepc(Decoder& d) {
  d.op.run = run_lepc;
  d.dst(2);
  if (d.left()) d.op.extra[0] = static_cast<std::uint32_t>(d.integer());
}

}  // namespace

void register_control(DecodeTable& t) {
  t["BRA"] = decode_bra;
  t["JMP"] = decode_jmp;
  t["BRX"] = decode_brx;
  t["CALL"] = decode_call;
  t["RET"] = decode_ret;
  t["BSSY"] = decode_bssy;
  t["BSYNC"] = decode_bsync;
  t["BREAK"] = decode_break;
  t["BMOV"] = decode_bmov;
  t["WARPSYNC"] = decode_warpsync;
  t["EXIT"] = decode_exit;
  t["KILL"] = decode_exit;
  t["YIELD"] = decode_yield;
  t["NANOSLEEP"] = decode_nanosleep;
  t["BPT"] = decode_bpt;
  t["LEPC"] = decode_lepc;
  for (const char* name : {"NOP", "PMTRIG", "PREEXIT", "ACQBULK", "ENDCOLLECTIVE", "CGAERRBAR", "MEMBAR", "ERRBAR",
                           "FENCE", "CCTL", "CCTLL", "DEPBAR", "LDGDEPBAR", "UCGABAR_ARV", "UCGABAR_WAIT"}) {
    t[name] = decode_nop;
  }
}

}  // namespace smpipe::sass
