// Nsight Compute: runs this program under `ncu` and reads the counters back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace smpipe::gpu {

/// Counters of one launch by Nsight Compute's name; nothing where ncu gave no number.
using Metrics = std::map<std::string, std::optional<double>>;

/// Names of the counters that are collected.
const std::vector<std::string>& metric_names();

/// Runs `program PROFILE_OPTION device launch…` under ncu; one result for each launch, in order. Throws DeviceError
/// when ncu is missing, fails or profiles another number of launches.
std::vector<Metrics> profile(const std::string& program, const std::string& device,
                             const std::vector<std::string>& launches, bool flush_caches);

/// Option by which this program knows that it runs under ncu.
inline constexpr char kProfileOption[] = "--run-for-profiler";

/// Reads the output of `ncu --csv --page raw`; exposed for the tests.
std::vector<Metrics> parse_raw_page(const std::string& csv);

}  // namespace smpipe::gpu
