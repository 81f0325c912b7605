// Executes SASS functionally: the front end that turns real machine code into a KernelSource.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontend/sass/device_memory.h"
#include "frontend/sass/sass_reader.h"
#include "launch/launch.h"
#include "program/warp_stream.h"

namespace smpipe {

namespace sass {
struct Image;
class Block;
}  // namespace sass

/// A kernel of a listing, ready to execute block by block. Results land in the device memory's buffers.
class SassExecutor final : public KernelSource {
 public:
  /// `kernel` from read_sass; geometry, resources and parameters from `launch`. `memory` must outlive the executor.
  /// `sm_count` is what the kernel reads as the number of SMs; `sm_clock_mhz` turns cycles into globaltimer's
  /// nanoseconds.
  SassExecutor(SassKernel kernel, const Launch& launch, DeviceMemory& memory, std::uint32_t sm_count = 1,
               double sm_clock_mhz = 1000);
  ~SassExecutor() override;
  SassExecutor(const SassExecutor&) = delete;
  SassExecutor& operator=(const SassExecutor&) = delete;

  const Program& program() const override;
  const LaunchShape& shape() const override;
  BlockStream& start_block(std::uint64_t linear, std::uint32_t sm) override;
  void finish_block(BlockStream& block) override;

 private:
  std::unique_ptr<sass::Image> image_;
  std::vector<std::unique_ptr<sass::Block>> blocks_;
  std::vector<sass::Block*> free_;
};

}  // namespace smpipe
