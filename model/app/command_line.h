// Command-line parsing shared by all verbs: help that teaches, and mistakes that name the nearest option.
#pragma once

#include <boost/program_options.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace smpipe::app {

/// A wrong command line: exit code 2, message on stderr.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One verb's options. Example of use: config_command.cpp.
class CommandLine {
 public:
  /// `usage` is the synopsis without "smpipe ", `text` the rest of the help before the options, `example` ends it.
  CommandLine(std::string usage, std::string text, std::string example);

  boost::program_options::options_description_easy_init options() { return visible_.add_options(); }
  /// Positional arguments land in a list under this name.
  static constexpr const char* kPositional = "arguments";

  /// Parses the words after the verb. Throws UsageError. True when --help was asked for (and printed to stdout).
  bool parse(const std::vector<std::string>& words);

  const boost::program_options::variables_map& values() const { return values_; }
  const std::vector<std::string>& positional() const { return positional_; }
  bool has(const std::string& name) const { return values_.count(name) != 0 && !values_[name].defaulted(); }
  template <class T>
  T get(const std::string& name) const {
    return values_[name].as<T>();
  }
  /// Throws UsageError "smpipe VERB: what; see `smpipe VERB --help`".
  [[noreturn]] void fail(const std::string& what) const;
  std::string verb() const { return usage_.substr(0, usage_.find(' ')); }

 private:
  [[noreturn]] void fail_unknown(const std::string& option) const;
  void print_help() const;

  std::string usage_, text_, example_;
  boost::program_options::options_description visible_;
  boost::program_options::variables_map values_;
  std::vector<std::string> positional_;
};

}  // namespace smpipe::app
