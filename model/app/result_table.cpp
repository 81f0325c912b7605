#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/run_result.h"
#include "core/text.h"

namespace smpipe::app {
namespace {

constexpr std::size_t kColumns = 100;

enum class Show { kPercent, kCount, kBytes };

/// Metrics worth a line in the table; the JSON has all.
struct KeyMetric {
  const char* label;
  const char* name;
  Show show;
};

constexpr KeyMetric kKeyMetrics[] = {
    {"Issue slots used", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed", Show::kPercent},
    {"ALU pipe", "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", Show::kPercent},
    {"FMA pipe", "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", Show::kPercent},
    {"FP64 pipe", "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", Show::kPercent},
    {"Tensor pipe", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", Show::kPercent},
    {"Shared wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", Show::kCount},
    {"Bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", Show::kCount},
    {"L1 hit rate", "l1tex__t_sector_hit_rate.pct", Show::kPercent},
    {"L2 hit rate", "lts__t_sector_hit_rate.pct", Show::kPercent},
    {"DRAM throughput", "dram__throughput.avg.pct_of_peak_sustained_elapsed", Show::kPercent},
    {"DRAM read", "dram__bytes_read.sum", Show::kBytes},
    {"DRAM written", "dram__bytes_write.sum", Show::kBytes},
};

std::string bytes_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.2f} {}", bytes, units[unit]);
}

std::string metric_text(double value, Show show) {
  switch (show) {
    case Show::kPercent:
      return fmt::format("{:.1f} %", value);
    case Show::kCount:
      return value >= 0 && value < 1e18 ? grouped(static_cast<unsigned long long>(std::llround(value)))
                                        : fmt::format("{:g}", value);
    case Show::kBytes:
      return bytes_text(value);
  }
  return {};
}

std::string dim_text(const Dim3& d) {
  if (d.z != 1) return fmt::format("{} x {} x {}", d.x, d.y, d.z);
  if (d.y != 1) return fmt::format("{} x {}", d.x, d.y);
  return fmt::format("{}", d.x);
}

/// "1 block", "8 x 8 blocks".
std::string counted(const std::string& number, std::uint64_t count, const std::string& noun) {
  return number + " " + noun + (count == 1 ? "" : "s");
}

std::string counted_number(std::uint64_t count, const std::string& noun) {
  return counted(grouped(count), count, noun);
}

/// Breaks at blanks so that no line is longer than the table; further lines are indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out, line;
  std::size_t at = 0;
  const std::size_t room = kColumns - indent;
  while (at < text.size()) {
    std::size_t end = text.find_first_of(" \n", at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > room) {
      out += line + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    if (end < text.size() && text[end] == '\n') {
      out += line + "\n" + std::string(indent, ' ');
      line.clear();
    }
    at = end + 1;
  }
  return out + line;
}

/// Keeps the end of a path: the file name says more than the folders.
std::string shortened(const std::string& text, std::size_t room) {
  return text.size() <= room ? text : "..." + text.substr(text.size() - room + 3);
}

class Table {
 public:
  explicit Table(const RunResult& result) : r_(result), s_(result.simulation) {}

  std::string text() {
    header();
    totals();
    stalls();
    metrics();
    reports();
    checks();
    warnings();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  void row(const std::string& label, const std::string& value) { line("  {:18}{}", label, wrapped(value, 20)); }

  void header() {
    const LaunchShape& shape = r_.launch.shape;
    line("{}", shortened(r_.launch.kernel, kColumns));
    if (!r_.launch.description.empty()) line("{}", wrapped(r_.launch.description, 0));
    out_ += "\n";
    row("Launch", shortened(r_.launch.file, kColumns - 20));
    row("Configuration", fmt::format("{} ({}, {})", r_.config.name, r_.config.config.gpu.name, r_.launch.architecture));
    row("Grid, block", fmt::format("{} of {}", counted(dim_text(shape.grid), shape.grid.count(), "block"),
                                   counted(dim_text(shape.block), shape.block.count(), "thread")));
    row("Per thread, block", fmt::format("{} registers; {} shared memory ({} dynamic)", shape.registers_per_thread,
                                         bytes_text(shape.static_shared_bytes + shape.dynamic_shared_bytes),
                                         bytes_text(shape.dynamic_shared_bytes)));
    out_ += "\n";
  }

  void totals() {
    row("Cycles",
        fmt::format("{}   ({:.2f} us at {:g} MHz)", grouped(s_.cycles), s_.time_us, r_.config.config.gpu.sm_clock_mhz));
    row("Instructions",
        fmt::format("{} warp instructions, {:.3g} per cycle and SM", grouped(s_.warp_instructions), s_.ipc_per_sm));
    row("Occupancy", fmt::format("{}, {} per SM, limited by {}", counted_number(s_.occupancy.blocks_per_sm, "block"),
                                 counted_number(s_.occupancy.warps_per_sm, "warp"), s_.occupancy.limiter));
    const Coverage& c = s_.coverage;
    if (c.mode == "full") {
      row("Coverage",
          fmt::format("full: {} on {}", counted_number(c.blocks_total, "block"), counted_number(c.sms, "SM")));
    } else {
      row("Coverage", fmt::format("{}: {} of {} blocks, {} SMs; cycles ± {:.1f} %", c.mode, grouped(c.blocks),
                                  grouped(c.blocks_total), c.sms, 100 * c.error_bound));
    }
    row("Host", fmt::format("{:.2f} s, {} warp instructions per second, {:.0f} MiB", s_.wall_s,
                            s_.wall_s > 0 ? grouped(static_cast<unsigned long long>(
                                                static_cast<double>(s_.warp_instructions) / s_.wall_s))
                                          : "-",
                            s_.peak_rss_mib));
    out_ += "\n";
  }

  void stalls() {
    constexpr std::size_t kBar = 60;
    auto sorted = s_.stalls;
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    line("Where the warps' time goes (share of resident warp-cycles)");
    double rest = 0;
    std::size_t hidden = 0;
    for (const auto& [name, share] : sorted) {
      // Below half of what the first decimal shows, a line says nothing.
      if (!(share >= 0.0005)) {
        rest += share;
        ++hidden;
        continue;
      }
      const auto length = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kBar));
      line("  {:20}{:6.1f} %{}{}", name, 100 * share, length == 0 ? "" : "  ", std::string(length, '#'));
    }
    if (hidden != 0) line("  {:20}{:6.1f} %", fmt::format("{} others", hidden), 100 * rest);
    out_ += "\n";
  }

  void metrics() {
    line("Key metrics ({} in all with --json)", s_.metrics.size());
    for (const KeyMetric& key : kKeyMetrics) {
      const auto found =
          std::find_if(s_.metrics.begin(), s_.metrics.end(), [&](const auto& m) { return m.first == key.name; });
      if (found == s_.metrics.end()) continue;
      // No access of that kind, so no rate: not worth a line.
      if (!found->second) continue;
      line("  {:18}{:>14}  {}", key.label, metric_text(*found->second, key.show), key.name);
    }
  }

  void reports() {
    if (r_.reports.empty()) return;
    line("\nReported by the kernel");
    for (const ReportValue& report : r_.reports) {
      line("  {:24}{:>14.6g} {}", shortened(report.name, 24), report.value, report.unit);
    }
  }

  void checks() {
    if (!r_.checked) {
      line("\nCheck  not checked: only a part of the blocks was simulated");
      return;
    }
    if (r_.checks.empty()) return;
    out_ += "\n";
    for (const CheckResult& check : r_.checks) {
      line("Check  {}",
           wrapped(fmt::format("{} {}: {}", check.kind, check.passed ? "passed" : "FAILED", check.detail), 7));
    }
  }

  void warnings() {
    for (const std::string& warning : s_.warnings) line("\nWarning  {}", wrapped(warning, 9));
  }

  const RunResult& r_;
  const SimulationResult& s_;
  std::string out_;
};

}  // namespace

std::string result_table(const RunResult& result) { return Table(result).text(); }

}  // namespace smpipe::app
