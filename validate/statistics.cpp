#include "validate/statistics.h"

#include <Eigen/Dense>
#include <cmath>

namespace smpipe::validate {
namespace {

/// Logarithms of the pairs that have them.
struct LogPairs {
  Eigen::VectorXd predicted, measured;
};

LogPairs log_pairs(const std::vector<double>& predicted, const std::vector<double>& measured) {
  std::vector<double> p, m;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (!(predicted[i] > 0) || !(measured[i] > 0)) continue;
    p.push_back(std::log(predicted[i]));
    m.push_back(std::log(measured[i]));
  }
  return {Eigen::Map<Eigen::VectorXd>(p.data(), static_cast<Eigen::Index>(p.size())),
          Eigen::Map<Eigen::VectorXd>(m.data(), static_cast<Eigen::Index>(m.size()))};
}

double pearson(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  const Eigen::VectorXd dx = x.array() - x.mean();
  const Eigen::VectorXd dy = y.array() - y.mean();
  const double norm = dx.norm() * dy.norm();
  return norm > 0 ? dx.dot(dy) / norm : 0;
}

}  // namespace

double relative_error(double predicted, double measured) {
  return measured == 0 ? std::nan("") : (predicted - measured) / std::abs(measured);
}

ErrorSummary summarise(const std::vector<double>& predicted, const std::vector<double>& measured) {
  ErrorSummary s;
  double sum = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (!(predicted[i] > 0) || !(measured[i] > 0)) continue;
    const double error = relative_error(predicted[i], measured[i]);
    sum += std::abs(error);
    if (s.count == 0 || std::abs(error) > std::abs(s.worst)) {
      s.worst = error;
      s.worst_index = i;
    }
    ++s.count;
  }
  if (s.count == 0) return s;
  s.mape = sum / static_cast<double>(s.count);
  const LogPairs logs = log_pairs(predicted, measured);
  s.bias = std::exp((logs.predicted - logs.measured).mean());
  if (s.count >= 3) s.correlation = pearson(logs.predicted, logs.measured);
  return s;
}

PowerLaw fit_power_law(const std::vector<double>& predicted, const std::vector<double>& measured) {
  const LogPairs logs = log_pairs(predicted, measured);
  if (logs.measured.size() < 2) return {};
  Eigen::MatrixXd a(logs.measured.size(), 2);
  a.col(0).setOnes();
  a.col(1) = logs.measured;
  const Eigen::VectorXd x = a.colPivHouseholderQr().solve(logs.predicted);
  return {std::exp(x(0)), x(1)};
}

}  // namespace smpipe::validate
