// Writes plots and the page of a comparison.
#pragma once

#include <string>
#include <vector>

#include "validate/comparison.h"
#include "validate/comparison_table.h"

namespace smpipe::validate {

/// Writes DIR/index.html and DIR/plots/*.svg, *.png. Returns warnings: what could not be drawn, and the remedy. Throws
/// InputError when a file cannot be written.
std::vector<std::string> write_report(const Comparison& comparison, const Provenance& provenance,
                                      const std::string& folder);

}  // namespace smpipe::validate
