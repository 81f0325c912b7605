#include <cmath>

#include "app/run_result.h"

namespace smpipe::app {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json coverage_json(const Coverage& coverage) {
  return {{"mode", coverage.mode},
          {"sms", coverage.sms},
          {"blocks", coverage.blocks},
          {"blocks_total", coverage.blocks_total},
          {"error_bound", number(coverage.error_bound)}};
}

Json checks_json(const RunResult& result) {
  Json list = Json::array();
  for (const CheckResult& check : result.checks) {
    list.push_back({{"kind", check.kind}, {"passed", check.passed}, {"detail", check.detail}});
  }
  return list;
}

}  // namespace

nlohmann::ordered_json result_json(const RunResult& result) {
  const SimulationResult& s = result.simulation;
  Json json;
  json["launch"] = result.launch.file;
  json["kernel"] = result.launch.kernel;
  json["config"] = result.config.name;
  json["cycles"] = s.cycles;
  json["time_us"] = number(s.time_us);
  json["warp_instructions"] = s.warp_instructions;
  json["ipc_per_sm"] = number(s.ipc_per_sm);
  json["coverage"] = coverage_json(s.coverage);
  json["occupancy"] = {{"blocks_per_sm", s.occupancy.blocks_per_sm},
                       {"warps_per_sm", s.occupancy.warps_per_sm},
                       {"limiter", s.occupancy.limiter}};
  json["stalls"] = Json::object();
  for (const auto& [name, share] : s.stalls) json["stalls"][name] = number(share);
  json["metrics"] = Json::object();
  for (const auto& [name, value] : s.metrics) json["metrics"][name] = value ? number(*value) : Json(nullptr);
  json["reports"] = Json::object();
  for (const ReportValue& report : result.reports) json["reports"][report.name] = number(report.value);
  json["checks"] = checks_json(result);
  json["warnings"] = s.warnings;
  json["host"] = {{"wall_s", number(s.wall_s)},
                  {"warp_instructions_per_s",
                   s.wall_s > 0 ? number(static_cast<double>(s.warp_instructions) / s.wall_s) : Json(nullptr)},
                  {"peak_rss_mib", number(s.peak_rss_mib)}};
  return json;
}

}  // namespace smpipe::app
