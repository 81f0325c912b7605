// Contents of buffers: the documented generator, pointer cycles, conversions.
#include "launch/fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace smpipe {
namespace {

template <class T>
std::vector<T> elements(const std::vector<std::uint8_t>& bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

Fill random_fill(ElementType type, std::uint64_t seed) {
  Fill fill;
  fill.kind = FillKind::kRandom;
  fill.type = type;
  fill.seed = seed;
  return fill;
}

TEST(Fill, RandomNumbersAreTheDocumentedOnes) {
  // Computed independently from the formulas in docs/launch-file.md.
  const auto words = elements<std::uint64_t>(make_contents(random_fill(ElementType::kU64, 1), 24, 0));
  EXPECT_EQ(words[0], 0xbfef8030ddc2d772u);
  EXPECT_EQ(words[1], 0x5f552ce482f2aa47u);
  const auto floats = elements<float>(make_contents(random_fill(ElementType::kF32, 1), 8, 0));
  EXPECT_EQ(floats[0], 0x1.ff7c000000000p-2f);
  EXPECT_EQ(floats[1], -0x1.0556a00000000p-2f);
}

TEST(Fill, RandomFloatsCoverTheRangeEvenly) {
  const auto values = elements<float>(make_contents(random_fill(ElementType::kF32, 3), 400000, 0));
  double sum = 0, squares = 0;
  for (const float v : values) {
    ASSERT_GE(v, -1.0f);
    ASSERT_LT(v, 1.0f);
    sum += v;
    squares += static_cast<double>(v) * v;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.01);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.005);
}

TEST(Fill, SeedsDiffer) {
  EXPECT_NE(make_contents(random_fill(ElementType::kU8, 1), 64, 0),
            make_contents(random_fill(ElementType::kU8, 2), 64, 0));
}

TEST(Fill, IotaWrapsIntegersAndRoundsNumbers) {
  Fill fill;
  fill.kind = FillKind::kIota;
  fill.type = ElementType::kU8;
  fill.start = {true, 254, 254.0};
  fill.step = {true, 1, 1.0};
  EXPECT_EQ(make_contents(fill, 4, 0), (std::vector<std::uint8_t>{254, 255, 0, 1}));
  fill.type = ElementType::kF32;
  fill.start = {false, 0, 0.5};
  fill.step = {false, 0, -0.25};
  EXPECT_EQ(elements<float>(make_contents(fill, 16, 0)), (std::vector<float>{0.5f, 0.25f, 0.0f, -0.25f}));
}

class Chase : public testing::TestWithParam<std::tuple<std::uint64_t, bool>> {};

TEST_P(Chase, IsOneCycleThroughAllNodes) {
  const auto [nodes, random] = GetParam();
  Fill fill;
  fill.kind = FillKind::kChase;
  fill.type = ElementType::kU64;
  fill.stride = 32;
  fill.random_order = random;
  fill.seed = 9;
  constexpr std::uint64_t kBase = 0x7f0000000000;
  const auto words = elements<std::uint64_t>(make_contents(fill, nodes * 32, kBase));
  std::uint64_t at = kBase, hops = 0;
  do {
    ASSERT_EQ((at - kBase) % 32, 0u);
    ASSERT_LT(at - kBase, nodes * 32);
    at = words[(at - kBase) / 8];
    ++hops;
  } while (at != kBase && hops <= nodes);
  EXPECT_EQ(hops, nodes);
}

INSTANTIATE_TEST_SUITE_P(Rings, Chase, testing::Combine(testing::Values(1u, 2u, 3u, 100u, 4096u), testing::Bool()));

TEST(Fill, ChaseByIndexCountsWords) {
  Fill fill;
  fill.kind = FillKind::kChase;
  fill.type = ElementType::kU32;
  fill.stride = 8;
  fill.random_order = false;
  EXPECT_EQ(elements<std::uint32_t>(make_contents(fill, 24, 0)), (std::vector<std::uint32_t>{2, 0, 4, 0, 0, 0}));
}

TEST(ElementTypes, HalfPrecisionRoundsToNearestEven) {
  EXPECT_EQ(to_f16(1.0f), 0x3c00);
  EXPECT_EQ(to_f16(-2.0f), 0xc000);
  EXPECT_EQ(to_f16(65504.0f), 0x7bff);
  EXPECT_EQ(to_f16(65519.0f), 0x7bff);
  EXPECT_EQ(to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(to_f16(0x1p-24f), 0x0001);
  EXPECT_EQ(to_f16(0x1p-25f), 0x0000);
  EXPECT_EQ(to_f16(0x1.8p-24f), 0x0002);
  EXPECT_EQ(to_f16(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(to_f16(1.0f + 0x1.8p-10f), 0x3c02);
  EXPECT_EQ(to_f16(std::nanf("")), 0x7e00);
  EXPECT_EQ(to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(to_bf16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(to_bf16(1.0f + 0x1.8p-7f), 0x3f82);
}

TEST(ElementTypes, EveryHalfSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float wide = from_f16(half);
    if (std::isnan(wide)) continue;
    ASSERT_EQ(to_f16(wide), half);
    if (!std::isnan(from_bf16(half))) {
      ASSERT_EQ(to_bf16(from_bf16(half)), half);
    }
  }
}

TEST(ElementTypes, Ranges) {
  EXPECT_EQ(lowest(ElementType::kI8), -128);
  EXPECT_EQ(highest(ElementType::kI8), 127);
  EXPECT_EQ(highest(ElementType::kU32), 0xffffffff);
  EXPECT_EQ(lowest(ElementType::kU64), 0);
  EXPECT_EQ(highest(ElementType::kU64), INT64_MAX);
  EXPECT_EQ(lowest(ElementType::kI64), INT64_MIN);
}

}  // namespace
}  // namespace smpipe
