#include "validate/comparison_table.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace smpipe::validate {
namespace {

/// Four significant digits, without an exponent where a person would not write one.
std::string number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  if (size >= 100) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string percent(double ratio) { return std::isfinite(ratio) ? fmt::format("{:+.1f} %", 100 * ratio) : "-"; }

std::string shortened(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

class Table {
 public:
  Table(const Comparison& comparison, const Provenance& provenance) : c_(comparison), provenance_(provenance) {}

  std::string text() {
    header();
    for (const Group group : {Group::kComponent, Group::kPipeline, Group::kKernel}) points(group);
    published();
    stalls();
    counters();
    problems();
    summary();
    verdicts();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...);
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += "\n";
  }

  void header() {
    line("{}", provenance_.title);
    for (const auto& [name, value] : provenance_.facts) wrapped(fmt::format("  {:16}", name), value);
  }

  /// A labelled text, broken at spaces.
  void wrapped(const std::string& label, const std::string& text) {
    constexpr std::size_t kWidth = 100;
    std::string current = label;
    std::size_t at = 0;
    bool empty = true;
    while (at <= text.size()) {
      const std::size_t space = std::min(text.find(' ', at), text.size());
      const std::string word = text.substr(at, space - at);
      if (!empty && current.size() + word.size() + 1 > kWidth) {
        line("{}", current);
        current = std::string(label.size(), ' ');
        empty = true;
      }
      current += (empty ? "" : " ") + word;
      empty = false;
      at = space + 1;
    }
    line("{}", current);
  }

  void points(Group group) {
    bool any = false;
    for (const Point& p : c_.points) {
      if (p.group != group) continue;
      if (!any) {
        std::string title = group_name(group);
        for (char& ch : title) ch = static_cast<char>(std::toupper(ch));
        line("\n{:36} {:24} {:>11} {:>11} {:>9}", title, "quantity", "measured", "predicted", "error");
        any = true;
      }
      point(p);
    }
  }

  void point(const Point& p) {
    const std::string unit = p.unit == p.quantity || p.unit == "cycles" || p.unit.empty() ? "" : " (" + p.unit + ")";
    line("{:36} {:24} {:>11} {:>11} {:>9}{}{}", shortened(p.launch, 36), shortened(p.quantity + unit, 24),
         number(p.measured), number(p.predicted), percent(p.error), p.within ? "" : " *", p.sampled ? " ~" : "");
  }

  void published() {
    bool any = false;
    for (const Point& p : c_.points) {
      if (p.basis != Basis::kPublished) continue;
      if (!any) line("\n{:6} {:5} {:47} {:>9} {:>9} {:>9}", "ID", "grade", "figure", "published", "predicted", "error");
      any = true;
      line("{:6} {:5} {:47} {:>9} {:>9} {:>9}{}", p.id, p.grade, shortened(p.description + ", " + p.unit, 47),
           number(p.measured), number(p.predicted), percent(p.error), p.within ? "" : " *");
    }
    if (!any) return;
    line("\nSources");
    sources();
  }

  /// Each source once, with the figures that it stands for.
  void sources() {
    std::map<std::string, std::string> by_source;
    for (const Point& p : c_.points) {
      if (p.basis != Basis::kPublished) continue;
      std::string& ids = by_source[p.source];
      ids += (ids.empty() ? "" : ", ") + p.id;
    }
    for (const auto& [source, ids] : by_source) wrapped("  ", source + ": " + ids);
  }

  void stalls() {
    bool any = false;
    for (const StallComparison& s : c_.stalls) {
      if (s.group == Group::kComponent) continue;
      if (!any)
        line("\n{:36} {:24} {:>11} {:>11} {:>9}", "STALL SHARES", "largest difference", "measured", "predicted",
             "points");
      any = true;
      for (const StallShare& share : s.shares) {
        if (share.reason != s.worst_reason) continue;
        line("{:36} {:24} {:>9.1f} % {:>9.1f} % {:>+9.1f}{}", shortened(s.launch, 36), share.reason,
             100 * share.measured, 100 * share.predicted, s.worst, s.within ? "" : " *");
      }
    }
  }

  void counters() {
    if (c_.counter_kinds.empty()) return;
    line("\n{:24} {:>8} {:>7} {:>7} {:>6}   {}", "COUNTERS", "compared", "exact", "in 1 %", "off", "worst");
    for (const CounterSummary& s : c_.counter_kinds) {
      const std::string worst =
          s.worst == 0 ? "" : fmt::format("{} {}", percent(s.worst), shortened(s.worst_launch, 28));
      line("{:24} {:>8} {:>7} {:>7} {:>6}   {}", s.kind, s.compared, s.exact, s.within, s.compared - s.exact - s.within,
           worst);
    }
  }

  void problems() {
    if (!c_.failures.empty()) line("\nFAILED");
    for (const Failure& f : c_.failures) wrapped(fmt::format("  {}: ", f.launch), f.what);
    if (!c_.notes.empty()) line("\nNOTES");
    for (const std::string& note : c_.notes) wrapped("  ", note);
  }

  void summary() {
    line("\n{:22} {:>6} {:>12} {:>8} {:>7} {:>9}  {}", "SUMMARY", "values", "mean |error|", "r (log)", "bias", "worst",
         "at");
    for (const GroupSummary& s : c_.groups) {
      line("{:22} {:>6} {:>10.1f} % {:>8.4f} {:>7.3f} {:>9}  {}", s.name, s.errors.count, 100 * s.errors.mape,
           s.errors.correlation, s.errors.bias, percent(s.errors.worst), shortened(s.worst_launch, 30));
    }
  }

  void verdicts() {
    line("");
    if (c_.verdicts.empty()) line("Nothing is judged here: no stated tolerance applies.");
    if (!c_.verdicts.empty()) wrapped("Tolerances: ", describe(c_.tolerances));
    for (const Verdict& v : c_.verdicts) {
      const std::string count = v.judged > 1 ? fmt::format(", {} of {} outside", v.broken, v.judged) : "";
      line("  {:6} {:20} {:.1f} {} (tolerance {:g} {}){}", v.passed ? "pass" : "BROKEN", v.name, v.value, v.unit,
           v.limit, v.unit, count);
    }
    bool sampled = false, broken = false;
    for (const Point& p : c_.points) {
      sampled |= p.sampled;
      broken |= !p.within;
    }
    if (broken) line("  * outside its tolerance");
    if (sampled) line("  ~ predicted from a part of the blocks");
  }

  const Comparison& c_;
  const Provenance& provenance_;
  std::string out_;
};

}  // namespace

std::string comparison_table(const Comparison& comparison, const Provenance& provenance) {
  return Table(comparison, provenance).text();
}

}  // namespace smpipe::validate
