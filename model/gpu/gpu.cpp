#include "gpu/gpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace smpipe {

namespace {

sc_core::sc_time period_of(const GpuConfig& config) {
  return sc_core::sc_time(1e6 / config.gpu.sm_clock_mhz, sc_core::SC_PS);
}

template <class T>
std::vector<T*> pointers(const std::vector<std::unique_ptr<T>>& owned) {
  std::vector<T*> result;
  for (const auto& object : owned) result.push_back(object.get());
  return result;
}

}  // namespace

Gpu::Gpu(const sc_core::sc_module_name& name, const GpuConfig& config, bool tick_everything)
    : sc_module(name),
      map_(config),
      domain_("clock", period_of(config), tick_everything),
      scheduler_("grid_scheduler", config, domain_) {
  for (std::uint32_t i = 0; i < config.gpu.sm_count; ++i) {
    sms_.push_back(std::make_unique<Sm>(fmt::format("sm{}", i).c_str(), config, i, map_, domain_));
  }
  for (std::uint32_t i = 0; i < config.l2.slices; ++i) {
    slices_.push_back(std::make_unique<L2Slice>(fmt::format("l2_slice{}", i).c_str(), config, map_, domain_, i));
  }
  for (std::uint32_t i = 0; i < config.hbm.stacks * config.hbm.channels_per_stack; ++i) {
    channels_.push_back(std::make_unique<HbmChannel>(fmt::format("hbm_channel{}", i).c_str(), config, map_, domain_));
  }
  const std::uint32_t per_partition = config.l2.slices / config.l2.partitions;
  for (std::uint32_t i = 0; i < config.l2.slices; ++i) {
    L2Slice* peer = config.l2.partitions == 2 ? slices_[(i + per_partition) % config.l2.slices].get() : nullptr;
    slices_[i]->connect(peer, pointers(channels_));
  }
  for (auto& sm : sms_) {
    sm->connect(pointers(slices_));
    domain_.add(*sm);
  }
  for (auto& slice : slices_) domain_.add(*slice);
  for (auto& channel : channels_) domain_.add(*channel);
  domain_.add(scheduler_);
}

bool Gpu::quiet() const {
  return std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->idle(); }) &&
         std::all_of(slices_.begin(), slices_.end(), [](const auto& s) { return s->in_flight() == 0; });
}

GpuCounters Gpu::run(KernelSource& source, const Occupancy& occupancy, std::uint64_t blocks, bool cold,
                     const std::function<void(Cycle, std::uint64_t)>& on_cycle, LaunchObserver* observer) {
  for (std::uint32_t i = 0; i < sms_.size(); ++i) {
    Sm* const sm = sms_[i].get();
    sm->observe(observer != nullptr ? observer->observe(i) : nullptr);
    sm->reset_counters();
    sm->begin(source, occupancy, cold, [this](std::uint32_t id) { scheduler_.block_finished(domain_.now(), id); });
  }
  for (auto& slice : slices_) slice->reset_counters();
  for (auto& channel : channels_) channel->reset_counters();
  const Cycle start = domain_.begin();
  scheduler_.begin(pointers(sms_), occupancy.blocks_per_sm, blocks, source.shape().warps_per_block());
  domain_.wake(scheduler_, start);
  Cycle end = 0;
  bool stopped = false;
  if (observer != nullptr) observer->launch_begins(start);
  domain_.on_cycle([&](Cycle now) {
    on_cycle(now - start, scheduler_.finished());
    if (observer != nullptr && observer->cycle_over(now, *this)) {
      stopped = true;
      end = now;
      return true;
    }
    if (!scheduler_.done()) return false;
    const bool drained = std::all_of(sms_.begin(), sms_.end(), [](const auto& sm) { return sm->idle(); });
    if (drained && end == 0) end = now;
    return drained && quiet();
  });
  domain_.run_until_finished();
  if (stopped) {
    GpuCounters part = collect(start, end);
    part.stopped = true;
    return part;
  }
  if (!scheduler_.done()) {
    throw InputError("", 0, "deadlock: no warp can ever issue again\n" + describe_warps(),
                     "a barrier or a wait in the kernel is never satisfied");
  }
  check_conservation();
  return collect(start, end);
}

void Gpu::suppose(const WhatIf* what_if) {
  for (auto& sm : sms_) sm->suppose(what_if);
}

void Gpu::read(GpuGauges& gauges) const {
  gauges = {};
  gauges.sms.resize(sms_.size());
  for (std::size_t i = 0; i < sms_.size(); ++i) sms_[i]->read(gauges.sms[i]);
  for (const auto& slice : slices_) {
    const L2Counters& c = slice->counters();
    gauges.l2_busy_cycles += c.busy_cycles;
    gauges.l2_sectors += c.read_sectors + c.write_sectors;
    gauges.l2_in_flight += slice->in_flight();
  }
  for (const auto& channel : channels_) {
    const HbmCounters& c = channel->counters();
    gauges.hbm_queue += channel->waiting();
    gauges.hbm_bytes += c.read_bytes + c.write_bytes;
    gauges.hbm_busy_clocks += c.bus_busy_clocks;
  }
}

void Gpu::check_conservation() const {
  for (const auto& sm : sms_) {
    if (!sm->idle()) throw ModelError(fmt::format("{}: operations left at the end of the launch", sm->name()));
    const SmCounters& c = sm->counters();
    std::uint64_t cycles = 0;
    for (const std::uint64_t n : c.warp_cycles) cycles += n;
    if (cycles != c.resident_warp_cycles) {
      throw ModelError(
          fmt::format("{}: {} warp-cycles by reason, {} by lifetime", sm->name(), cycles, c.resident_warp_cycles));
    }
  }
  for (const auto& slice : slices_) {
    if (slice->in_flight() != 0 || slice->waiting() != 0) {
      throw ModelError(fmt::format("{}: requests left at the end of the launch", slice->name()));
    }
  }
  for (const auto& channel : channels_) {
    if (!channel->idle()) throw ModelError(fmt::format("{}: requests left at the end", channel->name()));
  }
}

GpuCounters Gpu::collect(Cycle start, Cycle end) const {
  GpuCounters all;
  for (const auto& sm : sms_) {
    add_counters(all.sm, sm->counters());
    all.active_sms += sm->counters().blocks > 0;
  }
  for (const auto& slice : slices_) {
    add_counters(all.l2, slice->counters());
    all.busiest_slice = std::max(all.busiest_slice, slice->counters().busy_cycles);
  }
  for (const auto& channel : channels_) {
    add_counters(all.hbm, channel->counters());
    all.busiest_channel = std::max(all.busiest_channel, channel->counters().bus_busy_clocks);
  }
  all.finish_times = scheduler_.finish_times();
  for (Cycle& t : all.finish_times) t -= start;
  all.cycles = end - start;
  return all;
}

std::uint64_t Gpu::writes() const {
  std::uint64_t sum = 0;
  for (const auto& sm : sms_) {
    const SmCounters& c = sm->counters();
    sum += c.global_stores + c.shared_stores + c.local_stores + c.async_copies + c.shared_atomics + c.global_atomics +
           c.global_reductions;
  }
  return sum;
}

std::string Gpu::describe_warps() const {
  std::vector<std::string> lines;
  for (const auto& sm : sms_) sm->describe_warps(lines);
  constexpr std::size_t kShown = 24;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, lines.size()); ++i) text += "  " + lines[i] + "\n";
  if (lines.size() > kShown) text += fmt::format("  and {} more warps\n", lines.size() - kShown);
  return text;
}

}  // namespace smpipe
