// Everything that one `smpipe simulate` found out, and its two forms: table and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/config_reader.h"
#include "gpu/simulate.h"
#include "launch/launch.h"
#include "launch/verify.h"

namespace smpipe::app {

struct RunResult {
  const Launch& launch;
  const LoadedConfig& config;
  SimulationResult simulation;
  std::vector<ReportValue> reports;
  std::vector<CheckResult> checks;  ///< empty when there are none or the run was sampled
  bool checked = true;              ///< false: the launch has checks, but the run was sampled
};

/// A table of at most 100 columns.
std::string result_table(const RunResult& result);

/// The object that docs/simulate.md describes.
nlohmann::ordered_json result_json(const RunResult& result);

}  // namespace smpipe::app
