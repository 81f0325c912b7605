#include "config/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <type_traits>

#include "config/config_check.h"
#include "core/error.h"
#include "core/text.h"
#include "core/toml_file.h"

namespace smpipe {
namespace {
namespace fs = std::filesystem;

constexpr const char* kNotStated = "not stated";

/// Keys and units that exist, from the data sheet itself.
struct Schema {
  std::vector<std::string> keys;                             ///< "l2.slices"
  std::map<std::string, std::string> unit;                   ///< by key
  std::map<std::string, std::vector<std::string>> children;  ///< by section ("" is the top): keys and sub-sections
};

const Schema& schema() {
  static const Schema made = [] {
    Schema s;
    GpuConfig any;
    const auto add_child = [&s](const std::string& parent, const std::string& child) {
      auto& list = s.children[parent];
      if (std::find(list.begin(), list.end(), child) == list.end()) list.push_back(child);
    };
    describe(any, [&](const std::string& section, const std::string& key, auto&, const char* unit) {
      s.keys.push_back(section + "." + key);
      s.unit[s.keys.back()] = unit;
      add_child(section, key);
      for (std::string rest = section; !rest.empty();) {
        const std::size_t dot = rest.rfind('.');
        add_child(dot == std::string::npos ? "" : rest.substr(0, dot), rest.substr(dot + 1));
        rest = dot == std::string::npos ? "" : rest.substr(0, dot);
      }
    });
    return s;
  }();
  return made;
}

/// A value as stated: the TOML node that holds it and where.
struct Stated {
  const toml::node* node = nullptr;
  std::string source = kNotStated;
  std::string file;
  unsigned line = 0;
};

using StatedValues = std::map<std::string, Stated>;

[[noreturn]] void fail(const Stated& at, const std::string& what, const std::string& remedy) {
  throw InputError(at.file, at.line, what, remedy);
}

std::string join(const std::string& section, const std::string& key) {
  return section.empty() ? key : section + "." + key;
}

/// Splits `{ value, unit, source }`; a plain value stays as it is.
Stated open_value(const std::string& file, const std::string& key, const toml::node& node) {
  Stated stated{&node, kNotStated, file, line_of(node)};
  const toml::table* table = node.as_table();
  if (table == nullptr) return stated;
  TableReader reader(file, *table, key, stated.line);
  stated.node = &reader.require("value", "{ value = 1, unit = \"" + schema().unit.at(key) + "\", source = \"...\" }");
  if (line_of(*stated.node) != 0) stated.line = line_of(*stated.node);
  if (reader.find("unit") != nullptr) {
    const std::string unit = reader.text_or("unit", "");
    const std::string& expected = schema().unit.at(key);
    if (unit != expected) {
      reader.fail("unit", fmt::format("{} is stated in '{}'", key, unit),
                  expected.empty() ? "it has no unit" : "its unit is '" + expected + "'");
    }
  }
  stated.source = reader.text_or("source", kNotStated);
  reader.finish();
  return stated;
}

void collect(const std::string& file, const toml::table& table, const std::string& section, StatedValues& out) {
  const Schema& s = schema();
  for (const std::string& key : keys_in_order(table)) {
    const toml::node& node = *table.get(key);
    const std::string path = join(section, key);
    if (section.empty() && (key == "inherits" || key == "description")) continue;
    if (s.unit.count(path) != 0) {
      out[path] = open_value(file, path, node);
    } else if (s.children.count(path) != 0) {
      if (!node.is_table()) {
        throw InputError(file, line_of(node), path + " is " + type_name(node), "it must be a table: [" + path + "]");
      }
      collect(file, *node.as_table(), path, out);
    } else {
      throw InputError(file, line_of(node),
                       fmt::format("unknown {} '{}'", node.is_table() ? "table or key" : "key", path),
                       suggest(key, s.children.at(section)));
    }
  }
}

/// Reads a file and, before it, what it inherits from. Keeps the parsed tables alive in `tables`.
class LayerReader {
 public:
  explicit LayerReader(const std::vector<std::string>& dirs) : dirs_(dirs) {}

  void read(const std::string& path, StatedValues& out) {
    open_.push_back(fs::weakly_canonical(path).string());
    tables_.push_back(std::make_unique<toml::table>(parse_toml(path)));
    const toml::table& table = *tables_.back();
    if (const toml::node* parent = table.get("inherits")) read_parent(path, *parent, out);
    if (const toml::node* text = table.get("description")) text_value(path, *text, "description");
    collect(path, table, "", out);
    open_.pop_back();
  }

 private:
  void read_parent(const std::string& path, const toml::node& node, StatedValues& out) {
    const std::string parent = resolve(path, node);
    if (std::find(open_.begin(), open_.end(), fs::weakly_canonical(parent).string()) != open_.end()) {
      throw InputError(path, line_of(node), "inherits from itself through '" + parent + "'", "break the cycle");
    }
    read(parent, out);
  }

  std::string resolve(const std::string& path, const toml::node& node) const {
    const std::string name = text_value(path, node, "inherits");
    const fs::path beside = fs::path(path).parent_path() / name;
    if (fs::is_regular_file(beside)) return beside.string();
    try {
      return find_config(name, dirs_);
    } catch (const InputError& error) {
      throw InputError(path, line_of(node), std::string("inherits: ") + error.what());
    }
  }

  const std::vector<std::string>& dirs_;
  std::vector<std::string> open_;
  std::vector<std::unique_ptr<toml::table>> tables_;
};

/// The right side of `--set key=value` as TOML; a bare word is taken as a string.
toml::table parse_override(const std::string& text) {
  try {
    return toml::parse("value = " + text + "\n");
  } catch (const toml::parse_error&) {
    toml::table table;
    table.insert("value", text);
    return table;
  }
}

Stated find_override(const std::string& option, std::vector<std::unique_ptr<toml::table>>& tables, std::string& key) {
  Stated stated{nullptr, "option --set", "--set " + option, 0};
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == option.size()) {
    fail(stated, "is not of the form path=value", "write for example --set l2.slices=96");
  }
  key = option.substr(0, equals);
  if (schema().unit.count(key) == 0) {
    const std::string near = nearest(key, schema().keys);
    fail(stated, "unknown key '" + key + "'",
         near.empty() ? "`smpipe config show` lists all keys" : "did you mean '" + near + "'?");
  }
  tables.push_back(std::make_unique<toml::table>(parse_override(option.substr(equals + 1))));
  if (tables.back()->size() != 1) fail(stated, "holds more than one value", "use one --set for each value");
  stated.node = tables.back()->get("value");
  return stated;
}

[[noreturn]] void fail_type(const Stated& at, const std::string& key, const std::string& expected) {
  fail(at, fmt::format("{} is {} ({})", key, type_name(*at.node), value_text(*at.node)), "it must be " + expected);
}

std::uint64_t to_count(const Stated& at, const std::string& key, const toml::node& node, std::uint64_t highest) {
  const auto* value = node.as_integer();
  if (value == nullptr) {
    Stated element = at;
    element.node = &node;
    fail_type(element, key, "an integer");
  }
  if (value->get() < 0) fail(at, fmt::format("{} = {} is negative", key, value->get()), "it must be 0 or more");
  if (static_cast<std::uint64_t>(value->get()) > highest) {
    fail(at, fmt::format("{} = {} is out of range", key, value->get()), fmt::format("it must be at most {}", highest));
  }
  return static_cast<std::uint64_t>(value->get());
}

void convert(const Stated& at, const std::string& key, std::uint32_t& out) {
  out = static_cast<std::uint32_t>(to_count(at, key, *at.node, std::numeric_limits<std::uint32_t>::max()));
}

void convert(const Stated& at, const std::string& key, std::uint64_t& out) {
  out = to_count(at, key, *at.node, std::numeric_limits<std::int64_t>::max());
}

void convert(const Stated& at, const std::string& key, double& out) {
  const auto number = at.node->value<double>();
  if (!at.node->is_number() || !number) fail_type(at, key, "a number");
  if (!std::isfinite(*number)) fail(at, key + " is not finite", "it must be a number");
  if (*number < 0) fail(at, fmt::format("{} = {} is negative", key, *number), "it must be 0 or more");
  out = *number;
}

void convert(const Stated& at, const std::string& key, std::string& out) {
  const auto* text = at.node->as_string();
  if (text == nullptr) fail_type(at, key, "a string in quotes");
  out = text->get();
}

void convert(const Stated& at, const std::string& key, Pipe& out) {
  std::string name;
  convert(at, key, name);
  const auto found = std::find(kPipeKeys.begin(), kPipeKeys.end(), name);
  if (found == kPipeKeys.end()) {
    fail(at, fmt::format("{}: unknown pipe '{}'", key, name),
         suggest(name, std::vector<std::string>(kPipeKeys.begin(), kPipeKeys.end())));
  }
  out = static_cast<Pipe>(found - kPipeKeys.begin());
}

void convert(const Stated& at, const std::string& key, std::vector<std::uint32_t>& out) {
  const auto* list = at.node->as_array();
  if (list == nullptr) fail_type(at, key, "an array of integers");
  out.clear();
  for (const toml::node& node : *list) {
    out.push_back(static_cast<std::uint32_t>(to_count(at, key, node, std::numeric_limits<std::uint32_t>::max())));
  }
}

std::string as_text(const std::string& value) { return value; }
std::string as_text(Pipe value) { return kPipeKeys[static_cast<unsigned>(value)]; }
std::string as_text(const std::vector<std::uint32_t>& list) { return fmt::format("[{}]", fmt::join(list, ", ")); }
template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
std::string as_text(Number value) {
  return fmt::format("{}", value);
}

void check_complete(const StatedValues& stated, const std::string& file) {
  std::string first;
  std::size_t missing = 0;
  for (const std::string& key : schema().keys) {
    if (stated.count(key) != 0) continue;
    if (missing++ == 0) first = key;
  }
  if (missing == 0) return;
  const std::string more = missing > 1 ? fmt::format(" (and {} more)", missing - 1) : "";
  throw InputError(file, 0, fmt::format("value '{}' is missing{}", first, more),
                   "state it, or take the rest from another configuration with inherits = \"a100-sxm4-40gb\"");
}

LoadedConfig convert_all(const StatedValues& stated) {
  LoadedConfig loaded;
  describe(loaded.config, [&](const std::string& section, const std::string& name, auto& value, const char* unit) {
    const std::string key = section + "." + name;
    const Stated& at = stated.at(key);
    convert(at, key, value);
    loaded.entries.push_back({key, as_text(value), unit, at.source, at.file, at.line});
  });
  return loaded;
}

std::string executable_dir() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string{} : self.parent_path().string();
}

}  // namespace

const ConfigEntry& LoadedConfig::entry(const std::string& key) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const ConfigEntry& e) { return e.key == key; });
  if (found == entries.end()) throw ModelError("no configuration value '" + key + "'");
  return *found;
}

std::vector<std::string> default_config_dirs() {
  std::vector<std::string> dirs = {"configs"};
#ifdef SMPIPE_SOURCE_DIR
  dirs.emplace_back(std::string(SMPIPE_SOURCE_DIR) + "/configs");
#endif
  const std::string beside = executable_dir();
  if (!beside.empty()) {
    dirs.push_back(beside + "/../configs");
    dirs.push_back(beside + "/../share/smpipe/configs");
  }
  return dirs;
}

std::vector<std::string> list_configs(const std::vector<std::string>& dirs) {
  std::set<std::string> stems;
  for (const std::string& dir : dirs) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(dir, error)) {
      if (entry.path().extension() == ".toml") stems.insert(entry.path().stem().string());
    }
  }
  return {stems.begin(), stems.end()};
}

std::string find_config(const std::string& path_or_stem, const std::vector<std::string>& dirs) {
  const bool is_path = path_or_stem.find('/') != std::string::npos || path_or_stem.ends_with(".toml");
  if (is_path && fs::exists(path_or_stem)) return path_or_stem;
  if (path_or_stem.find('/') == std::string::npos && !path_or_stem.empty()) {
    const std::string name = path_or_stem.ends_with(".toml") ? path_or_stem : path_or_stem + ".toml";
    for (const std::string& dir : dirs) {
      const fs::path candidate = fs::path(dir) / name;
      if (fs::is_regular_file(candidate)) return candidate.lexically_normal().string();
    }
  }
  if (is_path) throw InputError(path_or_stem, 0, "configuration file not found", "check the path");
  const std::vector<std::string> known = list_configs(dirs);
  throw InputError("", 0, "no configuration '" + path_or_stem + "'",
                   known.empty() ? "name a file" : suggest(path_or_stem, known));
}

LoadedConfig read_config(const std::string& path_or_stem, const std::vector<std::string>& dirs,
                         const std::vector<std::string>& overrides) {
  const std::string path = find_config(path_or_stem, dirs);
  StatedValues stated;
  LayerReader layers(dirs);
  layers.read(path, stated);
  check_complete(stated, path);
  std::vector<std::unique_ptr<toml::table>> option_values;
  for (const std::string& option : overrides) {
    std::string key;
    const Stated value = find_override(option, option_values, key);
    stated[key] = value;
  }
  LoadedConfig loaded = convert_all(stated);
  loaded.name = fs::path(path).stem().string();
  loaded.file = path;
  check_config(loaded);
  return loaded;
}

GpuConfig load_config(const std::string& path_or_stem, const std::vector<std::string>& dirs,
                      const std::vector<std::string>& overrides) {
  return read_config(path_or_stem, dirs, overrides).config;
}

}  // namespace smpipe
