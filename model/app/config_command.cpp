// `smpipe config show|check`.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands.h"
#include "config/config_reader.h"
#include "core/text.h"

namespace smpipe::app {
namespace {

namespace po = boost::program_options;

constexpr const char* kDefault = "a100-sxm4-40gb";

CommandLine make_command_line() {
  CommandLine line("config show [CONFIG] [--json] [--set path=value]... | smpipe config check FILE",
                   "show   prints every value of a configuration with its unit and source\n"
                   "check  reads a configuration and reports the first mistake with file and line\n\n"
                   "CONFIG is a file or the stem of one in configs/ (default " +
                       std::string(kDefault) + ").\n",
                   "Examples:\n"
                   "  smpipe config show h200 | grep l2.\n"
                   "  smpipe config show --set l2.slices=160\n"
                   "  smpipe config check my-gpu.toml\n");
  line.options()("json", "print JSON instead of a table")(
      "set", po::value<std::vector<std::string>>()->value_name("PATH=VALUE")->composing(),
      "change one value, for example l2.slices=160; may be repeated");
  return line;
}

void print_json(const LoadedConfig& loaded) {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  std::size_t i = 0;
  describe(loaded.config, [&](const std::string&, const std::string&, const auto& value, const char*) {
    const ConfigEntry& entry = loaded.entries[i++];
    nlohmann::ordered_json json;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, Pipe>) {
      json["value"] = entry.value;
    } else {
      json["value"] = value;
    }
    json["unit"] = entry.unit;
    json["source"] = entry.source;
    json["file"] = entry.file;
    json["line"] = entry.line;
    values[entry.key] = std::move(json);
  });
  const nlohmann::ordered_json document = {{"config", loaded.name}, {"file", loaded.file}, {"values", values}};
  std::cout << document.dump(2) << "\n";
}

void print_table(const LoadedConfig& loaded) {
  std::size_t key_width = 3, value_width = 5, unit_width = 4;
  constexpr std::size_t kWidestValue = 24;  // a long list may stick out rather than push every source aside
  for (const ConfigEntry& entry : loaded.entries) {
    key_width = std::max(key_width, entry.key.size());
    value_width = std::max(value_width, std::min(kWidestValue, entry.value.size()));
    unit_width = std::max(unit_width, entry.unit.size());
  }
  std::cout << fmt::format("{:{}}  {:>{}}  {:{}}  {}\n", "key", key_width, "value", value_width, "unit", unit_width,
                           "source");
  for (const ConfigEntry& entry : loaded.entries) {
    std::cout << fmt::format("{:{}}  {:>{}}  {:{}}  {}\n", entry.key, key_width, entry.value, value_width, entry.unit,
                             unit_width, entry.source);
  }
}

int show(const CommandLine& line, const std::vector<std::string>& overrides) {
  if (line.positional().size() > 2) line.fail("show takes one configuration");
  const std::string name = line.positional().size() == 2 ? line.positional()[1] : kDefault;
  const LoadedConfig loaded = read_config(name, default_config_dirs(), overrides);
  if (line.has("json")) {
    print_json(loaded);
  } else {
    print_table(loaded);
  }
  return kFine;
}

int check(const CommandLine& line, const std::vector<std::string>& overrides) {
  if (line.positional().size() != 2) line.fail("check takes one file");
  const LoadedConfig loaded = read_config(line.positional()[1], default_config_dirs(), overrides);
  const auto count = [&](const char* grade) {
    return std::count_if(loaded.entries.begin(), loaded.entries.end(),
                         [&](const ConfigEntry& e) { return e.source.starts_with(grade); });
  };
  std::cout << fmt::format(
      "{}: fine; {} values: {} documented, {} measured, {} derived, {} assumed, {} without a source\n", loaded.file,
      loaded.entries.size(), count("documented"), count("measured"), count("derived"), count("assumed"),
      count("not stated"));
  return kFine;
}

}  // namespace

int config_command(const std::vector<std::string>& words) {
  CommandLine line = make_command_line();
  if (line.parse(words)) return kFine;
  if (line.positional().empty()) line.fail("say what to do: show or check");
  std::vector<std::string> overrides;
  if (line.has("set")) overrides = line.get<std::vector<std::string>>("set");
  const std::string& action = line.positional().front();
  if (action == "show") return show(line, overrides);
  if (action == "check") return check(line, overrides);
  line.fail("unknown action '" + action + "'; " + suggest(action, {"show", "check"}));
}

}  // namespace smpipe::app
