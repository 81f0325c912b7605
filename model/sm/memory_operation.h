// One warp instruction on its way through MIO, LSU, L1 and the memory system.
#pragma once

#include <array>
#include <cstdint>

#include "core/types.h"
#include "program/instruction.h"
#include "sm/warp.h"

namespace smpipe {

struct MemoryOperation {
  MemoryOperation* next = nullptr;
  Warp* warp = nullptr;
  std::uint64_t warp_age = 0;  ///< tells whether `warp` is still the one that issued
  const Instruction* instruction = nullptr;
  Cycle issued = 0;
  MemoryKind kind = MemoryKind::kNone;
  Space space = Space::kGlobal;
  bool shuffle = false;
  bool use_l1 = false;
  bool all_hit = true;
  std::uint8_t write_counter = ControlCode::kNoCounter;
  std::uint8_t read_counter = ControlCode::kNoCounter;
  std::uint32_t group = 0;            ///< cp.async group
  std::uint32_t data_wavefronts = 0;  ///< data-stage cycles: shared access, L1 data or cp.async write
  std::uint32_t lines = 0;            ///< global and local: distinct 128-byte lines
  std::uint32_t pending = 0;          ///< lines and merged misses that have not answered
  std::array<std::uint64_t, kLanes> line{};
  std::array<std::uint8_t, kLanes> sectors{};   ///< by line
  std::array<std::uint8_t, kLanes> lanes_on{};  ///< by line: lane operations, for atomics
};

}  // namespace smpipe
