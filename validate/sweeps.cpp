#include "validate/sweeps.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <regex>

#include "validate/natural_order.h"

namespace smpipe::validate {
namespace {

/// Names that belong to a sweep. `x` and `series` are templates: $1, $2 stand for the parts in parentheses.
struct Pattern {
  const char* name;
  const char* x;
  const char* series;
};

struct SweepRule {
  const char *name, *title, *x_label, *y_label;
  bool x_log, y_log;
  const char* quantity;
  std::vector<Pattern> patterns;
};

constexpr const char* kCycles = "cycles";

const std::vector<SweepRule>& rules() {
  static const std::vector<SweepRule> all = {
      {"stages",
       "Stages of the copy pipeline, by tile size",
       "stages (0: synchronous)",
       kCycles,
       false,
       false,
       kCycles,
       {{"tile_stream_(sync|[0-9]+stage)_([0-9]+)k_w32_b132", "$1", "$2 KiB"},
        {"tile_stream_(sync|[0-9]+stage)", "$1", "16 KiB"}}},
      {"arithmetic",
       "Arithmetic per tile, by stages",
       "rounds of arithmetic per tile",
       kCycles,
       false,
       false,
       kCycles,
       {{"tile_stream_(sync|[0-9]stage)_16k_w([0-9]+)_b132", "$2", "$1"},
        {"tile_stream_(sync|[1-4]stage)", "32", "$1"}}},
      {"blocks",
       "Blocks in the grid, by stages",
       "blocks",
       kCycles,
       false,
       false,
       kCycles,
       {{"tile_stream_(sync|[0-9]stage)_16k_w32_b([0-9]+)", "$2", "$1"},
        {"tile_stream_(sync|[23]stage)", "132", "$1"}}},
      {"hgemm",
       "BF16 GEMM: stages, by size",
       "stages (0: synchronous)",
       kCycles,
       false,
       true,
       kCycles,
       {{"hgemm_(sync|[0-9]stage)_([0-9]+)", "$1", "$2"}, {"hgemm_(3stage)", "$1", "1024"}}},
      {"sgemm",
       "FP32 GEMM: stages, by size",
       "stages (0: synchronous)",
       kCycles,
       false,
       true,
       kCycles,
       {{"sgemm_(sync|[0-9]stage)_([0-9]+)", "$1", "$2"}}},
      {"footprint",
       "Load latency by footprint",
       "footprint (KiB)",
       "cycles per load",
       true,
       false,
       "latency",
       {{"global_chase_(ca|cg)_([0-9]+[km])", "$2", ".$1"},
        {"global_chase_l1_ca", "16", ".ca"},
        {"global_chase_l2_(ca|cg)", "1m", ".$1"}}},
      {"conflict",
       "Shared-memory load latency by conflict degree",
       "ways",
       "cycles per load",
       true,
       true,
       "latency",
       {{"lds_chain_([0-9]+)way", "$1", "LDS.32"}}},
      {"wide_loads",
       "Latency of wide shared-memory loads",
       "bytes from lane to lane, or row to row",
       "cycles per load",
       false,
       false,
       "latency",
       {{"lds_chain_(64|128)_([0-9]+)b", "$2", "LDS.$1"}, {"ldsm_chain_(x[124])_([0-9]+)b", "$2", "LDSM.$1"}}},
      {"barrier",
       "Barrier by warps",
       "warps",
       "cycles per barrier",
       true,
       false,
       "barrier",
       {{"bar_sync_([0-9]+)w", "$1", "BAR.SYNC"}}},
      {"shared_rate",
       "Shared-memory throughput by warps, no conflicts",
       "warps",
       "cycles per access",
       true,
       true,
       "cycles_per_access",
       {{"(lds|sts)_rate_(32)_4b_([0-9]+)w", "$3", "$1.$2"},
        {"(lds|sts)_rate_(64)_8b_([0-9]+)w", "$3", "$1.$2"},
        {"(lds|sts)_rate_(128)_16b_([0-9]+)w", "$3", "$1.$2"}}},
      {"conflict_rate",
       "Shared-memory throughput by lane distance",
       "bytes from lane to lane",
       "cycles per access",
       false,
       false,
       "cycles_per_access",
       {{"lds_rate_32_([0-9]+)b_([0-9]+)w", "$1", "$2 warps"}}},
      {"pipes",
       "Issue interval of the pipes by warps",
       "warps",
       "cycles per instruction of each warp",
       true,
       true,
       "cycles_per_instruction",
       {{"pipe_([a-z0-9]+)_rate_([0-9]+)w", "$2", "$1"}}},
      {"burst_issued_1w",
       "Burst of memory instructions from 1 warp: all issued",
       "instructions in a row",
       "cycles",
       false,
       false,
       "handed_over",
       {{"burst_(lds|ldg|ldgsts|sts)_([0-9]+)_1w", "$2", "$1"}}},
      {"burst_complete_1w",
       "Burst of memory instructions from 1 warp: all complete",
       "instructions in a row",
       "cycles",
       false,
       false,
       "complete",
       {{"burst_(lds|ldg|ldgsts|sts)_([0-9]+)_1w", "$2", "$1"}}},
      {"burst_issued_conflicts_1w",
       "Burst of memory instructions from 1 warp, with conflicts: all issued",
       "instructions in a row",
       "cycles",
       false,
       false,
       "handed_over",
       {{"burst_(lds|ldg|ldgsts|sts)_([0-9]+)_1w_([0-9]+)way", "$2", "$1, $3-way"}}},
      {"burst_complete_conflicts_1w",
       "Burst of memory instructions from 1 warp, with conflicts: all complete",
       "instructions in a row",
       "cycles",
       false,
       false,
       "complete",
       {{"burst_(lds|ldg|ldgsts|sts)_([0-9]+)_1w_([0-9]+)way", "$2", "$1, $3-way"}}},
      {"burst_issued_8w",
       "Burst of memory instructions from 8 warps: all issued",
       "instructions in a row",
       "cycles",
       false,
       false,
       "handed_over",
       {{"burst_(lds|ldg|ldgsts|sts)_([0-9]+)_8w", "$2", "$1"}}},
      {"burst_complete_8w",
       "Burst of memory instructions from 8 warps: all complete",
       "instructions in a row",
       "cycles",
       false,
       false,
       "complete",
       {{"burst_(lds|ldg|ldgsts|sts)_([0-9]+)_8w", "$2", "$1"}}},
      {"burst_issued_conflicts_8w",
       "Burst of memory instructions from 8 warps, with conflicts: all issued",
       "instructions in a row",
       "cycles",
       false,
       false,
       "handed_over",
       {{"burst_(lds|ldg|ldgsts|sts)_([0-9]+)_8w_([0-9]+)way", "$2", "$1, $3-way"}}},
      {"burst_complete_conflicts_8w",
       "Burst of memory instructions from 8 warps, with conflicts: all complete",
       "instructions in a row",
       "cycles",
       false,
       false,
       "complete",
       {{"burst_(lds|ldg|ldgsts|sts)_([0-9]+)_8w_([0-9]+)way", "$2", "$1, $3-way"}}},
      {"in_flight",
       "Copies in flight, by warps per block",
       "blocks",
       "cycles per copy and SM",
       false,
       false,
       "cycles_per_copy",
       {{"copies_in_flight_([0-9]+)w_([0-9]+)b", "$2", "$1 warps"}}},
      {"read_blocks",
       "Read of 4 MiB from L2, by blocks",
       "blocks",
       kCycles,
       true,
       true,
       kCycles,
       {{"stream_read_cg_4m_([0-9]+)b", "$1", "LDG.128.cg"}}},
      {"stride",
       "Strided 4-byte reads from DRAM",
       "words from lane to lane",
       kCycles,
       true,
       false,
       kCycles,
       {{"strided_read_s([0-9]+)_o0", "$1", "LDG.32"}}},
      {"read_size",
       "Read from DRAM, by size",
       "MiB",
       kCycles,
       true,
       true,
       kCycles,
       {{"stream_read_cg_([0-9]+)m_cold", "$1", "LDG.128.cg"}}},
  };
  return all;
}

/// "3stage": 3; "sync": 0; "16k": 16; "4m": 4096. Units are those of the axis.
double parse_x(const std::string& text) {
  if (text == "sync") return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return 0;
  return end != text.data() + text.size() && *end == 'm' ? 1024 * value : value;
}

/// "1 warps" in a template becomes "1 warp".
std::string singular(std::string name) {
  const auto at = name.find(" 1 warps");
  if (at != std::string::npos || name.starts_with("1 warps")) name.pop_back();
  return name;
}

using SeriesMap = std::map<std::string, std::vector<SweepPoint>>;

void add_point(const SweepRule& rule, const Point& point, SeriesMap& series) {
  for (const Pattern& pattern : rule.patterns) {
    std::smatch match;
    const std::regex expression(pattern.name);
    if (!std::regex_match(point.launch, match, expression)) continue;
    series[singular(match.format(pattern.series))].push_back(
        {parse_x(match.format(pattern.x)), point.measured, point.predicted});
    return;
  }
}

}  // namespace

std::vector<Sweep> find_sweeps(const std::vector<Point>& points) {
  std::vector<Sweep> sweeps;
  for (const SweepRule& rule : rules()) {
    SeriesMap series;
    for (const Point& point : points) {
      const bool usable = point.basis != Basis::kPublished && point.measured > 0 && point.predicted > 0;
      if (usable && point.quantity == rule.quantity) add_point(rule, point, series);
    }
    Sweep sweep{rule.name, rule.title, rule.x_label, rule.y_label, rule.x_log, rule.y_log, {}};
    std::size_t longest = 0;
    for (auto& [name, list] : series) {
      if (list.size() < 2) continue;
      longest = std::max(longest, list.size());
      std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
      sweep.series.push_back({name, std::move(list)});
    }
    std::sort(sweep.series.begin(), sweep.series.end(),
              [](const auto& a, const auto& b) { return natural_less(a.name, b.name); });
    if (longest >= 3) sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

}  // namespace smpipe::validate
