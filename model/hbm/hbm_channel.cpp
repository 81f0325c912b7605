#include "hbm/hbm_channel.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.h"

namespace smpipe {

HbmChannel::HbmChannel(const sc_core::sc_module_name& name, const GpuConfig& config, const AddressMap& map,
                       ClockDomain& domain)
    : Block(name),
      config_(config.hbm),
      memory_khz_(static_cast<std::uint64_t>(std::llround(config.hbm.clock_mhz * 1000))),
      sm_khz_(static_cast<std::uint64_t>(std::llround(config.gpu.sm_clock_mhz * 1000))),
      domain_(domain),
      map_(map),
      banks_(config.hbm.banks),
      next_refresh_(config.hbm.t_refi) {
  queue_.reserve(4 * config.hbm.queue_depth);
}

void HbmChannel::receive(Cycle, Packet& packet) {
  const std::uint64_t byte = map_.channel_line(packet.place) * kLineBytes;
  const std::uint64_t row = byte / config_.row_bytes;
  // Neighbouring rows lie in different banks; the XOR keeps power-of-two strides from meeting in one bank.
  const std::uint32_t bank = static_cast<std::uint32_t>((row ^ (row / config_.banks)) % config_.banks);
  queue_.push_back({&packet, row / config_.banks, bank, 0});
  arrived_ = true;
}

std::size_t HbmChannel::window() const { return std::min<std::size_t>(queue_.size(), config_.queue_depth); }

void HbmChannel::refresh(Tick t) {
  if (config_.t_refi == 0 || t < next_refresh_) return;
  const std::uint64_t missed = (t - next_refresh_) / config_.t_refi;  // idle refreshes disturb nobody
  counters_.refreshes += missed + 1;
  const Tick end = next_refresh_ + missed * config_.t_refi + config_.t_rfc;
  next_refresh_ += (missed + 1) * config_.t_refi;
  for (Bank& bank : banks_) {
    bank.open_row = kNoRow;
    bank.precharge_ready = std::max(bank.precharge_ready, end);
  }
}

void HbmChannel::activate(Tick t) {
  // The direction that is served has the banks first; a bank it does not want may prepare for the other.
  const std::uint64_t taken = activate_for(t, draining_writes_, 0);
  activate_for(t, !draining_writes_, taken);
}

/// Opens the row of each bank's oldest request of one direction, unless requests in the window still want the row that
/// is open. Leaves the banks in `taken` alone; returns the banks that this direction wants.
std::uint64_t HbmChannel::activate_for(Tick t, bool write, std::uint64_t taken) {
  std::uint64_t seen = taken, wanted = 0, closed = 0;
  const std::size_t count = window();
  for (std::size_t i = 0; i < count; ++i) {
    if (is_write(queue_[i]) != write) continue;
    const std::uint64_t bit = std::uint64_t{1} << queue_[i].bank;
    (banks_[queue_[i].bank].open_row == queue_[i].row ? wanted : closed) |= bit;
  }
  const std::uint64_t all = wanted | closed;
  if ((closed & ~taken) == 0) return all;
  for (std::size_t i = 0; i < count; ++i) {
    const Request& r = queue_[i];
    if (is_write(r) != write) continue;
    const std::uint64_t bit = std::uint64_t{1} << r.bank;
    if (seen & bit) continue;
    seen |= bit;
    Bank& bank = banks_[r.bank];
    if (bank.open_row == r.row) continue;
    if ((wanted & bit) && r.passed_over < config_.queue_depth) continue;
    open_row(t, bank, r.row);
  }
  return all;
}

void HbmChannel::open_row(Tick t, Bank& bank, std::uint64_t row) {
  const Tick precharge = std::max(t, bank.precharge_ready);
  const Tick ready = bank.open_row == kNoRow ? precharge : precharge + config_.t_rp;
  const Tick act = std::max(ready, last_activate_ + config_.t_rrd);
  last_activate_ = act;
  bank.open_row = row;
  bank.column_ready = act + config_.t_rcd;
  bank.precharge_ready = act + config_.t_ras;
  ++counters_.row_misses;
}

void HbmChannel::transfer(std::size_t index, Tick start) {
  const Request r = queue_[index];
  const bool write = is_write(r);
  const auto bytes = static_cast<std::uint32_t>(std::popcount(r.packet->sectors)) * kSectorBytes;
  const std::uint32_t moved = (bytes + config_.burst_bytes - 1) / config_.burst_bytes * config_.burst_bytes;
  const Tick duration = (moved + config_.bytes_per_clock - 1) / config_.bytes_per_clock;
  bus_free_ = start + duration;
  counters_.bus_busy_clocks += duration;
  ++counters_.row_hits;  // column accesses; activations are counted apart
  (write ? counters_.write_bytes : counters_.read_bytes) += moved;
  Bank& bank = banks_[r.bank];
  bank.precharge_ready = std::max(bank.precharge_ready, bus_free_ + (write ? config_.t_wr : 0));
  last_was_write_ = write;
  for (std::size_t i = 0; i < index; ++i) ++queue_[i].passed_over;
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(index));
  r.packet->is_answer = true;
  const Cycle done = std::max(to_sm(bus_free_) + config_.interface_latency, domain_.now() + 1);
  domain_.send(done, *r.packet->reply_to, *r.packet);
}

/// The bus stays in one direction as long as that is worth its turn: reads until half the window is writes, writes
/// until few are left, either until the window has none.
void HbmChannel::choose_direction() {
  const std::size_t count = window();
  std::size_t writes = 0;
  for (std::size_t i = 0; i < count; ++i) writes += is_write(queue_[i]);
  if (writes == count || writes * 2 >= config_.queue_depth) {
    draining_writes_ = true;
  } else if (writes * 8 < config_.queue_depth) {
    draining_writes_ = false;
  }
}

HbmChannel::Choice HbmChannel::best(Tick t, bool write) const {
  Choice choice;
  const std::size_t count = window();
  const Tick turn = write == last_was_write_ ? 0 : (last_was_write_ ? config_.t_wtr : config_.t_rtw);
  for (std::size_t i = 0; i < count; ++i) {
    const Request& r = queue_[i];
    const Bank& bank = banks_[r.bank];
    if (is_write(r) != write || bank.open_row != r.row) continue;
    const Tick column = std::max(t, bank.column_ready);
    const Tick start = std::max(column + config_.t_cl, bus_free_ + turn);
    if (start < choice.start) choice = {i, start};
  }
  return choice;
}

bool HbmChannel::serve(Tick t, Tick& retry) {
  Choice choice = best(t, draining_writes_);
  // A bank may hold a row open for the other direction only: then that one goes on, or nothing ever would.
  if (choice.start == kNever) choice = best(t, !draining_writes_);
  retry = kNever;
  if (choice.start == kNever) return false;
  // The column command goes out t_cl before the data; do not decide earlier than that.
  if (choice.start > t + config_.t_cl) {
    retry = choice.start - config_.t_cl;
    decided_until_ = choice.start <= bus_free_ ? retry : 0;
    return false;
  }
  transfer(choice.index, choice.start);
  return true;
}

Cycle HbmChannel::step(Cycle now) {
  if (queue_.empty()) return kNever;
  const Tick t = to_memory(now);
  // While the bus is taken far ahead nothing is decided: rows open early enough one activation before it is free.
  const Tick ahead = config_.t_rp + config_.t_rcd + config_.t_cl;
  if (bus_free_ > t + ahead) return std::max(now + 1, to_sm(bus_free_ - ahead));
  // A data transfer that will follow its predecessor without a gap cannot be beaten by a request that arrives
  // meanwhile.
  if (t < decided_until_) {
    if (arrived_) activate(t);
    arrived_ = false;
    return std::max(now + 1, to_sm(decided_until_));
  }
  refresh(t);
  arrived_ = false;
  Tick retry = kNever;
  do {
    choose_direction();
    activate(t);
  } while (serve(t, retry) && !queue_.empty());
  if (queue_.empty()) return kNever;
  if (retry == kNever) throw ModelError("HBM channel has requests and no open row for any of them");
  // A refresh closes the rows whether or not anything else happens then.
  if (config_.t_refi != 0) retry = std::min(retry, next_refresh_);
  return std::max(now + 1, to_sm(retry));
}

}  // namespace smpipe
