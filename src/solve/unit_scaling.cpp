#include "solve/unit_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::solve {

using linalg::roundToPower;
using system::Kind;

namespace {

bool isOther(Kind kind) {
  return kind == Kind::kState || kind == Kind::kSignal;
}

double findEffect(const linalg::SparseMatrix& matrix, const Eigen::VectorXd& rows, int column) {
  double largest = 0.0;
  for (linalg::SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
    if (entry.row() == column || rows[entry.row()] == 0.0) continue;
    largest = std::max(largest, std::abs(entry.value()) * rows[entry.row()]);
  }
  return largest;
}

// A signal of no size, as a source that has not begun, is as large as what it does is one: by way of the blocks after it, which
// have no size either. Most of these are listed after it, so that one pass backwards is enough.
void sizeByEffect(const std::vector<Kind>& kinds, const linalg::SparseMatrix& matrix,
                  linalg::MatrixScaling& scaling) {
  Eigen::VectorXd &rows = scaling.rows, &columns = scaling.columns;
  const int n = static_cast<int>(columns.size());
  for (int u = 0; u < n; ++u) {
    if (isOther(kinds[u]) && columns[u] > 0.0) rows[u] = 1.0 / columns[u];
  }
  for (bool isAnyNew = true; isAnyNew;) {
    isAnyNew = false;
    for (int u = n - 1; u >= 0; --u) {
      if (!isOther(kinds[u]) || columns[u] > 0.0) continue;
      const double effect = findEffect(matrix, rows, u);
      if (!(effect > 0.0) || !std::isfinite(effect)) continue;
      columns[u] = 1.0 / effect;
      rows[u] = effect;
      isAnyNew = true;
    }
  }
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
  sizeByEffect(system.kinds(), matrix, scaling);
  // Of what has no effect, those terms that have got their sizes by another one.
  terms.raise(matrix.valuePtr(), columns);
  for (int u = 0; u < columns.size(); ++u) {
    if (!isOther(system.kinds()[u])) continue;
    columns[u] = roundToPower(columns[u]);
    rows[u] = 1.0 / columns[u];
  }
}

}  // namespace flexloop::solve
