#include "profiler.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cuda_driver.h"

namespace smpipe::gpu {
namespace {
namespace fs = std::filesystem;

/// A file that goes away with its owner.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string pattern = (fs::temp_directory_path() / "smpipe-measure-XXXXXX").string();
    const int descriptor = mkstemp(pattern.data());
    if (descriptor < 0) throw DeviceError("no temporary file can be made in " + fs::temp_directory_path().string());
    close(descriptor);
    path_ = pattern;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

std::string find_ncu() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/ncu").c_str(), X_OK) == 0) return folder + "/ncu";
  if (access("/usr/local/cuda/bin/ncu", X_OK) == 0) return "/usr/local/cuda/bin/ncu";
  throw DeviceError("Nsight Compute's ncu is not on PATH; it comes with the CUDA Toolkit");
}

/// Runs a program with both its outputs in one file; its exit status.
int run(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw DeviceError("no process can be started for " + command[0]);
  if (child == 0) {
    const int descriptor = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(descriptor, STDOUT_FILENO);
    dup2(descriptor, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// Fields of one CSV line with quotes.
std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// "1,234.5" as a number; nothing for "n/a", names and empty fields.
std::optional<double> number_of(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

Metrics metrics_of(const std::vector<std::string>& header, const std::vector<std::string>& fields) {
  Metrics metrics;
  for (const auto& name : metric_names()) {
    const auto at = static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
    if (at < fields.size()) metrics[name] = number_of(fields[at]);
  }
  return metrics;
}

std::string last_lines(const std::string& text) {
  constexpr std::size_t kMost = 600;
  return text.size() > kMost ? "…" + text.substr(text.size() - kMost) : text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

}  // namespace

std::vector<Metrics> parse_raw_page(const std::string& csv) {
  std::istringstream in(csv);
  std::vector<std::string> header;
  std::vector<Metrics> launches;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != '"') continue;  // messages of ncu and of the program
    auto fields = split_csv(line);
    if (fields[0] == "ID") {
      header = std::move(fields);
    } else if (!header.empty() && !fields[0].empty()) {  // the row of units has no ID
      launches.push_back(metrics_of(header, fields));
    }
  }
  return launches;
}

std::vector<Metrics> profile(const std::string& program, const std::string& device,
                             const std::vector<std::string>& launches, bool flush_caches) {
  const TemporaryFile output;
  // The clock is left as it is: the profiler's default would lock it to the base clock.
  std::vector<std::string> command = {find_ncu(),
                                      "--clock-control",
                                      "none",
                                      "--cache-control",
                                      flush_caches ? "all" : "none",
                                      "--profile-from-start",
                                      "off",
                                      "--csv",
                                      "--page",
                                      "raw",
                                      "--print-units",
                                      "base",
                                      "--metrics",
                                      joined(metric_names()),
                                      program,
                                      kProfileOption,
                                      device};
  command.insert(command.end(), launches.begin(), launches.end());
  const int status = run(command, output.path());
  const std::string text = output.text();
  auto results = parse_raw_page(text);
  if (status != 0 || results.size() != launches.size())
    throw DeviceError("ncu profiled " + std::to_string(results.size()) + " of " + std::to_string(launches.size()) +
                      " launches (exit status " + std::to_string(status) + "): " + last_lines(text));
  return results;
}

}  // namespace smpipe::gpu
