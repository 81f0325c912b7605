// The one error type for everything a user can get wrong. Every message says where, what, and what would be right.
#pragma once

#include <stdexcept>
#include <string>

namespace smpipe {

/// Bad input: ends the program with exit code 2 and the one line `file:line: what; remedy`.
class InputError : public std::runtime_error {
 public:
  /// `line` is 1-based; 0 means that the message concerns the file as a whole. An empty `file` is left out.
  InputError(std::string file, unsigned line, const std::string& what, const std::string& remedy = {})
      : std::runtime_error(compose(file, line, what, remedy)), file_(std::move(file)), line_(line) {}

  const std::string& file() const { return file_; }
  unsigned line() const { return line_; }

 private:
  static std::string compose(const std::string& file, unsigned line, const std::string& what,
                             const std::string& remedy) {
    std::string text;
    if (!file.empty()) text = file + (line ? ":" + std::to_string(line) : "") + ": ";
    text += what;
    if (!remedy.empty()) text += "; " + remedy;
    return text;
  }
  std::string file_;
  unsigned line_;
};

/// The model contradicted itself (lost credit, event in the past, deadlock). Never the user's fault; exit code 3.
class ModelError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace smpipe
