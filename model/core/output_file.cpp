#include "core/output_file.h"

#include <unistd.h>

#include <filesystem>

#include "core/error.h"

namespace smpipe {

namespace fs = std::filesystem;

OutputFile::OutputFile(std::string path) : path_(std::move(path)), written_(path_) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) throw InputError(path_, 0, "is a directory", "name a file");
  const bool exists = fs::exists(status);
  if (!exists || fs::is_regular_file(status)) written_ += "." + std::to_string(getpid()) + ".part";
  const bool may_replace = !exists || access(path_.c_str(), W_OK) == 0;
  if (may_replace) out_.open(written_, std::ios::binary);
  if (!may_replace || !out_) {
    throw InputError(path_, 0, "cannot be written", "check that its folder exists and may be written to");
  }
}

OutputFile::~OutputFile() {
  if (finished_ || written_ == path_) return;
  out_.close();
  std::error_code ignored;
  fs::remove(written_, ignored);
}

void OutputFile::finish() {
  out_.close();
  std::error_code error;
  if (!out_.fail() && written_ != path_) fs::rename(written_, path_, error);
  if (out_.fail() || error) throw InputError(path_, 0, "cannot be written", "check the free space");
  finished_ = true;
}

}  // namespace smpipe
