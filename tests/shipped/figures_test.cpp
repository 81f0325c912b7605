// Self-timed kernels against published A100 and measured H200 figures, with the tolerance beside each.
#include <gtest/gtest.h>

#include "support/run_launch.h"

namespace smpipe::test {
namespace {

struct Figure {
  std::string launch, report;
  double low, high;
};

void PrintTo(const Figure& f, std::ostream* out) { *out << f.launch << "." << f.report; }

class A100 : public testing::TestWithParam<Figure> {};

TEST_P(A100, ReportsWhatIsPublished) {
  const Figure& f = GetParam();
  const LaunchOutcome outcome = run_launch(trace(f.launch), shipped_config("a100-sxm4-40gb"));
  ASSERT_TRUE(outcome.reports.contains(f.report));
  EXPECT_GE(outcome.reports.at(f.report), f.low);
  EXPECT_LE(outcome.reports.at(f.report), f.high);
}

// P327-P330 and 21 + 2n beyond; P235, P318, P003; P239, P297; P299, P300; P335-P340; P322.
INSTANTIATE_TEST_SUITE_P(
    Published, A100,
    testing::Values(Figure{"lds_chain_1way", "latency", 22.5, 23.5}, Figure{"lds_chain_2way", "latency", 24.5, 25.5},
                    Figure{"lds_chain_4way", "latency", 28.5, 29.5}, Figure{"lds_chain_8way", "latency", 36.5, 37.5},
                    Figure{"lds_chain_16way", "latency", 52.5, 53.5}, Figure{"lds_chain_32way", "latency", 84.5, 85.5},
                    Figure{"global_chase_l1_ca", "latency", 33, 36}, Figure{"global_chase_l2_ca", "latency", 200, 215},
                    Figure{"global_chase_l2_cg", "latency", 200, 215},
                    Figure{"global_chase_dram_ca", "latency", 470, 620},
                    Figure{"global_chase_dram_cg", "latency", 470, 620}, Figure{"bar_sync_1w", "barrier", 21, 25},
                    Figure{"bar_sync_2w", "barrier", 23, 27}, Figure{"bar_sync_4w", "barrier", 27, 31},
                    Figure{"bar_sync_8w", "barrier", 35, 39}, Figure{"bar_sync_16w", "barrier", 51, 55},
                    Figure{"bar_sync_32w", "barrier", 83, 87}, Figure{"ffma_chain", "latency", 3.9, 4.2}));

}  // namespace
}  // namespace smpipe::test
