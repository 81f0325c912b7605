// The pictures of a comparison.
#pragma once

#include <string>
#include <vector>

#include "validate/comparison.h"
#include "validate/gnuplot.h"

namespace smpipe::validate {

struct Figure {
  Picture picture;
  std::string title, caption;  ///< for the page
  enum class Section : std::uint8_t { kOverview, kSweep, kStalls } section = Section::kOverview;
};

/// Pictures for which the comparison has data, in the order of the page.
std::vector<Figure> make_figures(const Comparison& comparison);

}  // namespace smpipe::validate
