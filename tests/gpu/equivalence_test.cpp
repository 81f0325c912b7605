// Whole-machine properties on random scripted kernels: event-driven equals tick-everything, runs repeat, nothing is
// lost.
#include <gtest/gtest.h>

#include <random>

#include "support/run_script.h"
#include "support/test_config.h"

namespace smpipe::test {
namespace {

std::vector<ScriptLine> random_kernel(std::uint32_t seed) {
  std::mt19937 rng(seed);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(rng() % n); };
  std::vector<ScriptLine> lines;
  std::uint32_t open = 0;
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t base = 0x100000 + 4096ull * pick(512);
    const std::uint64_t pitch = 4ull << pick(6);
    switch (pick(12)) {
      case 0:
        lines.push_back(op(OpClass::kFp32, static_cast<std::uint8_t>(1 + pick(5))));
        break;
      case 1:
        lines.push_back(op(OpClass::kIntAlu, static_cast<std::uint8_t>(1 + pick(5))));
        break;
      case 2: {
        auto mufu = op(OpClass::kXu);
        mufu.instruction.control.write_counter = 2;
        lines.push_back(mufu);
        lines.push_back(waits(op(OpClass::kIntAlu), 4));
        break;
      }
      case 3:
        lines.push_back(memory(MemoryKind::kLoad, Space::kShared, 4, 0, pitch, 1));
        break;
      case 4: {
        auto store = memory(MemoryKind::kStore, Space::kShared, 8, 0, pitch);
        store.instruction.control.read_counter = 3;
        lines.push_back(store);
        lines.push_back(waits(op(OpClass::kIntAlu), 8));
        break;
      }
      case 5:
        lines.push_back(memory(MemoryKind::kLoad, Space::kGlobal, 4, base, pitch, 1));
        break;
      case 6:
        lines.push_back(memory(MemoryKind::kStore, Space::kGlobal, 4, base, pitch));
        break;
      case 7:
        lines.push_back(memory(MemoryKind::kAtomic, Space::kGlobal, 4, base, pitch, 1));
        break;
      case 8:
        lines.push_back(waits(op(OpClass::kIntAlu), 2));
        break;
      case 9:
        lines.push_back(barrier());
        break;
      case 10:
        lines.push_back(async_copy(base, pick(2) == 0));
        if (pick(2) == 0) {
          lines.push_back(commit());
          ++open;
        }
        break;
      case 11:
        lines.push_back(wait_group(static_cast<std::uint8_t>(pick(3))));
        break;
      default:
        break;
    }
  }
  lines.push_back(commit());
  lines.push_back(op(OpClass::kMembar, 2));
  lines.push_back(exit_line());
  return lines;
}

struct Outcome {
  SimulationResult result;
  std::vector<std::tuple<Cycle, std::uint64_t, std::uint32_t, std::size_t>> issues;
};

Outcome run(std::uint32_t seed, bool tick) {
  ScriptKernel kernel(random_kernel(seed), shape(12, 96));
  kernel.customise = [](std::uint64_t block, std::uint32_t warp, std::size_t, Step& step) {
    if (step.space != Space::kGlobal) return;
    for (auto& address : step.address) address += block * 65536 + warp * 1024;
  };
  SimulateOptions options;
  options.tick_everything = tick;
  Outcome outcome{simulate_fresh(small_gpu(), kernel, options), {}};
  for (const auto& i : kernel.issues()) outcome.issues.emplace_back(i.cycle, i.block, i.warp, i.line);
  return outcome;
}

class RandomKernel : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomKernel, EventDrivenEqualsTickEverything) {
  const Outcome event = run(GetParam(), false);
  const Outcome tick = run(GetParam(), true);
  EXPECT_EQ(event.result.cycles, tick.result.cycles);
  EXPECT_EQ(event.result.stalls, tick.result.stalls);
  EXPECT_EQ(event.result.metrics, tick.result.metrics);
  EXPECT_EQ(event.issues, tick.issues);
}

TEST_P(RandomKernel, RunsRepeat) {
  const Outcome one = run(GetParam(), false);
  const Outcome two = run(GetParam(), false);
  EXPECT_EQ(one.issues, two.issues);
  EXPECT_EQ(one.result.metrics, two.result.metrics);
}

TEST_P(RandomKernel, StallSharesSumToOne) {
  double sum = 0;
  for (const auto& [name, share] : run(GetParam(), false).result.stalls) sum += share;
  EXPECT_NEAR(sum, 1.0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomKernel, testing::Range(1u, 21u));

}  // namespace
}  // namespace smpipe::test
