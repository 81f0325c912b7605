#include "validate/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "core/error.h"
#include "validate/inputs.h"
#include "validate/natural_order.h"
#include "validate/page.h"
#include "validate/sweeps.h"

namespace smpipe::validate {
namespace {

const std::string kSample = std::string(SMPIPE_SOURCE_DIR) + "/tests/validate/data/measured.json";

/// A perfect prediction of a measured launch.
Prediction perfect(const MeasuredSet& set, const MeasuredLaunch& launch) {
  Prediction p;
  p.cycles = net_cycles(set, launch)->cycles;
  for (const MeasuredReport& r : launch.reports) p.reports.push_back({r.name, r.value, "cycles"});
  const std::string prefix = "smsp__average_warps_issue_stalled_", suffix = "_per_issue_active.ratio";
  for (const auto& [name, value] : launch.metrics) {
    p.metrics.emplace_back(name, value);
    if (!name.starts_with(prefix) || !value) continue;
    p.stalls.emplace_back(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()), *value);
  }
  return p;
}

class ComparisonTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const MeasuredLaunch& launch : set_.launches) {
      if (&launch == empty_launch(set_)) continue;
      launches_.push_back(&launch);
      predictions_.push_back(perfect(set_, launch));
    }
  }

  Prediction& prediction(const std::string& name) {
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      if (launches_[i]->name == name) return predictions_[i];
    }
    throw std::out_of_range(name);
  }

  Comparison compare_all(const Tolerances& tolerances = {}) {
    return compare(set_, launches_, predictions_, tolerances);
  }

  static const Verdict& verdict(const Comparison& c, const std::string& name) {
    const auto found =
        std::find_if(c.verdicts.begin(), c.verdicts.end(), [&](const auto& v) { return v.name == name; });
    if (found == c.verdicts.end()) throw std::out_of_range(name);
    return *found;
  }

  MeasuredSet set_ = read_measured(kSample);
  std::vector<const MeasuredLaunch*> launches_;
  std::vector<Prediction> predictions_;
};

TEST_F(ComparisonTest, PerfectPredictionPasses) {
  const Comparison c = compare_all();
  EXPECT_TRUE(c.passed());
  EXPECT_EQ(c.points.size(), 8u);  // 5 cycles, 3 reports
  for (const Point& p : c.points) EXPECT_NEAR(p.error, 0, 1e-12) << p.launch;
  for (const CounterSummary& s : c.counter_kinds) EXPECT_EQ(s.exact, s.compared) << s.kind;
  for (const StallComparison& s : c.stalls) EXPECT_NEAR(s.worst, 0, 1e-9) << s.launch;
}

TEST_F(ComparisonTest, GroupsByReportsAndNames) {
  EXPECT_EQ(classify(*set_.find("bar_sync_2w")), Group::kComponent);
  EXPECT_EQ(classify(*set_.find("tile_stream_3stage")), Group::kPipeline);
  EXPECT_EQ(classify(*set_.find("reduction")), Group::kKernel);
  MeasuredLaunch stated = *set_.find("reduction");
  stated.group = "pipeline";
  EXPECT_EQ(classify(stated), Group::kPipeline);
}

TEST_F(ComparisonTest, ComponentToleranceIsPercentOrOneCycle) {
  // 3.4 % of 29 cycles, but less than one cycle.
  prediction("lds_chain_4way").reports[0].value += 0.99;
  EXPECT_TRUE(compare_all().passed());
  prediction("lds_chain_4way").reports[0].value += 0.5;
  const Comparison c = compare_all();
  EXPECT_FALSE(c.passed());
  EXPECT_EQ(verdict(c, "component reports").broken, 1u);
  Tolerances loose;
  set_tolerance(loose, "component=6");
  EXPECT_TRUE(compare_all(loose).passed());
  Tolerances off;
  set_tolerance(off, "component=off");
  EXPECT_TRUE(compare_all(off).passed());
}

TEST_F(ComparisonTest, KernelMeanAndWorst) {
  prediction("reduction").cycles *= 1.2;
  const Comparison c = compare_all();
  EXPECT_FALSE(verdict(c, "kernel mean").passed);
  EXPECT_TRUE(verdict(c, "kernel worst").passed);
  EXPECT_TRUE(verdict(c, "pipeline mean").passed);
  prediction("reduction").cycles *= 1.1;
  EXPECT_FALSE(verdict(compare_all(), "kernel worst").passed);
}

TEST_F(ComparisonTest, StallSharesAreNormalised) {
  Prediction& p = prediction("tile_stream_3stage");
  for (auto& [name, share] : p.stalls) share *= 17;  // another unit, the same shares
  EXPECT_TRUE(compare_all().passed());
  double sum = 0;
  for (const auto& [name, share] : p.stalls) sum += share;
  p.stalls[0].second += 0.12 * sum;
  const Comparison c = compare_all();
  EXPECT_EQ(verdict(c, "stall shares").broken, 1u);
  const auto found = std::find_if(c.stalls.begin(), c.stalls.end(), [](const auto& s) { return !s.within; });
  ASSERT_NE(found, c.stalls.end());
  EXPECT_EQ(found->worst_reason, p.stalls[0].first);
}

TEST_F(ComparisonTest, CountersAgreeOrNot) {
  Prediction& p = prediction("tile_stream_3stage");
  for (auto& [name, value] : p.metrics) {
    if (name == "smsp__inst_executed.sum") value = *value * 1.005;
    if (name == "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") value = 7;
  }
  const Comparison c = compare_all();
  EXPECT_TRUE(c.passed());  // not judged unless asked for
  for (const CounterSummary& s : c.counter_kinds) {
    if (s.kind == "executed instructions") {
      EXPECT_EQ(s.within, 1u);
    }
    if (s.kind == "bank conflicts") {
      EXPECT_EQ(s.compared - s.exact - s.within, 1u);
    }
  }
  Tolerances exact;
  set_tolerance(exact, "counters=0");
  EXPECT_EQ(verdict(compare_all(exact), "counters").broken, 2u);
}

TEST_F(ComparisonTest, FailuresAreReportedAndFail) {
  prediction("reduction").failure = "killed by signal 11 (Segmentation fault)";
  const Comparison c = compare_all();
  ASSERT_EQ(c.failures.size(), 1u);
  EXPECT_EQ(c.failures[0].launch, "reduction");
  EXPECT_FALSE(c.passed());
}

TEST_F(ComparisonTest, PublishedFigures) {
  PublishedSet set;
  set.figures.push_back({"P1", "a", "report:latency", 0, 23, "cycles", "someone", "A", "", "LDS", 1});
  set.figures.push_back({"P2", "a", "bytes_per_cycle", 6400, 60, "bytes per cycle", "someone", "C", "", "rate", 2});
  Prediction p;
  p.cycles = 100;
  p.reports.push_back({"latency", 24, "cycles"});
  const Comparison c = compare_published(set, {"a"}, {p}, {});
  ASSERT_EQ(c.points.size(), 2u);
  EXPECT_NEAR(c.points[0].error, 1 / 23.0, 1e-12);
  EXPECT_NEAR(c.points[1].predicted, 64, 1e-12);
  EXPECT_TRUE(c.passed());
  Tolerances strict;
  set_tolerance(strict, "published=5");
  EXPECT_FALSE(compare_published(set, {"a"}, {p}, strict).passed());
}

TEST(Tolerance, RefusesWhatItDoesNotKnow) {
  Tolerances t;
  for (const char* text : {"kernel", "kernel.mean=", "kernel.mean=x", "kernel.mean=-1", "kernl.mean=3", "stalls=nan"}) {
    EXPECT_THROW(set_tolerance(t, text), std::invalid_argument) << text;
  }
  set_tolerance(t, "worst=40");
  EXPECT_EQ(t.kernel.worst, 40);
  EXPECT_EQ(t.pipeline.worst, 40);
}

TEST(NaturalOrder, NumbersCount) {
  EXPECT_TRUE(natural_less("lds_2way", "lds_16way"));
  EXPECT_FALSE(natural_less("lds_16way", "lds_2way"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_FALSE(natural_less("a", "a"));
}

TEST(Inputs, ConfigurationOfTheDevice) {
  MeasuredSet set;
  set.device = "NVIDIA A100-SXM4-40GB";
  EXPECT_EQ(config_for_device(set, {"a100", "a100-sxm4-40gb", "h200"}), "a100-sxm4-40gb");
  set.device = "NVIDIA H200";
  EXPECT_EQ(config_for_device(set, {"a100-sxm4-40gb", "h200"}), "h200");
  set.device = "Tesla T4";
  EXPECT_THROW(config_for_device(set, {"h200"}), InputError);
}

TEST(Inputs, NamesDoNotLeadOutOfTheFolders) {
  const std::string traces = std::string(SMPIPE_SOURCE_DIR) + "/traces";
  EXPECT_NO_THROW(find_launches("m.json", {"empty"}, {traces}));
  EXPECT_THROW(find_launches("m.json", {"../traces/empty"}, {traces}), InputError);
  EXPECT_THROW(find_launches("m.json", {""}, {traces}), InputError);
}

Point point(const std::string& launch, const std::string& quantity, double measured, double predicted) {
  Point p;
  p.launch = launch;
  p.quantity = quantity;
  p.unit = "cycles";
  p.measured = measured;
  p.predicted = predicted;
  p.basis = quantity == "cycles" ? Basis::kCounter : Basis::kSelfTimed;
  p.group = quantity == "cycles" ? Group::kPipeline : Group::kComponent;
  return p;
}

TEST(Sweeps, FoundByName) {
  const auto sweeps =
      find_sweeps({point("lds_chain_4way", "latency", 29, 29), point("lds_chain_1way", "latency", 23, 23),
                   point("lds_chain_32way", "latency", 85, 86), point("lds_chain_1way", "cycles", 1, 1),
                   point("tile_stream_sync", "cycles", 9, 9), point("other", "cycles", 9, 9)});
  ASSERT_EQ(sweeps.size(), 1u);
  EXPECT_EQ(sweeps[0].name, "conflict");
  ASSERT_EQ(sweeps[0].series.size(), 1u);
  const auto& points = sweeps[0].series[0].points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].x, 1);
  EXPECT_EQ(points[2].x, 32);
  EXPECT_EQ(points[2].predicted, 86);
}

/// The text is one tree of elements, each closed, with attributes in quotes and no stray '<' or '&'.
::testing::AssertionResult well_formed(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < html.size(); ++i) {
    if (html[i] == '&') {
      const auto end = html.find(';', i);
      if (end == std::string::npos || end - i > 8)
        return ::testing::AssertionFailure() << "stray & at " << html.substr(i, 40);
    }
    if (html[i] != '<') continue;
    const auto end = html.find('>', i);
    if (end == std::string::npos) return ::testing::AssertionFailure() << "unclosed tag at " << html.substr(i, 40);
    const std::string tag = html.substr(i + 1, end - i - 1);
    i = end;
    if (tag.starts_with("!")) continue;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return ::testing::AssertionFailure() << "quotes in <" << tag;
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /\n", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name) return ::testing::AssertionFailure() << "<" << tag << "> closes nothing";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "<" << open.back() << "> stays open";
  return ::testing::AssertionSuccess();
}

TEST_F(ComparisonTest, PageIsWellFormedAndSelfContained) {
  set_.launches[0].description = "a <b> & \"c\"";
  prediction("reduction").failure = "<script>alert(1)</script>";
  Provenance provenance;
  provenance.title = "5 launches <measured>";
  provenance.facts.emplace_back("driver", "5 & 6");
  provenance.config_entries.push_back({"l2.slices", "96", "slices", "a <source>", "f", 1});
  std::vector<PageFigure> figures;
  for (Figure& f : make_figures(compare_all())) figures.push_back({std::move(f), "<svg viewBox=\"0 0 1 1\"></svg>"});
  EXPECT_GE(figures.size(), 4u);
  const std::string page = make_page(compare_all(), provenance, figures, "a note");
  EXPECT_TRUE(well_formed(page));
  EXPECT_EQ(page.find("http:"), std::string::npos);
  EXPECT_EQ(page.find("https:"), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("5 launches &lt;measured&gt;"), std::string::npos);
}

}  // namespace
}  // namespace smpipe::validate
