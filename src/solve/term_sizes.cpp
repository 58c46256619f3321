#include "solve/term_sizes.hpp"

#include <cmath>
#include <cstdint>

namespace flexloop::solve {

void calcTermSizes(const linalg::SparseMatrix& pattern, const std::vector<double>& values,
                   const Eigen::VectorXd& x, Eigen::VectorXd& n) {
  n.setZero(pattern.rows());
  for (int column = 0; column < pattern.cols(); ++column) {
    const double size = std::abs(x[column]);
    for (int k = pattern.outerIndexPtr()[column]; k < pattern.outerIndexPtr()[column + 1]; ++k) {
      n[pattern.innerIndexPtr()[k]] += std::abs(values[k]) * size;
    }
  }
}

// The leading bits of a multiplicative congruential generator.
void giveSigns(Eigen::VectorXd& n) {
  std::uint64_t bits = 1;
  for (double& size : n) {
    bits *= 6364136223846793005U;
    if ((bits >> 63U) != 0U) size = -size;
  }
}

}  // namespace flexloop::solve
