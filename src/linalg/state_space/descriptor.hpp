// Equations E z' = A z + F(d/dt) w, u = V z + W(d/dt) w, from which what has no derivative is eliminated
// (docs/theory/18_eigenproblem.md, section 18.3).
//
// No number is zero because it is small: every entry comes with the sum of the moduli of the terms of which it is
// made, and it is zero if these cancel to round-off. Equations that stay are not combined with others, so that the soft
// parts of a machine do not drown in the rounding of its stiff ones.
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Core>

namespace flexloop::linalg {

// Coefficients of 1, s, s², … ; at least one.
using MatrixPolynomial = std::vector<Eigen::MatrixXd>;

// A matrix beside the sums of the moduli of the terms of its entries.
class TrackedMatrix {
 public:
  TrackedMatrix() = default;
  explicit TrackedMatrix(const Eigen::MatrixXd& values)
      : values_(values), terms_(values.cwiseAbs()) {}

  Eigen::Index rows() const { return values_.rows(); }
  Eigen::Index cols() const { return values_.cols(); }
  double operator()(Eigen::Index i, Eigen::Index j) const { return values_(i, j); }
  double terms(Eigen::Index i, Eigen::Index j) const { return terms_(i, j); }
  const Eigen::MatrixXd& values() const { return values_; }

  // The entry is zero if no more than `share` of its terms is left.
  void add(Eigen::Index i, Eigen::Index j, double term, double terms, double share) {
    double& value = values_(i, j);
    value += term;
    terms_(i, j) += terms;
    if (std::abs(value) <= share * terms_(i, j)) value = 0.0;
  }
  void clear(Eigen::Index i, Eigen::Index j) { values_(i, j) = terms_(i, j) = 0.0; }
  TrackedMatrix take(const std::vector<int>& rows, const std::vector<int>& columns) const;

 private:
  Eigen::MatrixXd values_, terms_;
};

using TrackedPolynomial = std::vector<TrackedMatrix>;

struct Descriptor {
  TrackedMatrix E, A, V;
  TrackedPolynomial F, W;
};

// Until E is regular. False if the equations determine nothing; `singular` is then one of those that depend on others,
// or -1. What is less than `share` of its terms is round-off.
[[nodiscard]] bool removeAlgebraic(Descriptor& d, double share, int& singular);

}  // namespace flexloop::linalg
