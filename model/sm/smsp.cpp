#include "sm/smsp.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/error.h"

namespace smpipe {

namespace {

constexpr std::size_t idx(Stall s) { return static_cast<std::size_t>(s); }
constexpr std::size_t idx(Pipe p) { return static_cast<std::size_t>(p); }
constexpr std::size_t idx(OpClass c) { return static_cast<std::size_t>(c); }
std::uint64_t count(std::uint32_t set) { return static_cast<std::uint64_t>(std::popcount(set)); }

}  // namespace

Smsp::Smsp(const GpuConfig& config, std::uint32_t index, SmWheel& wheel, Lsu& lsu, BarrierUnit& barriers,
           FetchUnit& fetch, SmCounters& counters)
    : config_(config),
      index_(index),
      wheel_(wheel),
      lsu_(lsu),
      barriers_(barriers),
      fetch_(fetch),
      counters_(counters),
      slots_(config.occupancy.warps_per_sm / config.smsp.count) {}

std::uint32_t Smsp::free_slots() const { return slots_ - static_cast<std::uint32_t>(std::popcount(resident_)); }

Warp& Smsp::place(Cycle now, std::uint64_t age) {
  account(now);
  const auto slot = static_cast<std::uint32_t>(std::countr_one(resident_));
  if (slot >= slots_) throw ModelError("warp placed on a full SMSP");
  resident_ |= Slots{1} << slot;
  Warp& warp = warps_[slot];
  warp = Warp{};
  warp.smsp = static_cast<std::uint8_t>(index_);
  warp.slot = static_cast<std::uint8_t>(slot);
  warp.age = age;
  warp.started = std::max(now, accounted_to_);
  in_state_[idx(Stall::kNoInstruction)] |= Slots{1} << slot;
  return warp;
}

void Smsp::account(Cycle now) {
  if (now <= accounted_to_) return;
  const Cycle cycles = now - accounted_to_;
  accounted_to_ = now;
  if (resident_ == 0) return;
  counters_.smsp_active_cycles += cycles;
  for (std::size_t s = 0; s < kStalls; ++s) {
    if (in_state_[s] != 0) counters_.warp_cycles[s] += cycles * count(in_state_[s]);
  }
}

void Smsp::set_state(Warp& warp, Stall state) {
  const Slots bit = Slots{1} << warp.slot;
  in_state_[idx(warp.state)] &= ~bit;
  in_state_[idx(state)] |= bit;
  if (observer_ != nullptr && warp.state != state) observer_->warp_state(warp, state, accounted_to_);
  warp.state = state;
}

void Smsp::wake_after_stall(Cycle when, Warp& warp) {
  const std::size_t slot = when % kStallRing;
  expiring_[slot] |= Slots{1} << warp.slot;
  expiring_any_ |= std::uint64_t{1} << slot;
}

void Smsp::update(Cycle now, Warp& warp) {
  account(now);
  if (warp.state == Stall::kDrain) return;
  if (warp.state == Stall::kMembar && !fence_done(warp)) return;  // counter_changed() goes on when it is
  if (warp.not_before <= now) evaluate(now, warp);                // else the end of its stall count will
}

void Smsp::counter_changed(Cycle now, Warp& warp) {
  switch (warp.state) {
    case Stall::kLongScoreboard:
    case Stall::kShortScoreboard:
      account(now);
      evaluate(now, warp);
      break;
    case Stall::kMembar:
      if (warp.not_before <= now && fence_done(warp)) {
        account(now);
        evaluate(now, warp);
      }
      break;
    default:
      break;
  }
}

bool Smsp::fence_done(const Warp& warp) const { return warp.unacknowledged_stores == 0 && warp.outstanding == 0; }

bool Smsp::waits_for_counters(const Warp& warp, const Instruction& in, bool& is_long) const {
  bool waits = false;
  for (std::uint32_t m = in.control.wait_mask; m != 0; m &= m - 1) {
    const auto c = static_cast<std::size_t>(std::countr_zero(m));
    if (warp.counters[c] == 0) continue;
    waits = true;
    is_long |= warp.long_pending[c] != 0;
  }
  const std::uint32_t limit = in.depbar_limit + (what_if_ != nullptr ? what_if_->extra_stages : 0);
  if (in.op == OpClass::kDepbar && warp.counters[in.depbar_counter] > limit) {
    waits = true;
    is_long |= warp.long_pending[in.depbar_counter] != 0;
  }
  return waits;
}

void Smsp::evaluate(Cycle now, Warp& warp) {
  if (warp.at_barrier) {
    set_state(warp, Stall::kBarrier);
    return;
  }
  const Instruction& in = *warp.stream->next();
  if (waits_for_fetch(now, warp, in)) return;
  bool is_long = false;
  if (waits_for_counters(warp, in, is_long)) {
    set_state(warp, is_long ? Stall::kLongScoreboard : Stall::kShortScoreboard);
    return;
  }
  if (in.op == OpClass::kGroupCommit && warp.groups.full()) {
    set_state(warp, Stall::kLongScoreboard);  // a dependence counter cannot hold more groups
    return;
  }
  const Slots bit = Slots{1} << warp.slot;
  const std::uint32_t port = port_of(in);
  eligible_ |= bit;
  wants_[port] |= bit;
  port_[warp.slot] = static_cast<std::uint8_t>(port);
  set_state(warp, Stall::kNotSelected);
}

bool Smsp::waits_for_fetch(Cycle now, Warp& warp, const Instruction& in) {
  const Cycle code = fetch_.code_ready(now, in);
  const Cycle constants = code > now ? 0 : fetch_.constants_ready(now, in);
  const Cycle ready = std::max(code, constants);
  if (ready <= now) return false;
  set_state(warp, code > now ? Stall::kNoInstruction : Stall::kImcMiss);
  wheel_.schedule(ready, {.kind = SmEvent::Kind::kReady, .warp = &warp});
  return true;
}

std::uint32_t Smsp::port_of(const Instruction& in) const {
  if (in.op == OpClass::kMemory) return in.memory.space == Space::kShared ? kMioShared : kMioGlobal;
  if (in.op == OpClass::kShuffle) return kMioShared;
  if (in.op == OpClass::kGroupCommit) return idx(Pipe::kLsu);
  return static_cast<std::uint32_t>(idx(config_.smsp.ops[idx(in.op)].pipe));
}

/// Eligible warps whose port is free; the others' state says what holds them.
Smsp::Slots Smsp::select(Cycle now) {
  Slots free = 0;
  const bool queue_full = lsu_.queue_full(index_);
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    const Slots wanting = wants_[port];
    if (wanting == 0) continue;
    bool blocked = queue_full;
    Stall reason = port == kMioShared ? Stall::kMioThrottle : Stall::kLgThrottle;
    if (port < kPipes) {
      blocked = pipe_free_[port] > now;
      reason = Stall::kMathPipeThrottle;
    }
    for (Slots m = wanting; m != 0; m &= m - 1) {
      Warp& warp = warps_[static_cast<std::size_t>(std::countr_zero(m))];
      const Stall state = blocked ? reason : Stall::kNotSelected;
      if (warp.state != state) set_state(warp, state);
    }
    if (!blocked) free |= wanting;
  }
  return free;
}

Warp& Smsp::pick(Slots eligible) {
  if (last_issuer_ < kMaxSlots && ((eligible >> last_issuer_) & 1)) return warps_[last_issuer_];
  Warp* best = nullptr;
  for (Slots m = eligible; m != 0; m &= m - 1) {
    Warp& warp = warps_[static_cast<std::size_t>(std::countr_zero(m))];
    if (best == nullptr || warp.age > best->age) best = &warp;
  }
  return *best;
}

Cycle Smsp::step(Cycle now) {
  if (resident_ == 0) return kNever;
  account(now);
  const std::size_t ring = now % kStallRing;
  if ((expiring_any_ >> ring) & 1) {
    expiring_any_ &= ~(std::uint64_t{1} << ring);
    for (Slots m = std::exchange(expiring_[ring], 0); m != 0; m &= m - 1) {
      evaluate(now, warps_[static_cast<std::size_t>(std::countr_zero(m))]);
    }
  }
  if (eligible_ != 0) {
    if (const Slots ready = select(now); ready != 0) issue(now, pick(ready));
  }
  return next_event(now);
}

void Smsp::issue(Cycle now, Warp& warp) {
  const Slots bit = Slots{1} << warp.slot;
  eligible_ &= ~bit;
  wants_[port_[warp.slot]] &= ~bit;
  // The issuing warp's own cycle; the others of this cycle are accounted at the next step, from their states.
  ++counters_.warp_cycles[idx(Stall::kSelected)];
  ++counters_.smsp_active_cycles;
  const Slots others = in_state_[idx(warp.state)] & ~bit;
  in_state_[idx(warp.state)] = others;
  in_state_[idx(Stall::kSelected)] |= bit;
  warp.state = Stall::kSelected;
  for (std::size_t s = 0; s < kStalls; ++s) {
    if (s != idx(Stall::kSelected) && in_state_[s] != 0) counters_.warp_cycles[s] += count(in_state_[s]);
  }
  if (observer_ != nullptr) observer_->warp_state(warp, Stall::kSelected, now);
  accounted_to_ = now + 1;

  const Instruction& in = *warp.stream->next();
  warp.stream->execute(now, step_);
  ++counters_.instructions;
  ++counters_.issued[idx(in.op)];
  counters_.thread_instructions += count(step_.path);
  counters_.thread_instructions_pred_on += count(step_.active);
  last_issuer_ = in.control.yield ? kMaxSlots : warp.slot;
  if (observer_ != nullptr) observer_->issued(now, warp, in, step_);
  dispatch(now, warp, in);
  advance(now, warp, in);
}

void Smsp::take_counters(Warp& warp, const Instruction& in, bool is_long) {
  if (const std::uint8_t c = written_counter(what_if_, in); c != ControlCode::kNoCounter) {
    ++warp.counters[c];
    warp.long_pending[c] = static_cast<std::uint8_t>(warp.long_pending[c] + is_long);
  }
  if (const std::uint8_t c = in.control.read_counter; c != ControlCode::kNoCounter) {
    ++warp.counters[c];
    warp.long_pending[c] = static_cast<std::uint8_t>(warp.long_pending[c] + is_long);
  }
}

void Smsp::release_counters(Cycle when_read, Cycle when_written, Warp& warp, const Instruction& in, bool is_long) {
  if (in.control.read_counter != ControlCode::kNoCounter) {
    wheel_.schedule(when_read, {.kind = SmEvent::Kind::kReadCounter,
                                .counter = in.control.read_counter,
                                .long_class = is_long,
                                .warp = &warp});
  }
  if (in.control.write_counter != ControlCode::kNoCounter) {
    wheel_.schedule(when_written, {.kind = SmEvent::Kind::kWriteCounter,
                                   .counter = in.control.write_counter,
                                   .long_class = is_long,
                                   .warp = &warp});
  }
}

void Smsp::dispatch(Cycle now, Warp& warp, const Instruction& in) {
  take_counters(warp, in, is_long_class(in));
  if (in.op == OpClass::kMemory) {
    ++counters_.pipe_issued[idx(Pipe::kLsu)];
    dispatch_memory(now, warp, in);
    return;
  }
  if (in.op == OpClass::kGroupCommit) {
    ++counters_.pipe_issued[idx(Pipe::kLsu)];
    const Cycle earliest = now + std::max(1u, config_.copy.commit_latency);
    warp.groups.commit(in.control.write_counter, earliest, step_.arrival_token);
    wheel_.schedule(earliest, {.kind = SmEvent::Kind::kRetireGroups, .warp = &warp});
    if (in.control.read_counter != ControlCode::kNoCounter) {
      wheel_.schedule(
          earliest,
          {.kind = SmEvent::Kind::kReadCounter, .counter = in.control.read_counter, .long_class = true, .warp = &warp});
    }
    return;
  }
  const OpConfig& op = config_.smsp.ops[idx(in.op)];
  std::uint32_t interval = op.interval;
  if (in.op == OpClass::kTensor) {
    interval = std::max(1u, in.tensor_macs / config_.smsp.tensor_macs_per_cycle);
  }
  ++counters_.pipe_issued[idx(op.pipe)];
  if (op.pipe != Pipe::kNone) {
    pipe_free_[idx(op.pipe)] = now + interval;
    counters_.pipe_busy[idx(op.pipe)] += interval;
  }
  if (in.op == OpClass::kShuffle && step_.active != 0) {
    lsu_.issue_shuffle(now, warp, in);
    return;
  }
  release_counters(now + std::max(1u, config_.smsp.operand_read_latency), now + std::max(1u, op.latency), warp, in,
                   is_long_class(in));
}

void Smsp::dispatch_memory(Cycle now, Warp& warp, const Instruction& in) {
  const bool vanishes = what_if_ != nullptr && what_if_->no_local && step_.space == Space::kLocal;
  if ((step_.memory_mask | step_.shared_mask) != 0 && !vanishes) {
    lsu_.issue_memory(now, warp, in, step_);
    return;
  }
  // No lane accesses memory: the instruction takes its issue slot and leaves no trace in the MIO queue.
  if (!vanishes) lsu_.count_idle(in);
  const Cycle done = now + std::max(1u, config_.mio.latency);
  release_counters(done, done, warp, in, is_long_class(in));
}

/// What the warp does after its instruction was dispatched.
void Smsp::advance(Cycle now, Warp& warp, const Instruction& in) {
  warp.not_before = now + std::max<Cycle>(1, in.control.stall);
  if (in.sets_clock) warp.not_before = std::max(warp.not_before, now + config_.smsp.clock_read_interval);
  if (step_.exited) {
    warp.not_before = now + config_.smsp.exit_latency;
    wheel_.schedule(std::max(warp.not_before, now + 1), {.kind = SmEvent::Kind::kReady, .warp = &warp});
    set_state(warp, Stall::kDrain);
    exited_ |= Slots{1} << warp.slot;
    return;
  }
  if (step_.barrier != BarrierOp::kNone) {
    barriers_.arrive(now, warp, step_);
    ++counters_.barrier_arrivals;
    warp.at_barrier = step_.barrier != BarrierOp::kArrive;
  }
  if (step_.sleep_cycles > 0) {
    set_state(warp, Stall::kSleeping);
    wheel_.schedule(now + std::max<Cycle>(step_.sleep_cycles, in.control.stall),
                    {.kind = SmEvent::Kind::kReady, .warp = &warp});
    return;
  }
  if (in.op == OpClass::kMembar) {
    warp.not_before = std::max(warp.not_before, now + config_.barrier.membar_latency);
    set_state(warp, Stall::kMembar);
    wheel_.schedule(warp.not_before, {.kind = SmEvent::Kind::kReady, .warp = &warp});
    return;
  }
  Stall state = Stall::kWait;
  if (step_.taken && now + config_.smsp.branch_latency > warp.not_before) {
    warp.not_before = now + config_.smsp.branch_latency;
    state = Stall::kBranchResolving;
  }
  set_state(warp, state);
  wake_after_stall(warp.not_before, warp);
}

Cycle Smsp::next_event(Cycle now) const {
  if (in_state_[idx(Stall::kNotSelected)] != 0) return now + 1;
  Cycle next = kNever;
  if (expiring_any_ != 0) {
    const auto shift = static_cast<int>((now + 1) % kStallRing);
    next = now + 1 + static_cast<Cycle>(std::countr_zero(std::rotr(expiring_any_, shift)));
  }
  if (in_state_[idx(Stall::kMathPipeThrottle)] != 0) {
    for (std::uint32_t port = 0; port < kPipes; ++port) {
      if (wants_[port] != 0) next = std::min(next, std::max(pipe_free_[port], now + 1));
    }
  }
  return next;
}

bool Smsp::try_release(Cycle now, Warp& warp) {
  if (now < warp.not_before || warp.outstanding != 0 || !warp.groups.idle()) return false;
  for (const std::uint8_t c : warp.counters) {
    if (c != 0) return false;
  }
  account(now);
  const Slots bit = Slots{1} << warp.slot;
  in_state_[idx(warp.state)] &= ~bit;
  resident_ &= ~bit;
  exited_ &= ~bit;
  if (last_issuer_ == warp.slot) last_issuer_ = kMaxSlots;
  counters_.resident_warp_cycles += accounted_to_ - warp.started;
  if (observer_ != nullptr) observer_->warp_ended(warp, accounted_to_);
  return true;
}

}  // namespace smpipe
