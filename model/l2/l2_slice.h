// One L2 slice: sectored write-back cache, one access port, misses merged per line.
//
// Each partition keeps a copy of what its own SMs read: a read looks up the slice of the requester's partition first
// and goes on to the home slice of the other partition on a miss. Writes and atomics are served at home and drop the
// copy.
#pragma once

#include <cstdint>
#include <vector>

#include "config/gpu_config.h"
#include "hbm/hbm_channel.h"
#include "noc/address_map.h"
#include "noc/packet.h"
#include "sim/clock_domain.h"
#include "sim/pool.h"
#include "stats/counters.h"

namespace smpipe {

class L2Slice : public Block {
 public:
  L2Slice(const sc_core::sc_module_name& name, const GpuConfig& config, const AddressMap& map, ClockDomain& domain,
          std::uint32_t id);

  /// `peer`: slice of the same index in the other partition; null with one partition.
  /// `channels`: all HBM channels, by number.
  void connect(L2Slice* peer, std::vector<HbmChannel*> channels);

  void receive(Cycle now, Packet& packet) override;
  Cycle step(Cycle) override { return kNever; }

  /// Packets of this slice that are under way, write-backs included.
  std::size_t in_flight() const { return packets_.in_use(); }
  std::size_t waiting() const { return waiters_.in_use(); }
  const L2Counters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }
  std::uint32_t partition() const { return partition_; }

 private:
  struct Waiter {
    Waiter* next = nullptr;
    Packet* packet = nullptr;
  };
  static constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};
  struct Line {
    Place place;
    std::uint64_t last_use = 0;
    Waiter* waiters = nullptr;
    std::uint8_t valid = 0, dirty = 0, pending = 0;  ///< by sector
    bool copied = false;                             ///< home line that the other partition holds a copy of
  };

  void request(Cycle now, Packet& packet);
  void read(Cycle ready, Packet& packet);
  void write(Cycle ready, Packet& packet);
  void retry(Cycle ready, Packet& packet);
  void answer(Cycle when, Packet& packet);
  void fill(Cycle now, Packet& child);
  void fetch(Cycle ready, Line& line, std::uint64_t address, std::uint8_t sectors);
  void drop_copy(Cycle ready, Line& line, std::uint64_t address);
  void evict(Cycle ready, Line& line, std::uint64_t address);
  Line* find(const Packet& packet);
  Line* find_or_allocate(Cycle ready, const Packet& packet);
  Line* allocate(Cycle ready, const Packet& packet);
  /// Home lines and copies of the other partition's lines share the sets; local line numbers are dense in both.
  std::size_t set_of(const Packet& packet) const {
    return static_cast<std::size_t>(packet.place.local_line % sets_) * config_.ways;
  }
  HbmChannel& channel(const Place& place) const { return *channels_[map_.channel(place)]; }
  Cycle occupy(Cycle now, std::uint32_t cycles);

  const L2Config config_;
  const NocConfig noc_;
  const AddressMap& map_;
  ClockDomain& domain_;
  const std::uint32_t partition_;
  L2Slice* peer_ = nullptr;
  std::vector<HbmChannel*> channels_;
  std::vector<std::uint64_t> tags_;  ///< line addresses, sets × ways: apart from the rest, a look-up reads only these
  std::vector<Line> lines_;          ///< sets × ways
  std::size_t sets_;
  std::uint64_t uses_ = 0;
  Cycle free_at_ = 0;
  Pool<Packet> packets_;
  Pool<Waiter> waiters_;
  L2Counters counters_;
};

}  // namespace smpipe
