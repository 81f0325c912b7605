// Runs all simulations of a comparison: from the store, or in forked workers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validate/prediction.h"
#include "validate/prediction_store.h"

namespace smpipe::validate {

struct RunOptions {
  unsigned jobs = 1;
  double timeout_s = 600;  ///< per launch
  std::function<bool()> stop;
  std::function<void(std::size_t done, std::size_t total, const std::string& name)> progress;
};

struct RunOutcome {
  std::vector<Prediction> predictions;  ///< in the order of the tasks
  std::size_t from_store = 0, simulated = 0;
  bool stopped = false;
};

/// The predictions do not depend on `jobs`. Throws InputError for configurations and launch files that cannot be read.
RunOutcome run_predictions(const std::vector<PredictionTask>& tasks, PredictionStore& store, const RunOptions& options);

}  // namespace smpipe::validate
