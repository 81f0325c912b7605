// TOML input with messages that name file and line. Include only from .cpp files: toml++ is a large header.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"

namespace smpipe {

/// Parses a file. Throws InputError for a missing or unreadable file, a directory, or a syntax error.
toml::table parse_toml(const std::string& path);

/// 1-based line of a node; 0 if it does not come from a file.
inline unsigned line_of(const toml::node& node) { return static_cast<unsigned>(node.source().begin.line); }

/// "a string", "an integer", ...
std::string type_name(const toml::node& node);

/// "a value as it would be written", shortened; for messages.
std::string value_text(const toml::node& node);

/// Keys of a table in the order in which the file states them.
std::vector<std::string> keys_in_order(const toml::table& table);

/// Reads the keys of one table, each once, and complains about every mistake. `where` names the table in messages
/// ("buffers.A"), empty for the top level.
class TableReader {
 public:
  TableReader(std::string file, const toml::table& table, std::string where, unsigned line = 0)
      : file_(std::move(file)), where_(std::move(where)), table_(table), line_(line ? line : line_of(table)) {}

  /// The node of a key, or null. Marks the key as known.
  const toml::node* find(const std::string& key);
  /// Throws if the key is missing; `example` shows how it would be written.
  const toml::node& require(const std::string& key, const std::string& example);

  std::string text(const std::string& key, const std::string& example);
  std::string text_or(const std::string& key, const std::string& fallback);
  /// One of `allowed`.
  std::string word_or(const std::string& key, const std::string& fallback, const std::vector<std::string>& allowed);
  std::uint64_t count(const std::string& key, std::uint64_t low, std::uint64_t high, const std::string& example);
  std::uint64_t count_or(const std::string& key, std::uint64_t fallback, std::uint64_t low, std::uint64_t high);
  double number_or(const std::string& key, double fallback);

  /// Throws for the first key that no call above asked for.
  void finish() const;

  /// Line of a key that was read, or of the table.
  unsigned line(const std::string& key) const;
  unsigned line() const { return line_; }
  const std::string& file() const { return file_; }
  /// "buffers.A.bytes"
  std::string path(const std::string& key) const { return where_.empty() ? key : where_ + "." + key; }
  [[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& remedy = {}) const;

 private:
  std::string file_, where_;
  const toml::table& table_;
  unsigned line_;
  std::vector<std::string> known_;
};

/// Conversions of one node; `what` names the value in messages. Throw InputError.
std::string text_value(const std::string& file, const toml::node& node, const std::string& what);
std::uint64_t count_value(const std::string& file, const toml::node& node, const std::string& what, std::uint64_t low,
                          std::uint64_t high);
std::int64_t integer_value(const std::string& file, const toml::node& node, const std::string& what, std::int64_t low,
                           std::int64_t high);
double number_value(const std::string& file, const toml::node& node, const std::string& what);
const toml::table& table_value(const std::string& file, const toml::node& node, const std::string& what);
const toml::array& array_value(const std::string& file, const toml::node& node, const std::string& what);

}  // namespace smpipe
