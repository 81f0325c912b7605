// Runs a scripted kernel in a SystemC context of its own, so that one test process can simulate many launches.
#pragma once

#include <systemc>

#include "gpu/simulate.h"
#include "support/script_kernel.h"

namespace smpipe::test {

inline SimulationResult simulate_fresh(const GpuConfig& config, KernelSource& source,
                                       const SimulateOptions& options = {}, const Launch& launch = {}) {
  sc_core::sc_curr_simcontext = new sc_core::sc_simcontext();
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
