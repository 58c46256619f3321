#include "solve/unit_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::solve {

using linalg::roundToPower;
using system::Kind;

namespace {

// A signal of no size, as a source that has not begun, is as large as what it does is one.
double findEffect(const linalg::SparseMatrix& matrix, const Eigen::VectorXd& rows, int column) {
  double largest = 0.0;
  for (linalg::SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
    if (entry.row() == column || rows[entry.row()] == 0.0) continue;
    largest = std::max(largest, std::abs(entry.value()) * rows[entry.row()]);
  }
  return largest;
}

}  // namespace

void calcUnitScaling(const system::System& system, const MachineUnits& units,
                     const Eigen::VectorXd& gradients, const SignalTerms& terms,
                     const linalg::SparseMatrix& matrix, const Eigen::VectorXd& seen,
                     linalg::MatrixScaling& scaling) {
  Eigen::VectorXd &rows = scaling.rows, &columns = scaling.columns;
  columns = seen;
  rows.setZero(seen.size());
  for (int u = 0; u < columns.size(); ++u) {
    const Kind kind = system.kinds()[u];
    if (kind != Kind::kMotion && kind != Kind::kMultiplier) continue;
    const PartUnits& own = units.units[units.part[u]];
    const double motion = roundToPower(own.motion), length = roundToPower(own.length);
    const double force = roundToPower(own.mass) * motion;
    if (kind == Kind::kMotion) {
      const double arm = system.isRotation(system::UnknownIndex{u}) ? length : 1.0;
      columns[u] = motion / arm;
      rows[u] = 1.0 / (force * arm);
    } else {
      const double gradient = roundToPower(gradients[u]);
      columns[u] = force / gradient;
      rows[u] = 1.0 / (motion * gradient);
    }
  }
  terms.raise(matrix.valuePtr(), columns);
  for (int u = 0; u < columns.size(); ++u) {
    const Kind kind = system.kinds()[u];
    if (kind == Kind::kMotion || kind == Kind::kMultiplier) continue;
    if (columns[u] == 0.0) columns[u] = 1.0 / findEffect(matrix, rows, u);
    columns[u] = roundToPower(columns[u]);
    rows[u] = 1.0 / columns[u];
  }
}

}  // namespace flexloop::solve
