#include "validate/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "validate/natural_order.h"

namespace smpipe::validate {
namespace {

constexpr double kPercent = 100;
constexpr double kNearlyEqual = 0.01;

struct CounterKind {
  const char* kind;
  double background;  ///< counts up to here are the GPU's own traffic: an empty launch shows about 1000 L2 sectors
  std::vector<const char*> metrics;
};

/// Counters that both sides have under one name. Two numbers of different origin are never set side by side.
const std::vector<CounterKind>& counter_kinds() {
  static const std::vector<CounterKind> kinds = {
      {"executed instructions",
       0,
       {"smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__inst_executed_op_ldgsts.sum",
        "smsp__inst_executed_op_ldsm.sum", "smsp__inst_executed_op_shared_ld.sum",
        "smsp__inst_executed_op_shared_st.sum", "smsp__inst_executed_op_global_ld.sum",
        "smsp__inst_executed_op_global_st.sum", "smsp__inst_executed_op_local_ld.sum",
        "smsp__inst_executed_op_local_st.sum"}},
      {"shared wavefronts",
       0,
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}},
      {"bank conflicts",
       0,
       {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"}},
      {"L1 sectors and requests",
       0,
       {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "l1tex__m_xbar2l1tex_read_sectors.sum"}},
      {"L2 sectors",
       32768,
       {"lts__t_sectors_op_read.sum", "lts__t_sectors_op_read_lookup_hit.sum", "lts__t_sectors_op_read_lookup_miss.sum",
        "lts__t_sectors_op_write.sum"}},
      {"DRAM bytes", 1048576, {"dram__bytes_read.sum", "dram__bytes_write.sum"}},
  };
  return kinds;
}

Agreement agreement(double measured, double predicted) {
  // Predictions of sampled launches are scaled counts, not always whole.
  if (std::abs(predicted - measured) < 0.5) return Agreement::kExact;
  const double reference = std::max(std::abs(measured), std::abs(predicted));
  return std::abs(predicted - measured) <= kNearlyEqual * reference ? Agreement::kWithin1Percent : Agreement::kOff;
}

/// Relative difference that is defined for counts of 0, too.
double count_error(const CounterComparison& c) {
  const double reference = c.measured != 0 ? std::abs(c.measured) : std::abs(c.predicted);
  return reference == 0 ? 0 : (c.predicted - c.measured) / reference;
}

bool component_within(const Tolerances& t, const Point& p) {
  if (std::abs(p.error) * kPercent <= *t.component) return true;
  return p.unit == "cycles" && t.component_cycles && std::abs(p.predicted - p.measured) <= *t.component_cycles;
}

const Limits* limits_of(const Tolerances& t, Group group) {
  if (group == Group::kPipeline) return &t.pipeline;
  if (group == Group::kKernel) return &t.kernel;
  return nullptr;
}

void judge(const Tolerances& t, Point& p) {
  if (p.basis == Basis::kSelfTimed && p.group == Group::kComponent && t.component) {
    p.judged = true;
    p.within = component_within(t, p);
  } else if (p.basis == Basis::kPublished) {
    p.judged = t.published.has_value();
    p.within = !p.judged || std::abs(p.error) * kPercent <= *t.published;
  } else if (const Limits* limits = limits_of(t, p.group); limits && limits->worst && p.quantity == "cycles") {
    p.judged = true;
    p.within = std::abs(p.error) * kPercent <= *limits->worst;
  }
}

class Comparer {
 public:
  explicit Comparer(const Tolerances& tolerances) { out_.tolerances = tolerances; }

  void add(const MeasuredSet& set, const MeasuredLaunch& launch, const Prediction& prediction) {
    if (!note_problems(launch, prediction)) return;
    add_cycles(set, launch, prediction);
    add_reports(launch, prediction);
    add_stalls(launch, prediction);
    add_counters(launch, prediction);
  }

  void add(const PublishedFigure& figure, const Prediction& prediction);

  Comparison finish() {
    const auto order = [](const Point& a, const Point& b) {
      if (a.group != b.group) return a.group < b.group;
      if (a.launch != b.launch) return natural_less(a.launch, b.launch);
      return false;
    };
    std::stable_sort(out_.points.begin(), out_.points.end(), order);
    std::stable_sort(out_.stalls.begin(), out_.stalls.end(), [](const auto& a, const auto& b) {
      return a.group != b.group ? a.group < b.group : natural_less(a.launch, b.launch);
    });
    summarise_groups();
    summarise_counters();
    add_verdicts();
    return std::move(out_);
  }

 private:
  bool note_problems(const MeasuredLaunch& launch, const Prediction& prediction) {
    for (const std::string& check : launch.failed_checks) {
      out_.notes.push_back(fmt::format("{}: the measured run failed its check '{}'; not compared", launch.name, check));
    }
    if (!launch.failed_checks.empty()) return false;
    if (!prediction.failure.empty()) {
      out_.failures.push_back({launch.name, prediction.failure});
      return false;
    }
    for (const std::string& check : prediction.failed_checks) {
      out_.failures.push_back({launch.name, "the model's result is wrong: " + check});
    }
    return true;
  }

  Point base(const MeasuredLaunch& launch, const Prediction& prediction) const {
    Point p;
    p.launch = launch.name;
    p.kernel = launch.kernel;
    p.description = launch.description;
    p.group = classify(launch);
    p.sampled = prediction.sampled;
    p.error_bound = prediction.error_bound;
    return p;
  }

  void push(Point p) {
    p.error = relative_error(p.predicted, p.measured);
    judge(out_.tolerances, p);
    out_.points.push_back(std::move(p));
  }

  void add_cycles(const MeasuredSet& set, const MeasuredLaunch& launch, const Prediction& prediction) {
    const auto net = net_cycles(set, launch);
    if (!net || !(net->cycles > 0)) {
      out_.notes.push_back(
          fmt::format("{}: {}; its cycles are not compared", launch.name,
                      net ? "took no longer than an empty launch" : "has neither counters nor a time"));
      return;
    }
    Point p = base(launch, prediction);
    p.quantity = p.unit = "cycles";
    p.measured = net->cycles;
    p.predicted = prediction.cycles;
    p.basis = net->counted ? Basis::kCounter : Basis::kEventTime;
    p.least = p.most = p.measured;
    if (launch.time_us && launch.time_us->median > 0) {
      // Repetitions are timed, counters are collected once: the spread of the times is that of the cycles.
      p.least = p.measured * launch.time_us->least / launch.time_us->median;
      p.most = p.measured * launch.time_us->most / launch.time_us->median;
    }
    push(std::move(p));
  }

  void add_reports(const MeasuredLaunch& launch, const Prediction& prediction) {
    for (const MeasuredReport& report : launch.reports) {
      const auto found = std::find_if(prediction.reports.begin(), prediction.reports.end(),
                                      [&](const auto& r) { return r.name == report.name; });
      if (found == prediction.reports.end()) {
        out_.notes.push_back(fmt::format("{}: the launch file has no report '{}' any more", launch.name, report.name));
        continue;
      }
      Point p = base(launch, prediction);
      p.quantity = report.name;
      p.unit = found->unit;
      p.measured = report.value;
      p.predicted = found->value;
      p.basis = Basis::kSelfTimed;
      p.least = report.least;
      p.most = report.most;
      push(std::move(p));
    }
  }

  void add_stalls(const MeasuredLaunch& launch, const Prediction& prediction);

  void add_counters(const MeasuredLaunch& launch, const Prediction& prediction) {
    for (const CounterKind& kind : counter_kinds()) {
      for (const char* metric : kind.metrics) {
        const auto measured = launch.metric(metric);
        const auto predicted = prediction.metric(metric);
        if (!measured || !predicted || std::max(*measured, *predicted) <= kind.background) continue;
        out_.counters.push_back(
            {launch.name, kind.kind, metric, *measured, *predicted, agreement(*measured, *predicted)});
      }
    }
  }

  void summarise_group(const std::string& name, const std::function<bool(const Point&)>& wanted);
  void summarise_groups();
  void summarise_counters();
  void add_verdicts();
  void verdict_over_points(const std::string& name, double limit, const std::function<bool(const Point&)>& wanted);
  void verdict_mean(Group group, const Limits& limits);
  void verdict_stalls();
  void verdict_counters();

  Comparison out_;
};

void Comparer::add_stalls(const MeasuredLaunch& launch, const Prediction& prediction) {
  const std::string prefix = "smsp__average_warps_issue_stalled_", suffix = "_per_issue_active.ratio";
  std::map<std::string, StallShare> by_reason;
  double measured_sum = 0, predicted_sum = 0;
  for (const auto& [name, value] : launch.metrics) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix) || !value) continue;
    const std::string reason = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    by_reason[reason].measured = *value;
    measured_sum += *value;
  }
  if (!(measured_sum > 0)) return;
  for (const auto& [reason, share] : prediction.stalls) {
    by_reason[reason].predicted = share;
    predicted_sum += share;
  }
  if (!(predicted_sum > 0)) return;
  StallComparison c;
  c.launch = launch.name;
  c.group = classify(launch);
  for (auto& [reason, share] : by_reason) {
    share.reason = reason;
    share.measured /= measured_sum;
    share.predicted /= predicted_sum;
    const double points = kPercent * (share.predicted - share.measured);
    if (std::abs(points) > std::abs(c.worst)) {
      c.worst = points;
      c.worst_reason = reason;
    }
    if (share.measured > 0 || share.predicted > 0) c.shares.push_back(share);
  }
  c.judged = out_.tolerances.stalls && c.group != Group::kComponent;
  c.within = !c.judged || std::abs(c.worst) <= *out_.tolerances.stalls;
  out_.stalls.push_back(std::move(c));
}

std::optional<double> published_value(const PublishedFigure& figure, const Prediction& prediction) {
  if (figure.quantity == "cycles") return prediction.cycles;
  if (figure.quantity == "bytes_per_cycle") return figure.bytes / prediction.cycles;
  if (figure.quantity == "gigabytes_per_second") return figure.bytes / (prediction.time_us * 1e3);
  return prediction.report(figure.quantity.substr(std::string("report:").size()));
}

void Comparer::add(const PublishedFigure& figure, const Prediction& prediction) {
  if (!prediction.failure.empty()) {
    const bool known = std::any_of(out_.failures.begin(), out_.failures.end(),
                                   [&](const Failure& f) { return f.launch == figure.launch; });
    if (!known) out_.failures.push_back({figure.launch, prediction.failure});
    return;
  }
  const auto value = published_value(figure, prediction);
  if (!value) {
    out_.failures.push_back(
        {figure.launch, fmt::format("{} wants '{}', which the launch does not report", figure.id, figure.quantity)});
    return;
  }
  Point p;
  p.launch = figure.launch;
  p.description = figure.what;
  p.group = Group::kPublished;
  p.quantity = figure.quantity.starts_with("report:") ? figure.quantity.substr(7) : figure.quantity;
  p.unit = figure.unit;
  p.measured = p.least = p.most = figure.value;
  p.predicted = *value;
  p.basis = Basis::kPublished;
  p.sampled = prediction.sampled;
  p.error_bound = prediction.error_bound;
  p.id = figure.id;
  p.source = figure.source;
  p.grade = figure.grade;
  p.note = figure.note;
  push(std::move(p));
}

void Comparer::summarise_group(const std::string& name, const std::function<bool(const Point&)>& wanted) {
  std::vector<double> predicted, measured;
  std::vector<const Point*> members;
  for (const Point& p : out_.points) {
    if (!wanted(p)) continue;
    predicted.push_back(p.predicted);
    measured.push_back(p.measured);
    members.push_back(&p);
  }
  if (members.empty()) return;
  GroupSummary s;
  s.name = name;
  s.errors = summarise(predicted, measured);
  s.fit = fit_power_law(predicted, measured);
  if (s.errors.count > 0) {
    const Point& worst = *members[s.errors.worst_index];
    s.worst_launch = worst.launch + (worst.quantity == "cycles" ? "" : " " + worst.quantity);
  }
  out_.groups.push_back(std::move(s));
}

void Comparer::summarise_groups() {
  summarise_group("component reports", [](const Point& p) { return p.basis == Basis::kSelfTimed; });
  for (const Group group : {Group::kComponent, Group::kPipeline, Group::kKernel}) {
    summarise_group(std::string(group_name(group)) + " cycles",
                    [group](const Point& p) { return p.group == group && p.quantity == "cycles"; });
  }
  for (const char* grade : {"A", "B", "C", "D"}) {
    summarise_group(std::string("published, grade ") + grade,
                    [grade](const Point& p) { return p.basis == Basis::kPublished && p.grade == grade; });
  }
}

void Comparer::summarise_counters() {
  for (const CounterKind& kind : counter_kinds()) {
    CounterSummary s;
    s.kind = kind.kind;
    for (const CounterComparison& c : out_.counters) {
      if (c.kind != s.kind) continue;
      ++s.compared;
      if (c.agreement == Agreement::kExact) ++s.exact;
      if (c.agreement == Agreement::kWithin1Percent) ++s.within;
      const double error = count_error(c);
      if (std::abs(error) > std::abs(s.worst)) {
        s.worst = error;
        s.worst_launch = c.launch;
        s.worst_metric = c.metric;
      }
    }
    if (s.compared > 0) out_.counter_kinds.push_back(std::move(s));
  }
}

void Comparer::verdict_over_points(const std::string& name, double limit,
                                   const std::function<bool(const Point&)>& wanted) {
  Verdict v;
  v.name = name;
  v.limit = limit;
  v.unit = "%";
  for (const Point& p : out_.points) {
    if (!p.judged || !wanted(p)) continue;
    ++v.judged;
    v.broken += p.within ? 0 : 1;
    if (std::isfinite(p.error)) v.value = std::max(v.value, kPercent * std::abs(p.error));
  }
  if (v.judged == 0) return;
  v.passed = v.broken == 0;
  out_.verdicts.push_back(std::move(v));
}

void Comparer::verdict_mean(Group group, const Limits& limits) {
  const std::string name = group_name(group);
  if (limits.mean) {
    for (const GroupSummary& s : out_.groups) {
      if (s.name != name + " cycles") continue;
      const double mean = kPercent * s.errors.mape;
      out_.verdicts.push_back(
          {name + " mean", *limits.mean, mean, "%", mean <= *limits.mean ? 0u : 1u, 1, mean <= *limits.mean});
    }
  }
  if (!limits.worst) return;
  verdict_over_points(name + " worst", *limits.worst,
                      [group](const Point& p) { return p.group == group && p.quantity == "cycles"; });
}

void Comparer::verdict_stalls() {
  if (!out_.tolerances.stalls) return;
  Verdict v;
  v.name = "stall shares";
  v.limit = *out_.tolerances.stalls;
  v.unit = "points";
  for (const StallComparison& s : out_.stalls) {
    if (!s.judged) continue;
    ++v.judged;
    v.broken += s.within ? 0 : 1;
    v.value = std::max(v.value, std::abs(s.worst));
  }
  v.passed = v.broken == 0;
  if (v.judged > 0) out_.verdicts.push_back(std::move(v));
}

void Comparer::verdict_counters() {
  if (!out_.tolerances.counters) return;
  Verdict v;
  v.name = "counters";
  v.limit = *out_.tolerances.counters;
  v.unit = "%";
  for (const CounterComparison& c : out_.counters) {
    const double error = kPercent * std::abs(count_error(c));
    ++v.judged;
    if (c.agreement != Agreement::kExact && error > v.limit) ++v.broken;
    v.value = std::max(v.value, error);
  }
  v.passed = v.broken == 0;
  if (v.judged > 0) out_.verdicts.push_back(std::move(v));
}

void Comparer::add_verdicts() {
  const Tolerances& t = out_.tolerances;
  if (t.component) {
    verdict_over_points("component reports", *t.component, [](const Point& p) { return p.basis == Basis::kSelfTimed; });
  }
  verdict_mean(Group::kPipeline, t.pipeline);
  verdict_mean(Group::kKernel, t.kernel);
  verdict_stalls();
  verdict_counters();
  if (t.published) {
    verdict_over_points("published figures", *t.published, [](const Point& p) { return p.basis == Basis::kPublished; });
  }
}

}  // namespace

const char* group_name(Group group) {
  switch (group) {
    case Group::kComponent:
      return "component";
    case Group::kPipeline:
      return "pipeline";
    case Group::kKernel:
      return "kernel";
    case Group::kPublished:
      return "published";
  }
  return "";
}

const char* basis_name(Basis basis) {
  switch (basis) {
    case Basis::kCounter:
      return "counter";
    case Basis::kEventTime:
      return "event time";
    case Basis::kSelfTimed:
      return "self-timed";
    case Basis::kPublished:
      return "published";
  }
  return "";
}

Group classify(const MeasuredLaunch& launch) {
  if (launch.group == "component") return Group::kComponent;
  if (launch.group == "pipeline") return Group::kPipeline;
  if (launch.group == "kernel") return Group::kKernel;
  if (!launch.reports.empty()) return Group::kComponent;
  const bool pipeline =
      launch.name.find("tile_stream") != std::string::npos || launch.name.find("pipeline") != std::string::npos;
  return pipeline ? Group::kPipeline : Group::kKernel;
}

bool Comparison::passed() const {
  return failures.empty() && std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.passed; });
}

Comparison compare(const MeasuredSet& set, const std::vector<const MeasuredLaunch*>& launches,
                   const std::vector<Prediction>& predictions, const Tolerances& tolerances) {
  Comparer comparer(tolerances);
  for (std::size_t i = 0; i < launches.size(); ++i) comparer.add(set, *launches[i], predictions[i]);
  return comparer.finish();
}

Comparison compare_published(const PublishedSet& set, const std::vector<std::string>& launches,
                             const std::vector<Prediction>& predictions, const Tolerances& tolerances) {
  Comparer comparer(tolerances);
  for (const PublishedFigure& figure : set.figures) {
    const auto found = std::find(launches.begin(), launches.end(), figure.launch);
    if (found != launches.end()) comparer.add(figure, predictions[static_cast<std::size_t>(found - launches.begin())]);
  }
  return comparer.finish();
}

}  // namespace smpipe::validate
