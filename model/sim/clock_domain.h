// The only SystemC process of the model: drains one calendar wheel in fixed rank order.
#pragma once

#include <exception>
#include <functional>
#include <systemc>
#include <vector>

#include "sim/block.h"
#include "sim/wheel.h"

namespace smpipe {

class ClockDomain : public sc_core::sc_module {
 public:
  /// `tick_everything` steps every block in every cycle: slow, and equal bit for bit; a test compares the two.
  ClockDomain(const sc_core::sc_module_name& name, sc_core::sc_time period, bool tick_everything);

  void add(Block& block);
  /// Delivers `packet` to `target` at cycle `when`, which must lie in the future.
  void send(Cycle when, Block& target, Packet& packet);
  /// Steps `block` at `when` at the latest.
  void wake(Block& block, Cycle when);

  /// Returns the first cycle of a new run; packets and wake-ups for it may follow.
  Cycle begin();
  /// `finished(now)` is asked once per simulated cycle in which anything happened; true ends the run.
  void on_cycle(std::function<bool(Cycle)> finished) { finished_ = std::move(finished); }
  /// Runs until `finished` says so or no block will ever run again. An exception of a block ends the run and passes.
  void run_until_finished();
  Cycle now() const { return now_; }

 private:
  struct Delivery {
    Block* target = nullptr;
    Packet* packet = nullptr;
  };
  static constexpr unsigned kLog2Span = 12;
  static constexpr unsigned kSpan = 1u << kLog2Span;
  using RankSet = std::vector<std::uint64_t>;

  void run();
  void run_cycle();
  void mark(Cycle when, std::uint32_t rank);
  Cycle next_cycle() const;

  sc_core::sc_time period_;
  bool tick_everything_;
  std::vector<Block*> blocks_;
  Wheel<Delivery, kLog2Span> deliveries_;
  std::vector<RankSet> due_;            ///< by cycle modulo kSpan: ranks to step
  std::vector<std::uint64_t> due_any_;  ///< one bit per bucket of `due_`
  std::function<bool(Cycle)> finished_;
  sc_core::sc_event resume_;
  std::exception_ptr failure_;
  Cycle now_ = 0;
  bool running_ = false;
};

}  // namespace smpipe
