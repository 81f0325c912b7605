// Curves over one parameter, found by the names of the launches. The patterns are listed in docs/validate.md.
#pragma once

#include <string>
#include <vector>

#include "validate/comparison.h"

namespace smpipe::validate {

struct SweepPoint {
  double x = 0, measured = 0, predicted = 0;
};

struct SweepSeries {
  std::string name;
  std::vector<SweepPoint> points;  ///< by x
};

struct Sweep {
  std::string name;  ///< for file names
  std::string title, x_label, y_label;
  bool x_log = false, y_log = false;
  std::vector<SweepSeries> series;
};

/// Sweeps with a series of at least three points; series of one point are left out.
std::vector<Sweep> find_sweeps(const std::vector<Point>& points);

}  // namespace smpipe::validate
