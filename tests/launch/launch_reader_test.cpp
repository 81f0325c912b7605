// Launch files: what is read, and one test for each kind of mistake.
#include "launch/launch_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "config/config_reader.h"
#include "core/error.h"

namespace smpipe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGood = R"(kernel = "k"
code = { sm_80 = "k.sass", sm_90 = "k.sass" }
grid = [4, 2]
block = [128]
registers = { sm_80 = 32, sm_90 = 40 }
args = [{ buffer = "A" }, { i32 = 7 }, { buffer = "B", offset = 16 }, { u8 = 1 }, { f64 = 0.5 }]
[buffers.A]
bytes = 4096
fill = "random_f32"
[buffers.B]
bytes = 3000000
[[report]]
name = "r"
buffer = "B"
type = "i64"
index = 2
scale = 0.5
unit = "cycles"
)";

class LaunchFile : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(dir_ / "folder");
    std::ofstream(dir_ / "k.sass") << "a listing\n";
    std::ofstream(dir_ / "empty.sass");
    std::ofstream(dir_ / "k.cubin", std::ios::binary) << "\x7f"
                                                         "ELF...";
    std::ofstream(dir_ / "data.bin") << "0123456789";
  }
  void TearDown() override { fs::remove_all(dir_); }

  Launch read(const std::string& text, const std::string& architecture = "sm_80") {
    const std::string path = (dir_ / "l.toml").string();
    std::ofstream(path) << text;
    return load_launch(path, architecture);
  }
  std::string message(const std::string& text, const std::string& architecture = "sm_80") {
    try {
      read(text, architecture);
    } catch (const InputError& error) {
      std::string what = error.what();
      for (std::size_t at; (at = what.find(dir_.string() + "/")) != std::string::npos;) {
        what.erase(at, dir_.string().size() + 1);
      }
      return what;
    }
    return "no error";
  }
  /// Message of the good file with one text replaced.
  std::string changed(const std::string& from, const std::string& to) {
    std::string text = kGood;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return message(text.replace(at, from.size(), to));
  }
  fs::path dir_ = fs::temp_directory_path() / ("smpipe_launch_test_" + std::to_string(getpid()));
};

TEST_F(LaunchFile, ReadsEverything) {
  const Launch launch = read(kGood, "sm_90");
  EXPECT_EQ(launch.kernel, "k");
  EXPECT_EQ(launch.code, (dir_ / "k.sass").string());
  EXPECT_TRUE(launch.code_is_listing);
  EXPECT_EQ(launch.shape.grid.count(), 8u);
  EXPECT_EQ(launch.shape.block.x, 128u);
  EXPECT_EQ(launch.shape.registers_per_thread, 40u);
  EXPECT_EQ(launch.caches, Caches::kCold);
  ASSERT_EQ(launch.reports.size(), 1u);
  EXPECT_EQ(launch.reports[0].index, 2u);
}

TEST_F(LaunchFile, PacksArgumentsWithCudaAlignment) {
  const Launch launch = read(kGood);
  ASSERT_EQ(launch.parameters.size(), 40u);
  const auto at = [&](std::size_t offset, auto value) {
    std::memcpy(&value, &launch.parameters[offset], sizeof value);
    return value;
  };
  EXPECT_EQ(at(0, std::uint64_t{}), launch.buffers[0].address);
  EXPECT_EQ(at(8, std::int32_t{}), 7);
  EXPECT_EQ(at(16, std::uint64_t{}), launch.buffers[1].address + 16);
  EXPECT_EQ(at(24, std::uint8_t{}), 1);
  EXPECT_EQ(at(32, double{}), 0.5);
}

TEST_F(LaunchFile, BuffersHaveAlignedAddressesAndGuards) {
  const Launch launch = read(kGood);
  EXPECT_EQ(launch.buffers[0].address, 0x7f0000000000u);
  EXPECT_EQ(launch.buffers[1].address, 0x7f0000000000u + (4u << 20));
  EXPECT_EQ(launch.buffers[0].data.size(), 4096u);
}

TEST_F(LaunchFile, CubinNeedsNoRegisters) {
  const Launch launch = read("kernel = \"k\"\ncode = { sm_80 = \"k.cubin\" }\ngrid = [1]\nblock = [1]\n");
  EXPECT_FALSE(launch.code_is_listing);
  EXPECT_EQ(launch.shape.registers_per_thread, 0u);
}

TEST_F(LaunchFile, TopLevelMistakes) {
  EXPECT_EQ(changed("kernel = \"k\"", "kernle = \"k\""), "l.toml:1: unknown key 'kernle'; did you mean 'kernel'?");
  EXPECT_EQ(changed("kernel = \"k\"\n", ""), "l.toml:1: 'kernel' is missing; write for example kernel = \"my_kernel\"");
  EXPECT_EQ(changed("kernel = \"k\"", "kernel = \"\""),
            "l.toml:1: kernel is empty; write for example kernel = \"my_kernel\"");
  EXPECT_EQ(changed("block = [128]", "block = [128]\ncache = \"cold\""),
            "l.toml:5: unknown key 'cache'; did you mean 'caches'?");
  EXPECT_EQ(changed("block = [128]", "block = [128]\ncaches = \"hot\""),
            "l.toml:5: caches = 'hot' is not known; use cold or warm");
  EXPECT_EQ(changed("registers = { sm_80 = 32, sm_90 = 40 }", "registers = { sm_90 = 40 }"),
            "l.toml:5: registers has no value for sm_80; add sm_80 = ... to the table");
  EXPECT_EQ(changed("sm_80 = 32", "sm_80 = 256"),
            "l.toml:5: registers.sm_80 = 256 is out of range; it must lie between 1 and 255");
  EXPECT_NE(changed("registers = { sm_80 = 32, sm_90 = 40 }\n", "").find("'registers' is missing"), std::string::npos);
}

TEST_F(LaunchFile, CodeMistakes) {
  EXPECT_EQ(message(kGood, "sm_75"),
            "l.toml:2: there is no code for sm_75; there is code for sm_80 or sm_90: use a configuration of that "
            "architecture");
  EXPECT_EQ(changed("sm_80 = \"k.sass\"", "sm_80 = \"none.sass\""),
            "l.toml:2: code.sm_80: 'none.sass' does not exist; paths are relative to the launch file");
  EXPECT_EQ(changed("sm_80 = \"k.sass\"", "sm_80 = \"folder\""),
            "l.toml:2: code.sm_80: 'folder' is not a file; name a file");
  EXPECT_EQ(changed("sm_80 = \"k.sass\"", "sm_80 = \"empty.sass\""),
            "l.toml:2: code.sm_80: 'empty.sass' is empty; build it");
  EXPECT_EQ(changed("sm_80 = \"k.sass\"", "ampere = \"k.sass\""),
            "l.toml:2: code: 'ampere' is not an architecture; use sm_80, sm_90, ...");
}

TEST_F(LaunchFile, GeometryMistakes) {
  EXPECT_EQ(changed("grid = [4, 2]", "grid = [0]"),
            "l.toml:3: grid[0] = 0 is out of range; it must lie between 1 and 2147483647");
  EXPECT_EQ(changed("grid = [4, 2]", "grid = [1, 65536]"),
            "l.toml:3: grid[1] = 65536 is out of range; it must lie between 1 and 65535");
  EXPECT_EQ(changed("grid = [4, 2]", "grid = []"), "l.toml:3: grid has 0 numbers; it takes one to three: x, y, z");
  EXPECT_EQ(changed("grid = [4, 2]", "grid = 4"), "l.toml:3: grid is an integer (4); it must be an array");
  EXPECT_EQ(changed("block = [128]", "block = [0]"),
            "l.toml:4: block[0] = 0 is out of range; it must lie between 1 and 1024");
  EXPECT_EQ(changed("block = [128]", "block = [512, 4]"),
            "l.toml:4: the block has 2048 threads; a block has at most 1024");
  EXPECT_EQ(changed("block = [128]", "block = [-1]"),
            "l.toml:4: block[0] = -1 is out of range; it must lie between 1 and 1024");
}

TEST_F(LaunchFile, ArgumentMistakes) {
  EXPECT_EQ(changed("{ buffer = \"A\" }", "{ buffer = \"Q\" }"),
            "l.toml:6: args[0].buffer: there is no buffer 'Q'; use A or B");
  EXPECT_EQ(changed("{ i32 = 7 }", "{ i32 = 7.5 }"),
            "l.toml:6: args[1].i32 is a number with a decimal point (7.5); it must be an integer");
  EXPECT_EQ(changed("{ i32 = 7 }", "{ i32 = 2147483648 }"),
            "l.toml:6: args[1].i32 = 2147483648 is out of range; it must lie between -2147483648 and 2147483647");
  EXPECT_EQ(changed("{ i32 = 7 }", "{ int = 7 }"),
            "l.toml:6: unknown key 'args[1].int'; use u8, i8, u16, i16, u32, i32, "
            "u64, i64, f16, bf16, f32, f64, buffer or offset");
  EXPECT_EQ(changed("{ i32 = 7 }", "{}"),
            "l.toml:6: args[1] has no type; write for example { buffer = \"A\" } or { i32 = 1024 }");
  EXPECT_EQ(changed("{ i32 = 7 }", "{ i32 = 7, u32 = 8 }"),
            "l.toml:6: args[1] has two types, i32 and u32; write for example { buffer = \"A\" } or { i32 = 1024 }");
  EXPECT_EQ(changed("{ i32 = 7 }", "7"), "l.toml:6: args[1] is an integer (7); it must be a table");
  EXPECT_EQ(changed("offset = 16", "offset = 3000001"),
            "l.toml:6: args[2].offset = 3000001 lies beyond the 3000000 bytes of 'B'; use a smaller offset or a larger "
            "buffer");
}

TEST_F(LaunchFile, BufferMistakes) {
  EXPECT_EQ(changed("bytes = 4096\n", ""), "l.toml:7: 'buffers.A.bytes' is missing; write for example bytes = 4096");
  EXPECT_EQ(changed("bytes = 4096", "bytes = 0"),
            "l.toml:8: buffers.A.bytes = 0 is out of range; it must lie between 1 and 1099511627776");
  EXPECT_EQ(changed("bytes = 4096", "bytes = -4"),
            "l.toml:8: buffers.A.bytes = -4 is out of range; it must lie between 1 and 1099511627776");
  EXPECT_EQ(changed("\"random_f32\"", "\"random_f23\""),
            "l.toml:9: buffers.A.fill: unknown fill 'random_f23'; did you mean 'random_f32'?");
  EXPECT_EQ(changed("bytes = 4096\nfill = \"random_f32\"", "bytes = 4095\nfill = \"random_bf16\""),
            "l.toml:8: 4095 bytes are not a multiple of 2 (the size of bf16); use 4094 or 4096");
  EXPECT_EQ(changed("fill = \"random_f32\"", "fill = \"random_f32\"\nstride = 8"),
            "l.toml:10: unknown key 'buffers.A.stride'; use bytes, fill or seed");
  EXPECT_EQ(changed("fill = \"random_f32\"", "fill = \"chase\"\nstride = 100"),
            "l.toml:10: buffers.A.stride = 100 is not a multiple of the element's 8 bytes; align the nodes");
  EXPECT_EQ(changed("fill = \"random_f32\"", "fill = \"chase\"\nstride = 96"),
            "l.toml:8: 4096 bytes are not a multiple of 96 (the stride); use 4032 or 4128");
  EXPECT_EQ(changed("fill = \"random_f32\"", "fill = \"constant\"\ntype = \"u8\"\nvalue = 256"),
            "l.toml:11: buffers.A.value = 256 is out of range; it must lie between 0 and 255");
  EXPECT_EQ(
      changed("fill = \"random_f32\"", "fill = \"file\"\nfile = \"data.bin\""),
      "l.toml:10: 'data.bin' has 10 bytes, 4096 from byte 0 are asked for; take a larger file or a smaller buffer");
  EXPECT_EQ(changed("[buffers.A]", "[buffers.\"../A\"]"),
            "l.toml:7: '../A' is not a name for a buffer; use up to 64 letters, digits, _ and -");
  EXPECT_NE(changed("bytes = 4096", "bytes = 1099511627776").find("the buffers need"), std::string::npos);
}

TEST_F(LaunchFile, ReportMistakes) {
  EXPECT_EQ(changed("index = 2", "index = 375000"),
            "l.toml:16: report[0].index = 375000 is outside of 'B', which holds 375000 elements of i64; use a smaller "
            "index or a larger buffer");
  EXPECT_EQ(
      changed("type = \"i64\"", "type = \"int\""),
      "l.toml:15: report[0].type = 'int' is not a type; use u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32 or "
      "f64");
  EXPECT_EQ(changed("[[report]]", "[report]"), "l.toml:12: report is a table; write [[report]]");
  EXPECT_EQ(message(std::string(kGood) + "[[report]]\nname = \"r\"\nbuffer = \"A\"\ntype = \"f32\"\n"),
            "l.toml:20: there are two reports 'r'; give each its own name");
}

TEST_F(LaunchFile, CheckMistakes) {
  const auto check = [&](const std::string& text) { return message(std::string(kGood) + "[check]\n" + text); };
  EXPECT_EQ(check("kind = \"gem\"\n"), "l.toml:20: check.kind: unknown kind 'gem'; did you mean 'gemm'?");
  EXPECT_EQ(check("kind = \"gemm\"\na = \"A\"\nb = \"A\"\nc = \"B\"\nm = 64\nn = 64\nk = 64\n"),
            "l.toml:21: 64 x 64 elements of bf16 take 8192 bytes, 'A' has 4096; make the buffer larger or the matrix "
            "smaller");
  EXPECT_EQ(check("kind = \"crc32\"\nbuffer = \"A\"\n"),
            "l.toml:19: 'check.value' is missing; write for example value = 0x1c291ca3");
  EXPECT_EQ(check("kind = \"equals\"\nbuffer = \"A\"\nexpected = {}\n"),
            "l.toml:22: check.expected says nothing; name a buffer, a file or a fill");
  EXPECT_EQ(check("kind = \"sum\"\ninput = \"A\"\ninput_type = \"f32\"\nbuffer = \"B\"\ntype = \"i32\"\n"),
            "l.toml:24: a sum of f32 is compared with i32; use integers for both or numbers with a point for both");
}

TEST_F(LaunchFile, ParametersBeyondTheGivenOnes) {
  const Launch launch = read(kGood);
  check_parameters(launch, 40, 1);
  try {
    check_parameters(launch, 44, 123);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.line(), 6u);
    EXPECT_NE(std::string(error.what()).find("args give 40 bytes of parameters, but "), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("k.sass:123 reads up to byte 44"), std::string::npos);
  }
}

TEST_F(LaunchFile, ResourcesThatTheGpuLacks) {
  const GpuConfig a100 = load_config("a100-sxm4-40gb", {std::string(SMPIPE_SOURCE_DIR) + "/configs"});
  const auto refused = [&](Launch launch) {
    try {
      check_resources(launch, a100);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("fine");
  };
  Launch launch = read(kGood);
  EXPECT_EQ(refused(launch), "fine");
  launch.shape.dynamic_shared_bytes = 166912;
  EXPECT_EQ(refused(launch), "fine");
  launch.shape.dynamic_shared_bytes = 166913;
  EXPECT_NE(refused(launch).find("asks for 166913 bytes of shared memory"), std::string::npos);
  launch.shape.dynamic_shared_bytes = 0;
  launch.shape.block.x = 1024;
  launch.shape.registers_per_thread = 64;
  EXPECT_EQ(refused(launch), "fine");
  launch.shape.registers_per_thread = 65;
  EXPECT_NE(refused(launch).find("needs 73728 registers"), std::string::npos);
}

TEST(ShippedLaunches, AllAreValidForBothArchitectures) {
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(SMPIPE_SOURCE_DIR) + "/traces")) {
    if (entry.path().extension() != ".toml") continue;
    ++count;
    for (const char* architecture : {"sm_80", "sm_90"}) {
      EXPECT_NO_THROW(read_launch(entry.path().string(), architecture)) << entry.path();
    }
  }
  EXPECT_GT(count, 0u);
}

}  // namespace
}  // namespace smpipe
