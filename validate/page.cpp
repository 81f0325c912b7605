#include "validate/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validate/html.h"
#include "validate/page_style.h"

namespace smpipe::validate {
namespace {

std::string number(double value) {
  if (!std::isfinite(value)) return "–";
  const double size = std::abs(value);
  if (size >= 1000) return fmt::format("{:.0f}", value);
  if (size >= 100) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

/// "+3.1 %", with a minus sign as wide as the plus.
std::string signed_percent(double ratio) {
  if (!std::isfinite(ratio)) return "–";
  std::string text = fmt::format("{:+.1f} %", 100 * ratio);
  if (text[0] == '-') text = "−" + text.substr(1);
  return text;
}

class Page {
 public:
  Page(const Comparison& c, const Provenance& provenance, const std::vector<PageFigure>& figures,
       const std::string& note)
      : c_(c), provenance_(provenance), figures_(figures), note_(note) {
    published_ = !c.points.empty() && c.points.front().basis == Basis::kPublished;
  }

  std::string text() {
    head();
    overview();
    sweeps();
    stalls();
    counters();
    values();
    problems();
    provenance();
    out_ += fmt::format("<script>{}</script>\n</body>\n</html>\n", kPageScript);
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...);
    out_ += "\n";
  }

  bool has(Figure::Section section) const {
    return std::any_of(figures_.begin(), figures_.end(), [&](const auto& f) { return f.figure.section == section; });
  }

  void head() {
    line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>");
    line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>");
    line("<title>smpipe: {}</title>\n<style>{}</style>\n</head>\n<body>", html_text(provenance_.title), kPageStyle);
    line("<h1>Predicted against {}</h1>", published_ ? "published" : "measured");
    line("<p class=\"lead\">{}.</p>", html_text(provenance_.title));
    if (!note_.empty()) line("<p class=\"note\">{}</p>", html_text(note_));
    out_ += "<nav><a href=\"#verdict\">Verdict</a>";
    if (has(Figure::Section::kSweep)) out_ += "<a href=\"#sweeps\">Sweeps</a>";
    if (has(Figure::Section::kStalls)) out_ += "<a href=\"#stalls\">Stalls</a>";
    if (!c_.counter_kinds.empty()) out_ += "<a href=\"#counters\">Counters</a>";
    line("<a href=\"#all\">All values</a><a href=\"#origin\">Measurement and configuration</a></nav>");
  }

  void figure(const PageFigure& f, const char* css = "") {
    line("<figure class=\"{}\"><h3>{}</h3>", css, html_text(f.figure.title));
    if (f.svg.empty()) {
      line("<p class=\"lead\">not drawn</p>");
    } else {
      out_ += f.svg;
    }
    if (!f.figure.caption.empty()) line("<figcaption>{}</figcaption>", html_text(f.figure.caption));
    line("</figure>");
  }

  void figures(Figure::Section section, const char* css) {
    for (const PageFigure& f : figures_) {
      if (f.figure.section == section) figure(f, css);
    }
  }

  static const char* tile_class(const std::string& name) {
    for (const char* group : {"component", "pipeline", "kernel", "published"}) {
      if (name.starts_with(group)) return group;
    }
    return "";
  }

  void tiles() {
    line("<div class=\"tiles\">");
    for (const GroupSummary& s : c_.groups) {
      // What a component reports says more than the length of its launch.
      if (s.name == "component cycles") continue;
      line(
          "<div class=\"tile {}\"><span>{}</span><b>{:.1f} %</b><span>mean error of {} values; worst {}, "
          "{}</span></div>",
          tile_class(s.name), html_text(s.name), 100 * s.errors.mape, s.errors.count, signed_percent(s.errors.worst),
          html_text(s.worst_launch));
    }
    line("</div>");
  }

  void verdicts() {
    if (c_.verdicts.empty()) return;
    line(
        "<div class=\"scroll\"><table><thead><tr><th>Tolerance</th><th>stated</th><th>reached</th><th>outside</th>"
        "<th class=\"left\">verdict</th></tr></thead><tbody>");
    for (const Verdict& v : c_.verdicts) {
      line("<tr><td>{}</td><td>{:g} {}</td><td>{:.1f} {}</td><td>{}</td><td class=\"left {}\">{}</td></tr>",
           html_text(v.name), v.limit, v.unit, v.value, v.unit,
           v.judged > 1 ? fmt::format("{} of {}", v.broken, v.judged) : "–", v.passed ? "pass" : "broken",
           v.passed ? "met" : "broken");
    }
    line("</tbody></table></div>");
  }

  void summary_table() {
    line(
        "<div class=\"scroll\"><table><thead><tr><th>Group</th><th>values</th><th>mean |error|</th><th>worst</th>"
        "<th class=\"left\">at</th><th>bias</th><th>r of logarithms</th></tr></thead><tbody>");
    for (const GroupSummary& s : c_.groups) {
      line(
          "<tr><td>{}</td><td>{}</td><td>{:.1f} %</td><td>{}</td><td "
          "class=\"left\">{}</td><td>{:.3f}</td><td>{:.4f}</td></tr>",
          html_text(s.name), s.errors.count, 100 * s.errors.mape, signed_percent(s.errors.worst),
          html_text(s.worst_launch), s.errors.bias, s.errors.correlation);
    }
    line("</tbody></table></div>");
    line("<p class=\"lead\">Bias is the geometric mean of predicted over {}.</p>",
         published_ ? "published" : "measured");
  }

  void overview() {
    line("<section id=\"verdict\">");
    tiles();
    verdicts();
    if (has(Figure::Section::kOverview)) {
      line("<h2>Overview</h2><div class=\"overview\">");
      figures(Figure::Section::kOverview, "");
      line("</div>");
    }
    summary_table();
    line("</section>");
  }

  void sweeps() {
    if (!has(Figure::Section::kSweep)) return;
    line(
        "<section id=\"sweeps\"><h2>Sweeps</h2><p class=\"lead\">Dots are measured, lines are predicted; each curve's "
        "name "
        "stands at the end of its line.</p><div class=\"grid\">");
    figures(Figure::Section::kSweep, "");
    line("</div></section>");
  }

  void stalls() {
    if (!has(Figure::Section::kStalls)) return;
    line("<section id=\"stalls\"><h2>Stall shares</h2>");
    figures(Figure::Section::kStalls, "bars wide");
    stall_table();
    line("</section>");
  }

  void stall_table() {
    line(
        "<details><summary>Largest difference of every pipeline and kernel</summary><div class=\"scroll\">"
        "<table class=\"sortable\"><thead><tr>{}{}{}{}{}</tr></thead><tbody>",
        heading("Launch", false), heading("reason", false), heading("measured", true), heading("predicted", true),
        heading("points", true));
    for (const StallComparison& s : c_.stalls) {
      if (s.group == Group::kComponent) continue;
      for (const StallShare& share : s.shares) {
        if (share.reason != s.worst_reason) continue;
        line(
            "<tr{}><td>{}</td><td class=\"left\">{}</td><td>{:.1f} %</td><td>{:.1f} %</td><td class=\"error\" "
            "data-v=\"{:.3f}\">{:+.1f}</td></tr>",
            s.within ? "" : " class=\"outside\"", html_text(s.launch), html_text(s.worst_reason), 100 * share.measured,
            100 * share.predicted, std::abs(s.worst), s.worst);
      }
    }
    line("</tbody></table></div></details>");
  }

  void counters() {
    if (c_.counter_kinds.empty()) return;
    line(
        "<section id=\"counters\"><h2>Counters</h2><p class=\"lead\">Nsight Compute's counters against the model's, "
        "every "
        "launch. Counts that are 0 on both sides, and L2 and DRAM traffic that drowns in the GPU's own, are left "
        "out.</p>");
    line(
        "<div class=\"scroll\"><table><thead><tr><th>Counters</th><th>compared</th><th>exact</th><th>within 1 %</th>"
        "<th>off</th><th>worst</th><th class=\"left\">at</th></tr></thead><tbody>");
    for (const CounterSummary& s : c_.counter_kinds) {
      line("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"left\">{}</td></tr>",
           html_text(s.kind), s.compared, s.exact, s.within, s.compared - s.exact - s.within,
           s.worst == 0 ? "–" : signed_percent(s.worst), html_text(s.worst_launch));
    }
    line("</tbody></table></div>");
    counter_details();
    line("</section>");
  }

  void counter_details() {
    line(
        "<details><summary>Every counter that is off by more than 1 %</summary><div class=\"scroll\">"
        "<table class=\"sortable\"><thead><tr>{}{}{}{}</tr></thead><tbody>",
        heading("Launch", false), heading("counter", false), heading("measured", true), heading("predicted", true));
    for (const CounterComparison& x : c_.counters) {
      if (x.agreement != Agreement::kOff) continue;
      line(
          "<tr><td>{}</td><td class=\"left\"><code>{}</code></td><td data-v=\"{}\">{:.0f}</td><td "
          "data-v=\"{}\">{:.0f}</td></tr>",
          html_text(x.launch), html_text(x.metric), x.measured, x.measured, x.predicted, x.predicted);
    }
    line("</tbody></table></div></details>");
  }

  static std::string heading(const std::string& text, bool numeric) {
    return fmt::format("<th class=\"{}\"><button type=\"button\">{}</button></th>", numeric ? "num" : "left", text);
  }

  /// A bar to the left or right of the middle; its full length is 50 %.
  static std::string error_bar(double error) {
    if (!std::isfinite(error)) return "";
    const double length = std::min(50.0, 100 * std::abs(error));
    return fmt::format("<i style=\"{}:50%;width:{:.1f}%\"></i>", error < 0 ? "right" : "left", length);
  }

  void values() {
    line(
        "<section id=\"all\"><h2>All values</h2><input id=\"filter\" type=\"search\" placeholder=\"filter, for example "
        "hgemm\" "
        "aria-label=\"filter\"/><div class=\"scroll\"><table class=\"sortable\" id=\"values\"><thead><tr>");
    line("{}{}{}{}{}{}<th class=\"bar\"></th>{}{}</tr></thead><tbody>", heading("Launch", false),
         heading("group", false), heading("quantity", false), heading(published_ ? "published" : "measured", true),
         heading("predicted", true), heading("error", true), heading(published_ ? "grade" : "by", false),
         heading(published_ ? "source" : "what it does", false));
    for (const Point& p : c_.points) value_row(p);
    line("</tbody></table></div></section>");
  }

  void value_row(const Point& p) {
    const std::string unit = p.unit == p.quantity || p.unit.empty() ? "" : ", " + p.unit;
    const std::string last = published_ ? fmt::format("{} {}: {}{}", p.id, p.description, p.source,
                                                      p.note.empty() ? "" : " (" + p.note + ")")
                                        : p.description;
    std::string by = published_ ? p.grade : basis_name(p.basis);
    if (p.sampled) by += fmt::format("; sampled, ± {:.1f} %", 100 * p.error_bound);
    line(
        "<tr class=\"{}{}\"><td>{}</td><td class=\"left group\">{}</td><td class=\"left\">{}{}</td><td data-v=\"{}\" "
        "title=\"{} to {}\">{}</td><td data-v=\"{}\">{}</td><td class=\"error\" data-v=\"{}\">{}</td><td "
        "class=\"bar\"><div>{}"
        "</div></td><td class=\"left\">{}</td><td class=\"left wrap\">{}</td></tr>",
        group_name(p.group), p.within ? "" : " outside", html_text(p.launch), group_name(p.group),
        html_text(p.quantity), html_text(unit), p.measured, number(p.least), number(p.most), number(p.measured),
        p.predicted, number(p.predicted), std::isfinite(p.error) ? std::abs(p.error) : 0, signed_percent(p.error),
        error_bar(p.error), html_text(by), html_text(last));
  }

  void problems() {
    if (c_.failures.empty() && c_.notes.empty()) return;
    line("<section id=\"problems\"><h2>Not compared</h2>");
    for (const Failure& f : c_.failures) {
      line("<p class=\"note\"><code>{}</code>: {}</p>", html_text(f.launch), html_text(f.what));
    }
    for (const std::string& note : c_.notes) line("<p>{}</p>", html_text(note));
    line("</section>");
  }

  void provenance() {
    line("<section id=\"origin\"><h2>Measurement and configuration</h2><dl>");
    for (const auto& [name, value] : provenance_.facts)
      line("<dt>{}</dt><dd>{}</dd>", html_text(name), html_text(value));
    line("<dt>configuration</dt><dd>{} ({})</dd><dt>tolerances</dt><dd>{}</dd></dl>",
         html_text(provenance_.config_name), html_text(provenance_.config_file), html_text(describe(c_.tolerances)));
    line(
        "<details><summary>All {} values of the configuration, with their sources</summary><div class=\"scroll\">"
        "<table class=\"sortable\"><thead><tr>{}{}{}{}</tr></thead><tbody>",
        provenance_.config_entries.size(), heading("Key", false), heading("value", false), heading("unit", false),
        heading("source", false));
    for (const ConfigEntry& e : provenance_.config_entries) {
      line(
          "<tr><td><code>{}</code></td><td class=\"left wrap\">{}</td><td class=\"left\">{}</td><td class=\"left "
          "wrap\">{}</td></tr>",
          html_text(e.key), html_text(e.value), html_text(e.unit), html_text(e.source));
    }
    line("</tbody></table></div></details></section>");
  }

  const Comparison& c_;
  const Provenance& provenance_;
  const std::vector<PageFigure>& figures_;
  const std::string& note_;
  bool published_ = false;
  std::string out_;
};

}  // namespace

std::string make_page(const Comparison& comparison, const Provenance& provenance,
                      const std::vector<PageFigure>& figures, const std::string& note) {
  return Page(comparison, provenance, figures, note).text();
}

}  // namespace smpipe::validate
