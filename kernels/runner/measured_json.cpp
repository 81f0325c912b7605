#include "measured_json.h"

#include <cmath>
#include <ctime>
#include <filesystem>

namespace smpipe::gpu {
namespace {

/// Six significant digits: below the noise of every measurement, and readable.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

Json describe(const Distribution& d) {
  return {{"median", rounded(d.median)}, {"q1", rounded(d.lower_quartile)}, {"q3", rounded(d.upper_quartile)},
          {"min", rounded(d.least)},     {"max", rounded(d.most)},          {"spread", rounded(d.spread())}};
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Json dimensions(const Dim3& d) { return {d.x, d.y, d.z}; }

/// What the reader of a wide spread should know; null where the spread is narrow or the launch too short to matter.
Json note_on_spread(const Launch& launch, const Measurement& m) {
  constexpr double kWide = 0.03, kShortUs = 20, kSteadyClock = 0.01;
  if (m.time_us.spread() <= kWide || m.time_us.median <= kShortUs) return nullptr;
  const bool steady = m.sm_clock_mhz.least > (1 - kSteadyClock) * m.sm_clock_mhz.most;
  std::string note = steady ? "wide spread at a steady SM clock" : "wide spread, and the SM clock moved";
  if (launch.caches == Caches::kCold)
    note += "; cold start, so the time depends on DRAM (refresh, banks left open) and TLBs";
  return note;
}

Json describe_device(const Driver& driver, const ManagementLibrary& management) {
  const int major = driver.attribute(DeviceAttribute::kMajor), minor = driver.attribute(DeviceAttribute::kMinor);
  return {{"name", driver.device_name()},
          {"compute_capability", std::to_string(major) + "." + std::to_string(minor)},
          {"architecture", "sm_" + std::to_string(major) + std::to_string(minor)},
          {"sms", driver.attribute(DeviceAttribute::kMultiprocessors)},
          {"l2_bytes", driver.attribute(DeviceAttribute::kL2Bytes)},
          {"memory_bytes", driver.memory_bytes()},
          {"ecc", driver.attribute(DeviceAttribute::kEcc) != 0},
          {"sm_clock_mhz", management.sm_clock_mhz()},
          {"most_sm_clock_mhz", driver.attribute(DeviceAttribute::kClockKhz) / 1000},
          {"memory_clock_mhz", management.memory_clock_mhz()}};
}

Json cuda_version(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

}  // namespace

Json describe_run(const Driver& driver, const ManagementLibrary& management, unsigned repetitions,
                  const Distribution& launch_overhead_us) {
  const std::string version = management.driver_version();
  return {
      {"tool", "smpipe-measure"},
      {"format", 1},
      {"device", describe_device(driver, management)},
      {"driver",
       {{"version", version.empty() ? Json(nullptr) : Json(version)}, {"cuda", cuda_version(driver.api_version())}}},
      {"date", now()},
      {"repetitions", repetitions},
      {"launch_overhead_us", describe(launch_overhead_us)},
      {"launches", Json::array()}};
}

Json describe_launch(const Launch& launch, const Measurement& m) {
  Json reports = Json::object(), report_ranges = Json::object(), checks = Json::array();
  for (const auto& r : m.reports) {
    reports[r.name] = rounded(r.values.median);
    report_ranges[r.name] = {rounded(r.values.least), rounded(r.values.most)};
  }
  for (const auto& c : m.checks) checks.push_back({{"kind", c.kind}, {"passed", c.passed}, {"detail", c.detail}});
  const double clock = m.sm_clock_mhz.median;
  const bool has_clock = clock > 0;
  return {{"launch", std::filesystem::path(launch.file).stem().string()},
          {"kernel", launch.kernel},
          {"description", launch.description},
          {"grid", dimensions(launch.shape.grid)},
          {"block", dimensions(launch.shape.block)},
          {"dynamic_shared_bytes", launch.shape.dynamic_shared_bytes},
          {"registers", m.resources.registers},
          {"static_shared_bytes", m.resources.static_shared_bytes},
          {"local_bytes", m.resources.local_bytes},
          {"caches", launch.caches == Caches::kWarm ? "warm" : "cold"},
          {"repetitions", m.accepted},
          {"rejected", m.rejected},
          {"throttle_reasons", m.throttled},
          {"time_us", describe(m.time_us)},
          {"sm_clock_mhz", has_clock ? describe(m.sm_clock_mhz) : Json(nullptr)},
          {"cycles", has_clock ? Json(std::round(m.time_us.median * clock)) : Json(nullptr)},
          {"cycles_source", has_clock ? Json("event time x SM clock held, launch overhead included") : Json(nullptr)},
          {"reports", std::move(reports)},
          {"report_ranges", std::move(report_ranges)},
          {"checks", std::move(checks)},
          {"note", note_on_spread(launch, m)}};
}

void add_metrics(Json& launch, const Metrics& metrics) {
  Json& out = launch["metrics"] = Json::object();
  for (const auto& name : metric_names()) {
    const auto found = metrics.find(name);
    if (found != metrics.end()) out[name] = found->second ? Json(*found->second) : Json(nullptr);
  }
  const auto cycles = metrics.find("sm__cycles_elapsed.max");
  if (cycles == metrics.end() || !cycles->second) return;
  launch["cycles"] = *cycles->second;
  launch["cycles_source"] = "sm__cycles_elapsed.max";
}

}  // namespace smpipe::gpu
