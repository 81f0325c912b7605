#include "validate/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "validate/natural_order.h"
#include "validate/sweeps.h"

namespace smpipe::validate {
namespace {

/// Okabe and Ito's colours: distinct for all common forms of colour vision, on white and on black.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c"};

const char* group_colour(Group group) {
  switch (group) {
    case Group::kComponent:
      return kColours[0];
    case Group::kPipeline:
      return kColours[1];
    case Group::kKernel:
      return kColours[2];
    case Group::kPublished:
      return kColours[3];
  }
  return kInk;
}

/// A component is represented by what it reports, everything else by its cycles.
bool plotted(const Point& p) {
  if (!(p.measured > 0) || !(p.predicted > 0)) return false;
  return p.group == Group::kComponent ? p.basis == Basis::kSelfTimed && p.unit == "cycles"
                                      : p.quantity == "cycles" || p.unit == "cycles";
}

constexpr std::array kGroups = {Group::kComponent, Group::kPipeline, Group::kKernel, Group::kPublished};

std::vector<const Point*> plotted_points(const Comparison& c, Group group) {
  std::vector<const Point*> out;
  for (const Point& p : c.points) {
    if (p.group == group && plotted(p)) out.push_back(&p);
  }
  return out;
}

double mean_error(const std::vector<const Point*>& points) {
  double sum = 0;
  for (const Point* p : points) sum += std::abs(p->error);
  return points.empty() ? 0 : 100 * sum / static_cast<double>(points.size());
}

std::string key_text(Group group, const std::vector<const Point*>& points) {
  const char* what = group == Group::kComponent ? "components, self-timed" : group_name(group);
  return gnuplot_text(fmt::format("{}: {} value{}, mean error {:.1f} %", what, points.size(),
                                  points.size() == 1 ? "" : "s", mean_error(points)));
}

const char* reference_name(const Comparison& c) {
  const bool published = !c.points.empty() && c.points.front().basis == Basis::kPublished;
  return published ? "published" : "measured";
}

/// Data blocks $G0..$G3, one per group with points: measured predicted error%.
struct GroupData {
  std::string blocks;
  std::vector<std::pair<Group, std::string>> keys;
  double low = INFINITY, high = 0;
};

GroupData group_data(const Comparison& c) {
  GroupData d;
  for (const Group group : kGroups) {
    const auto points = plotted_points(c, group);
    if (points.empty()) continue;
    d.blocks += fmt::format("$G{} << EOD\n", static_cast<int>(group));
    for (const Point* p : points) {
      d.blocks += fmt::format("{:.6g} {:.6g} {:.6g}\n", p->measured, p->predicted, 100 * p->error);
      d.low = std::min({d.low, p->measured, p->predicted});
      d.high = std::max({d.high, p->measured, p->predicted});
    }
    d.blocks += "EOD\n";
    d.keys.emplace_back(group, key_text(group, points));
  }
  return d;
}

std::string series_of_groups(const GroupData& d, const char* columns, bool keys) {
  std::string out;
  for (const auto& [group, key] : d.keys) {
    out += fmt::format(", $G{} using {} with points pt 7 ps 0.55 lc rgb '{}' {}", static_cast<int>(group), columns,
                       group_colour(group), keys ? "title " + key : "notitle");
  }
  return out;
}

std::optional<Figure> overview_figure(const Comparison& c) {
  const GroupData d = group_data(c);
  if (d.keys.empty()) return std::nullopt;
  const double low = std::pow(10, std::floor(std::log10(d.low))), high = std::pow(10, std::ceil(std::log10(d.high)));
  Figure f;
  f.title = "Predicted against measured";
  f.caption = "Cycles. The line is equality, the band ± 10 %.";
  f.picture = {"predicted-vs-measured", {}, 640, 590};
  f.picture.script = d.blocks;
  f.picture.script += fmt::format(
      "set logscale xy\nset xrange [{0:g}:{1:g}]\nset yrange [{0:g}:{1:g}]\nset format xy '10^{{%T}}'\n"
      "set xlabel \"{2} (cycles)\"\nset ylabel \"predicted (cycles)\"\nset key top left Left reverse\nset tmargin 1\n"
      "set samples 50\n"
      "plot '+' using 1:(0.9*$1):(1.1*$1) with filledcurves fc rgb '{3}' fs transparent solid 0.25 notitle, "
      "x with lines lc rgb '{3}' lw 1 notitle",
      low, high, reference_name(c), kMuted);
  f.picture.script += series_of_groups(d, "1:2", true);
  return f;
}

constexpr double kErrorLimit = 60;  ///< percent; what is further off is drawn at the edge

std::optional<Figure> error_figure(const Comparison& c) {
  const GroupData d = group_data(c);
  if (d.keys.empty()) return std::nullopt;
  Figure f;
  f.title = "Error by size";
  f.caption = fmt::format(
      "Signed error of every value. The band is ± 10 %; values beyond ± {:g} % are drawn at the edge.", kErrorLimit);
  f.picture = {"error-by-size", {}, 640, 270};
  f.picture.script = d.blocks;
  f.picture.script += fmt::format(
      "set logscale x\nset xrange [{0:g}:{1:g}]\nset yrange [-{2:g}:{2:g}]\nset format x '10^{{%T}}'\n"
      "set xlabel \"{3} (cycles)\"\nset ylabel \"error (%)\"\nset ytics 20\nset tmargin 0.8\nset samples 2\n"
      "clip(v) = v > {2:g} ? {2:g} : v < -{2:g} ? -{2:g} : v\n"
      "plot '+' using 1:(-10):(10) with filledcurves fc rgb '{4}' fs transparent solid 0.25 notitle, "
      "0 with lines lc rgb '{4}' lw 1 notitle",
      std::pow(10, std::floor(std::log10(d.low))), std::pow(10, std::ceil(std::log10(d.high))), kErrorLimit,
      reference_name(c), kMuted);
  f.picture.script += series_of_groups(d, "1:(clip($3))", false);
  return f;
}

/// Names of groups, each in its colour, in place of a key.
std::string group_labels(const std::vector<Group>& groups) {
  std::string out;
  double y = 0.97;
  for (const Group group : groups) {
    out += fmt::format("set label \"{}\" at graph 0.02, graph {:.2f} left textcolor rgb '{}'\n", group_name(group), y,
                       group_colour(group));
    y -= 0.09;
  }
  return out;
}

std::optional<Figure> histogram_figure(const Comparison& c) {
  constexpr int kBins = 20;  // -50 % to +50 %
  constexpr double kWidth = 5;
  std::vector<Group> groups;
  std::map<Group, std::array<int, kBins>> counts;
  for (const Group group : kGroups) {
    for (const Point* p : plotted_points(c, group)) {
      const int bin = static_cast<int>(std::floor(100 * p->error / kWidth)) + kBins / 2;
      ++counts[group][static_cast<std::size_t>(std::clamp(bin, 0, kBins - 1))];
    }
    if (counts.count(group) != 0) groups.push_back(group);
  }
  if (groups.empty()) return std::nullopt;
  Figure f;
  f.title = "Distribution of the errors";
  f.caption = "Values by signed error, in steps of 5 %. The outermost bars hold everything beyond.";
  f.picture = {"error-histogram", "$H << EOD\n", 640, 250};
  for (int bin = 0; bin < kBins; ++bin) {
    f.picture.script += fmt::format("{:g}", (bin - kBins / 2 + 0.5) * kWidth);
    int sum = 0;
    for (const Group group : groups) {
      const int count = counts[group][static_cast<std::size_t>(bin)];
      f.picture.script += fmt::format(" {} {}", sum, sum + count);
      sum += count;
    }
    f.picture.script += "\n";
  }
  f.picture.script +=
      "EOD\nset xlabel \"error (%)\"\nset ylabel \"values\"\nset xrange [-50:50]\nset yrange [0:*]\n"
      "set xtics 10\nset tmargin 0.8\nset grid noxtics\n" +
      group_labels(groups) + "plot ";
  for (std::size_t g = 0; g < groups.size(); ++g) {
    f.picture.script +=
        fmt::format("{}$H using 1:{}:($1-2.3):($1+2.3):{}:{} with boxxyerror fc rgb '{}' fs solid 0.9 noborder notitle",
                    g ? ", " : "", 2 * g + 2, 2 * g + 2, 2 * g + 3, group_colour(groups[g]));
  }
  return f;
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

/// Ranges with a margin, so that a label's height is known before gnuplot draws it.
Range y_range(const Sweep& sweep) {
  Range r;
  for (const SweepSeries& s : sweep.series) {
    for (const SweepPoint& p : s.points) {
      r.add(p.measured);
      r.add(p.predicted);
    }
  }
  if (sweep.y_log) return {r.low / 1.25, r.high * 1.25};
  return {0, r.high * 1.08};
}

/// Heights in the graph (0 to 1) for labels at the curves' ends: near them, but not on top of each other.
std::vector<double> label_heights(const Sweep& sweep, const Range& range) {
  constexpr double kGap = 0.058;
  std::vector<double> heights;
  for (const SweepSeries& s : sweep.series) {
    const double y = s.points.back().predicted;
    heights.push_back(sweep.y_log ? std::log(y / range.low) / std::log(range.high / range.low)
                                  : (y - range.low) / (range.high - range.low));
  }
  std::vector<std::size_t> order(heights.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return heights[a] < heights[b]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    heights[order[i]] = std::max(heights[order[i]], heights[order[i - 1]] + kGap);
  }
  double ceiling = 1.0;
  for (std::size_t i = order.size(); i-- > 0;) {
    heights[order[i]] = std::min(heights[order[i]], ceiling);
    ceiling = heights[order[i]] - kGap;
  }
  return heights;
}

std::string sweep_x_axis(const Sweep& sweep) {
  std::set<double> xs;
  for (const SweepSeries& s : sweep.series) {
    for (const SweepPoint& p : s.points) xs.insert(p.x);
  }
  const double low = *xs.begin(), high = *xs.rbegin();
  if (!sweep.x_log)
    return (high - low <= 8 ? std::string("set xtics 1\n") : "") +
           fmt::format("set xrange [{:g}:{:g}]\n", low - 0.03 * (high - low), high + 0.03 * (high - low));
  std::string out = fmt::format("set logscale x 2\nset xrange [{:g}:{:g}]\n", low / 1.15, high * 1.15);
  // Powers of two are written out; many decades would collide.
  if (high / low > 600)
    return out + "set xtics ('16' 16, '64' 64, '256' 256, '1 Mi' 1024, '4 Mi' 4096, '16 Mi' 16384, '64 Mi' 65536)\n";
  return out;
}

/// Marks at 1, 2 and 5 of every decade, and more in a range of less than one: gnuplot's own are too few.
std::string log_tics(const Range& range) {
  const bool narrow = range.high < 10 * range.low;
  const std::vector<double> digits =
      narrow ? std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8} : std::vector<double>{1, 2, 5};
  std::string list;
  for (double decade = std::pow(10, std::floor(std::log10(range.low))); decade < range.high; decade *= 10) {
    for (const double digit : digits) {
      const double tic = decade * digit;
      if (tic >= range.low && tic <= range.high) list += fmt::format("{}{:.12g}", list.empty() ? "" : ", ", tic);
    }
  }
  return "set logscale y\nunset mytics\nset ytics (" + list + ")\n";
}

Figure sweep_figure(const Sweep& sweep) {
  const Range range = y_range(sweep);
  const auto heights = label_heights(sweep, range);
  Figure f;
  f.section = Figure::Section::kSweep;
  f.title = sweep.title;
  f.picture = {"sweep-" + sweep.name, {}, 560, 360};
  std::string& script = f.picture.script;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < sweep.series.size(); ++i) {
    script += fmt::format("$S{} << EOD\n", i);
    for (const SweepPoint& p : sweep.series[i].points) {
      script += fmt::format("{:g} {:.6g} {:.6g}\n", p.x, p.measured, p.predicted);
    }
    script += "EOD\n";
    longest = std::max(longest, sweep.series[i].name.size());
  }
  script += sweep_x_axis(sweep);
  script += fmt::format("{}set yrange [{:g}:{:g}]\nset xlabel {}\nset ylabel {}\nset rmargin {}\nset tmargin 0.8\n",
                        sweep.y_log ? log_tics(range) : "", range.low, range.high, gnuplot_text(sweep.x_label),
                        gnuplot_text(sweep.y_label), longest + 3);
  for (std::size_t i = 0; i < sweep.series.size(); ++i) {
    script += fmt::format("set label {} at graph 1.02, graph {:.3f} left textcolor rgb '{}'\n",
                          gnuplot_text(sweep.series[i].name), heights[i], kColours[i % kColours.size()]);
  }
  script += "plot ";
  for (std::size_t i = 0; i < sweep.series.size(); ++i) {
    script += fmt::format(
        "{0}$S{1} using 1:3 with lines lw 1.6 lc rgb '{2}' notitle, $S{1} using 1:2 with points pt 7 ps 0.6 lc rgb "
        "'{2}' "
        "notitle",
        i ? ", " : "", i, kColours[i % kColours.size()]);
  }
  return f;
}

/// Launches whose stalls are drawn: the basic pipelines and GEMMs of one size, not every point of every sweep.
bool stall_bars_wanted(const StallComparison& s) {
  static const std::regex names(
      "tile_stream_(sync|[0-9]+stage)|pipeline_object|[hs]gemm_[a-z0-9_]*(1024)|hgemm_3stage");
  return s.group != Group::kComponent && std::regex_match(s.launch, names);
}

/// Reasons in the order of their total; what is small everywhere ends up in "other".
std::vector<std::string> stall_reasons(const std::vector<const StallComparison*>& bars) {
  std::map<std::string, double> most, total;
  for (const StallComparison* s : bars) {
    for (const StallShare& share : s->shares) {
      most[share.reason] = std::max({most[share.reason], share.measured, share.predicted});
      total[share.reason] += share.measured + share.predicted;
    }
  }
  std::vector<std::string> reasons;
  for (const auto& [reason, share] : most) {
    if (share >= 0.05) reasons.push_back(reason);
  }
  std::sort(reasons.begin(), reasons.end(), [&](const auto& a, const auto& b) { return total[a] > total[b]; });
  if (reasons.size() > 9) reasons.resize(9);
  return reasons;
}

constexpr std::array kStallColours = {"#56b4e9", "#0072b2", "#e69f00", "#d55e00", "#009e73",
                                      "#cc79a7", "#f0e442", "#7f5fa9", "#8b5a2b", "#b8bec5"};

/// Where the parts of one bar begin and end, "other" last.
std::vector<double> stall_edges(const StallComparison& s, const std::vector<std::string>& reasons, bool predicted) {
  std::vector<double> edges{0};
  for (const std::string& reason : reasons) {
    double value = 0;
    for (const StallShare& share : s.shares) {
      if (share.reason == reason) value = predicted ? share.predicted : share.measured;
    }
    edges.push_back(edges.back() + 100 * value);
  }
  edges.push_back(100);
  return edges;
}

std::optional<Figure> stall_figure(const Comparison& c) {
  std::vector<const StallComparison*> bars;
  for (const StallComparison& s : c.stalls) {
    if (stall_bars_wanted(s)) bars.push_back(&s);
  }
  if (bars.empty()) return std::nullopt;
  const auto reasons = stall_reasons(bars);
  Figure f;
  f.section = Figure::Section::kStalls;
  f.title = "Where the warps' time goes";
  f.caption = "Shares of resident warp-cycles. Upper bar of each pair: measured; lower bar: predicted.";
  f.picture = {"stalls", {}, 860, static_cast<int>(110 + 36 * bars.size())};
  std::string& script = f.picture.script;
  // Columns: y low, y high, edges. A pair takes one unit of height; the first launch is on top.
  script = "$B << EOD\n";
  std::string tics;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = static_cast<double>(bars.size() - i);
    tics += fmt::format("{}{} {:g}", i ? ", " : "", gnuplot_text(bars[i]->launch), y);
    for (const bool predicted : {false, true}) {
      const double top = predicted ? y - 0.02 : y + 0.40;
      script += fmt::format("{:.2f} {:.2f}", top - 0.38, top);
      for (const double edge : stall_edges(*bars[i], reasons, predicted)) script += fmt::format(" {:.2f}", edge);
      script += "\n";
    }
  }
  script += fmt::format(
      "EOD\nset xrange [0:100]\nset yrange [0.4:{:g}]\nset ytics ({}) scale 0\nset xlabel \"% of resident "
      "warp-cycles\"\n"
      "set border 1\nset grid noytics\nset key outside top center horizontal Left reverse samplen 1 width -1 maxrows "
      "2\nplot ",
      static_cast<double>(bars.size()) + 0.6, tics);
  for (std::size_t r = 0; r <= reasons.size(); ++r) {
    const std::string title = r < reasons.size() ? reasons[r] : "other";
    const char* colour = r < reasons.size() ? kStallColours[r] : kStallColours.back();
    script += fmt::format("{}$B using {}:1:{}:{}:1:2 with boxxyerror fc rgb '{}' fs solid 1 noborder title {}",
                          r ? ", " : "", r + 3, r + 3, r + 4, colour, gnuplot_text(title));
  }
  return f;
}

}  // namespace

std::vector<Figure> make_figures(const Comparison& c) {
  std::vector<Figure> figures;
  const auto add = [&](std::optional<Figure> figure) {
    if (figure) figures.push_back(std::move(*figure));
  };
  add(overview_figure(c));
  add(error_figure(c));
  add(histogram_figure(c));
  for (const Sweep& sweep : find_sweeps(c.points)) figures.push_back(sweep_figure(sweep));
  add(stall_figure(c));
  return figures;
}

}  // namespace smpipe::validate
