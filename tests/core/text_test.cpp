#include "core/text.h"

#include <gtest/gtest.h>

namespace smpipe {
namespace {

TEST(Text, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kernle", "kernel"), 1u);
}

TEST(Text, NearestPrefersCompletions) {
  EXPECT_EQ(nearest("a100", {"h200", "a100-sxm4-40gb"}), "a100-sxm4-40gb");
  EXPECT_EQ(nearest("slics", {"ways", "slices"}), "slices");
  EXPECT_EQ(nearest("entirely", {"ways", "slices"}), "");
  EXPECT_EQ(nearest(std::string(100000, 'x'), {"ways"}), "");
}

TEST(Text, Suggest) {
  EXPECT_EQ(suggest("zzzzzz", {"a", "b", "c"}), "use a, b or c");
  EXPECT_EQ(suggest("x", {}), "");
}

TEST(Text, Grouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace smpipe
