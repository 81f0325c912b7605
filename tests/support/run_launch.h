// Runs a shipped launch file through reader, executor and model, as `smpipe simulate` does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config_reader.h"
#include "frontend/sass/sass_executor.h"
#include "launch/launch_reader.h"
#include "launch/verify.h"
#include "support/run_script.h"

namespace smpipe::test {

struct LaunchOutcome {
  SimulationResult result;
  FinalContents buffers;
  std::map<std::string, double> reports;
  std::vector<CheckResult> checks;
};

inline GpuConfig shipped_config(const std::string& stem, const std::vector<std::string>& overrides = {}) {
  return read_config(std::string(SMPIPE_SOURCE_DIR) + "/configs/" + stem + ".toml", {}, overrides).config;
}

inline LaunchOutcome run_launch(const std::string& path, const GpuConfig& config, const SimulateOptions& options = {}) {
  Launch launch = load_launch(path, config.gpu.architecture);
  DeviceMemory memory(launch.buffers);
  SassExecutor source(read_sass(launch.code, launch.kernel, launch.architecture), launch, memory, config.gpu.sm_count,
                      config.gpu.sm_clock_mhz);
  LaunchOutcome outcome;
  outcome.result = simulate_fresh(config, source, options, launch);
  for (const Buffer& buffer : launch.buffers) outcome.buffers.push_back(buffer.data);
  for (const ReportValue& r : evaluate_reports(launch, outcome.buffers)) outcome.reports[r.name] = r.value;
  outcome.checks = evaluate_checks(launch, outcome.buffers);
  return outcome;
}

inline std::string trace(const std::string& stem) {
  return std::string(SMPIPE_SOURCE_DIR) + "/traces/" + stem + ".toml";
}

}  // namespace smpipe::test
