#include "validate/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "config/config_reader.h"
#include "core/error.h"
#include "core/text.h"
#include "launch/launch_reader.h"

namespace smpipe::validate {
namespace {

namespace fs = std::filesystem;

/// "NVIDIA A100-SXM4-40GB": "nvidia-a100-sxm4-40gb"
std::string normalised(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    out += std::isalnum(u) ? static_cast<char>(std::tolower(u)) : '-';
  }
  return out;
}

void add_folder(std::vector<std::string>& folders, const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(folder, error);
  if (error || !fs::is_directory(real, error)) return;
  if (std::find(folders.begin(), folders.end(), real.string()) == folders.end()) folders.push_back(real.string());
}

std::string find_launch(const std::string& name, const std::vector<std::string>& folders) {
  // A measured set is data: its names must not lead out of the folders.
  if (name.empty() || name.find('/') != std::string::npos) return {};
  std::error_code error;
  for (const std::string& folder : folders) {
    for (const char* sub : {"", "sweep"}) {
      const fs::path path = fs::path(folder) / sub / (name + ".toml");
      if (fs::is_regular_file(path, error)) return path.string();
    }
  }
  return {};
}

std::string extent_text(const std::array<std::uint64_t, 3>& e) { return fmt::format("{} x {} x {}", e[0], e[1], e[2]); }

std::array<std::uint64_t, 3> extent(const Dim3& d) { return {d.x, d.y, d.z}; }

}  // namespace

std::string config_for_device(const MeasuredSet& set, const std::vector<std::string>& stems) {
  const std::string device = normalised(set.device);
  std::string best;
  for (const std::string& stem : stems) {
    if (device.find(normalised(stem)) != std::string::npos && stem.size() > best.size()) best = stem;
  }
  if (!best.empty()) return best;
  throw InputError(set.file, 0, fmt::format("there is no configuration for the device '{}'", set.device),
                   stems.empty() ? "name one with -c" : fmt::format("name one with -c: {}", alternatives(stems)));
}

std::vector<std::string> launch_folders(const std::vector<std::string>& given, const std::string& measured_file) {
  std::vector<std::string> folders;
  for (const std::string& folder : given) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) throw InputError(folder, 0, "is no folder", "name a folder of launch files");
    add_folder(folders, folder);
  }
  if (!given.empty()) return folders;
  const fs::path home = fs::absolute(measured_file).parent_path();
  add_folder(folders, home);
  add_folder(folders, home.parent_path());
  add_folder(folders, "traces");
  for (const std::string& configs : default_config_dirs())
    add_folder(folders, fs::path(configs).parent_path() / "traces");
  return folders;
}

std::vector<std::string> find_launches(const std::string& file, const std::vector<std::string>& names,
                                       const std::vector<std::string>& folders) {
  std::vector<std::string> paths, missing;
  for (const std::string& name : names) {
    paths.push_back(find_launch(name, folders));
    if (paths.back().empty()) missing.push_back(name);
  }
  if (missing.empty()) return paths;
  const std::string more = missing.size() > 1 ? fmt::format(" (and {} more)", missing.size() - 1) : "";
  throw InputError(file, 0, fmt::format("there is no launch file {}.toml{}", missing.front(), more),
                   fmt::format("looked in {}; name its folder with --launches DIR, or leave launches out with --only",
                               fmt::join(folders, ", ")));
}

void check_same_launch(const MeasuredSet& set, const MeasuredLaunch& launch, const std::string& launch_file,
                       const std::string& architecture) {
  const Launch now = read_launch(launch_file, architecture);
  std::string difference;
  const auto differs = [&](const char* what, const std::string& before, const std::string& after) {
    if (difference.empty() && before != after) difference = fmt::format("{} {} instead of {}", what, after, before);
  };
  if (!launch.kernel.empty()) differs("kernel", launch.kernel, now.kernel);
  if (launch.grid) differs("grid", extent_text(*launch.grid), extent_text(extent(now.shape.grid)));
  if (launch.block) differs("block", extent_text(*launch.block), extent_text(extent(now.shape.block)));
  if (launch.dynamic_shared_bytes) {
    differs("dynamic_shared_bytes", std::to_string(*launch.dynamic_shared_bytes),
            std::to_string(now.shape.dynamic_shared_bytes));
  }
  // A cubin states its registers itself; the reader leaves 0 then.
  if (launch.registers && now.shape.registers_per_thread != 0) {
    differs("registers", std::to_string(*launch.registers), std::to_string(now.shape.registers_per_thread));
  }
  if (difference.empty()) return;
  throw InputError(
      launch_file, 0,
      fmt::format("is not the launch that {} holds: {}", fs::path(set.file).filename().string(), difference),
      "measure again, or name the folder of the measured launch files with --launches DIR");
}

bool wanted(const std::string& launch, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return true;
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return fnmatch(pattern.c_str(), launch.c_str(), 0) == 0; });
}

}  // namespace smpipe::validate
