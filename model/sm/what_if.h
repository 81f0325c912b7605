// Suppositions about a launch that is otherwise simulated as it is: what would the same instructions take if the
// shared-memory layout, the number of stages, the occupancy... were different? They change time, never values.
#pragma once

#include <cstdint>
#include <vector>

#include "program/instruction.h"
#include "program/warp_stream.h"

namespace smpipe {

/// Where a byte of shared memory would lie in another layout of the same array.
struct SharedLayout {
  std::uint32_t base = 0;                  ///< first byte of the array
  std::uint32_t pitch = 0, pad = 0;        ///< `pad` more bytes behind each row of `pitch`; 0: none
  std::uint32_t bits = 0;                  ///< XOR swizzle: this many address bits from bit
  std::uint32_t from_bit = 0, to_bit = 0;  ///< `from_bit` on are XORed into those from bit `to_bit` on; 0 bits: none

  std::uint64_t moved(std::uint64_t address) const {
    if (pad != 0 && address >= base) address += (address - base) / pitch * pad;
    if (bits != 0) address ^= (address >> from_bit & ((1u << bits) - 1)) << to_bit;
    return address;
  }
};

struct WhatIf {
  bool conflict_free = false;            ///< shared memory takes the fewest wavefronts that an access can take
  std::vector<SharedLayout> layouts;     ///< other layouts of shared memory, and
  std::vector<std::uint8_t> layout_of;   ///< by instruction index: 1 + index into `layouts`, 0: as it is
  bool coalesced = false;                ///< global accesses use as few sectors as hold the lanes' bytes
  bool copies_bypass_l1 = false;         ///< cp.async.ca as .cg
  bool no_local = false;                 ///< local memory (spills, stack) takes an issue slot and nothing else
  bool loads_ready = false;              ///< nobody waits for a global load; its traffic still flows
  std::uint32_t extra_stages = 0;        ///< every wait for cp.async groups lets so many more be pending
  std::uint32_t extra_blocks = 0;        ///< resident blocks beyond what registers and shared memory allow
  std::uint32_t extra_shared_bytes = 0;  ///< more shared memory for each block, for its occupancy
  bool warm = false;                     ///< L2 holds what an earlier run of the launch left

  const SharedLayout* layout(std::uint32_t instruction) const {
    const std::uint8_t i = instruction < layout_of.size() ? layout_of[instruction] : 0;
    return i == 0 ? nullptr : &layouts[i - 1u];
  }
};

/// The dependence counter that an instruction's result counts down.
inline std::uint8_t written_counter(const WhatIf* what_if, const Instruction& in) {
  const bool ready = what_if != nullptr && what_if->loads_ready && in.memory.kind == MemoryKind::kLoad &&
                     (in.memory.space == Space::kGlobal || in.memory.space == Space::kGeneric);
  return ready ? ControlCode::kNoCounter : in.control.write_counter;
}

/// Moves the shared-memory addresses of an executed instruction.
inline void move_addresses(const SharedLayout& layout, const MemoryOp& memory, Step& step) {
  if (memory.kind == MemoryKind::kAsyncCopy) {
    for (std::uint32_t& a : step.shared_address) a = static_cast<std::uint32_t>(layout.moved(a));
  } else {
    for (std::uint64_t& a : step.address) a = layout.moved(a);
  }
}

}  // namespace smpipe
