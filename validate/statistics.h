// Statistics of predicted against measured.
#pragma once

#include <cstddef>
#include <vector>

namespace smpipe::validate {

/// (predicted - measured) / measured. Not a number when `measured` is 0.
double relative_error(double predicted, double measured);

struct ErrorSummary {
  std::size_t count = 0;        ///< pairs with both values above 0: the others have no relative error
  double mape = 0;              ///< mean absolute relative error
  double worst = 0;             ///< signed relative error of the largest magnitude
  std::size_t worst_index = 0;  ///< into the given vectors
  double bias = 1;              ///< geometric mean of predicted / measured
  double correlation = 0;       ///< Pearson, of the logarithms; 0 when fewer than three pairs or no variation
};

ErrorSummary summarise(const std::vector<double>& predicted, const std::vector<double>& measured);

/// predicted = factor * measured ^ exponent, least squares of the logarithms. {1, 1} when fewer than two pairs.
struct PowerLaw {
  double factor = 1, exponent = 1;
};
PowerLaw fit_power_law(const std::vector<double>& predicted, const std::vector<double>& measured);

}  // namespace smpipe::validate
