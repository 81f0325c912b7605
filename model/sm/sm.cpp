#include "sm/sm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/error.h"

namespace smpipe {

Sm::Sm(const sc_core::sc_module_name& name, const GpuConfig& config, std::uint32_t id, const AddressMap& map,
       ClockDomain& domain)
    : Block(name),
      config_(config),
      id_(id),
      map_(map),
      domain_(domain),
      lsu_(config, wheel_, *this, counters_),
      barriers_(config.barrier, wheel_),
      fetch_(config.fetch),
      blocks_(config.occupancy.blocks_per_sm) {
  for (std::uint32_t i = 0; i < config.smsp.count; ++i) {
    smsps_.push_back(std::make_unique<Smsp>(config, i, wheel_, lsu_, barriers_, fetch_, counters_));
  }
}

void Sm::begin(KernelSource& source, const Occupancy& occupancy, bool cold,
               std::function<void(std::uint32_t)> block_finished) {
  source_ = &source;
  block_finished_ = std::move(block_finished);
  lsu_.reset(occupancy.l1_bytes);
  fetch_.new_constants();
  if (cold) fetch_.load_program(source.program().code.empty() ? 0 : source.program().code.back().address);
}

void Sm::observe(SmObserver* observer) {
  observer_ = observer;
  lsu_.observe(observer);
  for (auto& smsp : smsps_) smsp->observe(observer);
}

void Sm::suppose(const WhatIf* what_if) {
  lsu_.suppose(what_if);
  for (auto& smsp : smsps_) smsp->suppose(what_if);
}

void Sm::read(GpuGauges::Sm& gauges) const {
  lsu_.read(gauges, config_.smsp.count);
  gauges.instructions = counters_.instructions;
}

Smsp& Sm::smsp_for(std::uint32_t warp_index) {
  // Warps go round the SMSPs; an SMSP that is fuller than another is passed over.
  const std::uint32_t count = config_.smsp.count;
  Smsp* best = smsps_[warp_index % count].get();
  for (std::uint32_t i = 1; i < count; ++i) {
    Smsp* candidate = smsps_[(warp_index + i) % count].get();
    if (candidate->free_slots() > best->free_slots()) best = candidate;
  }
  return *best;
}

void Sm::launch(Cycle now, std::uint64_t linear_block, std::uint32_t latency) {
  auto free = std::find_if(blocks_.begin(), blocks_.end(), [](const ResidentBlock& b) { return !b.in_use; });
  if (free == blocks_.end()) throw ModelError("block launched on a full SM");
  ResidentBlock& block = *free;
  block = ResidentBlock{};
  block.in_use = true;
  block.linear = linear_block;
  block.stream = &source_->start_block(linear_block, id_);
  block.live_warps = source_->shape().warps_per_block();
  for (std::uint32_t i = 0; i < block.live_warps; ++i) {
    Warp& warp = smsp_for(i).place(now, next_age_++);
    warp.stream = &block.stream->warp(i);
    warp.block = &block;
    warp.index = i;
    block.warps[i] = &warp;
    wheel_.schedule(now + std::max(1u, latency), {.kind = SmEvent::Kind::kReady, .warp = &warp});
  }
  if (resident_blocks_++ == 0) active_since_ = now;
  ++counters_.blocks;
  if (observer_ != nullptr) observer_->block_started(now, block);
  domain_.wake(*this, now + std::max(1u, latency));
}

void Sm::receive(Cycle now, Packet& packet) {
  // Read data pass the SM's port; an acknowledgement takes no data cycles.
  Cycle when = now;
  if (packet.kind == PacketKind::kRead || packet.kind == PacketKind::kAtomic) {
    const std::uint32_t bytes = static_cast<std::uint32_t>(std::popcount(packet.sectors)) * kSectorBytes;
    const std::uint32_t width = config_.noc.response_bytes_per_cycle;
    const std::uint32_t cycles = (bytes + width - 1) / width;
    in_free_ = std::max(now, in_free_) + cycles;
    counters_.response_port_busy += cycles;
    when = in_free_ - 1;
  }
  wheel_.schedule(when, {.kind = SmEvent::Kind::kAnswer, .object = &packet});
}

Cycle Sm::send(Cycle ready, Packet& packet) {
  const bool carries_data = packet.kind != PacketKind::kRead;
  const std::uint32_t data =
      carries_data ? static_cast<std::uint32_t>(std::popcount(packet.sectors)) * kSectorBytes : 0;
  const std::uint32_t width = config_.noc.request_bytes_per_cycle;
  const std::uint32_t cycles = (config_.noc.header_bytes + data + width - 1) / width;
  out_free_ = std::max(ready, out_free_) + cycles;
  counters_.request_port_busy += cycles;
  packet.place = map_.place(packet.line);
  packet.partition = static_cast<std::uint8_t>(map_.partition_of_sm(id_));
  packet.reply_to = this;
  // Where lines may be copied, reads look in their own partition first; everything that changes data goes home.
  const bool near_first = packet.kind == PacketKind::kRead && config_.l2.copies > 1;
  const std::uint32_t target = near_first ? packet.partition : packet.place.partition;
  std::uint32_t latency = std::max(1u, config_.noc.request_latency);
  if (target != packet.partition) {
    latency += config_.l2.partition_latency / 2;
    counters_.far_sectors += static_cast<std::uint64_t>(std::popcount(packet.sectors));
  }
  domain_.send(out_free_ - 1 + latency, *slices_[map_.slice(target, packet.place.index)], packet);
  return out_free_;
}

Cycle Sm::step(Cycle now) {
  wheel_.drain(now, [&](const SmEvent& event) { handle(now, event); });
  Cycle next = kNever;
  for (auto& smsp : smsps_) next = std::min(next, smsp->step(now));
  next = std::min(next, lsu_.step(now));
  for (auto& smsp : smsps_) {
    smsp->release_exited(now, [&](Warp& warp) { warp_gone(now, warp); });
  }
  return std::min(next, wheel_.next_after(now));
}

void Sm::handle(Cycle now, const SmEvent& event) {
  switch (event.kind) {
    case SmEvent::Kind::kReady:
      smsps_[event.warp->smsp]->update(now, *event.warp);
      break;
    case SmEvent::Kind::kReadCounter:
      count_down(now, *event.warp, event.counter, event.long_class);
      break;
    case SmEvent::Kind::kWriteCounter:
      count_down(now, *event.warp, event.counter, event.long_class);
      break;
    case SmEvent::Kind::kWriteBack:
      write_back(now, *static_cast<MemoryOperation*>(event.object));
      break;
    case SmEvent::Kind::kCopyLanded:
      copy_landed(now, *static_cast<MemoryOperation*>(event.object));
      break;
    case SmEvent::Kind::kRetireGroups:
      retire_groups(now, *event.warp);
      break;
    case SmEvent::Kind::kAnswer:
      lsu_.answer(now, *static_cast<Packet*>(event.object));
      break;
    case SmEvent::Kind::kBarrierRelease:
      release_barrier(now, *static_cast<ResidentBlock*>(event.object), event.counter);
      break;
    case SmEvent::Kind::kOperandsOver:
      operands_over(now, *static_cast<MemoryOperation*>(event.object));
      break;
    case SmEvent::Kind::kTagsDone:
      lsu_.tags_done();
      break;
  }
}

void Sm::count_down(Cycle now, Warp& warp, std::uint8_t counter, bool is_long) {
  if (warp.counters[counter] == 0) throw ModelError("dependence counter below zero");
  --warp.counters[counter];
  if (is_long) --warp.long_pending[counter];
  smsps_[warp.smsp]->counter_changed(now, warp);
}

void Sm::operands_over(Cycle now, MemoryOperation& op) {
  lsu_.operands_over(now, op);
  if (observer_ != nullptr) observer_->operands_over(now, op);
  if (op.read_counter != ControlCode::kNoCounter)
    count_down(now, *op.warp, op.read_counter, is_long_class(*op.instruction));
}

void Sm::write_back(Cycle now, MemoryOperation& op) {
  if (observer_ != nullptr) observer_->written_back(now, op);
  Warp& warp = *op.warp;
  const bool acknowledged_store =
      op.space != Space::kShared && (op.kind == MemoryKind::kStore || op.kind == MemoryKind::kReduction);
  if (acknowledged_store) {
    if (warp.age == op.warp_age) smsps_[warp.smsp]->counter_changed(now, warp);
  } else {
    --warp.outstanding;
    if (op.write_counter != ControlCode::kNoCounter) {
      count_down(now, warp, op.write_counter, is_long_class(*op.instruction));
    } else {
      smsps_[warp.smsp]->counter_changed(now, warp);
    }
  }
  lsu_.finish(op);
}

void Sm::copy_landed(Cycle now, MemoryOperation& op) {
  if (observer_ != nullptr) observer_->copy_landed(now, op);
  Warp& warp = *op.warp;
  --warp.outstanding;
  warp.groups.landed(op.group);
  if (op.write_counter != ControlCode::kNoCounter) count_down(now, warp, op.write_counter, true);
  lsu_.finish(op);
  retire_groups(now, warp);
  smsps_[warp.smsp]->counter_changed(now, warp);
}

void Sm::retire_groups(Cycle now, Warp& warp) {
  while (const CopyGroups::Group* group = warp.groups.complete(now)) {
    const CopyGroups::Group done = *group;
    if (observer_ != nullptr) observer_->group_retired(now, warp, warp.groups.oldest_group());
    warp.groups.retire();
    if (done.token != 0) warp.stream->copies_landed(done.token);
    if (done.counter != ControlCode::kNoCounter) count_down(now, warp, done.counter, true);
  }
}

void Sm::release_barrier(Cycle now, ResidentBlock& block, std::uint8_t id) {
  if (observer_ != nullptr) observer_->barrier_released(now, block, id, block.barriers[id].waiting);
  barriers_.release(block, id, [&](Warp& warp) { smsps_[warp.smsp]->update(now, warp); });
}

void Sm::warp_gone(Cycle now, Warp& warp) {
  ResidentBlock& block = *warp.block;
  block.warps[warp.index] = nullptr;
  if (--block.live_warps > 0) {
    barriers_.warp_exited(now, block);
    return;
  }
  if (observer_ != nullptr) observer_->block_ended(now, block);
  source_->finish_block(*block.stream);
  block.in_use = false;
  if (--resident_blocks_ == 0) counters_.active_cycles += now - active_since_;
  block_finished_(id_);
}

void Sm::describe_warps(std::vector<std::string>& lines) const {
  for (const auto& smsp : smsps_) {
    for (std::uint32_t slot = 0; slot < smsp->slots(); ++slot) {
      const Warp* warp = smsp->warp(slot);
      if (warp == nullptr) continue;
      const Instruction* in = warp->stream->next();
      lines.push_back(
          fmt::format("SM {} block {} warp {}: {} at /*{:04x}*/ {} (counters {} {} {} {} {} {}, {} copies and "
                      "{} operations under way)",
                      id_, warp->block->linear, warp->index, kStallNames[static_cast<std::size_t>(warp->state)],
                      in != nullptr ? in->address : 0u, in != nullptr ? in->text : "EXIT", warp->counters[0],
                      warp->counters[1], warp->counters[2], warp->counters[3], warp->counters[4], warp->counters[5],
                      warp->groups.in_flight(), warp->outstanding));
    }
  }
}

}  // namespace smpipe
