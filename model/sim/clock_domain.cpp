#include "sim/clock_domain.h"

#include <bit>
#include <utility>

#include "core/error.h"

namespace smpipe {

ClockDomain::ClockDomain(const sc_core::sc_module_name& name, sc_core::sc_time period, bool tick_everything)
    : sc_module(name), period_(period), tick_everything_(tick_everything), due_(kSpan), due_any_(kSpan / 64, 0) {
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(run);
}

void ClockDomain::add(Block& block) {
  block.rank_ = static_cast<std::uint32_t>(blocks_.size());
  blocks_.push_back(&block);
  const std::size_t words = (blocks_.size() + 63) / 64;
  for (RankSet& set : due_) set.resize(words, 0);
}

void ClockDomain::send(Cycle when, Block& target, Packet& packet) {
  if (when <= now_) throw ModelError("packet sent without latency");
  deliveries_.schedule(when, {&target, &packet});
}

void ClockDomain::wake(Block& block, Cycle when) {
  if (when == kNever) return;
  const Cycle soonest = running_ ? now_ + 1 : now_;
  // A wake-up beyond the wheel's span becomes an early one; the block will ask again.
  mark(std::min(std::max(when, soonest), now_ + kSpan - 1), block.rank_);
}

void ClockDomain::mark(Cycle when, std::uint32_t rank) {
  const std::size_t slot = when & (kSpan - 1);
  due_[slot][rank / 64] |= std::uint64_t{1} << (rank % 64);
  due_any_[slot / 64] |= std::uint64_t{1} << (slot % 64);
}

void ClockDomain::run_cycle() {
  const std::size_t slot = now_ & (kSpan - 1);
  RankSet& due = due_[slot];
  deliveries_.drain(now_, [&](const Delivery& d) {
    d.target->receive(now_, *d.packet);
    due[d.target->rank_ / 64] |= std::uint64_t{1} << (d.target->rank_ % 64);
  });
  due_any_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  if (tick_everything_) {
    std::fill(due.begin(), due.end(), 0);
    for (Block* block : blocks_) block->step(now_);
    return;
  }
  for (std::size_t word = 0; word < due.size(); ++word) {
    for (std::uint64_t bits = std::exchange(due[word], 0); bits != 0; bits &= bits - 1) {
      Block& block = *blocks_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      wake(block, block.step(now_));
    }
  }
}

Cycle ClockDomain::next_cycle() const {
  if (tick_everything_) return now_ + 1;
  Cycle next = deliveries_.next_after(now_);
  const std::size_t start = (now_ + 1) & (kSpan - 1);
  for (std::size_t i = 0; i <= due_any_.size(); ++i) {
    const std::size_t word = (start / 64 + i) % due_any_.size();
    std::uint64_t bits = due_any_[word];
    if (i == 0) bits &= ~std::uint64_t{0} << (start % 64);
    if (bits == 0) continue;
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return std::min(next, now_ + 1 + ((slot - start) & (kSpan - 1)));
  }
  return next;
}

Cycle ClockDomain::begin() { return ++now_; }

void ClockDomain::run_until_finished() {
  running_ = true;
  resume_.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();  // returns when the process below no longer asks to be run
  running_ = false;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ClockDomain::run() {
  next_trigger(resume_);
  if (!running_) return;  // SystemC's initialisation runs every process once
  try {
    run_cycle();
    if (finished_ && finished_(now_)) return;
  } catch (...) {
    // SystemC would wrap the exception into its own report.
    failure_ = std::current_exception();
    return;
  }
  const Cycle next = next_cycle();
  if (next == kNever) return;
  next_trigger(period_ * static_cast<double>(next - now_));
  now_ = next;
}

}  // namespace smpipe

// libsystemc refers to the entry point that its own main() would call; the program has a main of its own.
int sc_main(int, char**);
int sc_main(int, char**) { return 0; }
