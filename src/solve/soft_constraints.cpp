#include "solve/soft_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

// ε, as a share of what a multiplier moves in its own constraint: what regular directions contract by in an
// iteration. Round-off of velocities over ε is what dependent multipliers carry.
constexpr double kShare = 1e-7;
// Of the mean of their kind: what motions without mass and stiffness count as.
constexpr double kLeastMass = 1e-3;
constexpr int kPasses = 2;  // that separate self-stress from what motions determine

// By unknown, |S_jj| of motions, but not far below the mean of translations or of rotations.
Eigen::VectorXd calcInertias(const system::System& system, const linalg::SparseMatrix& matrix) {
  Eigen::VectorXd inertia = matrix.diagonal().cwiseAbs();
  for (const bool turns : {false, true}) {
    double sum = 0.0;
    int count = 0;
    const auto counts = [&](int u) {
      return system.kinds()[u] == Kind::kMotion && system.isRotation(UnknownIndex{u}) == turns;
    };
    for (int u = 0; u < inertia.size(); ++u) {
      if (!counts(u) || inertia[u] == 0.0) continue;
      sum += inertia[u];
      ++count;
    }
    const double least = count > 0 ? kLeastMass * sum / count : 1.0;
    for (int u = 0; u < inertia.size(); ++u) {
      if (counts(u) && !(inertia[u] > 0.0)) inertia[u] = least;
    }
  }
  return inertia;
}

}  // namespace

std::vector<DependentRow> listConstraints(const system::System& system) {
  std::vector<DependentRow> rows;
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] != Kind::kMultiplier) continue;
    rows.push_back({u, 1.0, static_cast<int>(rows.size())});
  }
  return rows;
}

SoftConstraints::SoftConstraints(const system::System& system, std::vector<DependentRow> rows)
    : rows_(std::move(rows)), system_(&system) {
  for (const DependentRow& row : rows_) groups_ = std::max(groups_, row.group + 1);
}

void SoftConstraints::soften(linalg::SparseMatrix& matrix, const Eigen::VectorXd* rowScale,
                             const Eigen::VectorXd* columnScale, Eigen::VectorXd& softness) const {
  softness.setZero(size());
  if (rows_.empty()) return;
  softness = calcSoftness(matrix, calcInertias(*system_, matrix), rowScale, columnScale);
  subtract(softness, matrix);
}

void SoftConstraints::subtract(const Eigen::VectorXd& softness,
                               linalg::SparseMatrix& matrix) const {
  for (int i = 0; i < size(); ++i) matrix.coeffRef(row(i), row(i)) -= softness[i];
}

Eigen::VectorXd SoftConstraints::calcSoftness(const linalg::SparseMatrix& matrix,
                                              const Eigen::VectorXd& inertia,
                                              const Eigen::VectorXd* rowScale,
                                              const Eigen::VectorXd* columnScale) const {
  Eigen::VectorXd softness = Eigen::VectorXd::Zero(size());
  std::vector<double> logarithms(groups_, 0.0);
  std::vector<int> counts(groups_, 0);
  double largest = 0.0;
  for (const DependentRow& row : rows_) {
    double own = 0.0;  // the diagonal of B S⁻¹ Bᵀ
    for (linalg::SparseMatrix::InnerIterator it(matrix, row.unknown); it; ++it) {
      if (system_->kinds()[it.row()] != Kind::kMotion) continue;
      const double column = columnScale == nullptr ? 1.0 : (*columnScale)[it.row()];
      own += column * it.value() * it.value() / inertia[it.row()];
    }
    if (rowScale != nullptr) own *= (*rowScale)[row.unknown];
    largest = std::max(largest, own);
    if (own == 0.0) continue;
    logarithms[row.group] += std::log(own / row.weight);
    ++counts[row.group];
  }
  for (int i = 0; i < size(); ++i) {
    const DependentRow& row = rows_[i];
    const bool hasUnit = counts[row.group] > 0;
    // A constraint that nothing can satisfy or violate has no force.
    softness[i] = hasUnit
                      ? kShare * row.weight * std::exp(logarithms[row.group] / counts[row.group])
                      : (largest > 0.0 ? largest : 1.0);
  }
  return softness;
}

// Multipliers that no motion determines keep what iterations have left in them. (B S⁻¹ Bᵀ + ε)⁻¹ ε finds them; it is applied twice,
// and once more in the correction, so that others change by ε³ only.
void SoftConstraints::removeSelfStress(const Eigen::VectorXd& multipliers,
                                       const Eigen::VectorXd& softness,
                                       const std::function<void(Eigen::VectorXd&)>& solve,
                                       Eigen::VectorXd& rhs) const {
  Eigen::VectorXd stress = multipliers;
  for (int pass = 0; pass < kPasses; ++pass) {
    Eigen::VectorXd next = Eigen::VectorXd::Zero(rhs.size());
    for (int i = 0; i < size(); ++i) next[row(i)] = -softness[i] * stress[row(i)];
    solve(next);
    stress = next;
  }
  for (int i = 0; i < size(); ++i) rhs[row(i)] += softness[i] * stress[row(i)];
}

}  // namespace flexloop::solve
