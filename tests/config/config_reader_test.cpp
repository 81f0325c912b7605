// Reading configurations: the shipped ones, inheritance, overrides, and one test for each kind of mistake.
#include "config/config_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace smpipe {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kShipped = {std::string(SMPIPE_SOURCE_DIR) + "/configs"};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The message of overriding one value of the A100 configuration.
std::string set(const std::string& option) {
  return message_of([&] { read_config("a100-sxm4-40gb", kShipped, {option}); });
}

class ConfigFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(dir_); }
  void TearDown() override { fs::remove_all(dir_); }
  /// Message of a configuration that inherits the A100's values and adds `text`, without the folder.
  std::string read(const std::string& text, const std::string& head = "inherits = \"a100-sxm4-40gb\"\n") {
    const std::string path = (dir_ / "my.toml").string();
    std::ofstream(path) << head << text;
    std::string message = message_of([&] { read_config(path, kShipped); });
    const std::size_t at = message.find(dir_.string() + "/");
    if (at != std::string::npos) message.erase(at, dir_.string().size() + 1);
    return message;
  }
  fs::path dir_ = fs::temp_directory_path() / ("smpipe_config_test_" + std::to_string(getpid()));
};

TEST(Config, ShippedOnesAreCompleteAndEveryValueHasUnitAndSource) {
  for (const char* stem : {"a100-sxm4-40gb", "a100-sxm4-80gb", "h200"}) {
    const LoadedConfig loaded = read_config(stem, kShipped);
    EXPECT_EQ(loaded.name, stem);
    for (const ConfigEntry& entry : loaded.entries) {
      EXPECT_NE(entry.source, "not stated") << stem << " " << entry.key;
      EXPECT_GT(entry.line, 0u) << entry.key;
    }
  }
}

TEST(Config, ShippedOnesAgreeWithThePublishedPeaks) {
  const auto dram_gb_per_s = [](const GpuConfig& c) {
    return c.hbm.stacks * c.hbm.channels_per_stack * c.hbm.bytes_per_clock * c.hbm.clock_mhz / 1000;
  };
  const GpuConfig a100 = load_config("a100-sxm4-40gb", kShipped);
  EXPECT_NEAR(dram_gb_per_s(a100), 1555, 1);
  EXPECT_EQ(a100.l2.slices * a100.l2.bytes_per_cycle, 5120u);
  // Dense bf16: 312 TFLOP/s.
  EXPECT_NEAR(2e-6 * a100.gpu.sm_count * a100.smsp.count * a100.smsp.tensor_macs_per_cycle * a100.gpu.sm_clock_mhz, 312,
              1);
  EXPECT_NEAR(dram_gb_per_s(load_config("a100-sxm4-80gb", kShipped)), 2039, 1);
  EXPECT_NEAR(dram_gb_per_s(load_config("h200", kShipped)), 4800, 150);
}

TEST(Config, OverridesOneValueAndSaysSo) {
  const LoadedConfig loaded =
      read_config("a100-sxm4-40gb", kShipped, {"l2.slices=160", "smsp.ops.fp32.pipe=fma_heavy"});
  EXPECT_EQ(loaded.config.l2.slices, 160u);
  EXPECT_EQ(loaded.config.smsp.ops[static_cast<unsigned>(OpClass::kFp32)].pipe, Pipe::kFmaHeavy);
  EXPECT_EQ(loaded.entry("l2.slices").source, "option --set");
}

TEST(Config, OverrideMistakesNameTheOption) {
  EXPECT_EQ(set("l2.slics=3"), "--set l2.slics=3: unknown key 'l2.slics'; did you mean 'l2.slices'?");
  EXPECT_EQ(set("l2.slices=x"), "--set l2.slices=x: l2.slices is a string ('x'); it must be an integer");
  EXPECT_EQ(set("l2.slices"), "--set l2.slices: is not of the form path=value; write for example --set l2.slices=96");
  EXPECT_EQ(set("l2.slices=-1"), "--set l2.slices=-1: l2.slices = -1 is negative; it must be 0 or more");
  EXPECT_EQ(set("gpu.sm_clock_mhz=inf"),
            "--set gpu.sm_clock_mhz=inf: gpu.sm_clock_mhz is not finite; it must be a number");
  EXPECT_EQ(set("smsp.ops.xu.pipe=mufu"),
            "--set smsp.ops.xu.pipe=mufu: smsp.ops.xu.pipe: unknown pipe 'mufu'; use none, alu, fma, fma_heavy, fp16, "
            "fp64, xu, tensor, uniform, cbu, adu or lsu");
}

TEST(Config, UnknownStemNamesTheNearest) {
  EXPECT_EQ(message_of([] { read_config("a100", kShipped); }),
            "no configuration 'a100'; did you mean 'a100-sxm4-40gb'?");
  EXPECT_EQ(message_of([] { read_config("zzzzzzzzzzzzzzz", kShipped); }),
            "no configuration 'zzzzzzzzzzzzzzz'; use a100-sxm4-40gb, a100-sxm4-80gb or h200");
}

TEST_F(ConfigFile, InheritsAllButTheStatedValues) {
  const std::string path = (dir_ / "wide.toml").string();
  std::ofstream(path) << "inherits = \"a100-sxm4-40gb\"\n[l2]\nslices = 160\n";
  const LoadedConfig loaded = read_config(path, kShipped);
  EXPECT_EQ(loaded.config.l2.slices, 160u);
  EXPECT_EQ(loaded.config.l2.ways, 16u);
  EXPECT_EQ(loaded.entry("l2.slices").line, 3u);
  EXPECT_EQ(loaded.entry("l2.slices").source, "not stated");
}

TEST_F(ConfigFile, MistakesNameFileAndLine) {
  EXPECT_EQ(read("[l2]\nslics = 80\n"), "my.toml:3: unknown key 'l2.slics'; did you mean 'slices'?");
  EXPECT_EQ(read("[l3]\nslices = 80\n"), "my.toml:2: unknown table or key 'l3'; did you mean 'l1'?");
  EXPECT_EQ(read("l2 = 3\n"), "my.toml:2: l2 is an integer; it must be a table: [l2]");
  EXPECT_EQ(read("[l2]\nslices = \"80\"\n"), "my.toml:3: l2.slices is a string ('80'); it must be an integer");
  EXPECT_EQ(read("[l2]\nslices = 80.0\n"),
            "my.toml:3: l2.slices is a number with a decimal point (80.0); it must be an integer");
  EXPECT_EQ(read("[l2]\nslices = { value = 80, unit = \"banks\" }\n"),
            "my.toml:3: l2.slices is stated in 'banks'; its unit is 'slices'");
  EXPECT_EQ(read("[l2]\nslices = { valeu = 80 }\n"), "my.toml:3: unknown key 'l2.slices.valeu'; did you mean 'value'?");
  EXPECT_EQ(
      read("[l2]\nslices = { unit = \"slices\" }\n"),
      "my.toml:3: 'l2.slices.value' is missing; write for example { value = 1, unit = \"slices\", source = \"...\" }");
  EXPECT_EQ(read("[gpu]\nsm_clock_mhz = nan\n"), "my.toml:3: gpu.sm_clock_mhz is not finite; it must be a number");
  EXPECT_EQ(read("[l2\n").substr(0, 29), "my.toml:2: not valid TOML: Er");
  EXPECT_EQ(read("[l2]\nslices = 1\nslices = 2\n").substr(0, 10), "my.toml:4:");
}

TEST_F(ConfigFile, MissingValuesAreCounted) {
  const std::string message = read("", "[gpu]\nname = \"x\"\n");
  EXPECT_EQ(message.find("my.toml: value 'gpu.architecture' is missing (and "), 0u) << message;
  EXPECT_NE(message.find(" more); state it, or take the rest from another configuration with inherits = "),
            std::string::npos)
      << message;
}

TEST_F(ConfigFile, InheritanceCyclesEnd) {
  std::ofstream(dir_ / "other.toml") << "inherits = \"my.toml\"\n";
  EXPECT_NE(read("", "inherits = \"other.toml\"\n").find("inherits from itself"), std::string::npos);
  EXPECT_EQ(read("", "inherits = \"h300\"\n"), "my.toml:1: inherits: no configuration 'h300'; did you mean 'h200'?");
}

TEST_F(ConfigFile, DirectoriesAndMissingFiles) {
  EXPECT_EQ(message_of([] { read_config("/tmp", kShipped); }), "/tmp: is a directory; name a TOML file");
  EXPECT_EQ(message_of([] { read_config("./none.toml", kShipped); }),
            "./none.toml: configuration file not found; check the path");
}

struct Impossible {
  const char* option;
  const char* part;  ///< of the message
};

class ImpossibleValue : public testing::TestWithParam<Impossible> {};

TEST_P(ImpossibleValue, IsRefused) {
  const std::string message = set(GetParam().option);
  EXPECT_NE(message.find(std::string("--set ") + GetParam().option + ": "), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam().part), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Values, ImpossibleValue,
    testing::Values(
        Impossible{"noc.response_bytes_per_cycle=0", "must not be zero"}, Impossible{"noc.request_latency=0", "zero"},
        Impossible{"smsp.ops.fp32.interval=0", "must not be zero"}, Impossible{"l2.slices=81", "not a multiple of 2"},
        Impossible{"l2.slices=96", "l2.bytes = 41943040: is not a multiple"},
        Impossible{"l2.partitions=3", "more than two partitions"}, Impossible{"l2.bytes=1000", "not a multiple"},
        Impossible{"shared.banks=24", "not a power of two"},
        Impossible{"occupancy.carveouts=[0, 71680]", "no carve-out"},
        Impossible{"occupancy.carveouts=[8192, 0]", "does not ascend"},
        Impossible{"occupancy.carveouts=[0, 262144]", "larger than the unified memory"},
        Impossible{"occupancy.carveouts=[]", "is empty"},
        Impossible{"occupancy.shared_per_block=167936", "exceeds the largest carve-out"},
        Impossible{"hbm.row_bytes=1000", "not a multiple of 32"},
        Impossible{"hbm.t_rfc=5000", "longer than its interval"}, Impossible{"hbm.burst_bytes=256", "larger than any"},
        Impossible{"shared.latency=1", "not longer than its part"},
        Impossible{"gpu.architecture=ampere", "not an architecture"}, Impossible{"gpu.sm_count=0", "zero"},
        Impossible{"gpu.sm_count=100000", "larger than any"}, Impossible{"smsp.count=3", "not a multiple of 3"},
        Impossible{"hbm.stacks=3", "neither divides"}, Impossible{"l1.hit_latency=2000000", "longer than anything"}));

TEST(Config, AGpuThatDoesNotExistMayHaveOtherCarveouts) {
  const LoadedConfig loaded = read_config("a100-sxm4-40gb", kShipped,
                                          {"occupancy.unified_bytes=262144", "occupancy.carveouts=[0, 71680, 167936]"});
  EXPECT_EQ(loaded.config.occupancy.carveouts[1], 71680u);
}

}  // namespace
}  // namespace smpipe
