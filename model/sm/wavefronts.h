// Shared-memory wavefronts of one warp instruction, from its addresses.
//
// A wavefront is one cycle of the data stage: up to 32 banks deliver or take one 4-byte word each. Lanes that want the
// same word share it. An access of 4 bytes per lane goes in one phase of 32 lanes, 8 bytes in two of 16, 16 bytes in
// four of 8; a phase takes as many wavefronts as the busiest bank has distinct words. Phases that share their words
// merge, when the merged phase takes no more than the longer of the two. Conflicts are the wavefronts beyond one per
// phase. (Rule: reference cases 1-6; A100's published 21 + 2n latencies, P327-P330; merging measured on H200: a
// broadcast LDS.128 takes one wavefront.)
#pragma once

#include <array>
#include <cstdint>

#include "core/types.h"
#include "program/warp_stream.h"

namespace smpipe {

struct Wavefronts {
  std::uint32_t total = 0;
  std::uint32_t conflicts = 0;
};

class BankModel {
 public:
  BankModel(std::uint32_t banks, std::uint32_t bank_bytes) : banks_(banks), bank_bytes_(bank_bytes) {}

  /// `address`: byte offsets, valid where `mask` has a bit. `bytes`: 1, 2, 4, 8 or 16 per lane.
  template <class Address>
  Wavefronts access(LaneMask mask, const std::array<Address, kLanes>& address, std::uint32_t bytes) const;

  /// LDSM: one phase per 8×8 matrix; lane 8m + r holds the address of row r (16 bytes) of matrix m.
  Wavefronts matrix(std::uint32_t matrices, const std::array<std::uint64_t, kLanes>& address) const {
    const LaneMask mask = matrices == 4 ? kAllLanes : (LaneMask{1} << (8 * matrices)) - 1;
    return access(mask, address, 16);
  }

  /// Read-modify-write: lanes on one word take turns.
  Wavefronts atomic(LaneMask mask, const std::array<std::uint64_t, kLanes>& address, std::uint32_t bytes) const;

 private:
  template <class Address>
  std::uint32_t wavefronts(LaneMask lanes, const std::array<Address, kLanes>& address, std::uint32_t bytes) const;

  std::uint32_t banks_;
  std::uint32_t bank_bytes_;
};

/// Wavefronts of a shared-memory instruction, or of a cp.async's write.
Wavefronts shared_wavefronts(const BankModel& banks, const MemoryOp& memory, const Step& step);

}  // namespace smpipe
