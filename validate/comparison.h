// Prediction beside measurement: every launch, report, stall share and counter, and the verdict by group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validate/measured_set.h"
#include "validate/prediction.h"
#include "validate/published.h"
#include "validate/statistics.h"
#include "validate/tolerance.h"

namespace smpipe::validate {

enum class Group : std::uint8_t { kComponent, kPipeline, kKernel, kPublished };
const char* group_name(Group group);

/// What a launch belongs to: its stated group; else component if the kernel reports something itself; else pipeline if
/// the name says tile_stream or pipeline; else kernel.
Group classify(const MeasuredLaunch& launch);

enum class Basis : std::uint8_t {
  kCounter,    ///< sm__cycles_elapsed.max less the launch overhead
  kEventTime,  ///< event time times the clock held, less the launch overhead
  kSelfTimed,  ///< a report of the kernel
  kPublished,
};
const char* basis_name(Basis basis);

/// One number of one launch.
struct Point {
  std::string launch, kernel, description;
  Group group = Group::kKernel;
  std::string quantity;  ///< "cycles", or the report's name
  std::string unit;
  double measured = 0, predicted = 0;
  double error = 0;  ///< relative, signed; not a number if measured is 0
  Basis basis = Basis::kCounter;
  double least = 0, most = 0;           ///< range of the measurement
  bool judged = false;                  ///< has a tolerance of its own
  bool within = true;                   ///< false only if judged
  bool sampled = false;                 ///< prediction from a part of the blocks
  double error_bound = 0;               ///< of a sampled prediction, relative
  std::string id, source, grade, note;  ///< of a published figure
};

struct StallShare {
  std::string reason;
  double measured = 0, predicted = 0;  ///< of resident warp-cycles, each side sums to 1
};

struct StallComparison {
  std::string launch;
  Group group = Group::kKernel;
  std::vector<StallShare> shares;
  double worst = 0;  ///< signed difference of the largest magnitude, in percentage points
  std::string worst_reason;
  bool judged = false, within = true;
};

enum class Agreement : std::uint8_t { kExact, kWithin1Percent, kOff };

struct CounterComparison {
  std::string launch, kind, metric;
  double measured = 0, predicted = 0;
  Agreement agreement = Agreement::kExact;
};

/// One row of the summary.
struct GroupSummary {
  std::string name;  ///< "component reports", "kernel cycles"
  std::string worst_launch;
  ErrorSummary errors;
  PowerLaw fit;
};

struct CounterSummary {
  std::string kind;
  std::size_t compared = 0, exact = 0, within = 0;
  double worst = 0;  ///< relative
  std::string worst_launch, worst_metric;
};

/// One stated tolerance and what became of it.
struct Verdict {
  std::string name;  ///< "kernel mean"
  double limit = 0, value = 0;
  std::string unit;                    ///< of limit and value
  std::size_t broken = 0, judged = 0;  ///< points; 0 and 1 for a mean
  bool passed = true;
};

struct Failure {
  std::string launch, what;
};

struct Comparison {
  std::vector<Point> points;  ///< by group, then in natural order of the launches
  std::vector<StallComparison> stalls;
  std::vector<CounterComparison> counters;
  std::vector<Failure> failures;   ///< launches without a prediction, or that computed something wrong
  std::vector<std::string> notes;  ///< launches that were left out, and why
  std::vector<GroupSummary> groups;
  std::vector<CounterSummary> counter_kinds;
  std::vector<Verdict> verdicts;
  Tolerances tolerances;

  bool passed() const;  ///< no broken tolerance, no failure
};

/// `launches` and `predictions` go together one by one.
Comparison compare(const MeasuredSet& set, const std::vector<const MeasuredLaunch*>& launches,
                   const std::vector<Prediction>& predictions, const Tolerances& tolerances);

/// `predictions` by launch, as in `launches`.
Comparison compare_published(const PublishedSet& set, const std::vector<std::string>& launches,
                             const std::vector<Prediction>& predictions, const Tolerances& tolerances);

}  // namespace smpipe::validate
