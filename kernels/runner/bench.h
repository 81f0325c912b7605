// Measures launches on one GPU: repetitions, cold or warm caches, the SM clock that was held, reports and checks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuda_driver.h"
#include "launch/launch.h"
#include "launch/verify.h"
#include "nvml.h"

namespace smpipe::gpu {

/// Median, quartiles and extremes of a set of samples.
struct Distribution {
  double median = 0, lower_quartile = 0, upper_quartile = 0, least = 0, most = 0;
  /// Interquartile range relative to the median.
  double spread() const { return median > 0 ? (upper_quartile - lower_quartile) / median : 0; }
};

Distribution distribution_of(std::vector<double> samples);

struct ReportSamples {
  std::string name, unit;
  Distribution values;
};

/// What the driver says about the loaded kernel.
struct KernelResources {
  int registers = 0, static_shared_bytes = 0, local_bytes = 0;
};

struct Measurement {
  unsigned accepted = 0;               ///< repetitions that count
  unsigned rejected = 0;               ///< taken at a lowered clock
  std::vector<std::string> throttled;  ///< reasons the management library gave meanwhile
  Distribution time_us;
  Distribution sm_clock_mhz;
  KernelResources resources;
  std::vector<ReportSamples> reports;
  std::vector<CheckResult> checks;
};

/// The GPU with what measuring needs besides the measured kernel. One at a time.
class Bench {
 public:
  Bench(const Driver& driver, const ManagementLibrary& management);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Event time of an empty kernel, launched as the measured ones are.
  Distribution launch_overhead_us(unsigned repetitions);

  Measurement measure(Launch& launch, unsigned repetitions);

  /// Launches once between start and stop of the profiler, after a first launch when caches are to be warm.
  void run_for_profiler(Launch& launch);

 private:
  struct Sample;
  struct Target;
  Sample sample(const Target& target);
  void sweep_l2();
  double clock_between(Address from, Address to) const;

  const Driver& driver_;
  const ManagementLibrary& management_;
  Module helpers_ = nullptr;
  Function clock_sample_ = nullptr, spin_ = nullptr, sweep_ = nullptr, empty_ = nullptr;
  Address clocks_ = 0;  ///< two clock samples, and a word that sweep() may write
  Address flush_ = 0;   ///< swept to empty L2; allocated at the first cold launch
  std::size_t flush_bytes_ = 0;
  Event from_ = nullptr, to_ = nullptr;
};

}  // namespace smpipe::gpu
