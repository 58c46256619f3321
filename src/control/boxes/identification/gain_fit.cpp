#include "control/boxes/identification/gain_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/pivoted_qr.hpp"

namespace flexloop::control {
namespace {

// Calls after which the rules for derivatives, and delays, have died out.
constexpr int kTransient = 4;
constexpr int kTail = kCalls - kTransient;
// What is smaller than this share of the responses is no gain.
constexpr double kNoGain = 1e-10;
// Of the response in the transient, which derivatives may let grow without bounds.
constexpr double kTransientShare = 1e-6;

double factorial(int n) {
  double product = 1.0;
  for (int k = 2; k <= n; ++k) product *= k;
  return product;
}

// Fits and remembers the largest misfit.
Eigen::VectorXd solveLeastSquares(const Eigen::MatrixXd& basis, const Eigen::VectorXd& values,
                                  double& misfit) {
  const Eigen::VectorXd solution = linalg::PivotedQr<double>(basis).solve(values);
  misfit = (values - basis * solution).lpNorm<Eigen::Infinity>();
  return solution;
}

class Fit {
 public:
  Fit(const StepResponses& responses, const GainOrder& order)
      : responses_(responses),
        order_(order),
        runs_(static_cast<int>(responses.runs.size())),
        longest_((responses.isTimed ? runs_ : 1) * kCalls * responses.step) {
    for (const Eigen::VectorXd& run : responses.runs) {
      all_ = std::max(all_, run.lpNorm<Eigen::Infinity>());
      tail_ = std::max(tail_, run.tail(kTail).lpNorm<Eigen::Infinity>());
    }
  }

  Gains make() {
    fitTail();
    fitTransients();
    clean();
    return gains_;
  }

 private:
  double stepOf(int run) const { return responses_.step * (responses_.isTimed ? run + 1 : 1); }
  // Step size as a share of the largest.
  double share(int run) const { return stepOf(run) / stepOf(runs_ - 1); }
  double timeOf(int run, int call) const { return (call + 1) * stepOf(run); }
  // The powers of the step size that a gain may be mistaken by, because of rules and delays (23.4).
  int degreeOf(int power) const { return responses_.isTimed ? power + order_.integrals : 0; }

  // (23.3) with (23.4): column by integral n and power d of the step size, in times of the longest run.
  void fitTail() {
    columns_.clear();
    for (int n = 0; n <= order_.integrals; ++n) {
      for (int d = 0; d <= degreeOf(-n); ++d) columns_.push_back({n, d});
    }
    Eigen::MatrixXd basis(runs_ * kTail, columns_.size());
    Eigen::VectorXd values(runs_ * kTail);
    for (int j = 0; j < runs_; ++j) {
      for (int k = 0; k < kTail; ++k) {
        const int row = j * kTail + k;
        values[row] = responses_.runs[j][kTransient + k];
        basis.row(row) = basisRow(j, kTransient + k);
      }
    }
    double misfit = 0.0;
    tailFit_ = solveLeastSquares(basis, values, misfit);
    gains_.residual = misfit / sizeFor(tail_);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto& [n, d] = columns_[c];
      if (d == 0) gains_[-n] = tailFit_[c] * factorial(n) / std::pow(longest_, n);
    }
  }

  Eigen::RowVectorXd basisRow(int run, int call) const {
    Eigen::RowVectorXd row(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto& [n, d] = columns_[c];
      row[c] = std::pow(timeOf(run, call) / longest_, n) * std::pow(share(run), d);
    }
    return row;
  }

  // (23.5): the moments of what the transient has beyond the tail.
  void fitTransients() {
    for (int m = 1; m <= order_.derivatives; ++m) {
      Eigen::VectorXd moments = Eigen::VectorXd::Zero(runs_);
      const int degree = degreeOf(m);
      Eigen::MatrixXd basis(runs_, degree + 1);
      double scale = 0.0;
      for (int j = 0; j < runs_; ++j) {
        for (int d = 0; d <= degree; ++d) basis(j, d) = std::pow(share(j), d);
        for (int k = 0; k < kTransient; ++k) {
          const double weight = std::pow(-timeOf(j, k), m - 1) / factorial(m - 1) * stepOf(j);
          const double tail = basisRow(j, k).dot(tailFit_);
          moments[j] += weight * (responses_.runs[j][k] - tail);
          scale = std::max(scale, std::abs(weight) * all_);
        }
      }
      double misfit = 0.0;
      gains_[m] = solveLeastSquares(basis, moments, misfit)[0];
      if (scale > 0.0) gains_.residual = std::max(gains_.residual, misfit / sizeFor(scale));
    }
  }

  // What misfits are compared with: a size, but not less than what round-off makes.
  double sizeFor(double size) const {
    const double floor = kTransientShare * all_ + responses_.noise / kTransientShare;
    return std::max(size + floor, std::numeric_limits<double>::min());
  }

  // Gains that only round-off has made become zero.
  void clean() {
    const double none =
        kNoGain * tail_ + responses_.noise + 1e3 * std::numeric_limits<double>::epsilon() * all_;
    for (int power = -order_.integrals; power <= order_.derivatives; ++power) {
      const double time = power <= 0 ? longest_ : stepOf(0);
      double& gain = gains_[power];
      if (std::abs(gain) * std::pow(time, -power) <= none * factorial(std::max(-power, 0))) {
        gain = 0.0;
      }
    }
  }

  struct Column {
    int integrals, degree;
  };

  const StepResponses& responses_;
  const GainOrder& order_;
  int runs_;
  double longest_;                 // time of the longest run
  double all_ = 0.0, tail_ = 0.0;  // largest response, and that after the transient
  std::vector<Column> columns_;
  Eigen::VectorXd tailFit_;
  Gains gains_;
};

}  // namespace

int runsFor(const GainOrder& order) {
  return order.integrals + order.derivatives + 2;
}

Gains fitGains(const StepResponses& responses, const GainOrder& order) {
  return Fit(responses, order).make();
}

}  // namespace flexloop::control
