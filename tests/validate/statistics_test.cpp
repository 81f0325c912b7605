#include "validate/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace smpipe::validate {
namespace {

TEST(Statistics, RelativeErrorIsSigned) {
  EXPECT_DOUBLE_EQ(relative_error(110, 100), 0.1);
  EXPECT_DOUBLE_EQ(relative_error(90, 100), -0.1);
  EXPECT_TRUE(std::isnan(relative_error(1, 0)));
}

TEST(Statistics, SummaryOfKnownPairs) {
  const ErrorSummary s = summarise({110, 80, 300}, {100, 100, 300});
  EXPECT_EQ(s.count, 3u);
  EXPECT_NEAR(s.mape, 0.1, 1e-12);
  EXPECT_NEAR(s.worst, -0.2, 1e-12);
  EXPECT_EQ(s.worst_index, 1u);
  EXPECT_NEAR(s.bias, std::cbrt(1.1 * 0.8), 1e-12);
}

TEST(Statistics, LeavesOutWhatHasNoLogarithm) {
  const ErrorSummary s = summarise({5, 110, 0}, {0, 100, 7});
  EXPECT_EQ(s.count, 1u);
  EXPECT_EQ(s.worst_index, 1u);
  EXPECT_EQ(summarise({}, {}).count, 0u);
}

TEST(Statistics, CorrelationIgnoresScaleAndSpansDecades) {
  EXPECT_NEAR(summarise({2, 20, 200, 2000}, {1, 10, 100, 1000}).correlation, 1, 1e-12);
  EXPECT_NEAR(summarise({1000, 100, 10}, {1, 10, 100}).correlation, -1, 1e-12);
  EXPECT_EQ(summarise({5, 5, 5}, {1, 2, 3}).correlation, 0);
}

TEST(Statistics, FindsThePowerLaw) {
  std::vector<double> measured, predicted;
  for (double x = 1; x < 1e6; x *= 3) {
    measured.push_back(x);
    predicted.push_back(1.5 * std::pow(x, 0.9));
  }
  const PowerLaw law = fit_power_law(predicted, measured);
  EXPECT_NEAR(law.factor, 1.5, 1e-9);
  EXPECT_NEAR(law.exponent, 0.9, 1e-9);
  EXPECT_EQ(fit_power_law({3}, {2}).exponent, 1);
}

}  // namespace
}  // namespace smpipe::validate
