// A launch file in memory: one description that the model simulates and the GPU runner executes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/warp_stream.h"

namespace smpipe {

/// A device buffer with its initial contents. Both sides fill it with the same bytes.
struct Buffer {
  std::string name;
  std::uint64_t bytes = 0;
  unsigned line = 0;                    ///< where it is declared
  std::uint64_t address = 0;            ///< device address in the model, set by allocate_buffers
  std::vector<std::uint8_t> data;       ///< contents, set by fill_buffers
};

struct Report {
  std::string name, buffer, type, unit;
  std::uint64_t index = 0;
  double scale = 1;
};

enum class Caches : std::uint8_t { kCold, kWarm };

/// One launch, resolved for one architecture.
struct Launch {
  std::string file;                     ///< the launch file
  std::string kernel;
  std::string architecture;
  std::string code;                     ///< path of the listing, cubin or executable
  LaunchShape shape;
  Caches caches = Caches::kCold;
  std::vector<std::uint8_t> parameters; ///< kernel parameter block with buffer addresses in place
  std::vector<Buffer> buffers;
  std::vector<Report> reports;
};

/// Value that a kernel left behind (`[[report]]`).
struct ReportValue {
  std::string name;
  double value = 0;
  std::string unit;
};

}  // namespace smpipe
