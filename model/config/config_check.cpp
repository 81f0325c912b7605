#include "config/config_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <type_traits>

#include "core/error.h"
#include "core/text.h"

namespace smpipe {
namespace {

/// Largest duration that a configuration may state, in cycles: longer ones are typing errors and would only make a
/// simulation look hung.
constexpr std::uint64_t kLongest = 1'000'000;
constexpr std::uint64_t kKiB = 1024;

class Checker {
 public:
  explicit Checker(const LoadedConfig& loaded) : loaded_(loaded), c_(loaded.config) {}

  void run() const {
    ranges();
    identity();
    occupancy();
    carveouts();
    sm();
    latencies();
    network_and_l2();
    memory();
  }

 private:
  /// A contradiction between several values is reported where it was most probably made: at an option, else in the
  /// file itself, else in a file that it inherits from.
  const ConfigEntry& blamed(const std::string& key, const std::vector<std::string>& others) const {
    const auto suspicion = [this](const ConfigEntry& e) { return e.line == 0 ? 2 : e.file == loaded_.file ? 1 : 0; };
    const ConfigEntry* worst = &loaded_.entry(key);
    for (const std::string& other : others) {
      const ConfigEntry& entry = loaded_.entry(other);
      if (suspicion(entry) > suspicion(*worst)) worst = &entry;
    }
    return *worst;
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& remedy,
                         const std::vector<std::string>& others = {}) const {
    const ConfigEntry& at = blamed(key, others);
    throw InputError(at.file, at.line, key + " = " + loaded_.entry(key).value + ": " + what, remedy);
  }
  void require(bool good, const std::string& key, const std::string& what, const std::string& remedy,
               const std::vector<std::string>& others = {}) const {
    if (!good) fail(key, what, remedy, others);
  }
  void at_most(const std::string& key, std::uint64_t value, std::uint64_t highest) const {
    require(value <= highest, key, "is larger than any GPU's", fmt::format("it must be at most {}", highest));
  }
  void multiple(const std::string& key, std::uint64_t value, std::uint64_t unit, const std::string& of,
                const std::vector<std::string>& others = {}) const {
    require(unit != 0 && value % unit == 0, key, fmt::format("is not a multiple of {} ({})", unit, of),
            fmt::format("the nearest multiples are {} and {}", unit ? value / unit * unit : 0,
                        unit ? (value / unit + 1) * unit : 0),
            others);
  }
  void power_of_two(const std::string& key, std::uint64_t value) const {
    require(std::has_single_bit(value), key, "is not a power of two",
            fmt::format("the nearest are {} and {}", std::bit_floor(value), std::bit_ceil(value)));
  }

  /// A latency may be zero, everything else is a width, a depth, a count or an interval: zero of it moves nothing.
  static bool may_be_zero(const std::string& key) {
    static const std::vector<std::string> kLinks = {"noc.request_latency", "noc.response_latency"};
    static const std::vector<std::string> kOthers = {"mio.interval_warp",
                                                     "occupancy.block_turnaround",
                                                     "occupancy.block_launch_interval",
                                                     "occupancy.shared_reserved_per_block",
                                                     "gpu.launch_overhead",
                                                     "fetch.prefetch_lines"};
    if (std::find(kLinks.begin(), kLinks.end(), key) != kLinks.end()) return false;
    return key.ends_with("latency") || std::find(kOthers.begin(), kOthers.end(), key) != kOthers.end();
  }

  void ranges() const {
    describe(c_, [&](const std::string& section, const std::string& name, const auto& value, const std::string& unit) {
      const std::string key = section + "." + name;
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
        require(value != 0 || may_be_zero(key), key, "must not be zero", "it must be at least 1");
        if (unit == "cycles" || unit == "memory clocks") {
          require(static_cast<double>(value) <= static_cast<double>(kLongest), key, "is longer than anything on a chip",
                  fmt::format("it must be at most {}", kLongest));
        }
      }
    });
  }

  void identity() const {
    const std::string& arch = c_.gpu.architecture;
    const bool good = arch.starts_with("sm_") && arch.size() > 3 &&
                      std::all_of(arch.begin() + 3, arch.end(), [](char d) { return d >= '0' && d <= '9'; });
    require(good, "gpu.architecture", "is not an architecture", "write for example \"sm_80\"");
    require(!c_.gpu.name.empty(), "gpu.name", "is empty", "name the GPU");
    at_most("gpu.sm_count", c_.gpu.sm_count, 1024);
    require(c_.gpu.sm_clock_mhz >= 1 && c_.gpu.sm_clock_mhz <= 100000, "gpu.sm_clock_mhz", "is not a clock in MHz",
            "it must lie between 1 and 100000");
    require(c_.gpu.sm_count >= c_.l2.partitions, "gpu.sm_count", "is smaller than the number of L2 partitions",
            "each partition needs an SM", {"l2.partitions"});
  }

  void occupancy() const {
    const OccupancyConfig& o = c_.occupancy;
    at_most("occupancy.warps_per_sm", o.warps_per_sm, 256);
    at_most("occupancy.blocks_per_sm", o.blocks_per_sm, 256);
    at_most("occupancy.registers_per_thread", o.registers_per_thread, 255);
    at_most("occupancy.unified_bytes", o.unified_bytes, 16 * kKiB * kKiB);
    multiple("occupancy.warps_per_sm", o.warps_per_sm, c_.smsp.count, "smsp.count", {"smsp.count"});
    multiple("occupancy.registers_per_sm", o.registers_per_sm, o.register_allocation_unit,
             "occupancy.register_allocation_unit", {"occupancy.register_allocation_unit"});
    multiple("occupancy.registers_per_sm", o.registers_per_sm, c_.smsp.count, "smsp.count", {"smsp.count"});
    multiple("occupancy.unified_bytes", o.unified_bytes, kLineBytes, "a cache line");
  }

  void carveouts() const {
    const OccupancyConfig& o = c_.occupancy;
    const std::string key = "occupancy.carveouts";
    require(!o.carveouts.empty(), key, "is empty", "list the possible shared-memory capacities in bytes");
    for (std::size_t i = 0; i < o.carveouts.size(); ++i) {
      const std::uint32_t bytes = o.carveouts[i];
      if (i != 0) require(o.carveouts[i - 1] < bytes, key, fmt::format("{} does not ascend", bytes), "sort the list");
      require(bytes <= o.unified_bytes, key, fmt::format("{} is larger than the unified memory", bytes),
              fmt::format("occupancy.unified_bytes is {}", o.unified_bytes), {"occupancy.unified_bytes"});
      require(o.carveouts[i] % kLineBytes == 0, key, fmt::format("{} is not a whole number of lines", bytes),
              "use multiples of 128 bytes");
    }
    known_carveouts();
    const std::uint64_t needed = std::uint64_t{o.shared_per_block} + o.shared_reserved_per_block;
    require(needed <= o.carveouts.back(), "occupancy.shared_per_block",
            fmt::format("with {} reserved bytes it exceeds the largest carve-out", o.shared_reserved_per_block),
            fmt::format("it must be at most {}",
                        o.carveouts.back() - std::min(o.carveouts.back(), o.shared_reserved_per_block)),
            {"occupancy.carveouts", "occupancy.shared_reserved_per_block"});
  }

  /// Carve-outs that the chip has, from the CUDA C++ Programming Guide and the Ampere and Hopper tuning guides.
  void known_carveouts() const {
    struct Chip {
      std::uint32_t unified_kib;
      std::vector<std::uint32_t> kib;
    };
    static const std::map<std::string, Chip> kChips = {
        {"sm_80", {192, {0, 8, 16, 32, 64, 100, 132, 164}}},
        {"sm_90", {256, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}}},
    };
    const auto chip = kChips.find(c_.gpu.architecture);
    // A changed capacity means a GPU that does not exist: its carve-outs are the architect's to choose.
    if (chip == kChips.end() || c_.occupancy.unified_bytes != chip->second.unified_kib * kKiB) return;
    const auto& allowed = chip->second.kib;
    for (const std::uint32_t bytes : c_.occupancy.carveouts) {
      const bool has = bytes % kKiB == 0 && std::find(allowed.begin(), allowed.end(), bytes / kKiB) != allowed.end();
      require(has, "occupancy.carveouts", fmt::format("{} has no carve-out of {} bytes", c_.gpu.architecture, bytes),
              fmt::format("it has {} KiB", fmt::join(allowed, ", ")));
    }
  }

  void sm() const {
    at_most("smsp.count", c_.smsp.count, 16);
    at_most("mio.queue_depth", c_.mio.queue_depth, 4096);
    at_most("l1.miss_entries", c_.l1.miss_entries, 1u << 20);
    at_most("l1.lines_per_cycle", c_.l1.lines_per_cycle, kLanes);
    at_most("shared.banks", c_.shared.banks, 1024);
    power_of_two("shared.banks", c_.shared.banks);
    power_of_two("shared.bank_bytes", c_.shared.bank_bytes);
    at_most("shared.bank_bytes", c_.shared.bank_bytes, 16);
    require(c_.shared.banks * c_.shared.bank_bytes >= 16, "shared.banks", "a wavefront cannot carry 16 bytes of a lane",
            "banks × bank_bytes must be at least 16");
  }

  void latencies() const {
    longer("shared.latency", c_.shared.latency, "mio.latency", c_.mio.latency);
    longer("l1.hit_latency", c_.l1.hit_latency, "mio.latency", c_.mio.latency);
    longer("copy.hit_latency", c_.copy.hit_latency, "mio.latency", c_.mio.latency);
    longer("copy.hit_latency", c_.copy.hit_latency, "copy.write_latency", c_.copy.write_latency);
  }
  void longer(const std::string& key, std::uint32_t value, const std::string& part, std::uint32_t part_value) const {
    require(value > part_value, key, fmt::format("is not longer than its part {} = {}", part, part_value),
            fmt::format("it must be at least {}", part_value + 1), {part});
  }

  void network_and_l2() const {
    const L2Config& l2 = c_.l2;
    at_most("noc.header_bytes", c_.noc.header_bytes, kLineBytes);
    at_most("noc.request_bytes_per_cycle", c_.noc.request_bytes_per_cycle, 4096);
    at_most("noc.response_bytes_per_cycle", c_.noc.response_bytes_per_cycle, 4096);
    require(l2.partitions <= 2, "l2.partitions", "more than two partitions are not modelled", "use 1 or 2");
    at_most("l2.slices", l2.slices, 4096);
    at_most("l2.ways", l2.ways, 256);
    at_most("l2.bytes", l2.bytes, 4 * kKiB * kKiB * kKiB);
    at_most("l2.bytes_per_cycle", l2.bytes_per_cycle, 4096);
    multiple("l2.slices", l2.slices, l2.partitions, "l2.partitions", {"l2.partitions"});
    multiple("l2.bytes", l2.bytes, std::uint64_t{l2.slices} * l2.ways * kLineBytes,
             "l2.slices × l2.ways × 128-byte lines", {"l2.slices", "l2.ways"});
    multiple("l2.partition_interleave_bytes", l2.partition_interleave_bytes, kLineBytes, "a cache line");
  }

  void memory() const {
    const HbmConfig& h = c_.hbm;
    at_most("hbm.stacks", h.stacks, 64);
    at_most("hbm.channels_per_stack", h.channels_per_stack, 256);
    at_most("hbm.banks", h.banks, 1024);
    at_most("hbm.bytes_per_clock", h.bytes_per_clock, 1024);
    at_most("hbm.queue_depth", h.queue_depth, 65536);
    at_most("hbm.burst_bytes", h.burst_bytes, kLineBytes);
    at_most("hbm.row_bytes", h.row_bytes, 1u << 20);
    require(h.clock_mhz >= 1 && h.clock_mhz <= 100000, "hbm.clock_mhz", "is not a clock in MHz",
            "it must lie between 1 and 100000");
    multiple("hbm.row_bytes", h.row_bytes, h.burst_bytes, "hbm.burst_bytes", {"hbm.burst_bytes"});
    multiple("hbm.burst_bytes", h.burst_bytes, h.bytes_per_clock, "hbm.bytes_per_clock", {"hbm.bytes_per_clock"});
    require(kLineBytes % h.burst_bytes == 0, "hbm.burst_bytes", "does not divide a 128-byte line", "use 32 or 64");
    require(h.t_rfc < h.t_refi, "hbm.t_rfc", "refresh lasts longer than its interval",
            fmt::format("it must be less than hbm.t_refi = {}", h.t_refi), {"hbm.t_refi"});
    require(h.t_ras >= h.t_rcd, "hbm.t_ras", "a row is closed before it can be read",
            fmt::format("it must be at least hbm.t_rcd = {}", h.t_rcd), {"hbm.t_rcd"});
    const std::uint32_t channels = h.stacks * h.channels_per_stack;
    require(channels % c_.l2.slices == 0 || c_.l2.slices % channels == 0, "l2.slices",
            fmt::format("neither divides nor is a multiple of the {} memory channels", channels),
            "each slice must own whole channels, or each channel serve whole slices",
            {"hbm.stacks", "hbm.channels_per_stack"});
  }

  const LoadedConfig& loaded_;
  const GpuConfig& c_;
};

}  // namespace

void check_config(const LoadedConfig& loaded) { Checker(loaded).run(); }

}  // namespace smpipe
