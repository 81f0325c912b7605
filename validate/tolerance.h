// How far a prediction may be off before the comparison fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace smpipe::validate {

/// Nothing: not judged.
struct Limits {
  std::optional<double> mean;   ///< mean absolute relative error, percent
  std::optional<double> worst;  ///< worst absolute relative error, percent
};

struct Tolerances {
  std::optional<double> component = 3;         ///< percent, each report of a component
  std::optional<double> component_cycles = 1;  ///< a report in cycles may be off by so much, whatever the percentage
  Limits pipeline{10, 25};                     ///< cycles of pipeline launches
  Limits kernel{10, 25};                       ///< cycles of whole kernels
  std::optional<double> stalls = 5;            ///< percentage points, each share of pipelines and kernels
  std::optional<double> counters;              ///< percent, each counter
  std::optional<double> published;             ///< percent, each published figure
};

/// Applies "NAME=VALUE" (VALUE a number or "off"); "mean" and "worst" set pipelines and kernels alike. Throws
/// std::invalid_argument with a message that says what would be right.
void set_tolerance(Tolerances& tolerances, const std::string& assignment);

/// "component 3 % or 1 cycle; pipeline mean 10 %, worst 25 %; ..."
std::string describe(const Tolerances& tolerances);

}  // namespace smpipe::validate
