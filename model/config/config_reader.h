// Reads a GpuConfig from TOML and remembers where each value came from.
//
// A value is plain (`slices = 80`) or a table with its unit and source
// (`slices = { value = 80, unit = "slices", source = "NVIDIA A100 whitepaper" }`). See docs/configuration.md.
#pragma once

#include <string>
#include <vector>

#include "config/gpu_config.h"

namespace smpipe {

/// Where one value was stated.
struct ConfigEntry {
  std::string key;    ///< "l2.slices"
  std::string value;  ///< as text
  std::string unit;
  std::string source;  ///< "not stated" for a plain value
  std::string file;    ///< file, or the option that overrode it
  unsigned line = 0;   ///< 1-based; 0 for an option
};

struct LoadedConfig {
  std::string name;  ///< stem of the file
  std::string file;
  GpuConfig config;
  std::vector<ConfigEntry> entries;  ///< in data-sheet order, every value

  const ConfigEntry& entry(const std::string& key) const;
};

/// Folders in which a stem is looked up: ./configs, the source tree's configs/, and ../configs and
/// ../share/smpipe/configs beside the executable.
std::vector<std::string> default_config_dirs();

/// Stems of all configurations in `dirs`, sorted, without duplicates.
std::vector<std::string> list_configs(const std::vector<std::string>& dirs);

/// Path of a configuration given as a path or a stem. Throws InputError that lists the known stems.
std::string find_config(const std::string& path_or_stem, const std::vector<std::string>& dirs);

/// Reads, applies `overrides` ("l2.slices=96"), and checks (config_check.h). Throws InputError.
LoadedConfig read_config(const std::string& path_or_stem, const std::vector<std::string>& dirs = default_config_dirs(),
                         const std::vector<std::string>& overrides = {});

/// As read_config, without the provenance.
GpuConfig load_config(const std::string& path_or_stem, const std::vector<std::string>& dirs = default_config_dirs(),
                      const std::vector<std::string>& overrides = {});

}  // namespace smpipe
