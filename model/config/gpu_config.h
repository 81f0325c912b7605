// GpuConfig: every width, depth, count and latency of one GPU. No number about hardware lives anywhere else.
//
// The structs are the data sheet; `describe` walks them for the TOML reader, `config show`, `--set` and the tests.
// Cycles are SM clock cycles unless the name says otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "program/instruction.h"

namespace smpipe {

/// Execution pipes of one SMSP as Nsight Compute names them. `kNonePipe`: only an issue slot is used.
enum class Pipe : std::uint8_t { kNone, kAlu, kFma, kFmaHeavy, kFp16, kFp64, kXu, kTensor, kUniform, kCbu, kAdu, kLsu };
inline constexpr unsigned kPipes = static_cast<unsigned>(Pipe::kLsu) + 1;

struct GpuIdentity {
  std::string name;          ///< "NVIDIA A100-SXM4-40GB"
  std::string architecture;  ///< "sm_80": picks the code of a launch
  std::uint32_t sm_count = 0;
  double sm_clock_mhz = 0;            ///< clock at which cycles turn into time
  std::uint32_t launch_overhead = 0;  ///< what sm__cycles_elapsed.max counts before the first block and after the last
};

/// What limits the number of resident blocks (CUDA occupancy rules).
struct OccupancyConfig {
  std::uint32_t warps_per_sm = 0;
  std::uint32_t blocks_per_sm = 0;
  std::uint32_t registers_per_sm = 0;           ///< 32-bit registers
  std::uint32_t registers_per_thread = 0;       ///< largest allowed
  std::uint32_t register_allocation_unit = 0;   ///< registers per warp are rounded up to this
  std::uint32_t shared_reserved_per_block = 0;  ///< bytes the system takes from each block's allocation
  std::uint32_t shared_allocation_unit = 0;     ///< bytes
  std::uint32_t shared_per_block = 0;           ///< largest a block may ask for (opt-in), bytes
  std::uint32_t unified_bytes = 0;              ///< L1 data cache + shared memory, bytes
  std::vector<std::uint32_t> carveouts;         ///< possible shared-memory capacities per SM, bytes, ascending
  std::uint32_t block_launch_interval = 0;  ///< cycles between two block launches on one SM, beyond one for each warp
  std::uint32_t warp_launch_interval = 0;   ///< least cycles for each warp of a block that is launched
  std::uint32_t block_start_latency = 0;    ///< cycles from a block becoming resident to its first issue
  std::uint32_t block_turnaround = 0;       ///< cycles from the end of a block to its successor becoming resident
};

/// How one class of instructions uses the SMSP.
struct OpConfig {
  Pipe pipe = Pipe::kNone;
  std::uint32_t interval = 1;  ///< cycles the pipe's dispatch port is taken by one warp instruction
  std::uint32_t latency = 0;   ///< cycles from issue to the decrement of the write dependence counter
};

struct SmspConfig {
  std::uint32_t count = 0;                  ///< SMSPs per SM
  std::uint32_t operand_read_latency = 0;   ///< cycles from issue to the read dependence counter, non-memory
  std::uint32_t branch_latency = 0;         ///< cycles from a taken branch's issue until its target can issue
  std::uint32_t exit_latency = 0;           ///< cycles from EXIT until the warp leaves, with nothing outstanding
  std::uint32_t clock_read_interval = 0;    ///< cycles from a clock read (CS2R) to the warp\'s next instruction
  std::uint32_t tensor_macs_per_cycle = 0;  ///< dense f16/bf16 multiply-accumulates per SMSP and cycle
  std::array<OpConfig, kOpClasses> ops{};   ///< by OpClass; kMemory and kGroupCommit unused
};

/// Instruction and constant fetch. Deviation: a line that was fetched once stays in the SM; there is no capacity.
struct FetchConfig {
  std::uint32_t line_bytes = 0;        ///< of code
  std::uint32_t miss_latency = 0;      ///< cycles from the first want of a line to its first issue
  std::uint32_t prefetch_lines = 0;    ///< following lines that a miss brings along
  std::uint32_t line_interval = 0;     ///< cycles between the lines that one miss brings
  std::uint32_t constant_latency = 0;  ///< cycles from an SM's first use of a constant bank to its first issue
};

/// Memory input/output: from issue to the SM's load/store unit.
///
/// An instruction waits in its SMSP's queue, then its register operands go over the SMSP's operand port, then it waits
/// for the arbiter among the SMSPs. The queue slot is free once the operands are over.
struct MioConfig {
  std::uint32_t queue_depth = 0;  ///< warp instructions per SMSP between issue and the end of the operand transfer
  std::uint32_t latency = 0;      ///< cycles from issue to the earliest start of the operand transfer
  std::uint32_t cycles_per_register = 0;  ///< operand port: cycles for one 32-bit register of 32 lanes
  std::uint32_t interval_warp = 0;        ///< least cycles between the transfers of two instructions of one warp
  std::uint32_t lsu_queue_depth = 0;      ///< warp instructions of one SMSP between operand transfer and the arbiter
  std::uint32_t lsu_queue_depth_sm = 0;   ///< likewise of all SMSPs together
  std::uint32_t store_buffer = 0;  ///< stores, with their data, of one SMSP between operand transfer and the arbiter
  std::uint32_t interval_sm = 0;   ///< cycles between two instructions that the arbiter lets pass, per SM
};

struct SharedMemoryConfig {
  std::uint32_t banks = 0;
  std::uint32_t bank_bytes = 0;
  std::uint32_t latency = 0;          ///< issue of a 1-wavefront LDS.32 or LDSM to the issue of its first reader
  std::uint32_t latency_64 = 0;       ///< likewise LDS.64, were it one wavefront
  std::uint32_t latency_128 = 0;      ///< likewise LDS.128
  std::uint32_t return_interval = 0;  ///< cycles one SMSP's write-back port is taken by a wavefront
  std::uint32_t atomic_latency = 0;   ///< issue of ATOMS to the issue of its first reader
  std::uint32_t shuffle_latency = 0;  ///< SHFL, issue to first reader
};

struct L1Config {
  std::uint32_t hit_latency = 0;      ///< issue of LDG to the issue of its first reader, one wavefront
  std::uint32_t queue_depth = 0;      ///< warp instructions per SM in front of the tag stage
  std::uint32_t lines_per_cycle = 0;  ///< tag look-ups per cycle (distinct 128-byte lines)
  std::uint32_t miss_latency = 0;     ///< cycles from look-up to the request's departure to the NoC
  std::uint32_t fill_latency = 0;     ///< cycles from the last sector's arrival to the issue of the first reader
  std::uint32_t miss_entries = 0;     ///< outstanding sectors per SM
};

/// cp.async: LDGSTS, LDGDEPBAR.
struct CopyEngineConfig {
  std::uint32_t interval = 0;        ///< least data-stage cycles of one LDGSTS, per SM
  std::uint32_t write_latency = 0;   ///< arrival of data (or L1 hit) to landed in shared memory, one wavefront
  std::uint32_t commit_latency = 0;  ///< issue of LDGDEPBAR to the decrement for a group that is already complete
  std::uint32_t hit_latency = 0;     ///< issue of LDGSTS to landed, data in L1, one wavefront
};

struct BarrierConfig {
  std::uint32_t arrival_interval = 0;  ///< cycles per arriving warp at the SM's barrier unit
  std::uint32_t latency = 0;           ///< last arrival processed to the waiting warps' next issue
  std::uint32_t membar_latency = 0;    ///< MEMBAR with nothing outstanding, issue to next issue
};

/// SM to L2 network.
struct NocConfig {
  std::uint32_t request_latency = 0;           ///< SM to L2 slice, unloaded
  std::uint32_t response_latency = 0;          ///< L2 slice to SM, unloaded
  std::uint32_t request_bytes_per_cycle = 0;   ///< one SM's port towards L2
  std::uint32_t response_bytes_per_cycle = 0;  ///< one SM's port from L2
  std::uint32_t header_bytes = 0;              ///< request and acknowledgement size without data
};

struct L2Config {
  std::uint32_t slices = 0;      ///< whole chip
  std::uint32_t partitions = 0;  ///< 1 or 2; a slice and an SM belong to one partition each
  std::uint32_t copies = 0;      ///< partitions that may hold a line: 1: only its home; 2: also the reader\'s
  std::uint64_t bytes = 0;       ///< whole chip
  std::uint32_t ways = 0;
  std::uint32_t bytes_per_cycle = 0;             ///< one slice
  std::uint32_t hit_latency = 0;                 ///< inside the slice
  std::uint32_t partition_latency = 0;           ///< crossing to the other partition and back
  std::uint32_t partition_interleave_bytes = 0;  ///< home partition changes at this granularity
  std::uint32_t miss_latency = 0;                ///< look-up to the request's departure to memory, plus the way back
  std::uint32_t atomic_interval = 0;             ///< cycles a slice is taken by one 32-byte atomic sector
};

/// HBM. Timings in memory clock cycles (command clock).
struct HbmConfig {
  std::uint32_t stacks = 0;
  std::uint32_t channels_per_stack = 0;  ///< pseudo channels: each with its own command and data bus
  std::uint32_t bytes_per_clock = 0;     ///< one pseudo channel, both clock edges together
  double clock_mhz = 0;
  std::uint32_t banks = 0;  ///< per pseudo channel
  std::uint32_t row_bytes = 0;
  std::uint32_t burst_bytes = 0;  ///< smallest transfer
  std::uint32_t t_rcd = 0, t_rp = 0, t_cl = 0, t_ras = 0, t_wr = 0, t_wtr = 0, t_rtw = 0, t_rrd = 0;
  std::uint32_t t_refi = 0, t_rfc = 0;  ///< refresh interval and duration
  std::uint32_t queue_depth = 0;        ///< requests a channel's scheduler can choose from
  std::uint32_t interface_latency = 0;  ///< SM cycles for controller and PHY, both ways together
};

struct GpuConfig {
  GpuIdentity gpu;
  OccupancyConfig occupancy;
  SmspConfig smsp;
  FetchConfig fetch;
  MioConfig mio;
  SharedMemoryConfig shared;
  L1Config l1;
  CopyEngineConfig copy;
  BarrierConfig barrier;
  NocConfig noc;
  L2Config l2;
  HbmConfig hbm;
};

/// TOML key of each OpClass under [smsp.ops.<key>].
inline constexpr std::array<const char*, kOpClasses> kOpClassKeys = {
    "nop",     "depbar", "int_alu", "int_mul",    "int_mul_wide", "fp32",        "fp16",
    "fp64",    "xu",     "tensor",  "uniform",    "branch",       "vote",        "special_read",
    "barrier", "membar", "shuffle", "const_load", "memory",       "group_commit"};

/// Names of the pipes in TOML.
inline constexpr std::array<const char*, kPipes> kPipeKeys = {"none", "alu",    "fma",     "fma_heavy", "fp16", "fp64",
                                                              "xu",   "tensor", "uniform", "cbu",       "adu",  "lsu"};

/// Calls `visit(section, key, reference, unit)` for every value, in data-sheet order. A section is a dotted TOML table
/// name. Works for const and non-const configurations.
template <class Config, class Visit>
void describe(Config& c, Visit&& visit) {
  visit("gpu", "name", c.gpu.name, "");
  visit("gpu", "architecture", c.gpu.architecture, "");
  visit("gpu", "sm_count", c.gpu.sm_count, "SMs");
  visit("gpu", "sm_clock_mhz", c.gpu.sm_clock_mhz, "MHz");
  visit("gpu", "launch_overhead", c.gpu.launch_overhead, "cycles");

  auto& o = c.occupancy;
  visit("occupancy", "warps_per_sm", o.warps_per_sm, "warps");
  visit("occupancy", "blocks_per_sm", o.blocks_per_sm, "blocks");
  visit("occupancy", "registers_per_sm", o.registers_per_sm, "registers");
  visit("occupancy", "registers_per_thread", o.registers_per_thread, "registers");
  visit("occupancy", "register_allocation_unit", o.register_allocation_unit, "registers");
  visit("occupancy", "shared_reserved_per_block", o.shared_reserved_per_block, "bytes");
  visit("occupancy", "shared_allocation_unit", o.shared_allocation_unit, "bytes");
  visit("occupancy", "shared_per_block", o.shared_per_block, "bytes");
  visit("occupancy", "unified_bytes", o.unified_bytes, "bytes");
  visit("occupancy", "carveouts", o.carveouts, "bytes");
  visit("occupancy", "block_launch_interval", o.block_launch_interval, "cycles");
  visit("occupancy", "warp_launch_interval", o.warp_launch_interval, "cycles");
  visit("occupancy", "block_start_latency", o.block_start_latency, "cycles");
  visit("occupancy", "block_turnaround", o.block_turnaround, "cycles");

  visit("smsp", "count", c.smsp.count, "SMSPs");
  visit("smsp", "operand_read_latency", c.smsp.operand_read_latency, "cycles");
  visit("smsp", "branch_latency", c.smsp.branch_latency, "cycles");
  visit("smsp", "exit_latency", c.smsp.exit_latency, "cycles");
  visit("smsp", "clock_read_interval", c.smsp.clock_read_interval, "cycles");
  visit("smsp", "tensor_macs_per_cycle", c.smsp.tensor_macs_per_cycle, "MACs/cycle");
  for (unsigned i = 0; i < static_cast<unsigned>(OpClass::kMemory); ++i) {
    const std::string section = std::string("smsp.ops.") + kOpClassKeys[i];
    visit(section, "pipe", c.smsp.ops[i].pipe, "");
    visit(section, "interval", c.smsp.ops[i].interval, "cycles");
    visit(section, "latency", c.smsp.ops[i].latency, "cycles");
  }

  visit("fetch", "line_bytes", c.fetch.line_bytes, "bytes");
  visit("fetch", "miss_latency", c.fetch.miss_latency, "cycles");
  visit("fetch", "prefetch_lines", c.fetch.prefetch_lines, "lines");
  visit("fetch", "line_interval", c.fetch.line_interval, "cycles");
  visit("fetch", "constant_latency", c.fetch.constant_latency, "cycles");

  visit("mio", "queue_depth", c.mio.queue_depth, "instructions");
  visit("mio", "latency", c.mio.latency, "cycles");
  visit("mio", "cycles_per_register", c.mio.cycles_per_register, "cycles");
  visit("mio", "interval_warp", c.mio.interval_warp, "cycles");
  visit("mio", "lsu_queue_depth", c.mio.lsu_queue_depth, "instructions");
  visit("mio", "lsu_queue_depth_sm", c.mio.lsu_queue_depth_sm, "instructions");
  visit("mio", "store_buffer", c.mio.store_buffer, "instructions");
  visit("mio", "interval_sm", c.mio.interval_sm, "cycles");

  visit("shared", "banks", c.shared.banks, "banks");
  visit("shared", "bank_bytes", c.shared.bank_bytes, "bytes");
  visit("shared", "latency", c.shared.latency, "cycles");
  visit("shared", "latency_64", c.shared.latency_64, "cycles");
  visit("shared", "latency_128", c.shared.latency_128, "cycles");
  visit("shared", "return_interval", c.shared.return_interval, "cycles");
  visit("shared", "atomic_latency", c.shared.atomic_latency, "cycles");
  visit("shared", "shuffle_latency", c.shared.shuffle_latency, "cycles");

  visit("l1", "hit_latency", c.l1.hit_latency, "cycles");
  visit("l1", "queue_depth", c.l1.queue_depth, "instructions");
  visit("l1", "lines_per_cycle", c.l1.lines_per_cycle, "lines/cycle");
  visit("l1", "miss_latency", c.l1.miss_latency, "cycles");
  visit("l1", "fill_latency", c.l1.fill_latency, "cycles");
  visit("l1", "miss_entries", c.l1.miss_entries, "sectors");

  visit("copy", "interval", c.copy.interval, "cycles");
  visit("copy", "write_latency", c.copy.write_latency, "cycles");
  visit("copy", "commit_latency", c.copy.commit_latency, "cycles");
  visit("copy", "hit_latency", c.copy.hit_latency, "cycles");

  visit("barrier", "arrival_interval", c.barrier.arrival_interval, "cycles");
  visit("barrier", "latency", c.barrier.latency, "cycles");
  visit("barrier", "membar_latency", c.barrier.membar_latency, "cycles");

  visit("noc", "request_latency", c.noc.request_latency, "cycles");
  visit("noc", "response_latency", c.noc.response_latency, "cycles");
  visit("noc", "request_bytes_per_cycle", c.noc.request_bytes_per_cycle, "bytes/cycle");
  visit("noc", "response_bytes_per_cycle", c.noc.response_bytes_per_cycle, "bytes/cycle");
  visit("noc", "header_bytes", c.noc.header_bytes, "bytes");

  visit("l2", "slices", c.l2.slices, "slices");
  visit("l2", "partitions", c.l2.partitions, "partitions");
  visit("l2", "copies", c.l2.copies, "partitions");
  visit("l2", "bytes", c.l2.bytes, "bytes");
  visit("l2", "ways", c.l2.ways, "ways");
  visit("l2", "bytes_per_cycle", c.l2.bytes_per_cycle, "bytes/cycle");
  visit("l2", "hit_latency", c.l2.hit_latency, "cycles");
  visit("l2", "partition_latency", c.l2.partition_latency, "cycles");
  visit("l2", "partition_interleave_bytes", c.l2.partition_interleave_bytes, "bytes");
  visit("l2", "miss_latency", c.l2.miss_latency, "cycles");
  visit("l2", "atomic_interval", c.l2.atomic_interval, "cycles");

  visit("hbm", "stacks", c.hbm.stacks, "stacks");
  visit("hbm", "channels_per_stack", c.hbm.channels_per_stack, "pseudo channels");
  visit("hbm", "bytes_per_clock", c.hbm.bytes_per_clock, "bytes/clock");
  visit("hbm", "clock_mhz", c.hbm.clock_mhz, "MHz");
  visit("hbm", "banks", c.hbm.banks, "banks");
  visit("hbm", "row_bytes", c.hbm.row_bytes, "bytes");
  visit("hbm", "burst_bytes", c.hbm.burst_bytes, "bytes");
  visit("hbm", "t_rcd", c.hbm.t_rcd, "memory clocks");
  visit("hbm", "t_rp", c.hbm.t_rp, "memory clocks");
  visit("hbm", "t_cl", c.hbm.t_cl, "memory clocks");
  visit("hbm", "t_ras", c.hbm.t_ras, "memory clocks");
  visit("hbm", "t_wr", c.hbm.t_wr, "memory clocks");
  visit("hbm", "t_wtr", c.hbm.t_wtr, "memory clocks");
  visit("hbm", "t_rtw", c.hbm.t_rtw, "memory clocks");
  visit("hbm", "t_rrd", c.hbm.t_rrd, "memory clocks");
  visit("hbm", "t_refi", c.hbm.t_refi, "memory clocks");
  visit("hbm", "t_rfc", c.hbm.t_rfc, "memory clocks");
  visit("hbm", "queue_depth", c.hbm.queue_depth, "requests");
  visit("hbm", "interface_latency", c.hbm.interface_latency, "cycles");
}

}  // namespace smpipe
