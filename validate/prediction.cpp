#include "validate/prediction.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "core/error.h"
#include "frontend/sass/sass_executor.h"
#include "gpu/simulate.h"
#include "launch/fill.h"
#include "launch/launch_reader.h"
#include "launch/verify.h"
#include "smpipe_model_hash.h"

namespace smpipe::validate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kPatience = 4'000'000'000;  ///< cycles in which no block ends

template <class T>
const T* find_named(const std::vector<T>& list, const std::string& name) {
  for (const T& item : list) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

/// FNV-1a: names a cache entry; nobody attacks it.
class Hash {
 public:
  void add(const std::string& text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0);
  }
  void add_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    add(out.str());
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  void step(unsigned char c) { value_ = (value_ ^ c) * 1099511628211ULL; }
  std::uint64_t value_ = 14695981039346656037ULL;
};

void fill_prediction(Prediction& p, const SimulationResult& r) {
  p.cycles = static_cast<double>(r.cycles);
  p.time_us = r.time_us;
  p.sampled = r.coverage.blocks != r.coverage.blocks_total;
  p.error_bound = r.coverage.error_bound;
  p.warp_instructions = r.warp_instructions;
  p.stalls = r.stalls;
  p.metrics = r.metrics;
  p.warnings = r.warnings;
}

Prediction simulate_launch(const PredictionTask& task) {
  const LoadedConfig config = read_config(task.config, default_config_dirs(), task.overrides);
  Launch launch = read_launch(task.launch_file, config.config.gpu.architecture);
  check_resources(launch, config.config);
  fill_buffers(launch);
  SassKernel kernel = read_sass(launch.code, launch.kernel, launch.architecture);
  std::vector<Buffer> device = launch.buffers;  // checks need the initial contents afterwards
  DeviceMemory memory(device);
  SassExecutor source(std::move(kernel), launch, memory, config.config.gpu.sm_count, config.config.gpu.sm_clock_mhz);
  Prediction p;
  SimulateOptions options;
  // A pointer chase is one block for many cycles; the pool's time limit ends what hangs.
  options.watchdog_cycles = kPatience;
  fill_prediction(p, simulate(config.config, source, launch, options));
  FinalContents contents;
  for (Buffer& buffer : device) contents.push_back(std::move(buffer.data));
  for (const ReportValue& report : evaluate_reports(launch, contents)) {
    p.reports.push_back({report.name, report.value, report.unit});
  }
  // Part of the blocks never ran: their results are not there to be verified.
  if (p.sampled) return p;
  for (const CheckResult& check : evaluate_checks(launch, contents)) {
    if (!check.passed) p.failed_checks.push_back(check.kind + ": " + check.detail);
  }
  return p;
}

}  // namespace

std::optional<double> Prediction::metric(const std::string& name) const {
  for (const auto& [key, value] : metrics) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::optional<double> Prediction::report(const std::string& name) const {
  const PredictedReport* found = find_named(reports, name);
  return found ? std::optional(found->value) : std::nullopt;
}

Json to_json(const Prediction& p) {
  if (!p.failure.empty()) return {{"failure", p.failure}};
  Json json{{"cycles", p.cycles},
            {"time_us", p.time_us},
            {"sampled", p.sampled},
            {"error_bound", p.error_bound},
            {"warp_instructions", p.warp_instructions}};
  json["stalls"] = Json::object();
  for (const auto& [name, share] : p.stalls) json["stalls"][name] = share;
  json["metrics"] = Json::object();
  for (const auto& [name, value] : p.metrics) json["metrics"][name] = value ? Json(*value) : Json(nullptr);
  json["reports"] = Json::array();
  for (const PredictedReport& r : p.reports) {
    json["reports"].push_back({{"name", r.name}, {"value", r.value}, {"unit", r.unit}});
  }
  json["failed_checks"] = p.failed_checks;
  json["warnings"] = p.warnings;
  return json;
}

Prediction prediction_from_json(const Json& json) {
  Prediction p;
  if (json.contains("failure")) {
    p.failure = json.at("failure").get<std::string>();
    return p;
  }
  p.cycles = json.at("cycles").get<double>();
  p.time_us = json.at("time_us").get<double>();
  p.sampled = json.at("sampled").get<bool>();
  p.error_bound = json.at("error_bound").get<double>();
  p.warp_instructions = json.at("warp_instructions").get<std::uint64_t>();
  // A number that JSON cannot hold was written as null: as good as absent.
  for (const auto& [name, value] : json.at("stalls").items()) {
    p.stalls.emplace_back(name, value.is_null() ? 0 : value.get<double>());
  }
  for (const auto& [name, value] : json.at("metrics").items()) {
    p.metrics.emplace_back(name, value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  }
  for (const Json& r : json.at("reports")) {
    if (r.at("value").is_null()) continue;
    p.reports.push_back(
        {r.at("name").get<std::string>(), r.at("value").get<double>(), r.at("unit").get<std::string>()});
  }
  p.failed_checks = json.at("failed_checks").get<std::vector<std::string>>();
  p.warnings = json.at("warnings").get<std::vector<std::string>>();
  return p;
}

Prediction predict(const PredictionTask& task) {
  Prediction p;
  try {
    return simulate_launch(task);
  } catch (const std::bad_alloc&) {
    p.failure = "out of memory";
  } catch (const ModelError& error) {
    p.failure = fmt::format("the model contradicts itself: {}", error.what());
  } catch (const std::exception& error) {
    p.failure = error.what();
  }
  return p;
}

std::string prediction_key(const PredictionTask& task) {
  const LoadedConfig config = read_config(task.config, default_config_dirs(), task.overrides);
  const Launch launch = read_launch(task.launch_file, config.config.gpu.architecture);
  Hash hash;
  hash.add(kModelHash);
  for (const ConfigEntry& entry : config.entries) hash.add(entry.key + "=" + entry.value);
  hash.add_file(task.launch_file);
  hash.add_file(launch.code);
  for (const Buffer& buffer : launch.buffers) {
    if (buffer.fill.kind == FillKind::kFile) hash.add_file(buffer.fill.file);
  }
  return hash.text();
}

}  // namespace smpipe::validate
