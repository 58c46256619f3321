#include "fem/reduction/interface_modes.hpp"

#include <algorithm>

#include "linalg/dense/eigenvalues.hpp"
#include "linalg/symmetric/block_lanczos.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr int kBlock = 4;
constexpr Eigen::Index kColumnsAtOnce = 32;
constexpr double kConverged =
    1e-6;  // residual of a mode, as a share of its θ: it chooses shapes, no result depends on it
constexpr double kStiff = 1e-11;  // θ as a share of the largest: what the interface itself holds

class InterfaceModes {
 public:
  InterfaceModes(const linalg::SymmetricFactors& factors, Eigen::Index interior,
                 const std::vector<int>& rows, const VectorXd& masses,
                 const linalg::Progress& progress)
      : factors_(factors), interior_(interior), rows_(rows), masses_(masses), progress_(progress) {}

  std::optional<MatrixXd> find(int count) {
    const auto size = static_cast<Eigen::Index>(rows_.size());
    const bool isSmall = size <= 3 * count + 10 * kBlock;
    const bool isDone = isSmall ? solveDense() : iterate(count);
    if (!isDone) return std::nullopt;
    Eigen::Index kept = 0;
    while (kept < std::min<Eigen::Index>(count, values_.size()) &&
           values_[kept] > kStiff * values_[0])
      ++kept;
    MatrixXd X = lift(masses_.asDiagonal() * vectors_.leftCols(kept));
    factors_.solve(X);
    return X;
  }

 private:
  MatrixXd lift(const MatrixXd& forces) const {
    MatrixXd X = MatrixXd::Zero(interior_, forces.cols());
    for (std::size_t i = 0; i < rows_.size(); ++i) X.row(rows_[i]) = forces.row(i);
    return X;
  }

  MatrixXd respond(const MatrixXd& forces) const {
    MatrixXd X = lift(forces), motion(forces.rows(), forces.cols());
    factors_.solve(X);
    for (std::size_t i = 0; i < rows_.size(); ++i) motion.row(i) = X.row(rows_[i]);
    return motion;
  }

  bool goesOn() const { return !progress_ || progress_(0.0, "interface modes"); }

  // √W F √W, column by column.
  bool solveDense() {
    const auto size = static_cast<Eigen::Index>(rows_.size());
    const VectorXd roots = masses_.cwiseSqrt();
    MatrixXd A(size, size);
    for (Eigen::Index first = 0; first < size; first += kColumnsAtOnce) {
      if (!goesOn()) return false;
      const Eigen::Index count = std::min(kColumnsAtOnce, size - first);
      const MatrixXd unit = MatrixXd::Identity(size, size).middleCols(first, count);
      A.middleCols(first, count) = roots.asDiagonal() * respond(roots.asDiagonal() * unit);
    }
    const auto system = linalg::findSymmetricEigensystem(0.5 * (A + A.transpose()));
    if (!system) return true;
    values_ = system->values.reverse();
    vectors_ = roots.cwiseInverse().asDiagonal() * system->vectors.rowwise().reverse();
    return true;
  }

  bool iterate(int count) {
    linalg::SparseMatrix W(masses_.size(), masses_.size());
    W.reserve(Eigen::VectorXi::Constant(masses_.size(), 1));
    for (int i = 0; i < masses_.size(); ++i) W.insert(i, i) = masses_[i];
    W.makeCompressed();
    const int steps = 20 + 6 * count / kBlock;
    const auto capacity = static_cast<int>(
        std::min<Eigen::Index>(masses_.size(), static_cast<Eigen::Index>(steps + 1) * kBlock));
    linalg::BlockLanczos lanczos(
        W, [this](MatrixXd& X) { X = respond(X); }, kBlock, capacity);
    bool isOpen = lanczos.start();
    linalg::BlockLanczos::Ritz ritz;
    for (int step = 0; step < steps && isOpen && !lanczos.isFull(); ++step) {
      if (!goesOn()) return false;
      isOpen = lanczos.extend();
      ritz = lanczos.ritz();
      if (countConverged(ritz) >= count) break;
    }
    values_ = ritz.values;
    vectors_ = lanczos.vectors(ritz, static_cast<int>(ritz.values.size()));
    return true;
  }

  static int countConverged(const linalg::BlockLanczos::Ritz& ritz) {
    int converged = 0;
    while (converged < ritz.values.size() && ritz.values[converged] > 0.0 &&
           ritz.residuals[converged] <= kConverged * ritz.values[converged])
      ++converged;
    return converged;
  }

  const linalg::SymmetricFactors& factors_;
  Eigen::Index interior_;
  const std::vector<int>& rows_;
  const VectorXd& masses_;
  const linalg::Progress& progress_;
  VectorXd values_;  // falling
  MatrixXd vectors_;
};

}  // namespace

std::optional<MatrixXd> findInterfaceModes(const linalg::SymmetricFactors& factors,
                                           Eigen::Index interior, const std::vector<int>& rows,
                                           const VectorXd& masses, int count,
                                           const linalg::Progress& progress) {
  if (rows.empty() || count == 0) return MatrixXd(interior, 0);
  return InterfaceModes(factors, interior, rows, masses, progress).find(count);
}

}  // namespace flexloop::fem
