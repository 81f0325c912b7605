// Divergence and convergence: which lanes run together, in what order, and that nothing hangs.
#include "frontend/sass/sass_fixture.h"

namespace smpipe::test {
namespace {

/// Executes a program step by step and records the lanes that ran each instruction.
struct Trace {
  std::vector<std::pair<std::uint32_t, LaneMask>> steps;  ///< instruction index, active lanes
  std::vector<LaneMask> at(std::uint32_t index) const {
    std::vector<LaneMask> masks;
    for (const auto& [i, mask] : steps) {
      if (i == index) masks.push_back(mask);
    }
    return masks;
  }
};

Trace trace(const std::vector<std::string>& program, std::uint32_t threads = 32, std::size_t limit = 5000) {
  Launch launch;
  launch.kernel = "k";
  launch.shape.block = {threads, 1, 1};
  launch.shape.static_shared_bytes = 64;
  DeviceMemory memory;
  SassExecutor executor(read_sass_text(listing(program), "t.sass", "k", "sm_80"), launch, memory);
  BlockStream& block = executor.start_block(0, 0);
  WarpStream& warp = block.warp(0);
  Trace result;
  Step step;
  for (std::size_t k = 0; k < limit && warp.next(); ++k) {
    const std::uint32_t index = warp.next()->index;
    warp.execute(k, step);
    result.steps.emplace_back(index, step.active);
    EXPECT_EQ(step.exited, warp.next() == nullptr);
  }
  EXPECT_EQ(warp.next(), nullptr) << "the program did not finish";
  executor.finish_block(block);
  return result;
}

constexpr LaneMask kLower = 0x0000ffff, kUpper = 0xffff0000;

TEST(SassConvergence, BranchesRejoinAtBsync) {
  const Trace t = trace({"S2R R0, SR_LANEID", "ISETP.GE.AND P0, PT, R0, 0x10, PT", "BSSY B0, 0x70", "@P0 BRA 0x60",
                         "MOV R1, 0x1", "NOP", "BSYNC B0", "MOV R2, 0x2", "EXIT"});
  EXPECT_EQ(t.at(4), std::vector<LaneMask>{kLower});
  EXPECT_EQ(t.at(7), std::vector<LaneMask>{kAllLanes});
}

TEST(SassConvergence, BreakLeavesTheSet) {
  // Lanes 0-15 break out to 0x90 while the others go on to the BSYNC.
  const Trace t = trace({"S2R R0, SR_LANEID", "ISETP.LT.AND P0, PT, R0, 0x10, PT", "BSSY B1, 0x90", "BSSY B0, 0x70",
                         "@P0 BREAK B0", "@P0 BRA 0x80", "BSYNC B0", "MOV R2, 0x2", "BSYNC B1", "EXIT"});
  EXPECT_EQ(t.at(7), std::vector<LaneMask>{kUpper});
  EXPECT_EQ(t.at(9), std::vector<LaneMask>{kAllLanes});
}

TEST(SassConvergence, ExitedLanesAreNotWaitedFor) {
  const Trace t = trace({"S2R R0, SR_LANEID", "ISETP.LT.AND P0, PT, R0, 0x10, PT", "BSSY B0, 0x60", "@P0 BRA 0x50",
                         "BRA 0x50", "BSYNC B0", "EXIT"});
  EXPECT_EQ(t.at(6), std::vector<LaneMask>{kAllLanes});
  const Trace e = trace({"S2R R0, SR_LANEID", "ISETP.LT.AND P0, PT, R0, 0x10, PT", "BSSY B0, 0x60", "@!P0 BRA 0x50",
                         "EXIT", "BSYNC B0", "EXIT"});
  EXPECT_EQ(e.at(6), std::vector<LaneMask>{kUpper});
}

TEST(SassConvergence, WarpsyncWaitsForItsMask) {
  const Trace t = trace({"S2R R0, SR_LANEID", "ISETP.LT.AND P0, PT, R0, 0x10, PT", "@P0 BRA 0x50", "MOV R1, 0x1", "NOP",
                         "WARPSYNC 0xffffffff", "MOV R2, 0x2", "EXIT"});
  EXPECT_EQ(t.at(6), std::vector<LaneMask>{kAllLanes});
}

TEST(SassConvergence, ExclusiveWarpsyncSplitsByMask) {
  // Each half names itself: two groups run the vote.
  const Trace t =
      trace({"S2R R0, SR_LANEID", "ISETP.LT.AND P0, PT, R0, 0x10, PT", "MOV R1, 0xffff0000", "@P0 MOV R1, 0xffff",
             "BSSY B0, 0x80", "WARPSYNC.EXCLUSIVE R1", "VOTE.ANY R2, PT, PT", "BSYNC B0", "EXIT"});
  EXPECT_EQ(t.at(6).size(), 2u);
  EXPECT_EQ(t.at(6)[0] | t.at(6)[1], kAllLanes);
  EXPECT_EQ(t.at(8), std::vector<LaneMask>{kAllLanes});
}

TEST(SassConvergence, SpinningPathLetsTheOtherRun) {
  // Lane 0 spins until lanes 1-31 have stored a flag; without turns it would spin forever.
  const Trace t =
      trace({"S2R R0, SR_LANEID", "ISETP.NE.AND P0, PT, R0, RZ, PT", "STS [RZ], RZ", "MOV R3, 0x1", "@P0 BRA 0x80",
             "LDS R1, [RZ]", "ISETP.EQ.AND P1, PT, R1, RZ, PT", "@P1 BRA 0x50", "@P0 STS [RZ], R3", "EXIT"});
  EXPECT_EQ(t.at(8).size(), 2u);
}

TEST(SassConvergence, PathsReachTheBlockBarrierTogether) {
  // Both sides of a branch have their own BAR; the warp arrives once.
  Launch launch;
  launch.kernel = "k";
  launch.shape.block = {32, 1, 1};
  DeviceMemory memory;
  SassExecutor executor(read_sass_text(listing({"S2R R0, SR_LANEID", "ISETP.LT.AND P0, PT, R0, 0x10, PT",
                                                "@P0 BRA 0x50", "BAR.SYNC 0x0", "EXIT", "NOP", "BAR.SYNC 0x0", "EXIT"}),
                                       "t.sass", "k", "sm_80"),
                        launch, memory);
  WarpStream& warp = executor.start_block(0, 0).warp(0);
  unsigned barriers = 0, steps = 0;
  Step step;
  for (; warp.next() && steps < 100; ++steps) {
    warp.execute(steps, step);
    barriers += step.barrier != BarrierOp::kNone;
  }
  EXPECT_EQ(barriers, 1u);
  EXPECT_EQ(warp.next(), nullptr);
}

TEST(SassConvergence, IllegalWaitsDoNotHang) {
  // Lanes 0-15 wait for lanes that never arrive at the same barrier register.
  const Trace t = trace({"S2R R0, SR_LANEID", "ISETP.LT.AND P0, PT, R0, 0x10, PT", "BSSY B0, 0x80", "BSSY B1, 0x80",
                         "@P0 BRA 0x70", "BSYNC B1", "EXIT", "BSYNC B0", "EXIT"});
  EXPECT_FALSE(t.steps.empty());
}

TEST(SassConvergence, PartialWarpsStartWithTheirLanesOnly) {
  const Trace t = trace({"NOP", "EXIT"}, 5);
  EXPECT_EQ(t.at(0), std::vector<LaneMask>{0x1f});
}

TEST(SassConvergence, BlocksAreReused) {
  Launch launch;
  launch.kernel = "k";
  launch.shape.grid = {3, 2, 1};
  launch.shape.block = {64, 1, 1};
  DeviceMemory memory;
  SassExecutor executor(read_sass_text(listing({"MOV R1, 0x1", "EXIT"}), "t.sass", "k", "sm_80"), launch, memory);
  BlockStream& first = executor.start_block(0, 0);
  BlockStream& second = executor.start_block(1, 0);
  EXPECT_NE(&first, &second);
  executor.finish_block(first);
  EXPECT_EQ(&executor.start_block(2, 0), &first);
  EXPECT_THROW(
      {
        executor.finish_block(second);
        executor.finish_block(second);
      },
      ModelError);
}

TEST(SassConvergence, CopiesArriveWhenTheyHaveLanded) {
  Launch launch;
  launch.kernel = "k";
  launch.shape.block = {32, 1, 1};
  launch.shape.static_shared_bytes = 64;
  DeviceMemory memory;
  // A barrier of 32 arrivals at address 0: {2^30 - 32, 2^31 - 32}.
  SassExecutor executor(read_sass_text(listing({"MOV R4, 0x3fffffe0", "MOV R5, 0x7fffffe0", "STS.64 [RZ], R4",
                                                "ARRIVES.LDGSTSBAR.64 [URZ]", "LDS R6, [0x4]", "EXIT"}),
                                       "t.sass", "k", "sm_80"),
                        launch, memory);
  WarpStream& warp = executor.start_block(0, 0).warp(0);
  Step step;
  for (int k = 0; k < 3; ++k) warp.execute(0, step);
  EXPECT_EQ(step.arrival_token, 0u);
  warp.execute(0, step);
  ASSERT_NE(step.arrival_token, 0u);
  warp.copies_landed(step.arrival_token);
  warp.copies_landed(step.arrival_token);  // a token counts once
  warp.execute(0, step);
  warp.execute(0, step);
  EXPECT_TRUE(step.exited);
}

}  // namespace
}  // namespace smpipe::test
