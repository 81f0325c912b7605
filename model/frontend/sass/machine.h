// Architectural state of one warp and block, and the decoded form of one instruction.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/types.h"
#include "frontend/sass/device_memory.h"
#include "frontend/sass/sass_reader.h"
#include "program/warp_stream.h"

namespace smpipe::sass {

class Warp;
class Block;
struct Op;
struct Image;

/// Executes one instruction for the lanes in `active` (never empty unless `Op::always` is set).
using Handler = void (*)(Warp& warp, const Op& op, LaneMask active, Step& out);

/// One value per lane; every register is such a row.
struct alignas(64) Row {
  std::uint32_t lane[kLanes];
};

enum class SourceKind : std::uint8_t { kRegister, kFixed, kUniform, kIndexedConstant };

/// Where a 32-bit source operand comes from.
struct Source {
  SourceKind kind = SourceKind::kFixed;
  std::uint8_t bank = 0;         ///< kIndexedConstant
  std::uint8_t select = 0;       ///< half or byte selection, meaning defined by the handler
  bool modified = false;         ///< the three words below are not neutral
  std::uint16_t index = 0;       ///< register or uniform register
  std::uint16_t uniform = 0;     ///< kIndexedConstant: uniform register added to the offset
  std::uint32_t offset = 0;      ///< kIndexedConstant
  std::uint32_t value = 0;       ///< kFixed: the value with modifiers applied
  std::uint32_t and_mask = ~0u;  ///< value = ((raw & and_mask) ^ xor_mask) + increment
  std::uint32_t xor_mask = 0;
  std::uint32_t increment = 0;
  const Row* row = nullptr;  ///< kFixed: `value` in every lane
};

struct PredicateSource {
  std::uint8_t index = 7;
  bool uniform = false;
  bool negated = false;
};

/// Address operand of a memory instruction.
struct AddressOperand {
  std::uint16_t index = 0;  ///< register (Image::zero_row for none)
  bool has_register = false;
  bool wide = false;          ///< 64-bit register pair
  bool uniform_wide = false;  ///< the uniform register is a 64-bit pair
  std::uint8_t uniform = 63;
  std::uint8_t scale = 0;
  std::int64_t offset = 0;
};

/// One decoded instruction.
struct Op {
  Handler run = nullptr;
  bool flow = false;    ///< sets the program counter itself
  bool always = false;  ///< runs even when no lane is active
  bool guarded = false, guard_uniform = false, guard_negated = false;
  std::uint8_t guard = 7;
  std::uint8_t kind = 0;  ///< variant, meaning defined by the handler
  std::uint8_t dst_predicate[2] = {7, 7};
  std::uint8_t uniform_dst = 63;
  std::uint16_t dst = 0;     ///< register row; Image::trash_row for RZ
  std::uint16_t data = 0;    ///< memory: first data register row
  std::uint32_t target = 0;  ///< control transfer: instruction index
  std::uint32_t extra[2] = {0, 0};
  PredicateSource predicate[3];
  Source src[6];
  AddressOperand address;
  const Instruction* instruction = nullptr;
};

/// A value that every executor object of a launch shares.
struct Image {
  SassKernel kernel;
  LaunchShape shape;
  std::vector<Op> ops;
  std::vector<std::unique_ptr<Row>> rows;  ///< broadcast constants
  const Row* zero = nullptr;
  std::uint16_t register_rows = 0;  ///< rows per warp, including those that stand for RZ
  std::uint16_t trash_row = 0;      ///< first of the rows that are written for RZ and never read
  std::uint16_t zero_row = 0;       ///< first of eight rows that are zero and never written
  bool hopper = false;              ///< sm_90: shared memory starts at 0x400 in its window
  std::uint32_t shared_bytes = 0;   ///< addressable shared memory per block
  std::uint32_t local_bytes = 0;    ///< per thread, rounded up
  std::uint32_t sm_count = 1;
  double ns_per_cycle = 1;  ///< globaltimer
  std::array<std::vector<std::uint8_t>, 32> banks;
  DeviceMemory* memory = nullptr;
  std::vector<std::string> traps;  ///< why an instruction cannot execute, by index in Op::extra[0]
  bool wide_host = false;          ///< AVX2 and FMA are there
};

inline constexpr std::uint64_t kSharedWindow = 0x7fee00000000;
inline constexpr std::uint64_t kLocalWindow = 0x7fef00000000;
inline constexpr std::uint64_t kLocalBacking = 0x7e0000000000;  ///< where local memory lies for the timing model

/// Lanes that share a program counter and run together.
struct Path {
  enum State : std::uint8_t { kReady, kConvergence, kWarpSync };
  LaneMask mask = 0;
  std::uint32_t pc = 0;
  State state = kReady;
  std::uint8_t barrier = 0;  ///< kConvergence: register; kWarpSync: 1 = split by mask
  LaneMask need = 0;         ///< lanes it waits for
};

class Warp final : public WarpStream {
 public:
  void attach(const Image& image, Block& block, std::uint32_t index);
  void reset();
  void execute(Cycle now, Step& out) override;
  void finish_reduction(std::uint32_t count, bool all, bool any) override;
  void copies_landed(std::uint32_t token) override;

  // --- registers -----------------------------------------------------------------------------------------------
  std::uint32_t* row(std::uint16_t index) { return registers_[index].lane; }
  const std::uint32_t* row(std::uint16_t index) const { return registers_[index].lane; }
  LaneMask guard_mask(const PredicateSource& p) const {
    const LaneMask v = (p.uniform ? uniform_predicate : predicate)[p.index];
    return p.negated ? ~v : v;
  }
  void set_predicate(std::uint8_t index, LaneMask value, LaneMask active) {
    if (index == 7) return;
    predicate[index] = (predicate[index] & ~active) | (value & active);
  }
  void set_uniform_predicate(std::uint8_t index, bool value) {
    if (index != 7) uniform_predicate[index] = value ? kAllLanes : 0;
  }
  std::uint32_t uniform_value(unsigned index) const { return uniform[index]; }
  std::uint64_t uniform_pair(unsigned index) const {
    const unsigned high = index == 63 ? 63 : index + 1;
    return uniform[index] | std::uint64_t{uniform[high]} << 32;
  }
  void set_uniform(unsigned index, std::uint32_t value) {
    if (index < 63) uniform[index] = value;
  }

  std::array<std::uint32_t, 64> uniform;
  std::array<LaneMask, 8> predicate;
  std::array<LaneMask, 8> uniform_predicate;

  // --- control -------------------------------------------------------------------------------------------------
  void advance() { ++pc; }
  /// Lanes of `taken` go to `target`, the rest of the path to the next instruction.
  void branch(LaneMask taken, std::uint32_t target, Step& out);
  /// Every active lane goes to its own target.
  void branch_indexed(LaneMask active, const std::array<std::uint32_t, kLanes>& targets, Step& out);
  void exit_lanes(LaneMask active, Step& out);
  void begin_convergence(unsigned reg, LaneMask active);
  void converge(unsigned reg, LaneMask active);
  void break_convergence(unsigned reg, LaneMask active);
  void warp_sync(const std::array<LaneMask, kLanes>& masks, LaneMask active, bool split);
  void rotate();
  bool diverged() const { return !others_.empty(); }
  std::vector<Path>& others() { return others_; }

  std::uint32_t pc = 0;
  LaneMask mask = 0;   ///< lanes of the current path
  LaneMask alive = 0;  ///< lanes that have not exited
  Cycle now = 0;

  // --- surroundings --------------------------------------------------------------------------------------------
  const Image& image() const { return *image_; }
  Block& block() { return *block_; }
  std::uint32_t index() const { return index_; }
  std::uint32_t& local(unsigned word, unsigned lane) { return local_[std::size_t{word} * kLanes + lane]; }
  /// Throws the InputError for an illegal instruction or access of `lane` (kLanes = none in particular).
  [[noreturn]] void fault(const Op& op, unsigned lane, const std::string& what, const std::string& remedy = {}) const;

  std::array<std::array<LaneMask, kLanes>, 16> convergence;  ///< B registers, one view per lane
  std::uint32_t reduction_count = 0;
  bool reduction_all = false, reduction_any = false;
  BarrierOp pending_barrier = BarrierOp::kNone;
  std::uint8_t reduction_kind = 0;  ///< of the last BAR.RED: 0 POPC, 1 AND, 2 OR

  struct Arrival {
    std::uint32_t token;
    LaneMask lanes;
    std::uint8_t kind;
    std::array<std::uint32_t, kLanes> address;
  };
  std::vector<Arrival> arrivals;  ///< mbarrier arrivals that wait for copies to land
  std::uint32_t next_token = 1;

 private:
  void settle();
  void select();
  void release_waiters();
  bool waits_satisfied(const Path& path) const;

  const Image* image_ = nullptr;
  Block* block_ = nullptr;
  std::uint32_t index_ = 0;
  std::vector<Row> registers_;
  std::vector<std::uint32_t> local_;
  std::vector<Path> others_;
  std::uint32_t backward_ = 0;
  friend class Block;
};

class Block final : public BlockStream {
 public:
  Block(const Image& image, std::uint32_t slot);
  void start(std::uint64_t linear, std::uint32_t sm);
  WarpStream& warp(std::uint32_t index) override { return *warps_[index]; }
  Warp& state(std::uint32_t index) { return *warps_[index]; }

  std::vector<std::uint8_t> shared;
  std::uint64_t linear = 0;
  Dim3 id{0, 0, 0};
  std::uint32_t sm = 0;
  std::uint32_t slot = 0;
  bool busy = false;

 private:
  const Image& image_;
  std::vector<std::unique_ptr<Warp>> warps_;
};

}  // namespace smpipe::sass
