// One HBM pseudo channel: banks with an open row each, first-ready first-come-first-served, refresh, turnaround.
//
// Deviations: one command a clock without bank groups (tCCD_L) and without tFAW; all-bank refresh.
#pragma once

#include <cstdint>
#include <vector>

#include "config/gpu_config.h"
#include "noc/address_map.h"
#include "noc/packet.h"
#include "sim/clock_domain.h"
#include "stats/counters.h"

namespace smpipe {

class HbmChannel : public Block {
 public:
  HbmChannel(const sc_core::sc_module_name& name, const GpuConfig& config, const AddressMap& map, ClockDomain& domain);

  void receive(Cycle now, Packet& packet) override;
  Cycle step(Cycle now) override;

  bool idle() const { return queue_.empty(); }
  std::size_t waiting() const { return queue_.size(); }
  const HbmCounters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }

 private:
  using Tick = std::uint64_t;  ///< memory clocks
  static constexpr std::uint64_t kNoRow = ~std::uint64_t{0};
  struct Request {
    Packet* packet;
    std::uint64_t row;
    std::uint32_t bank;
    std::uint32_t passed_over;  ///< younger requests served before it
  };
  struct Bank {
    std::uint64_t open_row = kNoRow;
    Tick column_ready = 0;     ///< earliest column command
    Tick precharge_ready = 0;  ///< earliest precharge
  };

  Tick to_memory(Cycle cycle) const { return cycle * memory_khz_ / sm_khz_; }
  Cycle to_sm(Tick tick) const { return (tick * sm_khz_ + memory_khz_ - 1) / memory_khz_; }
  void refresh(Tick t);
  void activate(Tick t);
  std::uint64_t activate_for(Tick t, bool write, std::uint64_t taken);
  void open_row(Tick t, Bank& bank, std::uint64_t row);
  struct Choice {
    std::size_t index = 0;
    Tick start = kNever;  ///< first clock of the data; kNever: no request of this direction has its row open
  };
  void choose_direction();
  Choice best(Tick t, bool write) const;
  bool serve(Tick t, Tick& retry);
  void transfer(std::size_t index, Tick start);
  bool is_write(const Request& r) const { return r.packet->kind == PacketKind::kWrite; }
  std::size_t window() const;

  const HbmConfig config_;
  const std::uint64_t memory_khz_, sm_khz_;
  ClockDomain& domain_;
  const AddressMap& map_;
  std::vector<Request> queue_;  ///< in order of arrival
  std::vector<Bank> banks_;
  Tick bus_free_ = 0, last_activate_ = 0, next_refresh_ = 0;
  Tick decided_until_ = 0;  ///< nothing to decide before
  bool arrived_ = false;    ///< since the last step
  bool last_was_write_ = false, draining_writes_ = false;
  HbmCounters counters_;
};

}  // namespace smpipe
