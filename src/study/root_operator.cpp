#include "study/root_operator.hpp"

#include <cmath>

#include <Eigen/SparseCholesky>

#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/roots/multipliers.hpp"
#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/roots/root_refinement.hpp"

namespace flexloop::study {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using linalg::SparseMatrix;

// Below, sinh(x)/x is 1 + x²/6 + x⁴/120 to round-off.
constexpr double kSeries = 1e-2;

// (e^{at} − e^{bt})/(a − b)
Complex divideExponentials(Complex a, Complex b, double t) {
  const Complex x = 0.5 * t * (a - b), square = x * x;
  const Complex shape =
      std::abs(x) < kSeries ? 1.0 + square / 6.0 * (1.0 + square / 20.0) : std::sinh(x) / x;
  return t * std::exp(0.5 * t * (a + b)) * shape;
}

std::vector<int> makeLayout(const analysis::LinearModel& linear, int memory) {
  std::vector<int> layout = linear.unknowns;
  layout.push_back(static_cast<int>(linear.expansion.rows()));
  layout.push_back(static_cast<int>(linear.delays.size()));
  layout.push_back(memory);
  return layout;
}

// Unknowns of a pencil from increments of the system: the least squares of shape = expansion · z.
class ShapeReader {
 public:
  explicit ShapeReader(const SparseMatrix& expansion) : rows_(expansion.transpose()) {
    SparseMatrix normal = rows_ * expansion;
    // Multipliers that hold freedoms are no unknowns of the system.
    SparseMatrix held(normal.rows(), normal.cols());
    for (int i = 0; i < normal.cols(); ++i) {
      if (normal.coeff(i, i) == 0.0) held.insert(i, i) = 1.0;
    }
    normal += held;
    solver_.compute(normal);
  }

  Eigen::VectorXcd read(const Eigen::VectorXcd& shape) const {
    Eigen::VectorXcd z(rows_.rows());
    z.real() = solver_.solve(rows_ * shape.real());
    z.imag() = solver_.solve(rows_ * shape.imag());
    return z;
  }

 private:
  SparseMatrix rows_;
  Eigen::SimplicialLDLT<SparseMatrix> solver_;
};

class PencilRoots final : public RootOperator {
 public:
  explicit PencilRoots(const analysis::LinearModel& linear)
      : RootOperator(makeLayout(linear, -1)),
        pencil_(linear.pencil),
        delays_(linear.delays),
        expansion_(linear.expansion) {}

  MatrixXcd calcForms(Complex s, const MatrixXcd& W, const MatrixXcd& Z) const override {
    MatrixXcd columns = pencil_.K * Z + s * (pencil_.C * Z) + s * s * (pencil_.M * Z);
    for (const linalg::DelayTerm& term : delays_) {
      columns.row(term.row) += term.factor * std::exp(-s * term.delay) * Z.row(term.column);
    }
    return W.transpose() * columns;
  }

  MatrixXcd calcSlopes(Complex a, Complex b, const MatrixXcd& W,
                       const MatrixXcd& Z) const override {
    MatrixXcd columns = pencil_.C * Z + (a + b) * (pencil_.M * Z);
    for (const linalg::DelayTerm& term : delays_) {
      columns.row(term.row) +=
          term.factor * divideExponentials(a, b, -term.delay) * Z.row(term.column);
    }
    return W.transpose() * columns;
  }

  std::vector<RootVectors> findVectors(const std::vector<analysis::Mode>& modes) const override {
    const ShapeReader reader(expansion_);
    const linalg::PencilScaling scaling = linalg::findScalingForPivots(pencil_, delays_);
    const linalg::QuadraticPencil scaled = linalg::applyScaling(pencil_, scaling);
    linalg::RootRefinement refinement(scaled, linalg::applyScaling(delays_, scaling));
    std::vector<RootVectors> all;
    for (const analysis::Mode& mode : modes) {
      const Eigen::VectorXcd z =
          scaling.columns.cwiseInverse().asDiagonal() * reader.read(mode.shape);
      linalg::Eigenpair pair{mode.eigenvalue / scaling.rate, z.normalized(), mode.residual};
      refinement.improve(pair);
      const Eigen::VectorXcd left = refinement.findLeftVector(pair);
      RootVectors vectors{(scaling.columns.asDiagonal() * pair.vector).normalized(),
                          (scaling.rows.asDiagonal() * left).normalized(), 0.0, 0.0};
      const Complex s = mode.eigenvalue;
      vectors.slope = calcSlopes(s, s, vectors.left, vectors.right).value();
      vectors.slopeScale = calcScale(s, vectors);
      all.push_back(std::move(vectors));
    }
    return all;
  }

 private:
  double calcScale(Complex s, const RootVectors& vectors) const {
    const Eigen::VectorXd size = vectors.right.cwiseAbs();
    Eigen::VectorXd sum =
        pencil_.C.cwiseAbs() * size + 2.0 * std::abs(s) * (pencil_.M.cwiseAbs() * size);
    for (const linalg::DelayTerm& term : delays_) {
      sum[term.row] +=
          term.delay * std::abs(term.factor * std::exp(-s * term.delay)) * size[term.column];
    }
    return vectors.left.cwiseAbs().dot(sum);
  }

  linalg::QuadraticPencil pencil_;
  linalg::DelayTerms delays_;
  SparseMatrix expansion_;
};

// The states x of the machine have axes that another decomposition may choose otherwise. O x, the unknowns and their
// rates, do not: x = O⁺ (O x), and a left vector w_x becomes (O⁺)ᵀ w_x (24.7).
class CycleRoots final : public RootOperator {
 public:
  CycleRoots(const analysis::LinearModel& linear, analysis::CycleMap cycle)
      : RootOperator(makeLayout(linear, static_cast<int>(cycle.first.rows()) - cycle.states())),
        cycle_(std::move(cycle)) {
    const MatrixXd V = cycle_.unknowns.leftCols(cycle_.states());
    const MatrixXd rates = V * cycle_.A;
    const double size = V.norm(), rateSize = rates.norm();
    O_.resize(2 * V.rows(), V.cols());
    O_ << V, (rateSize > 0.0 ? size / rateSize : 1.0) * rates;
    reader_.emplace(O_);
  }

  MatrixXcd calcForms(Complex s, const MatrixXcd& W, const MatrixXcd& Z) const override {
    const MatrixXcd left = readLeft(W), right = readRight(Z);
    MatrixXcd image = cycle_.first * (cycle_.rest * right).eval();
    image -= std::exp(s * cycle_.period) * right;
    return left.transpose() * image;
  }

  MatrixXcd calcSlopes(Complex a, Complex b, const MatrixXcd& W,
                       const MatrixXcd& Z) const override {
    MatrixXcd products = readLeft(W).transpose() * readRight(Z);
    products *= -divideExponentials(a, b, cycle_.period);
    return products;
  }

  std::vector<RootVectors> findVectors(const std::vector<analysis::Mode>& modes) const override {
    const MatrixXd Psi = cycle_.rest * cycle_.first;
    linalg::Multipliers right = linalg::findMultipliers(Psi);
    linalg::Multipliers left = linalg::findMultipliers(Psi.transpose());
    std::vector<RootVectors> all;
    for (const analysis::Mode& mode : modes) {
      const Complex exponent = mode.eigenvalue * cycle_.period;
      RootVectors vectors{writeRight(cycle_.first * takeNearest(exponent, right)),
                          writeLeft(cycle_.rest.transpose() * takeNearest(exponent, left)), 0.0,
                          0.0};
      const Complex s = mode.eigenvalue;
      vectors.slope = calcSlopes(s, s, vectors.left, vectors.right).value();
      vectors.slopeScale =
          std::abs(cycle_.period * std::exp(exponent)) *
          readLeft(vectors.left).col(0).cwiseAbs().dot(readRight(vectors.right).col(0).cwiseAbs());
      all.push_back(std::move(vectors));
    }
    return all;
  }

 private:
  Eigen::Index memory() const { return cycle_.first.rows() - cycle_.states(); }

  // Repeated ones are taken one after the other. Where rounding has taken one for zero on one side alone there is none.
  Eigen::VectorXcd takeNearest(Complex exponent, linalg::Multipliers& all) const {
    if (all.found.empty()) return Eigen::VectorXcd::Zero(cycle_.rest.rows());
    std::size_t best = 0;
    for (std::size_t k = 1; k < all.found.size(); ++k) {
      if (std::abs(all.found[k].exponent - exponent) <
          std::abs(all.found[best].exponent - exponent)) {
        best = k;
      }
    }
    Eigen::VectorXcd vector = std::move(all.found[best].vector);
    all.found.erase(all.found.begin() + static_cast<std::ptrdiff_t>(best));
    return vector;
  }

  Eigen::VectorXcd writeRight(const Eigen::VectorXcd& z) const {
    Eigen::VectorXcd written(O_.rows() + memory());
    written << O_ * z.head(cycle_.states()), z.tail(memory());
    return written.normalized();
  }

  Eigen::VectorXcd writeLeft(const Eigen::VectorXcd& w) const {
    Eigen::VectorXcd written(O_.rows() + memory());
    written.tail(memory()) = w.tail(memory());
    written.head(O_.rows()) = solveTransposed(w.head(cycle_.states()));
    return written.normalized();
  }

  // (O⁺)ᵀ w: the smallest y with Oᵀ y = w.
  Eigen::VectorXcd solveTransposed(const Eigen::VectorXcd& w) const {
    const Eigen::Index n = O_.cols();
    if (n == 0) return Eigen::VectorXcd::Zero(O_.rows());
    MatrixXd parts(n, 2);
    parts << w.real(), w.imag();
    const MatrixXd y = reader_->solveTransposed(parts);
    Eigen::VectorXcd solution(O_.rows());
    solution.real() = y.col(0);
    solution.imag() = y.col(1);
    return solution;
  }

  MatrixXcd readRight(const MatrixXcd& Z) const {
    MatrixXcd read(cycle_.first.rows(), Z.cols());
    const MatrixXcd top = Z.topRows(O_.rows());
    read.bottomRows(memory()) = Z.bottomRows(memory());
    if (O_.cols() == 0) return read;
    const MatrixXd re = reader_->solve(top.real()), im = reader_->solve(top.imag());
    read.topRows(O_.cols()).real() = re;
    read.topRows(O_.cols()).imag() = im;
    return read;
  }

  MatrixXcd readLeft(const MatrixXcd& W) const {
    MatrixXcd read(cycle_.first.rows(), W.cols());
    read << O_.transpose() * W.topRows(O_.rows()), W.bottomRows(memory());
    return read;
  }

  analysis::CycleMap cycle_;
  MatrixXd O_;
  std::optional<linalg::PivotedQr<double>> reader_;  // of O
};

}  // namespace

std::shared_ptr<const RootOperator> makeRootOperator(const analysis::LinearModel& linear) {
  return std::make_shared<PencilRoots>(linear);
}

std::shared_ptr<const RootOperator> makeRootOperator(const analysis::LinearModel& linear,
                                                     analysis::CycleMap cycle) {
  return std::make_shared<CycleRoots>(linear, std::move(cycle));
}

}  // namespace flexloop::study
