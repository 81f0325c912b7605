// A result file that appears whole or not at all.
#pragma once

#include <fstream>
#include <string>

namespace smpipe {

/// Writes beside the target and moves it there at the end; what was there before stays until then. Devices and pipes
/// are written directly.
class OutputFile {
 public:
  /// Throws InputError when the target cannot be written: before a long run, not after it.
  explicit OutputFile(std::string path);
  /// Without `finish` nothing remains.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return out_; }
  /// Throws InputError when not everything could be written (a full disk).
  void finish();

 private:
  std::string path_, written_;  ///< target, and what is written to; equal for devices
  std::ofstream out_;
  bool finished_ = false;
};

}  // namespace smpipe
