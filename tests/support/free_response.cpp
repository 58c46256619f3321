#include "support/free_response.hpp"

#include <algorithm>

#include <Eigen/Dense>

namespace flexloop::test {

std::vector<std::complex<double>> findRoots(const std::vector<double>& values, double interval,
                                            int count) {
  const int n = static_cast<int>(values.size());
  const int columns = std::max(count, n / 3);
  const int rows = n - columns;
  Eigen::MatrixXd hankel(rows, columns + 1);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j <= columns; ++j) hankel(i, j) = values[i + j];
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(hankel, Eigen::ComputeThinV);
  const Eigen::MatrixXd V = svd.matrixV().leftCols(count);
  // The shift of the row space by one sample has the eigenvalues exp(s·interval).
  const Eigen::MatrixXd shift =
      V.topRows(columns).colPivHouseholderQr().solve(V.bottomRows(columns));
  const Eigen::VectorXcd z = Eigen::EigenSolver<Eigen::MatrixXd>(shift, false).eigenvalues();
  std::vector<std::complex<double>> roots;
  for (int k = 0; k < count; ++k) roots.push_back(std::log(z[k]) / interval);
  std::sort(roots.begin(), roots.end(),
            [](const auto& a, const auto& b) { return a.imag() < b.imag(); });
  return roots;
}

}  // namespace flexloop::test
