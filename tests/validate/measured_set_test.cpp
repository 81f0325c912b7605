#include "validate/measured_set.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace smpipe::validate {
namespace {

namespace fs = std::filesystem;

const std::string kSample = std::string(SMPIPE_SOURCE_DIR) + "/tests/validate/data/measured.json";

/// The message of reading `text` as a measured set.
std::string message_of(const std::string& text) {
  const fs::path path = fs::temp_directory_path() / ("smpipe_measured_" + std::to_string(getpid()) + ".json");
  std::ofstream(path) << text;
  std::string message;
  try {
    read_measured(path.string());
  } catch (const InputError& error) {
    message = error.what();
  }
  fs::remove(path);
  return message;
}

void expect_message(const std::string& text, const std::string& part) {
  const std::string message = message_of(text);
  EXPECT_NE(message.find(part), std::string::npos) << text << "\n" << message;
}

TEST(MeasuredSet, ReadsWhatTheRunnerWrote) {
  const MeasuredSet set = read_measured(kSample);
  EXPECT_EQ(set.device, "NVIDIA H200");
  EXPECT_EQ(set.architecture, "sm_90");
  EXPECT_EQ(set.launches.size(), 6u);
  const MeasuredLaunch* chain = set.find("lds_chain_4way");
  ASSERT_NE(chain, nullptr);
  ASSERT_EQ(chain->reports.size(), 1u);
  EXPECT_NEAR(chain->reports[0].value, 29.06, 0.01);
  ASSERT_TRUE(chain->grid);
  EXPECT_EQ((*chain->grid)[0], 1u);
  EXPECT_GT(chain->sm_clock_mhz->median, 1900);
  EXPECT_EQ(set.find("nothing"), nullptr);
}

TEST(MeasuredSet, TakesOverheadOff) {
  const MeasuredSet set = read_measured(kSample);
  const MeasuredLaunch* empty = empty_launch(set);
  ASSERT_NE(empty, nullptr);
  const double overhead = *empty->metric("sm__cycles_elapsed.max") - *empty->metric("sm__cycles_active.max");
  const MeasuredLaunch* chain = set.find("lds_chain_4way");
  const auto net = net_cycles(set, *chain);
  ASSERT_TRUE(net);
  EXPECT_TRUE(net->counted);
  EXPECT_DOUBLE_EQ(net->cycles, *chain->metric("sm__cycles_elapsed.max") - overhead);
}

TEST(MeasuredSet, FallsBackToEventTime) {
  MeasuredSet set = read_measured(kSample);
  MeasuredLaunch chain = *set.find("lds_chain_4way");
  chain.metrics.clear();
  chain.cycles_source = "event time";
  const auto net = net_cycles(set, chain);
  ASSERT_TRUE(net);
  EXPECT_FALSE(net->counted);
  const double gross = chain.time_us->median * chain.sm_clock_mhz->median;
  EXPECT_LT(net->cycles, gross);
  EXPECT_GT(net->cycles, gross - 8000);
  chain.time_us.reset();
  EXPECT_FALSE(net_cycles(set, chain));
}

TEST(MeasuredSet, PlainNumbersAreMedians) {
  EXPECT_EQ(message_of(R"({"device": {"name": "X"}, "launches": [{"launch": "a.toml", "time_us": 3.5}]})"), "");
}

TEST(MeasuredSet, NamesTheMistake) {
  expect_message("", "is not valid JSON");
  expect_message("{\n\"device\": {\"name\": \"X\"},\n\"launches\": [\n",
                 ":4: is not valid JSON; the file seems to be cut off");
  expect_message("[1]", "the file must be an object");
  expect_message("{}", "'device' is missing");
  expect_message(R"({"device": {}, "launches": []})", "'device.name' is missing");
  expect_message(R"({"device": {"name": "X"}, "launches": []})", "'launches' is empty");
  expect_message(R"({"device": {"name": "X"}, "launches": [{}]})", "'launches[0].launch' is missing");
  expect_message(R"({"device": {"name": "X"}, "launches": [7]})", "'launches[0]' must be an object");
  expect_message(R"({"device": {"name": "X"}, "launches": [{"launch": "a", "time_us": {}}]})",
                 "'launches[0].time_us.median' is missing");
  expect_message(R"({"device": {"name": "X"}, "launches": [{"launch": "a", "time_us": 0}]})",
                 "'launches[0].time_us' must be above 0");
  expect_message(R"({"device": {"name": "X"}, "launches": [{"launch": "a", "grid": [1, -2]}]})",
                 "'launches[0].grid' must consist of positive integers");
  expect_message(R"({"device": {"name": "X"}, "launches": [{"launch": "a", "reports": {"r": "no"}}]})",
                 "'launches[0].reports.r' must be a number");
  expect_message(R"({"device": {"name": "X"}, "launches": [{"launch": "a"}, {"launch": "a"}]})", "'a' appears twice");
}

TEST(MeasuredSet, MissingFileAndFolder) {
  EXPECT_THROW(read_measured("/nowhere/measured.json"), InputError);
  EXPECT_THROW(read_measured(fs::temp_directory_path().string()), InputError);
}

}  // namespace
}  // namespace smpipe::validate
