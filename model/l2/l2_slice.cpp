#include "l2/l2_slice.h"

#include <algorithm>
#include <bit>

#include "core/error.h"

namespace smpipe {

L2Slice::L2Slice(const sc_core::sc_module_name& name, const GpuConfig& config, const AddressMap& map,
                 ClockDomain& domain, std::uint32_t id)
    : Block(name),
      config_(config.l2),
      noc_(config.noc),
      map_(map),
      domain_(domain),
      partition_(map.partition_of_slice(id)),
      sets_(config.l2.bytes / config.l2.slices / kLineBytes / config.l2.ways) {
  lines_.resize(sets_ * config_.ways);
  tags_.assign(lines_.size(), kNoAddress);
}

void L2Slice::connect(L2Slice* peer, std::vector<HbmChannel*> channels) {
  peer_ = peer;
  channels_ = std::move(channels);
}

Cycle L2Slice::occupy(Cycle now, std::uint32_t cycles) {
  const Cycle start = std::max(now, free_at_);
  free_at_ = start + cycles;
  counters_.busy_cycles += cycles;
  return start;
}

L2Slice::Line* L2Slice::find(const Packet& packet) {
  const std::size_t set = set_of(packet);
  for (std::size_t i = set; i < set + config_.ways; ++i) {
    if (tags_[i] == packet.line) return &lines_[i];
  }
  return nullptr;
}

L2Slice::Line* L2Slice::find_or_allocate(Cycle ready, const Packet& packet) {
  Line* line = find(packet);
  return line != nullptr ? line : allocate(ready, packet);
}

L2Slice::Line* L2Slice::allocate(Cycle ready, const Packet& packet) {
  const std::size_t set = set_of(packet);
  std::size_t victim = lines_.size();
  for (std::size_t i = set; i < set + config_.ways; ++i) {
    if (lines_[i].pending != 0 || lines_[i].waiters != nullptr) continue;
    if (victim == lines_.size() || lines_[i].last_use < lines_[victim].last_use) victim = i;
  }
  if (victim == lines_.size()) return nullptr;
  evict(ready, lines_[victim], tags_[victim]);
  tags_[victim] = packet.line;
  lines_[victim] = Line{};
  lines_[victim].place = packet.place;
  return &lines_[victim];
}

void L2Slice::evict(Cycle ready, Line& line, std::uint64_t address) {
  if (line.valid == 0) return;
  ++counters_.evictions;
  if (line.dirty == 0) return;
  Packet* packet = packets_.take();
  *packet =
      Packet{.line = address, .place = line.place, .reply_to = this, .kind = PacketKind::kWrite, .sectors = line.dirty};
  domain_.send(ready + 1, channel(line.place), *packet);
}

void L2Slice::receive(Cycle now, Packet& packet) {
  if (!packet.is_answer) {
    request(now, packet);
  } else if (packet.kind == PacketKind::kRead) {
    fill(now, packet);
  } else {
    packets_.give(&packet);  // write-back or invalidation done
  }
}

void L2Slice::request(Cycle now, Packet& packet) {
  if (packet.kind == PacketKind::kInvalidate) {
    if (Line* line = find(packet); line != nullptr) line->valid = 0;
    packet.is_answer = true;
    domain_.send(now + std::max(1u, config_.partition_latency / 2), *packet.reply_to, packet);
    return;
  }
  ++counters_.requests;
  const auto sectors = static_cast<std::uint32_t>(std::popcount(packet.sectors));
  std::uint32_t cycles = (sectors * kSectorBytes + config_.bytes_per_cycle - 1) / config_.bytes_per_cycle;
  if (packet.kind == PacketKind::kAtomic || packet.kind == PacketKind::kReduction) {
    cycles = std::max(cycles, packet.operations * config_.atomic_interval);
    counters_.atomic_sectors += sectors;
  }
  const Cycle ready = occupy(now, cycles) + cycles - 1 + config_.hit_latency;
  if (packet.kind == PacketKind::kWrite) {
    write(ready, packet);
  } else {
    read(ready, packet);
  }
}

void L2Slice::read(Cycle ready, Packet& packet) {
  Line* line = find_or_allocate(ready, packet);
  if (line == nullptr) {
    retry(ready, packet);
    return;
  }
  const auto present = static_cast<std::uint8_t>(line->valid & packet.sectors);
  counters_.read_sectors += static_cast<std::uint64_t>(std::popcount(packet.sectors));
  counters_.read_sector_hits += static_cast<std::uint64_t>(std::popcount(present));
  if (packet.place.partition != partition_) ++counters_.far_requests;
  line->last_use = ++uses_;
  if (present == packet.sectors) {
    answer(ready, packet);
    return;
  }
  Waiter* waiter = waiters_.take();
  waiter->packet = &packet;
  waiter->next = line->waiters;
  line->waiters = waiter;
  const auto missing = static_cast<std::uint8_t>(packet.sectors & ~line->valid & ~line->pending);
  if (missing != 0) fetch(ready, *line, packet.line, missing);
}

void L2Slice::retry(Cycle ready, Packet& packet) {
  // Every way of the set waits for data: ask again when the port comes round. The misses' own latency bounds this.
  --counters_.requests;
  domain_.send(ready + 1, *this, packet);
}

void L2Slice::fetch(Cycle ready, Line& line, std::uint64_t address, std::uint8_t sectors) {
  line.pending |= sectors;
  Packet* child = packets_.take();
  *child =
      Packet{.line = address, .place = line.place, .reply_to = this, .kind = PacketKind::kRead, .sectors = sectors};
  if (line.place.partition == partition_) {
    domain_.send(ready + std::max(1u, config_.miss_latency), channel(line.place), *child);
  } else {
    counters_.link_sectors += static_cast<std::uint64_t>(std::popcount(sectors));
    domain_.send(ready + std::max(1u, config_.partition_latency / 2), *peer_, *child);
  }
}

void L2Slice::fill(Cycle now, Packet& child) {
  Line* line = find(child);
  if (line == nullptr) throw ModelError("L2 fill for a line that is gone");
  line->valid |= child.sectors;
  line->pending &= static_cast<std::uint8_t>(~child.sectors);
  packets_.give(&child);
  // Waiters are kept last in first out; answers leave in the order of arrival.
  Waiter* ordered = nullptr;
  Waiter* keep = nullptr;
  for (Waiter* w = line->waiters; w != nullptr;) {
    Waiter* next = w->next;
    Waiter*& list = (w->packet->sectors & ~line->valid) == 0 ? ordered : keep;
    w->next = list;
    list = w;
    w = next;
  }
  line->waiters = nullptr;
  for (Waiter* w = keep; w != nullptr;) {
    Waiter* next = w->next;
    w->next = line->waiters;
    line->waiters = w;
    w = next;
  }
  for (Waiter* w = ordered; w != nullptr;) {
    Waiter* next = w->next;
    answer(now + 1, *w->packet);
    waiters_.give(w);
    w = next;
  }
}

void L2Slice::write(Cycle ready, Packet& packet) {
  Line* line = find_or_allocate(ready, packet);
  if (line == nullptr) {
    retry(ready, packet);
    return;
  }
  // A write from the other partition passes a slice there as well, and the profiler counts it in both.
  const std::uint64_t passes = packet.partition == partition_ ? 1 : 2;
  counters_.write_sectors += passes * static_cast<std::uint64_t>(std::popcount(packet.sectors));
  line->last_use = ++uses_;
  line->valid |= packet.sectors;
  line->dirty |= packet.sectors;
  drop_copy(ready, *line, packet.line);
  answer(ready, packet);
}

void L2Slice::drop_copy(Cycle ready, Line& line, std::uint64_t address) {
  if (!line.copied) return;
  line.copied = false;
  Packet* probe = packets_.take();
  *probe = Packet{.line = address, .place = line.place, .reply_to = this, .kind = PacketKind::kInvalidate};
  domain_.send(ready + std::max(1u, config_.partition_latency / 2), *peer_, *probe);
}

void L2Slice::answer(Cycle when, Packet& packet) {
  std::uint32_t latency = noc_.response_latency;
  if (packet.reply_to == peer_) {
    latency = config_.partition_latency - config_.partition_latency / 2;
    if (Line* line = find(packet); line != nullptr) line->copied = true;
  } else if (packet.kind != PacketKind::kRead) {
    if (Line* line = find(packet); line != nullptr) {
      line->dirty |= packet.sectors;
      drop_copy(when, *line, packet.line);
    }
  }
  if (packet.reply_to != peer_ && packet.partition != partition_) latency += config_.partition_latency / 2;
  packet.is_answer = true;
  domain_.send(std::max(when, domain_.now()) + std::max(1u, latency), *packet.reply_to, packet);
}

}  // namespace smpipe
