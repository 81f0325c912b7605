// Counters under Nsight Compute's names and units, so that model and `ncu` can be compared line by line.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/gpu_config.h"
#include "stats/counters.h"

namespace smpipe {

using MetricList = std::vector<std::pair<std::string, std::optional<double>>>;

/// `scale`: launch over simulated part, for launches of which only some blocks were simulated; `cycles`: of the launch.
MetricList make_metrics(const GpuConfig& config, const GpuCounters& counters, double cycles, double scale);

}  // namespace smpipe
