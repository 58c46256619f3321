#include "solve/redundancy.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/sparse_rank.hpp"
#include "solve/mass_system.hpp"

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

// Violation of a redundant constraint under the weight of the machine, relative to its size.
constexpr double kRelativeGap = 1e-11;
// The same for accelerations, relative to the accelerations.
constexpr double kRelativeAcceleration = 1e-9;
// Ratio of pivots above which no constraint depends on others.
constexpr double kClearPivots = 1e-13;
// Length of a gradient, of the largest, that is round-off.
constexpr double kEmpty = 1e-13;
// Beyond this the orthogonal elimination takes too long; such constraints count as independent.
constexpr int kMostConstraints = 5000;

struct Gradients {
  linalg::SparseMatrix B;      // scaled to rows of unit length
  std::vector<int> equations;  // unknown of each row
  Eigen::VectorXd length;      // of the rows before scaling
};

Gradients collectGradients(const linalg::SparseMatrix& K, const std::vector<Kind>& kinds) {
  Gradients g;
  std::vector<int> rowOf(kinds.size(), -1);
  for (std::size_t u = 0; u < kinds.size(); ++u) {
    if (kinds[u] != Kind::kMultiplier) continue;
    rowOf[u] = static_cast<int>(g.equations.size());
    g.equations.push_back(static_cast<int>(u));
  }
  g.length.setZero(static_cast<int>(g.equations.size()));
  std::vector<Eigen::Triplet<double, int>> entries;
  std::vector<int> columnOf(kinds.size(), -1);
  int columns = 0;
  for (int c = 0; c < K.cols(); ++c) {
    if (kinds[c] != Kind::kMotion) continue;
    for (linalg::SparseMatrix::InnerIterator it(K, c); it; ++it) {
      const int row = rowOf[it.row()];
      if (row < 0 || it.value() == 0.0) continue;
      entries.emplace_back(row, columns, it.value());
      g.length[row] += it.value() * it.value();
    }
    ++columns;
  }
  g.length = g.length.cwiseSqrt();
  // What a joint asks of freedoms that are held anyway leaves nothing but round-off.
  const double empty = kEmpty * g.length.maxCoeff();
  g.length = (g.length.array() > empty).select(g.length, 0.0);
  std::erase_if(entries, [&](const auto& entry) { return g.length[entry.row()] == 0.0; });
  for (auto& entry : entries) {
    entry = {entry.row(), entry.col(), entry.value() / g.length[entry.row()]};
  }
  g.B.resize(static_cast<int>(g.equations.size()), columns);
  g.B.setFromTriplets(entries.begin(), entries.end());
  return g;
}

}  // namespace

RedundancyReport analyzeRedundancy(system::Assembler& assembler, const system::State& state) {
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  RedundancyReport report;
  report.compliance.setZero(system.unknowns());
  report.accelerationCompliance.setZero(system.unknowns());
  report.freedoms = static_cast<int>(std::count(kinds.begin(), kinds.end(), Kind::kMotion));
  report.constraints = static_cast<int>(std::count(kinds.begin(), kinds.end(), Kind::kMultiplier));
  if (report.constraints == 0) return report;

  // Independent constraints leave the mass system well pivoted; that is much cheaper to see than a rank.
  MassSystem massSystem(assembler);
  const linalg::FactorReport factored = massSystem.update(state, MassSystem::Use::kKinematics);
  const bool isClear = factored.ok && factored.reciprocalCondition > kClearPivots;
  if (isClear || report.constraints > kMostConstraints) {
    report.rank = report.constraints;
    return report;
  }

  Eigen::VectorXd residual;
  linalg::SparseMatrix K, C, M;
  assembler.calcResidual(state, residual);
  assembler.calcTangents(state, K, C, M);
  const Gradients gradients = collectGradients(K, kinds);
  const linalg::RankReport rank = linalg::calcRowRank(gradients.B);
  report.rank = rank.rank;

  double mass = 0.0, size = 0.0;
  for (int u = 0; u < system.unknowns(); ++u) {
    const bool translation = kinds[u] == Kind::kMotion && !system.isRotation(UnknownIndex{u});
    if (translation) mass += M.coeff(u, u) / 3.0;
  }
  for (const auto& frame : state.frames) size = std::max(size, frame.x.cwiseAbs().maxCoeff());
  if (mass <= 0.0) mass = 1.0;
  if (size <= 0.0) size = 1.0;
  const double weight = mass * std::max(system.gravity().norm(), 1.0);
  for (const linalg::RowDependency& dependency : rank.dependencies) {
    report.groups.emplace_back();
    for (const int row : dependency.rows) {
      const UnknownIndex u{gradients.equations[row]};
      report.groups.back().push_back(system.equationName(u));
      // A constraint that nothing can satisfy or violate needs a compliance too, and then has no force.
      const double length = gradients.length[row] > 0.0 ? gradients.length[row] : 1.0;
      const double square = length * length;
      report.compliance[u.value] = kRelativeGap * size / weight * square;
      report.accelerationCompliance[u.value] = kRelativeAcceleration / mass * square;
    }
  }
  return report;
}

}  // namespace flexloop::solve
