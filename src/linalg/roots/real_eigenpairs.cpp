#include "linalg/roots/real_eigenpairs.hpp"

#include <algorithm>

#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {

using Complex = std::complex<double>;

std::vector<Eigenpair> findRealEigenpairs(Eigen::MatrixXd A) {
  const int n = static_cast<int>(A.rows());
  std::vector<double> re(n), im(n);
  Eigen::MatrixXd vectors(n, n);
  std::vector<Eigenpair> pairs;
  const int status =
      LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, A.data(), std::max(n, 1), re.data(), im.data(),
                    nullptr, 1, vectors.data(), std::max(n, 1));
  if (status != 0) return pairs;
  for (int i = 0; i < n; ++i) {
    Eigenpair pair{Complex(re[i], im[i]), vectors.col(i).cast<Complex>(), 0.0};
    if (im[i] > 0.0) {
      pair.vector.imag() = vectors.col(i + 1);
      ++i;
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace flexloop::linalg
