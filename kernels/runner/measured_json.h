// The measured set as JSON: what `smpipe validate` reads. Format: docs/measuring.md.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench.h"
#include "profiler.h"

namespace smpipe::gpu {

using Json = nlohmann::ordered_json;

/// Everything about the run that is not one launch.
Json describe_run(const Driver& driver, const ManagementLibrary& management, unsigned repetitions,
                  const Distribution& launch_overhead_us);

Json describe_launch(const Launch& launch, const Measurement& m);

/// Adds the counters; cycles come from sm__cycles_elapsed.max where it is there.
void add_metrics(Json& launch, const Metrics& metrics);

}  // namespace smpipe::gpu
