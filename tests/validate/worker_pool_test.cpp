#include "validate/worker_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "validate/prediction_store.h"

namespace smpipe::validate {
namespace {

struct Collected {
  std::map<std::size_t, TaskOutcome> outcomes;
  bool completed = false;
};

Collected run(std::size_t count, const std::function<std::string(std::size_t)>& task, PoolOptions options) {
  Collected c;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back(i);
  const auto done = [&](std::size_t i, const TaskOutcome& outcome) { c.outcomes[i] = outcome; };
  c.completed = run_forked(order, task, done, options);
  return c;
}

TEST(WorkerPool, ReturnsEveryOutputWhateverTheNumberOfJobs) {
  const auto task = [](std::size_t i) { return std::string(100000 * i, static_cast<char>('a' + i)); };
  for (const unsigned jobs : {1u, 2u, 7u}) {
    const Collected c = run(6, task, {jobs, 60, {}});
    EXPECT_TRUE(c.completed);
    ASSERT_EQ(c.outcomes.size(), 6u);
    for (const auto& [i, outcome] : c.outcomes) {
      EXPECT_TRUE(outcome.finished);
      EXPECT_EQ(outcome.output, task(i));
    }
  }
}

TEST(WorkerPool, ACrashCostsOneTask) {
  const auto task = [](std::size_t i) -> std::string {
    if (i == 1) std::abort();
    if (i == 2) throw std::runtime_error("told so");
    if (i == 3) _exit(7);
    return "fine";
  };
  const Collected c = run(5, task, {2, 60, {}});
  ASSERT_EQ(c.outcomes.size(), 5u);
  EXPECT_TRUE(c.outcomes.at(0).finished);
  EXPECT_NE(c.outcomes.at(1).failure.find("signal 6"), std::string::npos) << c.outcomes.at(1).failure;
  EXPECT_EQ(c.outcomes.at(2).failure, "told so");
  EXPECT_EQ(c.outcomes.at(3).failure, "ended with code 7");
  EXPECT_EQ(c.outcomes.at(4).output, "fine");
}

TEST(WorkerPool, ATimeoutCostsOneTask) {
  const auto task = [](std::size_t i) -> std::string {
    if (i == 0) sleep(60);
    return "fine";
  };
  const auto begin = std::chrono::steady_clock::now();
  const Collected c = run(2, task, {2, 1, {}});
  EXPECT_EQ(c.outcomes.at(0).failure, "no answer within 1 s");
  EXPECT_TRUE(c.outcomes.at(1).finished);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(WorkerPool, StopsEarly) {
  std::size_t seen = 0;
  PoolOptions options{1, 60, [&] { return seen >= 2; }};
  const auto done = [&](std::size_t, const TaskOutcome&) { ++seen; };
  EXPECT_FALSE(run_forked(
      {0, 1, 2, 3, 4}, [](std::size_t) { return std::string("x"); }, done, options));
  EXPECT_EQ(seen, 2u);
}

TEST(PredictionStore, KeepsPredictionsAndForgivesTornLines) {
  const std::string path = testing::TempDir() + "/smpipe_store_" + std::to_string(getpid()) + ".jsonl";
  Prediction p;
  p.cycles = 1234;
  p.reports.push_back({"latency", 29.5, "cycles"});
  p.metrics.emplace_back("a", std::nullopt);
  {
    PredictionStore store(path);
    store.add("k1", "one", p);
    Prediction failed;
    failed.failure = "no";
    store.add("k2", "two", failed);
  }
  { std::ofstream(path, std::ios::app) << R"({"key": "k3", "predic)"; }
  PredictionStore store(path);
  store.add("k4", "four", p);
  PredictionStore again(path);
  ASSERT_TRUE(again.find("k1"));
  EXPECT_EQ(again.find("k1")->cycles, 1234);
  EXPECT_EQ(again.find("k1")->report("latency"), 29.5);
  EXPECT_FALSE(again.find("k1")->metric("a"));
  EXPECT_FALSE(again.find("k2"));
  EXPECT_FALSE(again.find("k3"));
  EXPECT_TRUE(again.find("k4"));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace smpipe::validate
