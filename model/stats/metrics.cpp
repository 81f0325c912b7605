#include "stats/metrics.h"

#include <fmt/format.h>

namespace smpipe {

namespace {

class Builder {
 public:
  Builder(MetricList& list, double scale) : list_(list), scale_(scale) {}
  /// A count that grows with the number of blocks.
  void sum(const char* name, std::uint64_t value) { list_.emplace_back(name, static_cast<double>(value) * scale_); }
  void value(std::string name, std::optional<double> v) { list_.emplace_back(std::move(name), v); }
  void ratio(const char* name, std::uint64_t part, std::uint64_t whole, double factor = 100.0) {
    if (whole == 0) {
      list_.emplace_back(name, std::nullopt);
    } else {
      list_.emplace_back(name, factor * static_cast<double>(part) / static_cast<double>(whole));
    }
  }

 private:
  MetricList& list_;
  double scale_;
};

void add_issue(Builder& b, const GpuConfig& config, const SmCounters& sm, double cycles, double scale) {
  b.sum("smsp__inst_executed.sum", sm.instructions);
  b.sum("smsp__thread_inst_executed.sum", sm.thread_instructions);
  b.sum("smsp__thread_inst_executed_pred_on.sum", sm.thread_instructions_pred_on);
  b.ratio("smsp__thread_inst_executed_per_inst_executed.ratio", sm.thread_instructions, sm.instructions, 1.0);
  const double smsp_cycles = cycles * config.gpu.sm_count * config.smsp.count;
  b.value("smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
          100.0 * scale * static_cast<double>(sm.instructions) / smsp_cycles);
  b.sum("smsp__inst_issued.sum", sm.instructions);
  const double smsps = double{1} * config.gpu.sm_count * config.smsp.count;
  const auto per_smsp = [&](std::uint64_t n) { return scale * static_cast<double>(n) / smsps; };
  b.value("smsp__cycles_active.avg", per_smsp(sm.smsp_active_cycles));
  b.value("smsp__issue_active.avg", per_smsp(sm.instructions));
  b.value("smsp__warps_active.avg", per_smsp(sm.resident_warp_cycles));
  b.value("smsp__warps_eligible.avg", per_smsp(sm.warp_cycles[static_cast<std::size_t>(Stall::kSelected)] +
                                               sm.warp_cycles[static_cast<std::size_t>(Stall::kNotSelected)]));
  const struct {
    const char* name;
    Pipe pipe;
  } pipes[] = {{"alu", Pipe::kAlu}, {"fma", Pipe::kFma}, {"fp64", Pipe::kFp64},
               {"xu", Pipe::kXu},   {"lsu", Pipe::kLsu}, {"uniform", Pipe::kUniform},
               {"cbu", Pipe::kCbu}, {"adu", Pipe::kAdu}, {"tensor", Pipe::kTensor}};
  for (const auto& p : pipes) {
    std::uint64_t issued = sm.pipe_issued[static_cast<std::size_t>(p.pipe)];
    if (p.pipe == Pipe::kFma) issued += sm.pipe_issued[static_cast<std::size_t>(Pipe::kFmaHeavy)];
    b.sum(fmt::format("smsp__inst_executed_pipe_{}.sum", p.name).c_str(), issued);
    b.sum(fmt::format("sm__inst_executed_pipe_{}.sum", p.name).c_str(), issued);
  }
  const auto busy = [&](Pipe p) {
    return 100.0 * scale * static_cast<double>(sm.pipe_busy[static_cast<std::size_t>(p)]) / smsp_cycles;
  };
  b.value("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", busy(Pipe::kAlu));
  b.value("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", busy(Pipe::kFma));
  b.value("sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", busy(Pipe::kFp64));
  b.value("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", busy(Pipe::kTensor));
  b.value("sm__pipe_alu_cycles_active.avg",
          scale * static_cast<double>(sm.pipe_busy[static_cast<std::size_t>(Pipe::kAlu)]) / config.gpu.sm_count);
  b.ratio("sm__warps_active.avg.pct_of_peak_sustained_active", sm.resident_warp_cycles,
          sm.active_cycles * config.occupancy.warps_per_sm);
  for (std::size_t s = 0; s < kStalls; ++s) {
    b.ratio(fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", kStallNames[s]).c_str(),
            sm.warp_cycles[s], sm.instructions, 1.0);
  }
}

void add_operations(Builder& b, const SmCounters& sm) {
  b.sum("smsp__inst_executed_op_global_ld.sum", sm.global_loads);
  b.sum("smsp__inst_executed_op_global_st.sum", sm.global_stores);
  b.sum("smsp__inst_executed_op_global_red.sum", sm.global_reductions);
  b.sum("smsp__inst_executed_op_local_ld.sum", sm.local_loads);
  b.sum("smsp__inst_executed_op_local_st.sum", sm.local_stores);
  b.sum("smsp__inst_executed_op_shared_ld.sum", sm.shared_loads);
  b.sum("smsp__inst_executed_op_shared_st.sum", sm.shared_stores);
  b.sum("smsp__inst_executed_op_shared_atom.sum", sm.shared_atomics);
  b.sum("smsp__inst_executed_op_ldsm.sum", sm.matrix_loads);
  b.sum("smsp__inst_executed_op_ldgsts.sum", sm.async_copies);
}

void add_l1(Builder& b, const GpuConfig& config, const SmCounters& sm, double cycles, double scale) {
  const auto of_peak = [&](std::uint64_t busy) {
    return 100.0 * scale * static_cast<double>(busy) / (cycles * config.gpu.sm_count);
  };
  b.sum("l1tex__lsuin_requests.sum", sm.lsu_requests);
  b.sum("l1tex__data_pipe_lsu_wavefronts.sum", sm.data_stage_busy);
  b.value("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", of_peak(sm.data_stage_busy));
  b.sum("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        sm.shared_load_wavefronts + sm.shared_store_wavefronts + sm.async_copy_wavefronts + sm.idle_shared_wavefronts);
  b.sum("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", sm.shared_load_wavefronts);
  b.sum("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", sm.shared_store_wavefronts);
  b.sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
        sm.shared_load_conflicts + sm.shared_store_conflicts + sm.async_copy_conflicts);
  b.sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", sm.shared_load_conflicts);
  b.sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", sm.shared_store_conflicts);
  b.sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum", sm.async_copy_conflicts);
  // The profiler counts cp.async among the loads.
  const std::uint64_t sectors = sm.global_load_sectors + sm.async_copy_sectors;
  const std::uint64_t hits = sm.global_load_sector_hits + sm.async_copy_sector_hits;
  b.sum("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", sm.global_load_requests + sm.async_copy_requests);
  b.sum("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", sm.global_store_requests);
  b.sum("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", sectors);
  b.sum("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", hits);
  b.sum("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", sectors - hits);
  b.sum("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", sm.global_store_sectors);
  b.sum("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", sm.local_load_sectors);
  b.sum("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", sm.local_store_sectors);
  b.ratio("l1tex__t_sector_hit_rate.pct", sm.global_load_sector_hits + sm.local_load_sector_hits,
          sm.global_load_sectors + sm.local_load_sectors);
  b.sum("l1tex__m_xbar2l1tex_read_sectors.sum", sm.l2_read_sectors);
  b.sum("l1tex__m_xbar2l1tex_read_bytes.sum", sm.l2_read_sectors * kSectorBytes);
  b.sum("l1tex__m_l1tex2xbar_write_bytes.sum", sm.l2_write_sectors * kSectorBytes);
  b.value("l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_elapsed", of_peak(sm.request_port_busy));
  b.sum("l1tex__m_l1tex2xbar_write_sectors.sum", sm.l2_write_sectors);
}

void add_memory(Builder& b, const GpuConfig& config, const GpuCounters& c, double cycles, double scale) {
  b.sum("lts__t_requests.sum", c.l2.requests);
  b.sum("lts__t_sectors.sum", c.l2.read_sectors + c.l2.write_sectors);
  b.value("lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
          100.0 * scale * static_cast<double>(c.l2.busy_cycles) / (cycles * config.l2.slices));
  b.sum("lts__t_sectors_lookup_hit.sum", c.l2.read_sector_hits + c.l2.write_sectors);
  b.sum("lts__t_sectors_lookup_miss.sum", c.l2.read_sectors - c.l2.read_sector_hits);
  b.sum("lts__t_sectors_op_read.sum", c.l2.read_sectors);
  b.sum("lts__t_sectors_op_read_lookup_hit.sum", c.l2.read_sector_hits);
  b.sum("lts__t_sectors_op_read_lookup_miss.sum", c.l2.read_sectors - c.l2.read_sector_hits);
  b.sum("lts__t_sectors_op_write.sum", c.l2.write_sectors);
  b.ratio("lts__t_sector_hit_rate.pct", c.l2.read_sector_hits + c.l2.write_sectors,
          c.l2.read_sectors + c.l2.write_sectors);
  b.sum("dram__bytes_read.sum", c.hbm.read_bytes);
  b.sum("dram__bytes_write.sum", c.hbm.write_bytes);
  b.sum("dram__sectors_read.sum", c.hbm.read_bytes / kSectorBytes);
  b.sum("dram__sectors_write.sum", c.hbm.write_bytes / kSectorBytes);
  const double seconds = cycles / (config.gpu.sm_clock_mhz * 1e6);
  const double peak = double{1} * config.hbm.stacks * config.hbm.channels_per_stack * config.hbm.bytes_per_clock *
                      config.hbm.clock_mhz * 1e6;
  const double bytes = scale * static_cast<double>(c.hbm.read_bytes + c.hbm.write_bytes);
  b.value("dram__throughput.avg.pct_of_peak_sustained_elapsed", 100.0 * bytes / seconds / peak);
}

}  // namespace

MetricList make_metrics(const GpuConfig& config, const GpuCounters& c, double cycles, double scale) {
  MetricList list;
  Builder b(list, scale);
  // The counter also runs while the grid is set up and torn down; an empty kernel shows how long.
  b.value("sm__cycles_elapsed.max", cycles + config.gpu.launch_overhead);
  b.value("sm__cycles_active.max", cycles);
  b.value("sm__cycles_active.avg", scale * static_cast<double>(c.sm.active_cycles) / config.gpu.sm_count);
  b.value("gpu__time_duration.sum", (cycles + config.gpu.launch_overhead) / config.gpu.sm_clock_mhz * 1000.0);  // ns
  b.sum("sm__ctas_launched.sum", c.sm.blocks);
  add_issue(b, config, c.sm, cycles, scale);
  add_operations(b, c.sm);
  add_l1(b, config, c.sm, cycles, scale);
  add_memory(b, config, c, cycles, scale);
  return list;
}

}  // namespace smpipe
