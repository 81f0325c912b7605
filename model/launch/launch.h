// A launch file in memory: one description that the model simulates and the GPU runner executes.
// Reading: launch_reader.h. Contents of buffers: fill.h. Reports and verification: verify.h. Format:
// docs/launch-file.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "launch/element_type.h"
#include "program/warp_stream.h"

namespace smpipe {

enum class FillKind : std::uint8_t { kZero, kIota, kConstant, kRandom, kChase, kFile };

/// A number as stated: integers keep all their bits.
struct StatedNumber {
  bool is_integer = true;
  std::int64_t integer = 0;
  double number = 0;
};

/// Initial contents of a buffer, or the contents that a check expects.
struct Fill {
  FillKind kind = FillKind::kZero;
  ElementType type = ElementType::kI32;  ///< kIota, kConstant, kRandom; kChase: kU32 or kU64
  std::uint64_t seed = 0;                ///< kRandom, kChase
  StatedNumber start, step;              ///< kIota: start and step; kConstant: start is the value
  std::uint64_t stride = 0;              ///< kChase: bytes from node to node
  bool random_order = true;              ///< kChase
  std::string file;                      ///< kFile: resolved path
  std::uint64_t offset = 0;              ///< kFile: first byte
};

/// A device buffer with its initial contents. Both sides fill it with the same bytes.
struct Buffer {
  std::string name;
  std::uint64_t bytes = 0;
  unsigned line = 0;               ///< where it is declared
  std::uint64_t address = 0;       ///< device address in the model, set by allocate_buffers
  std::vector<std::uint8_t> data;  ///< initial contents, set by fill_buffers; checks refer to them after the run
  Fill fill;
};

/// One kernel argument: a pointer into a buffer, or the bytes of a scalar.
struct Argument {
  std::optional<std::size_t> buffer;  ///< index into Launch::buffers
  std::uint64_t offset = 0;           ///< bytes, pointers only
  std::vector<std::uint8_t> scalar;   ///< scalars only; its size is also its alignment
  std::string type;                   ///< "buffer", "i32", ...
  unsigned line = 0;
  std::uint32_t size() const { return buffer ? 8 : static_cast<std::uint32_t>(scalar.size()); }
};

struct Report {
  std::string name, buffer, type, unit;
  std::uint64_t index = 0;
  double scale = 1;
};

enum class Caches : std::uint8_t { kCold, kWarm };

/// C = A · B (see docs/launch-file.md). Buffers are indices into Launch::buffers.
struct GemmCheck {
  std::size_t a = 0, b = 0, c = 0;
  std::uint64_t m = 0, n = 0, k = 0;
  ElementType type = ElementType::kBf16, out_type = ElementType::kF32;
  bool a_transposed = false;  ///< A[k][m]
  bool b_transposed = false;  ///< B[k][n]
  double tolerance = 0;       ///< relative to the sum of |a·b|
  std::uint64_t samples = 0;  ///< elements of C to verify, 0 = all
};

/// A buffer equals a fill, or another buffer's initial contents.
struct EqualsCheck {
  std::size_t buffer = 0;
  ElementType type = ElementType::kU8;
  std::uint64_t offset = 0, count = 0;
  std::optional<std::size_t> expected_buffer;
  Fill expected;
  std::uint64_t expected_offset = 0;
  double tolerance = 0;
};

/// One element equals the sum of a buffer's initial contents.
struct SumCheck {
  std::size_t input = 0, buffer = 0;
  ElementType input_type = ElementType::kF32, type = ElementType::kF32;
  std::uint64_t input_count = 0, index = 0;
  double tolerance = 0;
};

struct Crc32Check {
  std::size_t buffer = 0;
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t value = 0;
};

struct Check {
  std::string kind;
  unsigned line = 0;
  std::variant<GemmCheck, EqualsCheck, SumCheck, Crc32Check> spec;
};

/// One launch, resolved for one architecture.
struct Launch {
  std::string file;  ///< the launch file
  std::string kernel;
  std::string architecture;
  std::string code;  ///< path of the listing, cubin or executable
  LaunchShape shape;
  Caches caches = Caches::kCold;
  std::vector<std::uint8_t> parameters;  ///< kernel parameter block with buffer addresses in place
  std::vector<Buffer> buffers;
  std::vector<Report> reports;

  std::string description;
  bool code_is_listing = true;  ///< false: an ELF file (cubin, executable)
  std::vector<Argument> arguments;
  std::vector<Check> checks;
  /// Line of each top-level key that was stated ("grid", "dynamic_shared_bytes", ...), for later messages.
  std::map<std::string, unsigned> lines;
  unsigned line_of(const std::string& key) const {
    const auto found = lines.find(key);
    return found == lines.end() ? 0 : found->second;
  }
};

/// Value that a kernel left behind (`[[report]]`).
struct ReportValue {
  std::string name;
  double value = 0;
  std::string unit;
};

}  // namespace smpipe
