// One self-contained HTML page of a comparison.
#pragma once

#include <string>
#include <vector>

#include "validate/comparison.h"
#include "validate/comparison_table.h"
#include "validate/plots.h"

namespace smpipe::validate {

struct PageFigure {
  Figure figure;
  std::string svg;  ///< inline; empty if it could not be drawn
};

/// Well-formed as XML, too. `note`: shown on top if not empty ("plots are missing: ...").
std::string make_page(const Comparison& comparison, const Provenance& provenance,
                      const std::vector<PageFigure>& figures, const std::string& note);

}  // namespace smpipe::validate
