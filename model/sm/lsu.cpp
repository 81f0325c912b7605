#include "sm/lsu.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/error.h"

namespace smpipe {

namespace {

bool is_shared(const MemoryOperation& op) { return op.shuffle || op.space == Space::kShared; }
bool is_store(const MemoryOperation& op) { return op.kind == MemoryKind::kStore; }
std::uint32_t count(std::uint32_t mask) { return static_cast<std::uint32_t>(std::popcount(mask)); }

}  // namespace

Lsu::Lsu(const GpuConfig& config, SmWheel& wheel, MemoryPort& port, SmCounters& counters)
    : config_(config),
      wheel_(wheel),
      port_(port),
      counters_(counters),
      banks_(config.shared.banks, config.shared.bank_bytes) {}

void Lsu::reset(std::uint64_t l1_bytes) { l1_.reset(l1_bytes); }

// ---------------------------------------------------------------- issue side

MemoryOperation& Lsu::enqueue(Cycle now, Warp& warp, const Instruction& instruction) {
  MemoryOperation* op = operations_.take();
  op->next = nullptr;
  op->warp = &warp;
  op->warp_age = warp.age;
  op->instruction = &instruction;
  op->issued = now;
  op->kind = instruction.memory.kind;
  op->shuffle = false;
  op->use_l1 = false;
  op->all_hit = true;
  op->write_counter = written_counter(what_if_, instruction);
  op->read_counter = instruction.control.read_counter;
  op->data_wavefronts = op->lines = op->pending = 0;
  Lane& lane = lanes_[warp.smsp];
  lane.mio.push(*op);
  ++lane.mio_size;
  ++warp.outstanding;
  return *op;
}

void Lsu::issue_shuffle(Cycle now, Warp& warp, const Instruction& instruction) {
  MemoryOperation& op = enqueue(now, warp, instruction);
  op.shuffle = true;
  op.space = Space::kShared;
  op.data_wavefronts = 1;
}

void Lsu::issue_memory(Cycle now, Warp& warp, const Instruction& instruction, const Step& step) {
  MemoryOperation& op = enqueue(now, warp, instruction);
  const MemoryOp& m = instruction.memory;
  op.space = step.space;
  Wavefronts shared;
  if (m.kind == MemoryKind::kAsyncCopy) {
    op.space = Space::kGlobal;
    op.group = warp.groups.open_group();
    warp.groups.add();
    shared = shared_wavefronts(instruction, step);
    op.data_wavefronts = std::max(shared.total, config_.copy.interval);
    op.use_l1 = !m.bypass_l1 && !(what_if_ != nullptr && what_if_->copies_bypass_l1);
    coalesce(op, step, m.bytes);
  } else if (op.space == Space::kShared) {
    shared = shared_wavefronts(instruction, step);
    op.data_wavefronts = shared.total;
  } else {
    op.use_l1 = !m.bypass_l1 && (m.cache == CacheOp::kCa || op.space == Space::kLocal);
    coalesce(op, step, m.bytes);
    const std::uint32_t width = (count(step.memory_mask) * m.bytes + kLineBytes - 1) / kLineBytes;
    const std::uint32_t tags = (op.lines + config_.l1.lines_per_cycle - 1) / config_.l1.lines_per_cycle;
    op.data_wavefronts = std::max(width, tags);
  }
  count_issue(op, shared);
}

Wavefronts Lsu::shared_wavefronts(const Instruction& instruction, const Step& step) const {
  if (what_if_ == nullptr) return smpipe::shared_wavefronts(banks_, instruction.memory, step);
  Step moved = step;
  if (const SharedLayout* layout = what_if_->layout(instruction.index))
    move_addresses(*layout, instruction.memory, moved);
  Wavefronts w = smpipe::shared_wavefronts(banks_, instruction.memory, moved);
  if (what_if_->conflict_free) w = {w.total - w.conflicts, 0};
  return w;
}

/// Packs what the lanes ask for into as few sectors as hold it, from the operation's first line on.
void Lsu::suppose_coalesced(MemoryOperation& op, std::uint32_t lanes, std::uint32_t bytes) const {
  std::uint32_t sectors = 0;
  for (std::uint32_t i = 0; i < op.lines; ++i) sectors += count(op.sectors[i]);
  const std::uint32_t least = (lanes * bytes + kSectorBytes - 1) / kSectorBytes;
  if (sectors <= least) return;
  const std::uint32_t per_line = kLineBytes / kSectorBytes;
  op.lines = (least + per_line - 1) / per_line;
  for (std::uint32_t i = 0; i < op.lines; ++i) {
    op.line[i] = op.line[0] + i * kLineBytes;
    op.sectors[i] = static_cast<std::uint8_t>((1u << std::min(per_line, least - i * per_line)) - 1);
    op.lanes_on[i] = static_cast<std::uint8_t>(lanes / op.lines);
  }
}

void Lsu::coalesce(MemoryOperation& op, const Step& step, std::uint32_t bytes) {
  for (LaneMask m = step.memory_mask; m != 0; m &= m - 1) {
    const std::uint64_t address = step.address[static_cast<std::size_t>(std::countr_zero(m))];
    const std::uint64_t line = address / kLineBytes * kLineBytes;
    const auto first = static_cast<std::uint32_t>(address % kLineBytes / kSectorBytes);
    const auto last = static_cast<std::uint32_t>((address % kLineBytes + bytes - 1) / kSectorBytes);
    const auto sectors = static_cast<std::uint8_t>(((2u << last) - (1u << first)) & 0xf);
    // Neighbouring lanes mostly share a line: look at the latest first.
    std::uint32_t i = op.lines;
    while (i > 0 && op.line[i - 1] != line) --i;
    if (i == 0) {
      op.line[op.lines] = line;
      op.sectors[op.lines] = sectors;
      op.lanes_on[op.lines] = 1;
      ++op.lines;
    } else {
      op.sectors[i - 1] |= sectors;
      ++op.lanes_on[i - 1];
    }
  }
  if (what_if_ != nullptr && what_if_->coalesced) suppose_coalesced(op, count(step.memory_mask), bytes);
}

void Lsu::count_issue(const MemoryOperation& op, const Wavefronts& shared) {
  std::uint64_t sectors = 0;
  for (std::uint32_t i = 0; i < op.lines; ++i) sectors += count(op.sectors[i]);
  const bool local = op.space == Space::kLocal;
  switch (op.kind) {
    case MemoryKind::kAsyncCopy:
      ++counters_.async_copies;
      counters_.async_copy_requests += op.lines > 0;
      counters_.async_copy_sectors += sectors;
      // The profiler leaves out the writes of copies that bypass L1 (measured on H200, hgemm_3stage).
      if (op.use_l1) counters_.async_copy_wavefronts += shared.total;
      counters_.async_copy_conflicts += shared.conflicts;
      return;
    case MemoryKind::kLoadMatrix:
      ++counters_.matrix_loads;
      counters_.matrix_load_conflicts += shared.conflicts;
      counters_.shared_load_wavefronts += shared.total;
      counters_.shared_load_conflicts += shared.conflicts;
      return;
    case MemoryKind::kLoad:
      if (op.space == Space::kShared) {
        ++counters_.shared_loads;
        counters_.shared_load_wavefronts += shared.total;
        counters_.shared_load_conflicts += shared.conflicts;
      } else {
        ++(local ? counters_.local_loads : counters_.global_loads);
        (local ? counters_.local_load_sectors : counters_.global_load_sectors) += sectors;
        if (!local) ++counters_.global_load_requests;
      }
      return;
    case MemoryKind::kStore:
      if (op.space == Space::kShared) {
        ++counters_.shared_stores;
        counters_.shared_store_wavefronts += shared.total;
        counters_.shared_store_conflicts += shared.conflicts;
      } else {
        ++(local ? counters_.local_stores : counters_.global_stores);
        (local ? counters_.local_store_sectors : counters_.global_store_sectors) += sectors;
        if (!local) ++counters_.global_store_requests;
      }
      return;
    case MemoryKind::kAtomic:
      ++(op.space == Space::kShared ? counters_.shared_atomics : counters_.global_atomics);
      return;
    case MemoryKind::kReduction:
      ++(op.space == Space::kShared ? counters_.shared_atomics : counters_.global_reductions);
      return;
    case MemoryKind::kNone:
      return;
  }
}

void Lsu::count_idle(const Instruction& instruction) {
  MemoryOperation none;
  none.kind = instruction.memory.kind;
  none.space = instruction.memory.space;
  count_issue(none, {});
  counters_.idle_shared_wavefronts += none.space == Space::kShared;
}

// ---------------------------------------------------------------- operand port and arbiter

void Lsu::Queue::push(MemoryOperation& op) {
  op.next = nullptr;
  (head == nullptr ? head : tail->next) = &op;
  tail = &op;
  ++size;
}

MemoryOperation& Lsu::Queue::pop() {
  MemoryOperation& op = *head;
  head = op.next;
  op.next = nullptr;
  --size;
  return op;
}

std::uint32_t Lsu::front_latency(const MemoryOperation& op) const {
  return config_.mio.latency + op.instruction->memory.operand_registers * config_.mio.cycles_per_register;
}

Cycle Lsu::earliest_transfer(const Lane& lane) const {
  if (lane.mio.head == nullptr || lane.transferring) return kNever;
  const MemoryOperation& op = *lane.mio.head;
  // Room is made when an instruction passes the arbiter, which is a step of the LSU.
  if (lane.lsu.size >= config_.mio.lsu_queue_depth || in_lsu_queues_ >= config_.mio.lsu_queue_depth_sm) return kNever;
  if (is_store(op) && lane.stores >= config_.mio.store_buffer) return kNever;
  Cycle when = std::max(op.issued + config_.mio.latency, lane.port_free);
  if (lane.last_warp == op.warp) when = std::max(when, lane.last_transfer + config_.mio.interval_warp);
  return when;
}

void Lsu::start_transfer(Cycle now, Lane& lane) {
  MemoryOperation& op = lane.mio.pop();
  const Cycle over = now + std::max<Cycle>(1, front_latency(op) - config_.mio.latency);
  lane.transferring = true;
  ++in_lsu_queues_;
  lane.stores += is_store(op);
  lane.port_free = over;
  counters_.operand_port_busy += over - now;
  lane.last_warp = op.warp;
  lane.last_transfer = now;
  wheel_.schedule(over, {.kind = SmEvent::Kind::kOperandsOver, .warp = op.warp, .object = &op});
}

void Lsu::operands_over(Cycle, MemoryOperation& op) {
  Lane& lane = lanes_[op.warp->smsp];
  lane.transferring = false;
  --lane.mio_size;
  lane.lsu.push(op);
}

Cycle Lsu::earliest_pass(const Lane& lane) const {
  if (lane.lsu.head == nullptr) return kNever;
  const MemoryOperation& op = *lane.lsu.head;
  Cycle when = sm_free_;
  if (is_shared(op)) {
    when = std::max(when, data_free_);
    return std::max(when, is_store(op) ? lane.store_free : lane.return_free);
  }
  // Answers and the tag stage's progress step the LSU again.
  if (in_tag_stage_ >= config_.l1.queue_depth) return kNever;
  if (outstanding_sectors_ >= config_.l1.miss_entries && !is_store(op)) return kNever;
  // The port is needed only when the look-up is done: requests queue in front of it no longer than that.
  const Cycle port = port_.free_at();
  return std::max(when, port > config_.l1.miss_latency ? port - config_.l1.miss_latency : 0);
}

Cycle Lsu::step(Cycle now) {
  const std::uint32_t smsps = config_.smsp.count;
  for (std::uint32_t i = 0; i < smsps; ++i) {
    Lane& lane = lanes_[(next_smsp_ + i) % smsps];
    if (earliest_pass(lane) > now) continue;
    next_smsp_ = (next_smsp_ + i + 1) % smsps;
    pass(now, lane);
    break;
  }
  Cycle next = kNever;
  for (std::uint32_t i = 0; i < smsps; ++i) {
    Lane& lane = lanes_[i];
    if (earliest_transfer(lane) <= now) start_transfer(now, lane);
    next = std::min({next, earliest_transfer(lane), earliest_pass(lane)});
  }
  return next == kNever ? kNever : std::max(next, now + 1);
}

void Lsu::read(GpuGauges::Sm& gauges, std::uint32_t smsps) const {
  gauges.mio.resize(smsps);
  for (std::uint32_t i = 0; i < smsps; ++i) gauges.mio[i] = lanes_[i].mio_size;
  gauges.lsu = in_lsu_queues_;
  gauges.tag_stage = in_tag_stage_;
  gauges.outstanding_sectors = outstanding_sectors_;
}

void Lsu::pass(Cycle now, Lane& lane) {
  MemoryOperation& op = lane.lsu.pop();
  --in_lsu_queues_;
  lane.stores -= is_store(op);
  sm_free_ = now + config_.mio.interval_sm;
  ++counters_.lsu_requests;
  if (is_shared(op)) {
    shared_access(now, lane, op);
  } else {
    global_access(now, lane, op);
  }
  if (observer_ != nullptr) observer_->passed_arbiter(now, op);
}

/// Takes the data stage for a cycle a wavefront from `now` on, and one SMSP's port, which needs
/// `shared.return_interval` cycles for each. Returns the cycle of the last wavefront at the port.
Cycle Lsu::data_stage(Cycle now, const MemoryOperation& op, Cycle& port_free) {
  const std::uint32_t wavefronts = op.data_wavefronts;
  if (wavefronts == 0) return now;
  const Cycle start = std::max(now, data_free_);
  data_free_ = start + wavefronts;
  counters_.data_stage_busy += wavefronts;
  if (observer_ != nullptr) observer_->data_stage(start, data_free_, op);
  const std::uint32_t interval = config_.shared.return_interval;
  const bool copy = op.kind == MemoryKind::kAsyncCopy;
  if (copy) counters_.copy_data_stage_busy += wavefronts;
  (copy || is_store(op) ? counters_.store_port_busy : counters_.return_port_busy) += Cycle{interval} * wavefronts;
  const Cycle last = std::max(start, port_free) + Cycle{interval} * (wavefronts - 1);
  port_free = last + interval;
  return last;
}

void Lsu::shared_access(Cycle now, Lane& lane, MemoryOperation& op) {
  const bool returns = op.shuffle || op.kind == MemoryKind::kLoad || op.kind == MemoryKind::kLoadMatrix ||
                       op.kind == MemoryKind::kAtomic;
  const Cycle last = data_stage(now, op, returns ? lane.return_free : lane.store_free);
  std::uint32_t latency = config_.shared.latency;
  if (op.kind == MemoryKind::kLoad && op.instruction->memory.bytes == 8) latency = config_.shared.latency_64;
  if (op.kind == MemoryKind::kLoad && op.instruction->memory.bytes == 16) latency = config_.shared.latency_128;
  if (op.shuffle) latency = config_.shared.shuffle_latency;
  if (op.kind == MemoryKind::kAtomic || op.kind == MemoryKind::kReduction) latency = config_.shared.atomic_latency;
  complete(last, op, behind_front(op, latency));
}

/// What is left of an unloaded latency, counted from the issue, once the instruction has passed the arbiter.
std::uint32_t Lsu::behind_front(const MemoryOperation& op, std::uint32_t latency) const {
  const std::uint32_t front = front_latency(op);
  return latency > front ? latency - front : 1;
}

/// Schedules the end of an operation: `latency` cycles after its last wavefront.
void Lsu::complete(Cycle last, MemoryOperation& op, std::uint32_t latency) {
  const auto kind = op.kind == MemoryKind::kAsyncCopy ? SmEvent::Kind::kCopyLanded : SmEvent::Kind::kWriteBack;
  wheel_.schedule(last + std::max(1u, latency), {.kind = kind, .warp = op.warp, .object = &op});
}

// ---------------------------------------------------------------- global, local, cp.async

void Lsu::global_access(Cycle now, Lane& lane, MemoryOperation& op) {
  // The tag stage works in order: the look-ups begin when those of its predecessors are done.
  const std::uint32_t per_cycle = config_.l1.lines_per_cycle;
  const Cycle start = std::max(now, tag_free_);
  tag_free_ = start + std::max(1u, (op.lines + per_cycle - 1) / per_cycle);
  counters_.tag_stage_busy += tag_free_ - start;
  ++in_tag_stage_;
  wheel_.schedule(tag_free_, {.kind = SmEvent::Kind::kTagsDone});
  if (op.kind == MemoryKind::kStore || op.kind == MemoryKind::kReduction) {
    for (std::uint32_t i = 0; i < op.lines; ++i) {
      if (op.space == Space::kLocal) {
        if (L1Cache::Line* line = l1_.touch(op.line[i]); line != nullptr) {
          line->valid |= static_cast<std::uint8_t>(op.sectors[i] & ~line->pending);
        }
      }
      const PacketKind kind = is_store(op) ? PacketKind::kWrite : PacketKind::kReduction;
      ++op.pending;
      ++op.warp->unacknowledged_stores;
      send(start + config_.l1.miss_latency + i / per_cycle, &op, op.line[i], op.sectors[i], kind, op.lanes_on[i]);
    }
    // The warp's slot does not wait for the acknowledgements; fences and the end of the launch do.
    --op.warp->outstanding;
    return;
  }
  for (std::uint32_t i = 0; i < op.lines; ++i) look_up(start + i / per_cycle, op, i);
  if (op.pending > 0) return;
  if (op.kind == MemoryKind::kAsyncCopy) {
    complete(data_stage(start, op, lane.store_free), op, behind_front(op, config_.copy.hit_latency));
  } else {
    complete(data_stage(start, op, lane.return_free), op, behind_front(op, config_.l1.hit_latency));
  }
}

void Lsu::look_up(Cycle when, MemoryOperation& op, std::uint32_t i) {
  const Cycle departs = when + config_.l1.miss_latency;
  const std::uint8_t wanted = op.sectors[i];
  if (op.kind == MemoryKind::kAtomic) {
    ++op.pending;
    send(departs, &op, op.line[i], wanted, PacketKind::kAtomic, op.lanes_on[i]);
    return;
  }
  L1Cache::Line* line = op.use_l1 ? l1_.touch(op.line[i]) : nullptr;
  if (line == nullptr) {
    ++op.pending;
    send(departs, &op, op.line[i], wanted, PacketKind::kRead, 0);
    return;
  }
  // A sector that is on its way counts as a hit, as the profiler has it.
  const auto hit = static_cast<std::uint8_t>(wanted & (line->valid | line->pending));
  const auto absent = static_cast<std::uint8_t>(wanted & ~line->valid);
  const auto fresh = static_cast<std::uint8_t>(absent & ~line->pending);
  const bool local = op.space == Space::kLocal;
  (op.kind == MemoryKind::kAsyncCopy ? counters_.async_copy_sector_hits
   : local                           ? counters_.local_load_sector_hits
                                     : counters_.global_load_sector_hits) += count(hit);
  if (absent == 0) return;
  L1Cache::Waiter* waiter = waiters_.take();
  *waiter = {line->waiters, &op, absent};
  line->waiters = waiter;
  ++op.pending;
  if (fresh != 0) {
    line->pending |= fresh;
    send(departs, nullptr, op.line[i], fresh, PacketKind::kRead, 0);
  }
}

void Lsu::send(Cycle when, MemoryOperation* owner, std::uint64_t line, std::uint8_t sectors, PacketKind kind,
               std::uint32_t operations) {
  Packet* packet = packets_.take();
  *packet = Packet{.line = line,
                   .owner = owner,
                   .kind = kind,
                   .sectors = sectors,
                   .operations = static_cast<std::uint16_t>(operations)};
  if (kind == PacketKind::kRead || kind == PacketKind::kAtomic) {
    outstanding_sectors_ += count(sectors);
    counters_.l2_read_sectors += count(sectors);
  } else {
    counters_.l2_write_sectors += count(sectors);
  }
  port_.send(when, *packet);
}

void Lsu::answer(Cycle now, Packet& packet) {
  auto* op = static_cast<MemoryOperation*>(packet.owner);
  const PacketKind kind = packet.kind;
  const std::uint64_t line = packet.line;
  const std::uint8_t sectors = packet.sectors;
  packets_.give(&packet);
  if (kind == PacketKind::kWrite || kind == PacketKind::kReduction) {
    // The warp may be gone: it does not wait for acknowledgements, and its slot may hold another one by now.
    if (op->warp->age == op->warp_age) --op->warp->unacknowledged_stores;
    if (--op->pending == 0) {
      wheel_.schedule(now + 1, {.kind = SmEvent::Kind::kWriteBack, .warp = op->warp, .object = op});
    }
    return;
  }
  outstanding_sectors_ -= count(sectors);
  if (op != nullptr) {
    one_answer(now, *op);
  } else {
    sectors_arrived(now, line, sectors);
  }
}

void Lsu::sectors_arrived(Cycle now, std::uint64_t address, std::uint8_t sectors) {
  L1Cache::Line* line = l1_.find(address);
  if (line == nullptr) throw ModelError("L1 fill for a line that is gone");
  line->valid |= sectors;
  line->pending &= static_cast<std::uint8_t>(~sectors);
  // The list is last in, first out; data go to the oldest first.
  L1Cache::Waiter* oldest_first = nullptr;
  for (L1Cache::Waiter* w = std::exchange(line->waiters, nullptr); w != nullptr;) {
    L1Cache::Waiter* next = std::exchange(w->next, oldest_first);
    oldest_first = w;
    w = next;
  }
  for (L1Cache::Waiter* w = oldest_first; w != nullptr;) {
    L1Cache::Waiter* next = w->next;
    w->sectors &= static_cast<std::uint8_t>(~sectors);
    if (w->sectors == 0) {
      one_answer(now, *w->operation);
      waiters_.give(w);
    } else {
      w->next = std::exchange(line->waiters, w);
    }
    w = next;
  }
}

void Lsu::one_answer(Cycle now, MemoryOperation& op) {
  if (--op.pending > 0) return;
  Lane& lane = lanes_[op.warp->smsp];
  if (op.kind == MemoryKind::kAsyncCopy) {
    complete(data_stage(now, op, lane.store_free), op, config_.copy.write_latency);
  } else {
    complete(data_stage(now, op, lane.return_free), op, config_.l1.fill_latency);
  }
}

}  // namespace smpipe
