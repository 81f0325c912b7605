// Runs a scripted kernel in a SystemC context of its own, so that one test process can simulate many launches.
#pragma once

#include <systemc>
#include <vector>

#include "gpu/simulate.h"
#include "support/script_kernel.h"

namespace smpipe::test {

inline SimulationResult simulate_fresh(const GpuConfig& config, KernelSource& source,
                                       const SimulateOptions& options = {}, const Launch& launch = {}) {
  // SystemC never frees a context and its modules' bookkeeping; kept in reach, so that leak checkers look at ours only.
  static auto* contexts = new std::vector<sc_core::sc_simcontext*>;
  contexts->push_back(new sc_core::sc_simcontext());
  sc_core::sc_curr_simcontext = contexts->back();
  return simulate(config, source, launch, options);
}

inline LaunchShape shape(std::uint32_t blocks, std::uint32_t threads, std::uint32_t shared = 0) {
  LaunchShape s;
  s.grid.x = blocks;
  s.block.x = threads;
  s.registers_per_thread = 32;
  s.dynamic_shared_bytes = shared;
  return s;
}

}  // namespace smpipe::test
