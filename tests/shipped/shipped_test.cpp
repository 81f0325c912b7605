// Every shipped launch, on both architectures: right results, stall shares that sum to one, event-driven equal to
// tick-everything. On a GPU cut down to four SMs, whose every cycle can be stepped in reasonable time.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/run_launch.h"

namespace smpipe::test {
namespace {

std::vector<std::string> stems() {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SMPIPE_SOURCE_DIR) + "/traces")) {
    const std::string stem = entry.path().stem().string();
    // 134 million multiply-accumulates a block row: minutes on four SMs, and the same code as the smaller GEMMs.
    if (entry.path().extension() == ".toml" && stem != "hgemm_3stage_4096") result.push_back(stem);
  }
  std::sort(result.begin(), result.end());
  return result;
}

GpuConfig small(const std::string& stem) {
  const bool hopper = stem == "h200";
  // Slices and channels keep their own rates; a line still has one home.
  return shipped_config(stem, {"gpu.sm_count=4", "l2.slices=8", hopper ? "l2.bytes=5242880" : "l2.bytes=4194304",
                               "hbm.stacks=1", "hbm.channels_per_stack=8"});
}

class Shipped : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Shipped, IsRightAndTheSameHoweverItIsStepped) {
  const auto& [launch, gpu] = GetParam();
  const GpuConfig config = small(gpu);
  const LaunchOutcome event = run_launch(trace(launch), config);
  for (const CheckResult& check : event.checks) EXPECT_TRUE(check.passed) << check.detail;
  double sum = 0;
  for (const auto& [name, share] : event.result.stalls) sum += share;
  EXPECT_NEAR(sum, 1.0, 1e-9);

  SimulateOptions every_cycle;
  every_cycle.tick_everything = true;
  const LaunchOutcome tick = run_launch(trace(launch), config, every_cycle);
  EXPECT_EQ(event.result.cycles, tick.result.cycles);
  EXPECT_EQ(event.result.stalls, tick.result.stalls);
  EXPECT_EQ(event.result.metrics, tick.result.metrics);
  EXPECT_EQ(event.reports, tick.reports);
  EXPECT_EQ(event.buffers, tick.buffers);
}

INSTANTIATE_TEST_SUITE_P(Launches, Shipped,
                         testing::Combine(testing::ValuesIn(stems()), testing::Values("a100-sxm4-40gb", "h200")),
                         [](const auto& test) {
                           std::string name = std::get<0>(test.param) + "_" + std::get<1>(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace smpipe::test
