// `smpipe validate` as its users see it. Runs the built binary.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kSource = SMPIPE_SOURCE_DIR;
const std::string kSample = kSource + "/tests/validate/data/measured.json";

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

class ValidateTool : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(dir_); }
  void TearDown() override { fs::remove_all(dir_); }

  Outcome run(const std::string& arguments, const std::string& environment = "") {
    const std::string out = (dir_ / "stdout").string(), err = (dir_ / "stderr").string();
    const std::string command = "cd '" + kSource + "' && " + environment + " '" SMPIPE_TOOL "' validate " + arguments +
                                " > '" + out + "' 2> '" + err + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }

  std::string folder(const std::string& name) { return (dir_ / name).string(); }

  /// The sample with one value replaced.
  std::string variant(const std::string& pointer, const json& value) {
    json sample = json::parse(read_file(kSample));
    sample[json::json_pointer(pointer)] = value;
    const std::string path = folder("variant.json");
    std::ofstream(path) << sample;
    return path;
  }

  void expect_refused(const std::string& arguments, const std::string& part) {
    const Outcome o = run(arguments + " -o " + folder("refused"));
    EXPECT_EQ(o.code, 2) << arguments << "\n" << o.out << o.err;
    EXPECT_EQ(o.out, "") << arguments;
    EXPECT_NE(o.err.find(part), std::string::npos) << arguments << "\n" << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }

  fs::path dir_ = fs::temp_directory_path() / ("smpipe_validate_" + std::to_string(getpid()));
};

TEST_F(ValidateTool, SameAnswerWhateverTheNumberOfJobsAndFromTheStore) {
  const std::string only = " --only 'lds_chain*' --only 'bar*' ";
  const Outcome one = run(kSample + only + "-j 1 -o " + folder("one"));
  const Outcome four = run(kSample + only + "-j 4 -o " + folder("four"));
  const Outcome again = run(kSample + only + "-o " + folder("one"));
  EXPECT_EQ(one.out, four.out);
  EXPECT_EQ(one.out, again.out);
  EXPECT_EQ(one.code, four.code);
  const std::string json_text = read_file(folder("one") + "/comparison.json");
  EXPECT_EQ(json_text, read_file(folder("four") + "/comparison.json"));
  EXPECT_FALSE(json::parse(json_text)["points"].empty());
  EXPECT_NE(read_file(folder("one") + "/index.html").find("</html>"), std::string::npos);
  std::istringstream lines(one.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST_F(ValidateTool, ExitCodeFollowsTheTolerance) {
  const std::string common = kSample + " --only lds_chain_4way --tolerance stalls=off -o " + folder("out");
  EXPECT_EQ(run(common + " --tolerance component=50").code, 0);
  const std::string wrong = variant("/launches/3/reports/latency", 12.5);
  ASSERT_EQ(json::parse(read_file(wrong))["launches"][3]["launch"], "lds_chain_4way");
  const Outcome o = run(wrong + " --only lds_chain_4way --launches traces -o " + folder("out"));
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.out.find("BROKEN"), std::string::npos);
}

TEST_F(ValidateTool, JsonToStandardOutput) {
  const Outcome o = run(kSample + " --only lds_chain_1way --json -o " + folder("out"));
  const json result = json::parse(o.out);
  EXPECT_EQ(result["config"], "h200");
  EXPECT_EQ(result["points"].size(), 2u);
}

TEST_F(ValidateTool, WithoutGnuplotTheTableStays) {
  const Outcome o = run(kSample + " --only lds_chain_1way -o " + folder("out"), "PATH=/nowhere");
  EXPECT_LE(o.code, 1);
  EXPECT_NE(o.out.find("lds_chain_1way"), std::string::npos);
  EXPECT_NE(o.err.find("gnuplot-nox"), std::string::npos);
  EXPECT_NE(read_file(folder("out") + "/index.html").find("</html>"), std::string::npos);
}

TEST_F(ValidateTool, ATimeoutCostsOneLaunchAndFails) {
  const Outcome o = run(kSample + " --only reduction --only lds_chain_1way --timeout 0.001 -o " + folder("out"));
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.out.find("no answer within 0.001 s"), std::string::npos) << o.out;
}

TEST_F(ValidateTool, RefusesBadInput) {
  expect_refused("/nowhere.json", "/nowhere.json: no such file");
  expect_refused(kSample + " -c nonsense", "nonsense");
  expect_refused(kSample + " -c a100-sxm4-40gb", "is a configuration for sm_80");
  expect_refused(kSample + " --only nothing", "no launch matches --only");
  expect_refused(kSample + " --launches /nowhere", "/nowhere: is no folder");
  expect_refused(kSample + " --launches tests", "there is no launch file");
  expect_refused(kSample + " --tolerance kernl.mean=3", "did you mean");
  expect_refused(kSample + " --jobs 0", "--jobs");
  expect_refused(kSample + " two.json", "one measured set at a time");
  expect_refused("", "name a measured set");
  expect_refused(variant("/device/name", "Tesla T4"), "no configuration for the device 'Tesla T4'");
  expect_refused(variant("/launches/0/grid/0", 77) + " --launches traces", "grid 1 x 1 x 1 instead of 77 x 1 x 1");
  const std::string torn = folder("torn.json");
  std::ofstream(torn) << read_file(kSample).substr(0, 5000);
  expect_refused(torn, "is not valid JSON");
}

TEST_F(ValidateTool, PublishedFigures) {
  const Outcome o = run("--published --only lds_chain_4way -o " + folder("out"));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("P329"), std::string::npos);
  expect_refused("--published /nowhere.toml", "/nowhere.toml");
  const std::string bad = folder("bad.toml");
  std::ofstream(bad) << "config = \"a100-sxm4-40gb\"\ndevice = \"A100\"\n[[figure]]\nid = \"P1\"\n";
  expect_refused("--published " + bad, bad + ":3");
}

}  // namespace
