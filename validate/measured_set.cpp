#include "validate/measured_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/error.h"

namespace smpipe::validate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kElapsed = "sm__cycles_elapsed.max";
constexpr const char* kActive = "sm__cycles_active.max";

/// One object of the file, with its path for messages.
class Node {
 public:
  Node(const std::string& file, const Json& json, std::string path) : file_(file), json_(json), path_(std::move(path)) {
    if (!json_.is_object()) fail("", "must be an object");
  }

  bool has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }
  const Json& at(const char* key) const {
    if (!has(key)) fail(key, "is missing");
    return json_.at(key);
  }
  Node object(const char* key) const { return {file_, at(key), name(key)}; }
  std::string text(const char* key) const {
    if (!at(key).is_string()) fail(key, "must be a text");
    return at(key).get<std::string>();
  }
  std::string text_or(const char* key, const std::string& fallback) const { return has(key) ? text(key) : fallback; }
  double number(const char* key) const {
    if (!at(key).is_number()) fail(key, "must be a number");
    return at(key).get<double>();
  }
  double number_or(const char* key, double fallback) const { return has(key) ? number(key) : fallback; }
  std::uint64_t count(const char* key) const {
    const double value = number(key);
    if (!(value >= 0) || value > 9e15) fail(key, "must be a count, 0 or more");
    return static_cast<std::uint64_t>(value);
  }
  std::uint64_t count_or(const char* key, std::uint64_t fallback) const { return has(key) ? count(key) : fallback; }
  std::optional<std::uint64_t> optional_count(const char* key) const {
    return has(key) ? std::optional(count(key)) : std::nullopt;
  }
  std::optional<std::array<std::uint64_t, 3>> extent(const char* key) const;
  /// A distribution, or a plain number, which is then the median.
  std::optional<Distribution> distribution(const char* key) const;
  const Json& array(const char* key) const {
    if (!at(key).is_array()) fail(key, "must be an array");
    return at(key);
  }
  const Json& json() const { return json_; }
  const std::string& path() const { return path_; }
  std::string name(const std::string& key) const {
    return path_.empty() || key.empty() ? path_ + key : path_ + "." + key;
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    const std::string where = name(key);
    throw InputError(file_, 0, (where.empty() ? "the file" : "'" + where + "'") + " " + what,
                     "the file must be a measured set as smpipe-measure writes it (docs/measuring.md)");
  }

 private:
  const std::string& file_;
  const Json& json_;
  std::string path_;
};

std::optional<std::array<std::uint64_t, 3>> Node::extent(const char* key) const {
  if (!has(key)) return std::nullopt;
  const Json& list = array(key);
  std::array<std::uint64_t, 3> out{1, 1, 1};
  if (list.empty() || list.size() > 3) fail(key, "must have one to three numbers");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_number_unsigned()) fail(key, "must consist of positive integers");
    out[i] = list[i].get<std::uint64_t>();
  }
  return out;
}

std::optional<Distribution> Node::distribution(const char* key) const {
  if (!has(key)) return std::nullopt;
  Distribution d;
  if (at(key).is_number()) {
    d.median = d.q1 = d.q3 = d.least = d.most = number(key);
  } else {
    const Node node = object(key);
    d.median = node.number("median");
    d.q1 = node.number_or("q1", d.median);
    d.q3 = node.number_or("q3", d.median);
    d.least = node.number_or("min", d.median);
    d.most = node.number_or("max", d.median);
    d.spread = node.number_or("spread", 0);
  }
  if (!(d.median > 0)) fail(key, "must be above 0");
  return d;
}

void read_reports(const Node& node, MeasuredLaunch& launch) {
  if (!node.has("reports")) return;
  const Node reports = node.object("reports");
  for (const auto& [name, value] : reports.json().items()) {
    MeasuredReport report{name, reports.number(name.c_str()), 0, 0};
    report.least = report.most = report.value;
    if (node.has("report_ranges") && node.object("report_ranges").has(name.c_str())) {
      const Json& range = node.object("report_ranges").array(name.c_str());
      if (range.size() != 2 || !range[0].is_number() || !range[1].is_number()) {
        node.fail("report_ranges." + name, "must be two numbers");
      }
      report.least = range[0].get<double>();
      report.most = range[1].get<double>();
    }
    launch.reports.push_back(std::move(report));
  }
}

void read_metrics(const Node& node, MeasuredLaunch& launch) {
  if (!node.has("metrics")) return;
  const Node metrics = node.object("metrics");
  for (const auto& [name, value] : metrics.json().items()) {
    const bool known = metrics.has(name.c_str());
    launch.metrics.emplace_back(name, known ? std::optional(metrics.number(name.c_str())) : std::nullopt);
  }
}

void read_checks(const std::string& file, const Node& node, MeasuredLaunch& launch) {
  if (!node.has("checks")) return;
  std::size_t index = 0;
  for (const Json& item : node.array("checks")) {
    const Node check(file, item, node.name(fmt::format("checks[{}]", index++)));
    if (!check.at("passed").is_boolean()) check.fail("passed", "must be true or false");
    if (!check.at("passed").get<bool>()) launch.failed_checks.push_back(check.text_or("kind", "check"));
  }
}

MeasuredLaunch read_launch_node(const std::string& file, const Node& node) {
  MeasuredLaunch launch;
  launch.name = node.text("launch");
  if (launch.name.ends_with(".toml")) launch.name.resize(launch.name.size() - 5);
  launch.kernel = node.text_or("kernel", "");
  launch.description = node.text_or("description", "");
  launch.group = node.text_or("group", "");
  launch.file = node.text_or("file", "");
  launch.grid = node.extent("grid");
  launch.block = node.extent("block");
  launch.dynamic_shared_bytes = node.optional_count("dynamic_shared_bytes");
  launch.registers = node.optional_count("registers");
  launch.time_us = node.distribution("time_us");
  launch.sm_clock_mhz = node.distribution("sm_clock_mhz");
  if (node.has("cycles")) launch.cycles = node.number("cycles");
  launch.cycles_source = node.text_or("cycles_source", "");
  launch.repetitions = node.count_or("repetitions", 0);
  launch.rejected = node.count_or("rejected", 0);
  read_reports(node, launch);
  read_metrics(node, launch);
  read_checks(file, node, launch);
  return launch;
}

std::string slurp(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw InputError(path, 0, "no such file", "measure with smpipe-measure, or use traces/measured/h200.json");
  }
  if (std::filesystem::is_directory(path, error))
    throw InputError(path, 0, "is a folder", "name a measured set (JSON)");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in) throw InputError(path, 0, "cannot be read", "check its permissions");
  return out.str();
}

Json parse(const std::string& path, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    // The byte is one past the last one read, and may lie behind the end.
    const auto end =
        text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    throw InputError(path, static_cast<unsigned>(line), "is not valid JSON",
                     error.byte >= text.size() ? "the file seems to be cut off; copy it again or measure again"
                                               : "see the text at this line");
  }
}

void read_device(const Node& root, MeasuredSet& set) {
  const Node device = root.object("device");
  set.device = device.text("name");
  set.compute_capability = device.text_or("compute_capability", "");
  set.architecture = device.text_or("architecture", "");
  set.sms = device.count_or("sms", 0);
  set.sm_clock_mhz = device.number_or("sm_clock_mhz", 0);
  set.memory_clock_mhz = device.number_or("memory_clock_mhz", 0);
  if (root.has("driver") && root.at("driver").is_object()) {
    set.driver = root.object("driver").text_or("version", "");
    set.cuda = root.object("driver").text_or("cuda", "");
  }
  set.date = root.text_or("date", "");
  set.repetitions = root.count_or("repetitions", 0);
  if (const auto overhead = root.distribution("launch_overhead_us")) set.launch_overhead_us = overhead->median;
}

}  // namespace

std::optional<double> MeasuredLaunch::metric(const std::string& metric_name) const {
  for (const auto& [key, value] : metrics) {
    if (key == metric_name) return value;
  }
  return std::nullopt;
}

const MeasuredLaunch* MeasuredSet::find(const std::string& name) const {
  const auto found = std::find_if(launches.begin(), launches.end(), [&](const auto& l) { return l.name == name; });
  return found == launches.end() ? nullptr : &*found;
}

MeasuredSet read_measured(const std::string& path) {
  const Json json = parse(path, slurp(path));
  MeasuredSet set;
  set.file = path;
  const Node root(path, json, "");
  read_device(root, set);
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& item : root.array("launches")) {
    const Node node(path, item, fmt::format("launches[{}]", index++));
    set.launches.push_back(read_launch_node(path, node));
    if (!seen.insert(set.launches.back().name).second) {
      node.fail("launch", "'" + set.launches.back().name + "' appears twice");
    }
  }
  if (set.launches.empty()) root.fail("launches", "is empty");
  return set;
}

const MeasuredLaunch* empty_launch(const MeasuredSet& set) {
  for (const MeasuredLaunch& launch : set.launches) {
    if (launch.kernel == "empty" || launch.name == "empty") return &launch;
  }
  return nullptr;
}

std::optional<NetCycles> net_cycles(const MeasuredSet& set, const MeasuredLaunch& launch) {
  const MeasuredLaunch* empty = empty_launch(set);
  const double busy = empty ? empty->metric(kActive).value_or(0) : 0;
  std::optional<double> elapsed = launch.metric(kElapsed);
  if (!elapsed && launch.cycles_source == kElapsed) elapsed = launch.cycles;
  if (elapsed) {
    const double overhead = empty ? empty->metric(kElapsed).value_or(busy) - busy : 0;
    return NetCycles{*elapsed - overhead, overhead, true};
  }
  if (!launch.time_us || !launch.sm_clock_mhz) return std::nullopt;
  const double clock = launch.sm_clock_mhz->median;
  const double overhead = std::max(0.0, set.launch_overhead_us.value_or(0) * clock - busy);
  return NetCycles{launch.time_us->median * clock - overhead, overhead, false};
}

}  // namespace smpipe::validate
