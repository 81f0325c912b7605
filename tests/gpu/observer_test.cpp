// A spectator of a launch sees everything once, and changes nothing.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>

#include "sm/memory_operation.h"
#include "sm/sm_observer.h"
#include "support/run_script.h"
#include "support/test_config.h"

namespace smpipe::test {
namespace {

/// Adds up what it sees.
struct Tally {
  std::uint64_t issued = 0, copies_issued = 0, landed = 0, committed = 0, retired = 0, loads_back = 0, released = 0;
  std::uint64_t blocks_started = 0, blocks_ended = 0, warps_ended = 0, wavefront_cycles = 0, passed = 0, over = 0;
  std::array<std::uint64_t, kStalls> cycles{};
  Cycle last = 0;
  bool time_goes_back = false;
};

class TallySm : public SmObserver {
 public:
  explicit TallySm(Tally& tally) : t_(tally) {}
  void block_started(Cycle now, const ResidentBlock& block) override {
    see(now);
    ++t_.blocks_started;
    for (std::uint32_t i = 0; i < block.live_warps; ++i) {
      open_[block.warps[i]->age] = {Stall::kNoInstruction, block.warps[i]->started};
    }
  }
  void block_ended(Cycle now, const ResidentBlock&) override {
    see(now);
    ++t_.blocks_ended;
  }
  void warp_state(const Warp& warp, Stall state, Cycle from) override {
    auto& [open, since] = open_.at(warp.age);
    ASSERT_GE(from, since);
    t_.cycles[static_cast<std::size_t>(open)] += from - since;
    open = state;
    since = from;
  }
  void warp_ended(const Warp& warp, Cycle to) override {
    warp_state(warp, Stall::kDrain, to);
    open_.erase(warp.age);
    ++t_.warps_ended;
  }
  void issued(Cycle now, const Warp& warp, const Instruction& in, const Step& step) override {
    see(now);
    ++t_.issued;
    EXPECT_EQ(open_.at(warp.age).first, Stall::kSelected);
    t_.copies_issued += in.memory.kind == MemoryKind::kAsyncCopy && (step.memory_mask | step.shared_mask) != 0;
    if (in.op == OpClass::kGroupCommit) {
      ++t_.committed;
      EXPECT_EQ(warp.groups.open_group(), groups_[warp.age]++);
    }
  }
  void operands_over(Cycle now, const MemoryOperation& op) override {
    see(now);
    ++t_.over;
    EXPECT_GT(now, op.issued);
  }
  void passed_arbiter(Cycle now, const MemoryOperation&) override {
    see(now);
    ++t_.passed;
  }
  void data_stage(Cycle from, Cycle to, const MemoryOperation& op) override {
    EXPECT_EQ(to - from, op.data_wavefronts);
    EXPECT_GE(from, stage_free_);
    stage_free_ = to;
    t_.wavefront_cycles += to - from;
  }
  void written_back(Cycle now, const MemoryOperation& op) override {
    see(now);
    t_.loads_back += op.kind == MemoryKind::kLoad;
  }
  void copy_landed(Cycle now, const MemoryOperation&) override {
    see(now);
    ++t_.landed;
  }
  void group_retired(Cycle now, const Warp& warp, std::uint32_t group) override {
    see(now);
    ++t_.retired;
    EXPECT_EQ(group, retired_[warp.age]++);
  }
  void barrier_released(Cycle now, const ResidentBlock&, std::uint8_t, std::uint64_t waiting) override {
    see(now);
    t_.released += static_cast<std::uint64_t>(std::popcount(waiting));
  }

 private:
  void see(Cycle now) {
    t_.time_goes_back |= now < t_.last;
    t_.last = now;
  }
  Tally& t_;
  Cycle stage_free_ = 0;
  std::map<std::uint64_t, std::pair<Stall, Cycle>> open_;
  std::map<std::uint64_t, std::uint32_t> groups_, retired_;
};

class TallyLaunch : public LaunchObserver {
 public:
  explicit TallyLaunch(Cycle stop = kNever) : stop_(stop) {}
  SmObserver* observe(std::uint32_t) override {
    sms_.push_back(std::make_unique<TallySm>(tally));
    return sms_.back().get();
  }
  void launch_begins(Cycle start) override { start_ = start; }
  bool cycle_over(Cycle now, const GaugeReader& machine) override {
    machine.read(gauges);
    for (const GpuGauges::Sm& sm : gauges.sms) {
      for (const std::uint32_t n : sm.mio) EXPECT_LE(n, small_gpu().mio.queue_depth);
      most_outstanding = std::max(most_outstanding, sm.outstanding_sectors);
    }
    return now - start_ >= stop_;
  }
  Tally tally;
  GpuGauges gauges;
  std::uint32_t most_outstanding = 0;

 private:
  Cycle stop_, start_ = 0;
  std::vector<std::unique_ptr<TallySm>> sms_;
};

/// 2 warps a block: a copy, a commit, a wait, a barrier, a shared load and its reader, exit.
std::vector<ScriptLine> lines() {
  return {async_copy(0x100000, true),
          commit(),
          commit(),
          wait_group(0),
          barrier(),
          memory(MemoryKind::kLoad, Space::kShared, 4, 0, 4, 1),
          waits(op(OpClass::kIntAlu), 2),
          memory(MemoryKind::kLoad, Space::kGlobal, 4, 0x200000, 4, 1),
          waits(op(OpClass::kIntAlu), 2),
          exit_line()};
}

constexpr std::uint64_t kBlocks = 5, kWarps = 2, kAll = kBlocks * kWarps;

TEST(Observer, SeesEverythingOnce) {
  ScriptKernel kernel(lines(), shape(kBlocks, 64));
  TallyLaunch seen;
  SimulateOptions options;
  options.observer = &seen;
  const SimulationResult result = simulate_fresh(small_gpu(), kernel, options);
  EXPECT_FALSE(result.stopped);
  const Tally& t = seen.tally;
  EXPECT_FALSE(t.time_goes_back);
  EXPECT_EQ(t.blocks_started, kBlocks);
  EXPECT_EQ(t.blocks_ended, kBlocks);
  EXPECT_EQ(t.warps_ended, kAll);
  EXPECT_EQ(t.issued, kAll * lines().size());
  EXPECT_EQ(t.issued, result.warp_instructions);
  EXPECT_EQ(t.copies_issued, kAll);
  EXPECT_EQ(t.landed, kAll);
  EXPECT_EQ(t.committed, 2 * kAll);  // one with a copy, one empty
  EXPECT_EQ(t.retired, 2 * kAll);
  EXPECT_EQ(t.released, kAll);
  EXPECT_EQ(t.loads_back, 2 * kAll);
  EXPECT_EQ(t.over, 3 * kAll);
  EXPECT_EQ(t.passed, 3 * kAll);
  EXPECT_GT(seen.most_outstanding, 0u);
  EXPECT_EQ(seen.gauges.hbm_queue, 0u);
  std::uint64_t instructions = 0;
  for (const GpuGauges::Sm& sm : seen.gauges.sms) {
    EXPECT_EQ(sm.outstanding_sectors, 0u);
    instructions += sm.instructions;
  }
  EXPECT_EQ(instructions, t.issued);
}

TEST(Observer, IntervalsAddUpToTheStallCounters) {
  ScriptKernel kernel(lines(), shape(kBlocks, 64));
  TallyLaunch seen;
  SimulateOptions options;
  options.observer = &seen;
  const SimulationResult result = simulate_fresh(small_gpu(), kernel, options);
  double all = 0;
  for (const std::uint64_t cycles : seen.tally.cycles) all += static_cast<double>(cycles);
  for (std::size_t s = 0; s < kStalls; ++s) {
    EXPECT_DOUBLE_EQ(static_cast<double>(seen.tally.cycles[s]) / all, result.stalls[s].second) << kStallNames[s];
  }
  EXPECT_EQ(seen.tally.cycles[static_cast<std::size_t>(Stall::kSelected)], seen.tally.issued);
}

TEST(Observer, ChangesNothing) {
  ScriptKernel watched(lines(), shape(kBlocks, 64)), alone(lines(), shape(kBlocks, 64));
  TallyLaunch seen;
  SimulateOptions options;
  options.observer = &seen;
  const SimulationResult a = simulate_fresh(small_gpu(), watched, options);
  const SimulationResult b = simulate_fresh(small_gpu(), alone);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.stalls, b.stalls);
  EXPECT_EQ(a.metrics, b.metrics);
}

TEST(Observer, MayEndTheRun) {
  ScriptKernel kernel(lines(), shape(kBlocks, 64));
  TallyLaunch seen(100);
  SimulateOptions options;
  options.observer = &seen;
  const SimulationResult result = simulate_fresh(small_gpu(), kernel, options);
  EXPECT_TRUE(result.stopped);
  EXPECT_GE(result.cycles, 100u);
  EXPECT_EQ(kernel.finished(), 0u);  // the first copy alone takes longer
}

}  // namespace
}  // namespace smpipe::test
