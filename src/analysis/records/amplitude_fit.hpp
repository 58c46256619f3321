// Amplitudes of given exponentials in a record, by least squares
// (docs/theory/20_spectrum.md, (20.15)).
#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

#include "analysis/records/thinned_record.hpp"

namespace flexloop::analysis {

// y(t) = Σ_j p_j (t/T)^j + Σ_k Re(c_k z_k^t), with t in values of the thinned record, and T its last.
//
// One decomposition of all columns makes every choice among them a small problem: A = Q R, and
// |A w − y|² = |R w − Qᵀy|² + rest.
class AmplitudeFit {
 public:
  using Complex = std::complex<double>;

  struct Part {
    Complex z;  // Im z ≥ 0
    Complex amplitude;
  };

  // `standing` is the number of p_j, at least 1.
  AmplitudeFit(const ThinnedRecord& record, const std::vector<Complex>& roots, int standing);

  // Leaves out roots without which the mean square grows by less than `least`, or by no more than
  // noise explains, those that matter least first.
  void dropIdle(double least);

  std::vector<Part> calcParts() const;
  double offset() const { return weights_[0]; }
  double drift() const { return standing_ > 1 ? weights_[1] / duration() : 0.0; }
  // Root mean square of what is left of the record.
  double calcResidual() const;

 private:
  struct Column {
    Complex z;
    Eigen::Index first = 0;  // among all columns
  };

  double duration() const { return samples_.back().time; }
  double growthOf(const Complex& z) const;
  Eigen::MatrixXd makeBasis(bool filtered) const;
  Eigen::VectorXd calcWeights(const std::vector<Column>& columns, double& squares) const;
  std::size_t findIdlest(double& squares) const;
  void solve() { weights_ = calcWeights(columns_, squares_); }

  const ThinnedRecord& record_;
  std::vector<ThinnedRecord::Sample> samples_;
  std::vector<Column> columns_;
  int standing_;
  Eigen::MatrixXd R_;
  Eigen::VectorXd right_;  // Qᵀy
  double rest_ = 0.0;
  Eigen::VectorXd weights_;
  double squares_ = 0.0;
};

}  // namespace flexloop::analysis
