#include "validate/run_predictions.h"

#include <algorithm>

#include "validate/worker_pool.h"

namespace smpipe::validate {
namespace {

using Json = nlohmann::ordered_json;

Prediction decode(const TaskOutcome& outcome) {
  Prediction p;
  p.failure = outcome.failure;
  if (!outcome.finished) return p;
  try {
    return prediction_from_json(Json::parse(outcome.output));
  } catch (const Json::exception&) {
    p.failure = "the worker's answer is cut off";
    return p;
  }
}

}  // namespace

RunOutcome run_predictions(const std::vector<PredictionTask>& tasks, PredictionStore& store,
                           const RunOptions& options) {
  RunOutcome run;
  run.predictions.resize(tasks.size());
  std::vector<std::string> keys;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    keys.push_back(prediction_key(tasks[i]));
    if (auto known = store.find(keys[i])) {
      run.predictions[i] = std::move(*known);
      ++run.from_store;
    } else {
      order.push_back(i);
    }
  }
  // The longest first, so that none is left running alone at the end.
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return tasks[a].cost > tasks[b].cost; });
  const auto task = [&](std::size_t i) { return to_json(predict(tasks[i])).dump(); };
  const auto done = [&](std::size_t i, const TaskOutcome& outcome) {
    run.predictions[i] = decode(outcome);
    store.add(keys[i], tasks[i].name, run.predictions[i]);
    ++run.simulated;
    if (options.progress) options.progress(run.from_store + run.simulated, tasks.size(), tasks[i].name);
  };
  run.stopped = !run_forked(order, task, done, {options.jobs, options.timeout_s, options.stop});
  return run;
}

}  // namespace smpipe::validate
