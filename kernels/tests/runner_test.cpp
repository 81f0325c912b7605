// The parts of the GPU runner that need no GPU.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bench.h"
#include "core/error.h"
#include "cubin.h"
#include "launch/launch_reader.h"
#include "profiler.h"

namespace smpipe::gpu {
namespace {
namespace fs = std::filesystem;

const fs::path kTraces = fs::path(SMPIPE_SOURCE_DIR) / "traces";

std::vector<fs::path> launch_files() {
  std::vector<fs::path> files;
  for (const auto& folder : {kTraces, kTraces / "sweep"})
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
  return files;
}

std::string message_of(const Launch& launch) {
  try {
    load_cubin(launch);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A copy of a shipped listing and its cubin that a test may damage.
class CubinFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("smpipe-runner-test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    for (const auto* name : {"empty.sass", "empty.cubin"})
      fs::copy_file(kTraces / "sm_90" / name, folder_ / name, fs::copy_options::overwrite_existing);
    launch_.kernel = "empty";
    launch_.code = (folder_ / "empty.sass").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string listing() const {
    std::ifstream in(launch_.code);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void write_listing(const std::string& text) const { std::ofstream(launch_.code) << text; }

  fs::path folder_;
  Launch launch_;
};

TEST(Cubin, EveryShippedListingIsTheCodeOfItsCubin) {
  for (const auto& file : launch_files())
    for (const auto* architecture : {"sm_80", "sm_90"})
      EXPECT_NO_THROW(load_cubin(read_launch(file.string(), architecture))) << file << " " << architecture;
}

TEST_F(CubinFiles, NamesTheLineWhereAListingParts) {
  std::string text = listing();
  const auto at = text.find("/* 0x") + 5;
  text[at] = text[at] == '0' ? '1' : '0';
  write_listing(text);
  const auto line = std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  EXPECT_NE(message_of(launch_).find("empty.sass:" + line + ": is not the code of "), std::string::npos)
      << message_of(launch_);
}

TEST_F(CubinFiles, FindsATruncatedListing) {
  const std::string text = listing();
  write_listing(text.substr(0, text.rfind("/* 0x")));
  EXPECT_NE(message_of(launch_).find("ends before the code of"), std::string::npos) << message_of(launch_);
}

TEST_F(CubinFiles, SaysWhenTheCubinIsMissingOrDamaged) {
  fs::resize_file(folder_ / "empty.cubin", 100);
  EXPECT_NE(message_of(launch_).find("is not a cubin that holds kernel empty"), std::string::npos);
  fs::remove(folder_ / "empty.cubin");
  EXPECT_NE(message_of(launch_).find("kernels/build_listings"), std::string::npos);
}

TEST_F(CubinFiles, SaysWhenTheKernelIsNotThere) {
  launch_.kernel = "absent";
  EXPECT_NE(message_of(launch_).find("holds kernel absent"), std::string::npos);
}

TEST(Profiler, ReadsTheRawPage) {
  const std::string csv =
      "==PROF== Connected to process 1\n"
      "output of the program\n"
      "\"ID\",\"Kernel Name\",\"sm__cycles_elapsed.max\",\"dram__bytes_read.sum\",\"smsp__inst_executed.sum\"\n"
      "\"\",\"\",\"cycle\",\"byte\",\"inst\"\n"
      "\"0\",\"first(int, \"\"x\"\")\",\"12,345\",\"n/a\",\"8\"\n"
      "\"1\",\"second\",\"2.5\",\"\",\"1,000,000\"\n";
  const auto launches = parse_raw_page(csv);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].at("sm__cycles_elapsed.max"), 12345.0);
  EXPECT_EQ(launches[0].at("dram__bytes_read.sum"), std::nullopt);
  EXPECT_EQ(launches[1].at("sm__cycles_elapsed.max"), 2.5);
  EXPECT_EQ(launches[1].at("smsp__inst_executed.sum"), 1e6);
  EXPECT_EQ(launches[0].count("lts__t_sectors.sum"), 0u);
}

TEST(Profiler, ReadsNothingFromNothing) {
  EXPECT_TRUE(parse_raw_page("").empty());
  EXPECT_TRUE(parse_raw_page("==ERROR== no kernels\n\"0\",\"row without header\"\n").empty());
}

TEST(Distribution, InterpolatesBetweenSamples) {
  const auto d = distribution_of({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(d.median, 2.5);
  EXPECT_DOUBLE_EQ(d.lower_quartile, 1.75);
  EXPECT_DOUBLE_EQ(d.upper_quartile, 3.25);
  EXPECT_DOUBLE_EQ(d.least, 1);
  EXPECT_DOUBLE_EQ(d.most, 4);
  EXPECT_DOUBLE_EQ(d.spread(), 0.6);
  EXPECT_DOUBLE_EQ(distribution_of({}).median, 0);
}

}  // namespace
}  // namespace smpipe::gpu
