// A small GPU with round numbers: two SMs, four slices, two channels. Timing tests derive their cycles from it.
#pragma once

#include "config/gpu_config.h"

namespace smpipe::test {

inline GpuConfig small_gpu() {
  GpuConfig c;
  c.gpu = {.name = "test GPU", .architecture = "sm_80", .sm_count = 2, .sm_clock_mhz = 1000, .launch_overhead = 0};
  c.occupancy = {.warps_per_sm = 64,
                 .blocks_per_sm = 32,
                 .registers_per_sm = 65536,
                 .registers_per_thread = 255,
                 .register_allocation_unit = 256,
                 .shared_reserved_per_block = 1024,
                 .shared_allocation_unit = 128,
                 .shared_per_block = 166912,
                 .unified_bytes = 196608,
                 .carveouts = {0, 8192, 16384, 32768, 65536, 102400, 135168, 167936},
                 .block_launch_interval = 8,
                 .warp_launch_interval = 3,
                 .block_start_latency = 10,
                 .block_turnaround = 20};
  c.smsp.count = 4;
  c.smsp.operand_read_latency = 6;
  c.smsp.branch_latency = 10;
  c.smsp.exit_latency = 30;
  c.smsp.clock_read_interval = 11;
  c.smsp.tensor_macs_per_cycle = 256;
  const auto set = [&](OpClass cls, Pipe pipe, std::uint32_t interval, std::uint32_t latency) {
    c.smsp.ops[static_cast<std::size_t>(cls)] = {pipe, interval, latency};
  };
  for (auto& op : c.smsp.ops) op = {Pipe::kNone, 1, 10};
  set(OpClass::kIntAlu, Pipe::kAlu, 2, 4);
  set(OpClass::kIntMul, Pipe::kFma, 2, 4);
  set(OpClass::kFp32, Pipe::kFma, 2, 4);
  set(OpClass::kXu, Pipe::kXu, 8, 18);
  set(OpClass::kTensor, Pipe::kTensor, 1, 24);
  set(OpClass::kBranch, Pipe::kCbu, 2, 4);
  set(OpClass::kBarrier, Pipe::kAdu, 1, 4);
  set(OpClass::kShuffle, Pipe::kNone, 1, 4);
  c.fetch = {.line_bytes = 128, .miss_latency = 40, .prefetch_lines = 3, .line_interval = 4, .constant_latency = 60};
  c.mio = {.queue_depth = 5,
           .latency = 7,
           .cycles_per_register = 2,
           .interval_warp = 4,
           .lsu_queue_depth = 5,
           .lsu_queue_depth_sm = 16,
           .store_buffer = 4,
           .interval_sm = 1};
  c.shared = {.banks = 32,
              .bank_bytes = 4,
              .latency = 23,
              .latency_64 = 24,
              .latency_128 = 26,
              .return_interval = 2,
              .atomic_latency = 40,
              .shuffle_latency = 25};
  c.l1 = {.hit_latency = 33,
          .queue_depth = 24,
          .lines_per_cycle = 1,
          .miss_latency = 10,
          .fill_latency = 20,
          .miss_entries = 1024};
  c.copy = {.interval = 2, .write_latency = 10, .commit_latency = 4, .hit_latency = 39};
  c.barrier = {.arrival_interval = 2, .latency = 21, .membar_latency = 20};
  c.noc = {.request_latency = 50,
           .response_latency = 60,
           .request_bytes_per_cycle = 32,
           .response_bytes_per_cycle = 64,
           .header_bytes = 32};
  c.l2 = {.slices = 4,
          .partitions = 2,
          .copies = 2,
          .bytes = 4 * 512 * 1024,
          .ways = 16,
          .bytes_per_cycle = 64,
          .hit_latency = 57,
          .partition_latency = 150,
          .partition_interleave_bytes = 8192,
          .miss_latency = 40,
          .atomic_interval = 1};
  c.hbm = {.stacks = 1,
           .channels_per_stack = 4,
           .bytes_per_clock = 16,
           .clock_mhz = 1000,
           .banks = 16,
           .row_bytes = 1024,
           .burst_bytes = 32,
           .t_rcd = 14,
           .t_rp = 14,
           .t_cl = 14,
           .t_ras = 33,
           .t_wr = 15,
           .t_wtr = 8,
           .t_rtw = 4,
           .t_rrd = 4,
           .t_refi = 3900,
           .t_rfc = 260,
           .queue_depth = 32,
           .interface_latency = 100};
  return c;
}

}  // namespace smpipe::test
