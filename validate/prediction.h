// What the model says about one launch, in a form that crosses process boundaries and outlives the run.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config_reader.h"

namespace smpipe::validate {

struct PredictedReport {
  std::string name;
  double value = 0;
  std::string unit;
};

struct Prediction {
  std::string failure;  ///< why there is none; empty: all below is valid
  double cycles = 0;    ///< without launch overhead
  double time_us = 0;
  bool sampled = false;    ///< only some blocks were simulated
  double error_bound = 0;  ///< relative, of `cycles`
  std::uint64_t warp_instructions = 0;
  std::vector<std::pair<std::string, double>> stalls;                  ///< shares of resident warp-cycles
  std::vector<std::pair<std::string, std::optional<double>>> metrics;  ///< Nsight Compute names
  std::vector<PredictedReport> reports;
  std::vector<std::string> failed_checks;  ///< the model computed something else than the reference
  std::vector<std::string> warnings;

  std::optional<double> metric(const std::string& name) const;
  std::optional<double> report(const std::string& name) const;
};

nlohmann::ordered_json to_json(const Prediction& prediction);
/// Throws nlohmann::json::exception for anything that to_json did not write.
Prediction prediction_from_json(const nlohmann::ordered_json& json);

/// One simulation to run.
struct PredictionTask {
  std::string name;  ///< of the launch, for messages
  std::string launch_file;
  std::string config;                  ///< file or stem
  std::vector<std::string> overrides;  ///< "gpu.sm_clock_mhz=1755"
  double cost = 0;                     ///< any measure of how long it takes; the longest start first
};

/// Simulates in this process. Bad input and model errors end up in `failure`.
Prediction predict(const PredictionTask& task);

/// Identifies everything that the prediction depends on: model, configuration, launch file, code and data files.
std::string prediction_key(const PredictionTask& task);

}  // namespace smpipe::validate
