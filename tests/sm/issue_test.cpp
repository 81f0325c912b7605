// Issue, dependence counters, MIO and shared memory: cycles derived from the configuration, probed on both sides.
#include <gtest/gtest.h>

#include "support/run_script.h"
#include "support/test_config.h"

namespace smpipe::test {
namespace {

std::vector<Cycle> issue_cycles(std::vector<ScriptLine> lines, const GpuConfig& config = small_gpu()) {
  lines.push_back(exit_line());
  ScriptKernel kernel(std::move(lines), shape(1, 32));
  simulate_fresh(config, kernel);
  return kernel.cycles();
}

TEST(Issue, StallCountSpacesDependentInstructions) {
  const auto c = issue_cycles({op(OpClass::kFp32, 4), op(OpClass::kFp32, 4), op(OpClass::kFp32, 4)});
  EXPECT_EQ(c[1] - c[0], 4u);
  EXPECT_EQ(c[2] - c[1], 4u);
}

TEST(Issue, PipeIntervalHoldsIndependentInstructionsOfOnePipe) {
  const auto same = issue_cycles({op(OpClass::kFp32), op(OpClass::kFp32), op(OpClass::kIntMul)});
  EXPECT_EQ(same[1] - same[0], 2u);
  EXPECT_EQ(same[2] - same[1], 2u);
  const auto other = issue_cycles({op(OpClass::kFp32), op(OpClass::kIntAlu), op(OpClass::kFp32)});
  EXPECT_EQ(other[1] - other[0], 1u);
  EXPECT_EQ(other[2] - other[0], 2u);
}

TEST(Issue, TensorIntervalFollowsFromMacs) {
  ScriptLine hmma = op(OpClass::kTensor);
  hmma.instruction.tensor_macs = 2048;
  const auto c = issue_cycles({hmma, hmma});
  EXPECT_EQ(c[1] - c[0], 8u);
}

class SharedLoadLatency : public testing::TestWithParam<unsigned> {};

TEST_P(SharedLoadLatency, GrowsByTwoPerConflict) {
  const unsigned ways = GetParam();
  const auto c =
      issue_cycles({memory(MemoryKind::kLoad, Space::kShared, 4, 0, 4 * ways), waits(op(OpClass::kIntAlu), 1)});
  EXPECT_EQ(c[1] - c[0], 23u + 2 * (ways - 1));
}
INSTANTIATE_TEST_SUITE_P(Ways, SharedLoadLatency, testing::Values(1, 2, 4, 8, 16, 32));

TEST(SharedMemory, WidthCostsWavefronts) {
  const auto c8 = issue_cycles({memory(MemoryKind::kLoad, Space::kShared, 8, 0, 8), waits(op(OpClass::kIntAlu), 1)});
  EXPECT_EQ(c8[1] - c8[0], 24u + 2);
  const auto c16 = issue_cycles({memory(MemoryKind::kLoad, Space::kShared, 16, 0, 16), waits(op(OpClass::kIntAlu), 1)});
  EXPECT_EQ(c16[1] - c16[0], 26u + 6);
}

TEST(SharedMemory, PhasesThatShareTheirWordsMerge) {
  const auto c8 = issue_cycles({memory(MemoryKind::kLoad, Space::kShared, 8, 0, 0), waits(op(OpClass::kIntAlu), 1)});
  EXPECT_EQ(c8[1] - c8[0], 24u);
  const auto c16 = issue_cycles({memory(MemoryKind::kLoad, Space::kShared, 16, 0, 0), waits(op(OpClass::kIntAlu), 1)});
  EXPECT_EQ(c16[1] - c16[0], 26u);
}

TEST(Mio, QueueTakesFiveThenTheOperandPortSetsThePace) {
  const auto pace = [](const ScriptLine& line) { return issue_cycles(std::vector<ScriptLine>(9, line)); };
  const auto load = pace(memory(MemoryKind::kLoad, Space::kShared, 4, 0, 4));
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(load[i] - load[i - 1], 1u) << i;
  // The first operand is over at mio.latency + 2; the next of the same warp starts four cycles after it did.
  EXPECT_EQ(load[5] - load[0], 9u);
  EXPECT_EQ(load[6] - load[5], 4u);
  EXPECT_EQ(load[7] - load[6], 4u);
  // Registers over the port, two cycles each: address 64 bit and shared offset; address 64 bit and data; address and
  // data.
  const auto copy = pace(async_copy(0x10000));
  EXPECT_EQ(copy[7] - copy[6], 6u);
  const auto store = pace(memory(MemoryKind::kStore, Space::kShared, 16, 0, 16));
  EXPECT_EQ(store[7] - store[6], 10u);
}

TEST(Mio, ConflictsFillBothQueuesBeforeTheyThrottle) {
  const auto c = issue_cycles(std::vector<ScriptLine>(14, memory(MemoryKind::kLoad, Space::kShared, 4, 0, 128)));
  EXPECT_EQ(c[9] - c[8], 4u);
  EXPECT_EQ(c[13] - c[12], 64u);  // 32 wavefronts, two cycles each into one SMSP
}

TEST(Barrier, CostsTwoCyclesPerWarp) {
  for (const std::uint32_t warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
    std::vector<ScriptLine> lines(5, barrier());
    lines.push_back(exit_line());
    ScriptKernel kernel(lines, shape(1, warps * 32));
    simulate_fresh(small_gpu(), kernel);
    // Rounds are told apart by their last issue: which warp of an SMSP goes first may change from round to round.
    std::array<Cycle, 6> last{};
    for (const auto& issue : kernel.issues()) last[issue.line] = std::max(last[issue.line], issue.cycle);
    EXPECT_EQ(last[4] - last[3], 21u + 2 * warps) << warps << " warps";
  }
}

TEST(AsyncCopy, EmptyGroupCompletesAtOnceAndWaitsInOrder) {
  const auto empty = issue_cycles({commit(), wait_group(0), op(OpClass::kIntAlu)});
  EXPECT_EQ(empty[1] - empty[0], 4u);  // commit_latency
  const auto newer = issue_cycles({commit(), async_copy(0x10000), commit(), wait_group(1), wait_group(0)});
  EXPECT_LT(newer[3] - newer[2], 10u) << "the empty group is complete, the copy is not waited for";
  EXPECT_GT(newer[4] - newer[1], 200u) << "the copy comes from memory";
}

TEST(AsyncCopy, WaitWithFewerGroupsThanTheLimitReturnsAtOnce) {
  const auto c = issue_cycles({async_copy(0x10000), commit(), wait_group(2), op(OpClass::kIntAlu)});
  EXPECT_EQ(c[2] - c[1], 2u);
  EXPECT_EQ(c[3] - c[2], 2u);
}

TEST(Global, HitInL1AfterMiss) {
  const auto load = memory(MemoryKind::kLoad, Space::kGlobal, 4, 0x20000, 4);
  const auto c = issue_cycles({load, waits(op(OpClass::kIntAlu), 1), load, waits(op(OpClass::kIntAlu), 1)});
  EXPECT_GT(c[1] - c[0], 300u);
  EXPECT_EQ(c[3] - c[2], 33u);
}

TEST(Global, L2HitIsTheSumOfItsPath) {
  auto load = memory(MemoryKind::kLoad, Space::kGlobal, 4, 0x20000, 4);
  load.instruction.memory.cache = CacheOp::kCg;
  const auto c = issue_cycles({load, waits(op(OpClass::kIntAlu), 1), load, waits(op(OpClass::kIntAlu), 1)});
  const GpuConfig g = small_gpu();
  // hand-off, miss, header through the port, slice (128 bytes in two cycles), way back (two port cycles), fill
  const Cycle sum = g.mio.latency + 2 * g.mio.cycles_per_register + g.l1.miss_latency + g.noc.request_latency + 1 +
                    g.l2.hit_latency + g.noc.response_latency + 1 + g.l1.fill_latency;
  EXPECT_EQ(c[3] - c[2], sum);
}

}  // namespace
}  // namespace smpipe::test
