// Bounds that no memory system may break, on streams through the whole machine.
#include <gtest/gtest.h>

#include "config/config_reader.h"
#include "support/run_script.h"
#include "support/test_config.h"

namespace smpipe::test {
namespace {

struct Stream {
  double bytes, cycles;
};

/// Every warp loads its own `loads` × 512 bytes, one block of eight warps per SM slot.
Stream stream(const GpuConfig& config, std::uint32_t blocks, std::uint32_t loads, bool again) {
  std::vector<ScriptLine> lines;
  for (std::uint32_t i = 0; i < loads; ++i) {
    auto load = memory(MemoryKind::kLoad, Space::kGlobal, 16, 0x100000000ull + 512ull * i, 16, i % 4);
    load.instruction.memory.cache = CacheOp::kCg;
    lines.push_back(load);
  }
  for (std::uint8_t c = 0; c < 4; ++c) lines.push_back(waits(op(OpClass::kIntAlu), static_cast<std::uint8_t>(1 << c)));
  lines.push_back(exit_line());
  ScriptKernel kernel(lines, shape(blocks, 256));
  const std::uint64_t per_warp = 512ull * loads;
  kernel.customise = [per_warp](std::uint64_t block, std::uint32_t warp, std::size_t, Step& step) {
    if (step.memory_mask == 0) return;
    for (auto& address : step.address) address += (block * 8 + warp) * per_warp;
  };
  Launch launch;
  launch.caches = again ? Caches::kWarm : Caches::kCold;
  const SimulationResult r = simulate_fresh(config, kernel, {}, launch);
  return {static_cast<double>(blocks) * 8 * static_cast<double>(per_warp), static_cast<double>(r.cycles)};
}

GpuConfig a100() { return load_config(SMPIPE_SOURCE_DIR "/configs/a100-sxm4-40gb.toml"); }

TEST(Hbm, StreamsReachMostOfThePeakAndNeverMore) {
  const GpuConfig c = a100();
  const double peak = double{1} * c.hbm.stacks * c.hbm.channels_per_stack * c.hbm.bytes_per_clock * c.hbm.clock_mhz /
                      c.gpu.sm_clock_mhz;  // bytes per SM cycle
  const Stream s = stream(c, 432, 64, false);
  EXPECT_LT(s.bytes / s.cycles, peak);
  EXPECT_GT(s.bytes / s.cycles, 0.85 * peak) << "published: 85 to 96 % (P369, P137)";
}

TEST(L2, StreamsStayBelowTheSlicesAndThePorts) {
  const GpuConfig c = a100();
  const Stream s = stream(c, 216, 32, true);
  EXPECT_LT(s.bytes / s.cycles, double{1} * c.l2.slices * c.l2.bytes_per_cycle);
  EXPECT_LT(s.bytes / s.cycles, double{1} * c.gpu.sm_count * c.noc.response_bytes_per_cycle);
}

TEST(L2, SecondRunHitsWhatFits) {
  const GpuConfig c = a100();
  const Stream cold = stream(c, 216, 32, false), warm = stream(c, 216, 32, true);
  EXPECT_LT(warm.cycles, cold.cycles);
}

}  // namespace
}  // namespace smpipe::test
