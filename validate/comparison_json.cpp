#include "validate/comparison_json.h"

#include <cmath>

namespace smpipe::validate {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json point_json(const Point& p) {
  Json json{{"launch", p.launch},
            {"group", group_name(p.group)},
            {"quantity", p.quantity},
            {"unit", p.unit},
            {"measured", number(p.measured)},
            {"measured_range", {number(p.least), number(p.most)}},
            {"predicted", number(p.predicted)},
            {"error", number(p.error)},
            {"basis", basis_name(p.basis)},
            {"judged", p.judged},
            {"within", p.within}};
  if (p.sampled) json["sampled_error_bound"] = number(p.error_bound);
  if (p.basis == Basis::kPublished) {
    json["id"] = p.id;
    json["grade"] = p.grade;
    json["source"] = p.source;
    if (!p.note.empty()) json["note"] = p.note;
  }
  return json;
}

Json stalls_json(const StallComparison& s) {
  Json shares = Json::object();
  for (const StallShare& share : s.shares) shares[share.reason] = {share.measured, share.predicted};
  return {
      {"launch", s.launch}, {"group", group_name(s.group)}, {"worst_points", s.worst}, {"worst_reason", s.worst_reason},
      {"judged", s.judged}, {"within", s.within},           {"shares", shares}};
}

const char* agreement_name(Agreement agreement) {
  switch (agreement) {
    case Agreement::kExact:
      return "exact";
    case Agreement::kWithin1Percent:
      return "within 1 %";
    case Agreement::kOff:
      return "off";
  }
  return "";
}

Json group_json(const GroupSummary& s) {
  return {{"name", s.name},
          {"values", s.errors.count},
          {"mape", number(s.errors.mape)},
          {"worst", number(s.errors.worst)},
          {"worst_at", s.worst_launch},
          {"correlation_log", number(s.errors.correlation)},
          {"bias", number(s.errors.bias)},
          {"fit", {{"factor", number(s.fit.factor)}, {"exponent", number(s.fit.exponent)}}}};
}

Json counter_json(const CounterComparison& c) {
  return {{"launch", c.launch},     {"kind", c.kind},           {"metric", c.metric},
          {"measured", c.measured}, {"predicted", c.predicted}, {"agreement", agreement_name(c.agreement)}};
}

Json verdict_json(const Verdict& v) {
  return {{"name", v.name},     {"limit", v.limit},   {"value", v.value},  {"unit", v.unit},
          {"judged", v.judged}, {"broken", v.broken}, {"passed", v.passed}};
}

}  // namespace

Json comparison_json(const Comparison& c, const Provenance& provenance) {
  Json json;
  json["tool"] = "smpipe validate";
  json["format"] = 1;
  json["title"] = provenance.title;
  json["config"] = provenance.config_name;
  json["facts"] = Json::object();
  for (const auto& [name, value] : provenance.facts) json["facts"][name] = value;
  json["passed"] = c.passed();
  json["tolerances"] = describe(c.tolerances);
  for (const char* key : {"verdicts", "groups", "points", "stalls", "counter_kinds", "counters", "failures"}) {
    json[key] = Json::array();
  }
  for (const Verdict& v : c.verdicts) json["verdicts"].push_back(verdict_json(v));
  for (const GroupSummary& s : c.groups) json["groups"].push_back(group_json(s));
  for (const Point& p : c.points) json["points"].push_back(point_json(p));
  for (const StallComparison& s : c.stalls) json["stalls"].push_back(stalls_json(s));
  for (const CounterSummary& s : c.counter_kinds) {
    json["counter_kinds"].push_back({{"kind", s.kind},
                                     {"compared", s.compared},
                                     {"exact", s.exact},
                                     {"within_1_percent", s.within},
                                     {"worst", number(s.worst)},
                                     {"worst_launch", s.worst_launch},
                                     {"worst_metric", s.worst_metric}});
  }
  for (const CounterComparison& x : c.counters) json["counters"].push_back(counter_json(x));
  for (const Failure& f : c.failures) json["failures"].push_back({{"launch", f.launch}, {"what", f.what}});
  json["notes"] = c.notes;
  return json;
}

}  // namespace smpipe::validate
