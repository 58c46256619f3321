#include "fem/reduction/mass_basis.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using linalg::multiplySymmetric;

VectorXd massNorms(const linalg::SparseMatrix& M, const MatrixXd& X) {
  return (X.array() * multiplySymmetric(M, X).array())
      .colwise()
      .sum()
      .max(0.0)
      .sqrt()
      .matrix()
      .transpose();
}

int MassBasis::add(MatrixXd X, const VectorXd& sizes, bool inOrder) {
  for (int pass = 0; pass < 2; ++pass) {
    X -= Q_ * (Q_.transpose() * multiplySymmetric(M_, X)).eval();
  }
  MatrixXd MX = multiplySymmetric(M_, X);
  const Eigen::Index count = X.cols();
  std::vector<bool> isLeft(count, true);
  const auto share = [&](Eigen::Index j) {
    const double norm = std::sqrt(std::max(0.0, X.col(j).dot(MX.col(j))));
    return sizes[j] > 0.0 ? norm / sizes[j] : 0.0;
  };
  std::vector<Eigen::Index> kept;
  for (Eigen::Index step = 0; step < count; ++step) {
    Eigen::Index next = step;
    if (!inOrder) {
      double largest = -1.0;
      for (Eigen::Index j = 0; j < count; ++j) {
        if (isLeft[j] && share(j) > largest) largest = share(j), next = j;
      }
    }
    isLeft[next] = false;
    for (const Eigen::Index i : kept) {  // once more, against rounding of the first time
      const double c = X.col(i).dot(MX.col(next));
      X.col(next) -= c * X.col(i);
      MX.col(next) -= c * MX.col(i);
    }
    if (!(share(next) > kDependent)) {
      if (inOrder) continue;
      break;
    }
    const double norm = std::sqrt(X.col(next).dot(MX.col(next)));
    X.col(next) /= norm;
    MX.col(next) /= norm;
    kept.push_back(next);
    for (Eigen::Index j = 0; j < count; ++j) {
      if (!isLeft[j]) continue;
      const double c = X.col(next).dot(MX.col(j));
      X.col(j) -= c * X.col(next);
      MX.col(j) -= c * MX.col(next);
    }
  }
  const Eigen::Index before = Q_.cols();
  Q_.conservativeResize(Eigen::NoChange, before + static_cast<Eigen::Index>(kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i) Q_.col(before + i) = X.col(kept[i]);
  return static_cast<int>(count - kept.size());
}

}  // namespace flexloop::fem
