// Runs tasks in forked processes: SystemC has one context per process, and a crash costs one task.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace smpipe::validate {

struct TaskOutcome {
  bool finished = false;
  std::string output;   ///< what the task returned
  std::string failure;  ///< why it did not finish: "killed by signal 11 (Segmentation fault)"
};

struct PoolOptions {
  unsigned jobs = 1;           ///< processes at a time
  double timeout_s = 600;      ///< per task
  std::function<bool()> stop;  ///< polled; true ends all workers and returns early
};

/// Runs task(order[0]), task(order[1]), ... each in a process of its own, and calls done(index, outcome) in this
/// process as each ends. The caller must have no other threads. Returns false if stopped early. Throws
/// std::runtime_error when no process can be started.
bool run_forked(const std::vector<std::size_t>& order, const std::function<std::string(std::size_t)>& task,
                const std::function<void(std::size_t, const TaskOutcome&)>& done, const PoolOptions& options);

}  // namespace smpipe::validate
