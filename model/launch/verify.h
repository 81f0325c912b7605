// What a run left behind: reports, and verification against references computed on the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch/launch.h"

namespace smpipe {

/// Final contents of the buffers, in the order of Launch::buffers. Buffers that needed_buffers does not name may be
/// empty.
using FinalContents = std::vector<std::vector<std::uint8_t>>;

struct CheckResult {
  std::string kind;
  bool passed = false;
  std::string detail;  ///< one line: what was compared, and the first or largest difference
};

/// Indices of the buffers whose final contents reports and checks read.
std::vector<std::size_t> needed_buffers(const Launch& launch);

std::vector<ReportValue> evaluate_reports(const Launch& launch, const FinalContents& contents);

/// Verdict of every [check]; `launch.buffers` must hold the initial contents.
std::vector<CheckResult> evaluate_checks(const Launch& launch, const FinalContents& contents);

/// CRC-32 of IEEE 802.3, as zlib computes it.
std::uint32_t crc32(const std::uint8_t* data, std::size_t bytes);

}  // namespace smpipe
