#include "core/toml_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/text.h"

namespace smpipe {
namespace {

std::string read_text(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError(path, 0, "file not found", "check the path");
  if (fs::is_directory(status)) throw InputError(path, 0, "is a directory", "name a TOML file");
  // Nothing that a person writes is larger; a wrong path to a disk image should not be read into memory.
  constexpr std::uintmax_t kLargest = 16u << 20;
  if (fs::is_regular_file(status) && fs::file_size(path, error) > kLargest) {
    throw InputError(path, 0, "is larger than 16 MiB", "name a TOML file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path, 0, "cannot be read", "check its permissions");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

[[noreturn]] void fail_type(const std::string& file, const toml::node& node, const std::string& what,
                            const std::string& expected) {
  throw InputError(file, line_of(node), what + " is " + type_name(node) + " (" + value_text(node) + ")",
                   "it must be " + expected);
}

[[noreturn]] void fail_range(const std::string& file, const toml::node& node, const std::string& what,
                             const std::string& low, const std::string& high) {
  throw InputError(file, line_of(node), what + " = " + value_text(node) + " is out of range",
                   "it must lie between " + low + " and " + high);
}

}  // namespace

toml::table parse_toml(const std::string& path) {
  const std::string text = read_text(path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw InputError(path, static_cast<unsigned>(error.source().begin.line),
                     "not valid TOML: " + std::string(error.description()), "see https://toml.io/en/v1.0.0");
  }
}

std::string type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a decimal point";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

std::string value_text(const toml::node& node) {
  std::ostringstream out;
  if (node.is_table() || node.is_array()) {
    return node.is_table() ? "{ ... }" : "[ ... ]";
  }
  node.visit([&](const auto& value) {
    if constexpr (toml::is_value<decltype(value)>) out << value;
  });
  std::string text = out.str();
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

std::vector<std::string> keys_in_order(const toml::table& table) {
  std::vector<std::pair<toml::source_position, std::string>> found;
  for (const auto& [key, node] : table) found.emplace_back(key.source().begin, std::string(key.str()));
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> keys;
  for (auto& entry : found) keys.push_back(std::move(entry.second));
  return keys;
}

std::string text_value(const std::string& file, const toml::node& node, const std::string& what) {
  const auto* value = node.as_string();
  if (value == nullptr) fail_type(file, node, what, "a string in quotes");
  return value->get();
}

std::int64_t integer_value(const std::string& file, const toml::node& node, const std::string& what, std::int64_t low,
                           std::int64_t high) {
  const auto* value = node.as_integer();
  if (value == nullptr) fail_type(file, node, what, "an integer");
  if (value->get() < low || value->get() > high) {
    fail_range(file, node, what, std::to_string(low), std::to_string(high));
  }
  return value->get();
}

std::uint64_t count_value(const std::string& file, const toml::node& node, const std::string& what, std::uint64_t low,
                          std::uint64_t high) {
  const auto* value = node.as_integer();
  if (value == nullptr) fail_type(file, node, what, "an integer");
  if (value->get() < 0 || static_cast<std::uint64_t>(value->get()) < low ||
      static_cast<std::uint64_t>(value->get()) > high) {
    fail_range(file, node, what, std::to_string(low), std::to_string(high));
  }
  return static_cast<std::uint64_t>(value->get());
}

double number_value(const std::string& file, const toml::node& node, const std::string& what) {
  double value = 0;
  if (const auto* integer = node.as_integer()) {
    value = static_cast<double>(integer->get());
  } else if (const auto* number = node.as_floating_point()) {
    value = number->get();
  } else {
    fail_type(file, node, what, "a number");
  }
  if (!std::isfinite(value)) {
    throw InputError(file, line_of(node), what + " is not finite", "it must be a number");
  }
  return value;
}

const toml::table& table_value(const std::string& file, const toml::node& node, const std::string& what) {
  const auto* value = node.as_table();
  if (value == nullptr) fail_type(file, node, what, "a table");
  return *value;
}

const toml::array& array_value(const std::string& file, const toml::node& node, const std::string& what) {
  const auto* value = node.as_array();
  if (value == nullptr) fail_type(file, node, what, "an array");
  return *value;
}

const toml::node* TableReader::find(const std::string& key) {
  known_.push_back(key);
  return table_.get(key);
}

const toml::node& TableReader::require(const std::string& key, const std::string& example) {
  const toml::node* node = find(key);
  if (node == nullptr) {
    // A misspelt key explains a missing one better than its absence does.
    for (const std::string& given : keys_in_order(table_)) {
      if (std::find(known_.begin(), known_.end(), given) == known_.end() && edit_distance(given, key) <= 2) {
        throw InputError(file_, line_of(*table_.get(given)), "unknown key '" + path(given) + "'",
                         "did you mean '" + key + "'?");
      }
    }
    throw InputError(file_, line_, "'" + path(key) + "' is missing", "write for example " + example);
  }
  return *node;
}

std::string TableReader::text(const std::string& key, const std::string& example) {
  const std::string value = text_value(file_, require(key, example), path(key));
  if (value.empty()) fail(key, path(key) + " is empty", "write for example " + example);
  return value;
}

std::string TableReader::text_or(const std::string& key, const std::string& fallback) {
  const toml::node* node = find(key);
  return node == nullptr ? fallback : text_value(file_, *node, path(key));
}

std::string TableReader::word_or(const std::string& key, const std::string& fallback,
                                 const std::vector<std::string>& allowed) {
  const std::string value = text_or(key, fallback);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    fail(key, path(key) + " = '" + value + "' is not known", "use " + alternatives(allowed));
  }
  return value;
}

std::uint64_t TableReader::count(const std::string& key, std::uint64_t low, std::uint64_t high,
                                 const std::string& example) {
  return count_value(file_, require(key, example), path(key), low, high);
}

std::uint64_t TableReader::count_or(const std::string& key, std::uint64_t fallback, std::uint64_t low,
                                    std::uint64_t high) {
  const toml::node* node = find(key);
  return node == nullptr ? fallback : count_value(file_, *node, path(key), low, high);
}

double TableReader::number_or(const std::string& key, double fallback) {
  const toml::node* node = find(key);
  return node == nullptr ? fallback : number_value(file_, *node, path(key));
}

void TableReader::finish() const {
  for (const std::string& key : keys_in_order(table_)) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    throw InputError(file_, line_of(*table_.get(key)), "unknown key '" + path(key) + "'", suggest(key, known_));
  }
}

unsigned TableReader::line(const std::string& key) const {
  const toml::node* node = table_.get(key);
  return node == nullptr ? line_ : line_of(*node);
}

void TableReader::fail(const std::string& key, const std::string& what, const std::string& remedy) const {
  throw InputError(file_, line(key), what, remedy);
}

}  // namespace smpipe
