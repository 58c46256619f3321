#include "study/lpv/rate_terms.hpp"

#include "control/lpv/lpv_model.hpp"

namespace flexloop::study {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

namespace {

// With the masses of a.
MatrixXcd calcProduct(const LocalModel& a, const MatrixXcd& shapesOfA, const LocalModel& b,
                      const MatrixXcd& shapesOfB, bool followsMatter) {
  MatrixXcd product = shapesOfA.adjoint() * (a.M.cast<std::complex<double>>() * shapesOfB);
  if (followsMatter) product += calcDrawnProduct(a.matter, shapesOfA, b.matter, shapesOfB);
  return product;
}

}  // namespace

MatrixXcd calcLikeness(const LocalModel& a, const MatrixXcd& shapesOfA, const LocalModel& b,
                       const MatrixXcd& shapesOfB, bool followsMatter) {
  return 0.5 * (calcProduct(a, shapesOfA, b, shapesOfB, followsMatter) +
                calcProduct(b, shapesOfB, a, shapesOfA, followsMatter).adjoint());
}

std::vector<MatrixXd> calcRateTerms(const std::vector<LocalModel>& points,
                                    const std::vector<MatrixXd>& shapes, const LpvGrid& grid,
                                    int point) {
  std::vector<MatrixXd> terms;
  const Index q = shapes[point].cols();
  for (std::size_t d = 0; d < grid.axes().size(); ++d) {
    const std::vector<int> line = grid.line(point, static_cast<int>(d));
    MatrixXd products(std::ssize(line), q * q);
    Index own = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto row = static_cast<Index>(i);
      if (line[i] == point) own = row;
      const MatrixXd product =
          calcProduct(points[point], shapes[point].cast<std::complex<double>>(), points[line[i]],
                      shapes[line[i]].cast<std::complex<double>>(), true)
              .real();
      products.row(row) = product.reshaped().transpose();
    }
    const MatrixXd slopes = control::calcSlopes(grid.axes()[d].values, products);
    terms.emplace_back(slopes.row(own).reshaped(q, q));
  }
  return terms;
}

}  // namespace flexloop::study
