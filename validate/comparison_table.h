// A comparison as text of at most 100 columns.
#pragma once

#include <string>

#include "validate/comparison.h"

namespace smpipe::validate {

/// What was compared, for headings and the page.
struct Provenance {
  std::string title;                                       ///< "239 launches of NVIDIA H200 against configuration h200"
  std::vector<std::pair<std::string, std::string>> facts;  ///< device, driver, date, clock, overhead, ...
  std::string config_name, config_file;
  std::vector<ConfigEntry> config_entries;
};

std::string comparison_table(const Comparison& comparison, const Provenance& provenance);

}  // namespace smpipe::validate
