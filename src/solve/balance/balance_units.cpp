#include "solve/balance/balance_units.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::solve {

using linalg::roundToPower;
using linalg::SparseMatrix;
using system::Kind;

namespace {

bool isMechanical(Kind kind) {
  return kind == Kind::kMotion || kind == Kind::kMultiplier;
}

// Sizes of states and signals, from those of what they depend on. False once none is left that has not got one.
bool sizeByCauses(const SparseMatrix& A, Eigen::VectorXd& sizes) {
  Eigen::VectorXd found = Eigen::VectorXd::Zero(sizes.size()), own = found;
  for (int column = 0; column < A.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(A, column); it; ++it) {
      const double entry = std::abs(it.value());
      if (!std::isfinite(entry) || sizes[it.row()] > 0.0) continue;
      double& largest = it.row() == column ? own[column] : found[it.row()];
      largest = std::max(largest, it.row() == column ? entry : entry * sizes[column]);
    }
  }
  bool isAnyNew = false;
  for (int u = 0; u < sizes.size(); ++u) {
    if (!(found[u] > 0.0)) continue;
    sizes[u] = found[u] / (own[u] > 0.0 ? own[u] : 1.0);
    isAnyNew = true;
  }
  return isAnyNew;
}

// Of sources: from what they act on, whose equations have the given units.
bool sizeByEffects(const SparseMatrix& A, Eigen::VectorXd& rows, Eigen::VectorXd& sizes) {
  bool isAnyNew = false;
  for (int column = 0; column < A.outerSize(); ++column) {
    if (sizes[column] > 0.0) continue;
    double effect = 0.0;
    for (SparseMatrix::InnerIterator it(A, column); it; ++it) {
      if (it.row() == column || !std::isfinite(it.value())) continue;
      effect = std::max(effect, std::abs(it.value()) * rows[it.row()]);
    }
    if (!(effect > 0.0)) continue;
    sizes[column] = 1.0 / effect;
    rows[column] = effect;
    isAnyNew = true;
  }
  return isAnyNew;
}

// By which the largest entry of each row of a state or signal is one.
void fillRows(const std::vector<Kind>& kinds, const SparseMatrix& A, const Eigen::VectorXd& sizes,
              Eigen::VectorXd& rows) {
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(sizes.size());
  for (int column = 0; column < A.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(A, column); it; ++it) {
      if (!std::isfinite(it.value())) continue;
      largest[it.row()] = std::max(largest[it.row()], std::abs(it.value()) * sizes[column]);
    }
  }
  for (int u = 0; u < sizes.size(); ++u) {
    if (isMechanical(kinds[u])) continue;
    rows[u] = largest[u] > 0.0 ? 1.0 / largest[u] : 0.0;
  }
}

}  // namespace

Eigen::VectorXd findMechanicalUnits(const std::vector<Kind>& kinds, const SparseMatrix& A,
                                    const Eigen::VectorXd& resistance) {
  Eigen::VectorXd units = Eigen::VectorXd::Ones(A.cols());
  for (int u = 0; u < units.size(); ++u) {
    if (kinds[u] == Kind::kMotion) units[u] = roundToPower(1.0 / std::sqrt(resistance[u]));
  }
  for (int column = 0; column < A.outerSize(); ++column) {
    if (kinds[column] != Kind::kMultiplier) continue;
    double largest = 0.0;
    for (SparseMatrix::InnerIterator it(A, column); it; ++it) {
      if (kinds[it.row()] != Kind::kMotion || !std::isfinite(it.value())) continue;
      largest = std::max(largest, std::abs(it.value()) * units[it.row()]);
    }
    if (largest > 0.0) units[column] = roundToPower(1.0 / largest);
  }
  return units;
}

linalg::MatrixScaling findBalanceUnits(const std::vector<Kind>& kinds, const SparseMatrix& A,
                                       const Eigen::VectorXd& resistance) {
  linalg::MatrixScaling units;
  units.rows = units.columns = findMechanicalUnits(kinds, A, resistance);
  for (int u = 0; u < A.cols(); ++u) {
    if (!isMechanical(kinds[u])) units.rows[u] = units.columns[u] = 0.0;
  }
  while (sizeByCauses(A, units.columns)) {
  }
  fillRows(kinds, A, units.columns, units.rows);
  while (sizeByEffects(A, units.rows, units.columns)) {
  }
  while (sizeByCauses(A, units.columns)) {
  }
  fillRows(kinds, A, units.columns, units.rows);
  for (int u = 0; u < A.cols(); ++u) {
    units.columns[u] = roundToPower(units.columns[u]);
    units.rows[u] = roundToPower(units.rows[u]);
  }
  return units;
}

SparseMatrix inUnits(const linalg::MatrixScaling& units, const SparseMatrix& A) {
  SparseMatrix scaled = A;
  for (int column = 0; column < scaled.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(scaled, column); it; ++it) {
      it.valueRef() *= units.rows[it.row()] * units.columns[column];
    }
  }
  return scaled;
}

}  // namespace flexloop::solve
