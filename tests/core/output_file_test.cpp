#include "core/output_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/error.h"

namespace smpipe {
namespace {

namespace fs = std::filesystem;

class Output : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(dir_); }
  void TearDown() override { fs::remove_all(dir_); }
  std::string path(const char* name) const { return (dir_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()));
  }
  static std::string text(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path dir_ = fs::temp_directory_path() / ("smpipe_output_test_" + std::to_string(getpid()));
};

TEST_F(Output, AppearsWhenFinished) {
  OutputFile out(path("a"));
  out.stream() << "all";
  EXPECT_FALSE(fs::exists(path("a")));
  out.finish();
  EXPECT_EQ(text(path("a")), "all");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Output, LeavesNothingBehindOtherwise) {
  { OutputFile(path("a")).stream() << "part"; }
  EXPECT_EQ(files(), 0u);
}

TEST_F(Output, KeepsTheOldFileUntilTheNewOneIsWhole) {
  std::ofstream(path("a")) << "old";
  { OutputFile(path("a")).stream() << "part"; }
  EXPECT_EQ(text(path("a")), "old");
  OutputFile out(path("a"));
  out.stream() << "new";
  out.finish();
  EXPECT_EQ(text(path("a")), "new");
}

TEST_F(Output, SaysWhatCannotBeWritten) {
  EXPECT_THROW(OutputFile(path("none/a")), InputError);
  EXPECT_THROW(OutputFile(dir_.string()), InputError);
  OutputFile full("/dev/full");
  full.stream() << "x";
  EXPECT_THROW(full.finish(), InputError);
  EXPECT_TRUE(fs::exists("/dev/full"));
}

}  // namespace
}  // namespace smpipe
