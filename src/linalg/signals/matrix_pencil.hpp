// Which exponentials a record is the sum of: y_n = Σ c_k z_k^n, n = 0 … N − 1
// (docs/theory/20_spectrum.md, sections 20.4 and 20.5; Hua & Sarkar).
#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

namespace flexloop::linalg {

class MatrixPencil {
 public:
  // At least four values.
  explicit MatrixPencil(const std::vector<double>& values);

  // Of the Hankel matrix H_ij = y_{i+j}, descending, as many as have been found: as many as
  // exponentials stand out from the noise, and then those of the noise.
  const std::vector<double>& singularValues() const { return singularValues_; }

  // The most exponentials that can be asked for.
  int mostRoots() const;

  // z_k of the `count` strongest exponentials; a pair counts as two and comes in exact conjugates.
  std::vector<std::complex<double>> calcRoots(int count) const;

 private:
  std::vector<double> singularValues_;
  Eigen::MatrixXd rowSpace_;  // right singular vectors
};

}  // namespace flexloop::linalg
