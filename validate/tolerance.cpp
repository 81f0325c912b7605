#include "validate/tolerance.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "core/text.h"

namespace smpipe::validate {
namespace {

using Slots = std::vector<std::pair<std::string, std::vector<std::optional<double>*>>>;

Slots slots(Tolerances& t) {
  return {{"component", {&t.component}},
          {"component.cycles", {&t.component_cycles}},
          {"mean", {&t.pipeline.mean, &t.kernel.mean}},
          {"worst", {&t.pipeline.worst, &t.kernel.worst}},
          {"pipeline.mean", {&t.pipeline.mean}},
          {"pipeline.worst", {&t.pipeline.worst}},
          {"kernel.mean", {&t.kernel.mean}},
          {"kernel.worst", {&t.kernel.worst}},
          {"stalls", {&t.stalls}},
          {"counters", {&t.counters}},
          {"published", {&t.published}}};
}

std::optional<double> parse_value(const std::string& assignment, const std::string& text) {
  if (text == "off") return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || value > 1e9) {
    throw std::invalid_argument(
        fmt::format("--tolerance {}: '{}' must be a number, 0 or more, or 'off'", assignment, text));
  }
  return value;
}

std::string value_text(const std::optional<double>& value, const char* unit) {
  return value ? fmt::format("{:g} {}", *value, unit) : "not judged";
}

std::string limits_text(const char* name, const Limits& limits) {
  if (!limits.mean && !limits.worst) return fmt::format("{} not judged", name);
  return fmt::format("{} mean {}, worst {}", name, value_text(limits.mean, "%"), value_text(limits.worst, "%"));
}

}  // namespace

void set_tolerance(Tolerances& tolerances, const std::string& assignment) {
  const Slots known = slots(tolerances);
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw std::invalid_argument(
        fmt::format("--tolerance {}: write NAME=VALUE, for example kernel.mean=12", assignment));
  }
  const std::string name = assignment.substr(0, equals);
  std::vector<std::string> names;
  for (const auto& [key, targets] : known) {
    names.push_back(key);
    if (key != name) continue;
    const auto value = parse_value(assignment, assignment.substr(equals + 1));
    for (std::optional<double>* target : targets) *target = value;
    return;
  }
  throw std::invalid_argument(
      fmt::format("--tolerance {}: unknown name '{}'; {}", assignment, name, suggest(name, names)));
}

std::string describe(const Tolerances& t) {
  std::string component = "component not judged";
  if (t.component) {
    component = fmt::format("component {:g} %", *t.component);
    if (t.component_cycles)
      component += fmt::format(" or {:g} cycle{}", *t.component_cycles, *t.component_cycles == 1 ? "" : "s");
  }
  std::string text = component + "; " + limits_text("pipeline", t.pipeline) + "; " + limits_text("kernel", t.kernel) +
                     "; stall shares " + value_text(t.stalls, "points");
  if (t.counters) text += fmt::format("; counters {:g} %", *t.counters);
  if (t.published) text += fmt::format("; published {:g} %", *t.published);
  return text;
}

}  // namespace smpipe::validate
