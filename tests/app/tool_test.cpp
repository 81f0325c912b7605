// The tool as its users see it: exit codes, messages, table, JSON. Runs the built binary.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kSource = SMPIPE_SOURCE_DIR;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Outcome {
  int code = -1;
  std::string out, err;
};

class Tool : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(dir_); }
  void TearDown() override { fs::remove_all(dir_); }

  /// Runs the tool in the source folder.
  Outcome run(const std::string& arguments) {
    const std::string out = (dir_ / "out").string(), err = (dir_ / "err").string();
    const std::string command =
        "cd '" + kSource + "' && '" SMPIPE_TOOL "' " + arguments + " > '" + out + "' 2> '" + err + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }

  /// A bad input: exit code 2, nothing on standard output, one message that contains `part`.
  void expect_refused(const std::string& arguments, const std::string& part) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 2) << arguments << "\n" << o.out << o.err;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_NE(o.err.find(part), std::string::npos) << arguments << "\n" << o.err;
    EXPECT_EQ(o.err.find("smpipe"), 0u) << o.err;
  }

  /// A shipped launch file with one text replaced, in the test's folder; its code is found by absolute path.
  std::string variant(const std::string& launch, const std::string& from, const std::string& to) {
    std::string text = read_file(kSource + "/traces/" + launch);
    for (const std::string architecture : {"sm_80", "sm_90"}) {
      const std::string quoted = "\"" + architecture + "/";
      for (std::size_t at; (at = text.find(quoted)) != std::string::npos;) {
        text.replace(at, quoted.size(), "\"" + kSource + "/traces/" + architecture + "/");
      }
    }
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << launch << " has no " << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    const fs::path path = dir_ / "variant.toml";
    std::ofstream(path) << text;
    return "simulate '" + path.string() + "'";
  }

  fs::path dir_ = fs::temp_directory_path() / ("smpipe_tool_test_" + std::to_string(getpid()));
};

TEST_F(Tool, HelpAndVersion) {
  for (const char* arguments : {"--help", "help", "simulate --help", "config --help", "--version"}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.code, 0) << arguments;
    EXPECT_NE(o.out, "") << arguments;
    EXPECT_EQ(o.err, "") << arguments;
  }
  EXPECT_NE(run("simulate --help").out.find("Examples:"), std::string::npos);
}

TEST_F(Tool, WrongCommandLines) {
  expect_refused("simulte", "unknown verb 'simulte'; did you mean 'simulate'?");
  expect_refused("simulate", "name a launch file");
  expect_refused("simulate a.toml b.toml", "there is a second one, 'b.toml'");
  expect_refused("simulate traces/empty.toml --ful", "unknown option '--ful'; did you mean '--full'?");
  expect_refused("simulate traces/empty.toml --max-blocks 0", "--max-blocks = 0 must be at least 1");
  expect_refused("simulate traces/empty.toml --max-blocks -1", "--max-blocks = -1 must be at least 1");
  expect_refused("simulate traces/empty.toml --max-blocks many", "max-blocks");
  expect_refused("simulate traces/empty.toml --full --max-blocks 3", "exclude each other");
  expect_refused("config", "say what to do: show or check");
  expect_refused("config shwo", "did you mean 'show'?");
  expect_refused("config check", "check takes one file");
}

TEST_F(Tool, BrokenInputs) {
  expect_refused("simulate none.toml", "none.toml: file not found");
  expect_refused("simulate traces", "traces: is a directory");
  expect_refused("simulate traces/empty.toml -c b200", "no configuration 'b200'; did you mean 'h200'?");
  expect_refused("simulate traces/empty.toml --set l2.slics=3", "did you mean 'l2.slices'?");
  expect_refused("simulate traces/empty.toml --json /nonexistent/x.json", "/nonexistent/x.json: cannot be written");
  expect_refused("simulate traces/empty.toml --dump-buffers /dev/null/x", "cannot be made a folder");
  expect_refused("config check traces/empty.toml", "unknown key");
  expect_refused(variant("lds_chain_1way.toml", "grid = [1]", "grid = [0]"), "grid[0] = 0 is out of range");
  expect_refused(variant("lds_chain_1way.toml", "block = [32]", "blok = [32]"), "did you mean 'block'?");
  expect_refused(variant("lds_chain_1way.toml", "{ buffer = \"out\" }", "{ buffer = \"ot\" }"),
                 "there is no buffer 'ot'");
}

TEST_F(Tool, ArgumentsThatDoNotMatchTheKernel) {
  const std::string launch = read_file(kSource + "/traces/lds_chain_1way.toml");
  const std::size_t begin = launch.find("args = ["), end = launch.find('\n', begin);
  const std::string args = launch.substr(begin, end - begin);
  const std::string shorter = args.substr(0, args.rfind(", {")) + "]";
  expect_refused(variant("lds_chain_1way.toml", args, shorter), "bytes of parameters, but");
}

TEST_F(Tool, TruncatedListing) {
  const std::string listing = read_file(kSource + "/traces/sm_80/lds_chain.sass");
  const fs::path path = dir_ / "cut.sass";
  std::ofstream(path) << listing.substr(0, listing.size() / 2);
  expect_refused(variant("lds_chain_1way.toml", kSource + "/traces/sm_80/lds_chain.sass", path.string()), "cut.sass");
}

TEST_F(Tool, CubinSaysHowToMakeAListing) {
  expect_refused(variant("lds_chain_1way.toml", kSource + "/traces/sm_80/lds_chain.sass",
                         kSource + "/traces/sm_80/lds_chain.cubin"),
                 "cuobjdump -sass");
}

TEST_F(Tool, AccessOutOfBounds) {
  // The copy kernel is told that its source is larger than it is.
  expect_refused(variant("cp_async_roundtrip_cg16_dram.toml", "bytes = 16777728", "bytes = 8388864"), "source");
}

TEST_F(Tool, MisalignedCopy) {
  expect_refused(
      variant("cp_async_roundtrip_cg16_l2.toml", "{ buffer = \"source\" }", "{ buffer = \"source\", offset = 4 }"),
      "LDGSTS");
}

TEST_F(Tool, SharedMemoryBeyondTheGpu) {
  expect_refused(variant("hgemm_3stage_512.toml", "dynamic_shared_bytes = 49152", "dynamic_shared_bytes = 200000"),
                 "asks for 200000 bytes of shared memory, NVIDIA A100-SXM4-40GB allows 166912");
}

TEST_F(Tool, TableFitsIntoAHundredColumns) {
  const Outcome o = run("simulate traces/hgemm_3stage_512.toml");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  std::istringstream lines(o.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(o.out.find("Check  gemm passed"), std::string::npos) << o.out;
}

TEST_F(Tool, JsonHoldsWhatScriptsRelyOn) {
  const Outcome o = run("simulate traces/lds_chain_4way.toml --json");
  ASSERT_EQ(o.code, 0) << o.err;
  const json result = json::parse(o.out);
  EXPECT_EQ(result["launch"], "traces/lds_chain_4way.toml");
  EXPECT_EQ(result["kernel"], "lds_chain");
  EXPECT_EQ(result["config"], "a100-sxm4-40gb");
  EXPECT_EQ(result["coverage"]["mode"], "full");
  EXPECT_EQ(result["occupancy"]["limiter"], "grid");
  EXPECT_GT(result["cycles"].get<double>(), 0);
  EXPECT_GT(result["warp_instructions"].get<double>(), 0);
  EXPECT_NEAR(result["time_us"].get<double>(), result["cycles"].get<double>() / 1410, 0.01);
  EXPECT_NEAR(result["reports"]["latency"].get<double>(), 29, 0.5);
  double sum = 0;
  for (const auto& [name, share] : result["stalls"].items()) sum += share.get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_TRUE(result["metrics"].contains("sm__cycles_elapsed.max"));
  EXPECT_TRUE(result["host"].contains("warp_instructions_per_s"));
  EXPECT_TRUE(result["warnings"].is_array());
}

TEST_F(Tool, JsonToAFileKeepsTheTable) {
  const std::string path = (dir_ / "result.json").string();
  const Outcome o = run("simulate --json '" + path + "' traces/lds_chain_1way.toml");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("Cycles"), std::string::npos);
  EXPECT_EQ(json::parse(read_file(path))["kernel"], "lds_chain");
}

TEST_F(Tool, AFailedCheckIsExitCodeOne) {
  const Outcome o = run(variant("hgemm_3stage_512.toml", "kind = \"gemm\"", "kind = \"gemm\"\ntolerance = 1e-12"));
  EXPECT_EQ(o.code, 1) << o.err;
  EXPECT_NE(o.out.find("FAILED"), std::string::npos) << o.out;
}

TEST_F(Tool, DumpsBuffers) {
  const Outcome o = run("simulate traces/lds_chain_1way.toml --dump-buffers '" + (dir_ / "dump").string() + "'");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(fs::file_size(dir_ / "dump" / "out.bin"), 256u);
}

TEST_F(Tool, TwoRunsAreIdentical) {
  const auto once = [&] {
    json result = json::parse(run("simulate traces/hgemm_3stage_512.toml -c h200 --json").out);
    result.erase("host");
    return result.dump();
  };
  EXPECT_EQ(once(), once());
}

TEST_F(Tool, ConfigShow) {
  const Outcome table = run("config show h200");
  EXPECT_EQ(table.code, 0);
  EXPECT_NE(table.out.find("l2.slices"), std::string::npos);
  const json values = json::parse(run("config show h200 --json").out)["values"];
  EXPECT_EQ(values["gpu.sm_count"]["value"], 132);
  EXPECT_EQ(values["gpu.sm_count"]["unit"], "SMs");
  EXPECT_NE(values["gpu.sm_count"]["source"], "");
  EXPECT_EQ(run("config check configs/h200.toml").code, 0);
}

}  // namespace
