// Reads what `smpipe-measure` wrote: one GPU, and the launches that were measured on it. Format: docs/measuring.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace smpipe::validate {

/// Repetitions of one quantity.
struct Distribution {
  double median = 0, q1 = 0, q3 = 0, least = 0, most = 0;
  double spread = 0;  ///< (q3 - q1) / median
};

struct MeasuredReport {
  std::string name;
  double value = 0;            ///< median
  double least = 0, most = 0;  ///< over the repetitions
};

struct MeasuredLaunch {
  std::string name;  ///< stem of the launch file
  std::string kernel, description;
  std::string group;  ///< as stated in the file; empty: classified by name (comparison.h)
  std::string file;   ///< as stated in the file; empty: found by name
  std::optional<std::array<std::uint64_t, 3>> grid, block;
  std::optional<std::uint64_t> dynamic_shared_bytes, registers;
  std::optional<Distribution> time_us, sm_clock_mhz;
  std::optional<double> cycles;  ///< with the launch overhead
  std::string cycles_source;
  std::vector<MeasuredReport> reports;
  std::vector<std::pair<std::string, std::optional<double>>> metrics;  ///< Nsight Compute names
  std::vector<std::string> failed_checks;
  std::uint64_t repetitions = 0, rejected = 0;

  std::optional<double> metric(const std::string& metric_name) const;
};

struct MeasuredSet {
  std::string file;
  std::string device, architecture, compute_capability;
  std::uint64_t sms = 0;
  double sm_clock_mhz = 0, memory_clock_mhz = 0;
  std::string driver, cuda, date;
  std::uint64_t repetitions = 0;
  std::optional<double> launch_overhead_us;
  std::vector<MeasuredLaunch> launches;

  const MeasuredLaunch* find(const std::string& name) const;
};

/// Throws InputError for a file that is missing, no JSON, or lacks what a comparison needs. Unknown keys are ignored.
MeasuredSet read_measured(const std::string& path);

/// The launch that does nothing, by which the overhead of a launch is known; null if it was not measured.
const MeasuredLaunch* empty_launch(const MeasuredSet& set);

/// Cycles of one launch without the overhead of launching.
struct NetCycles {
  double cycles = 0;
  double overhead = 0;   ///< cycles that were taken off
  bool counted = false;  ///< true: sm__cycles_elapsed.max; false: event time times the clock held
};

/// Nothing if the launch has neither a counter nor a time with its clock. The overhead is what the empty launch took
/// beyond the cycles in which its SM was busy, for the model counts those.
std::optional<NetCycles> net_cycles(const MeasuredSet& set, const MeasuredLaunch& launch);

}  // namespace smpipe::validate
