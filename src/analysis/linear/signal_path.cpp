#include "analysis/linear/signal_path.hpp"

#include "linalg/state_space/dependence.hpp"

namespace flexloop::analysis {
namespace {

using linalg::QuadraticPencil;
using linalg::SparseMatrix;

// Numbers of those that are chosen, -1 for the others.
std::vector<int> enumerate(const std::vector<bool>& isChosen, bool which) {
  std::vector<int> numbers;
  int count = 0;
  for (const bool chosen : isChosen) numbers.push_back(chosen == which ? count++ : -1);
  return numbers;
}

int countOf(const std::vector<int>& numbers) {
  int count = 0;
  for (const int number : numbers) count += number >= 0 ? 1 : 0;
  return count;
}

SparseMatrix take(const SparseMatrix& matrix, const std::vector<int>& rows,
                  const std::vector<int>& columns) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int column = 0; column < matrix.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      if (rows[it.row()] < 0 || columns[column] < 0) continue;
      entries.emplace_back(rows[it.row()], columns[column], it.value());
    }
  }
  SparseMatrix part(countOf(rows), countOf(columns));
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

QuadraticPencil take(const QuadraticPencil& pencil, const std::vector<int>& rows,
                     const std::vector<int>& columns) {
  return {take(pencil.K, rows, columns), take(pencil.C, rows, columns),
          take(pencil.M, rows, columns)};
}

}  // namespace

SignalPath findSignalPath(const LinearPorts& ports) {
  const linalg::Dependence dependence(ports.pencil, ports.delays);
  std::vector<bool> isUsed = dependence.findReached(makeInputPattern(ports));
  const std::vector<bool> isSeen = dependence.findSeen(ports.outputs);
  for (std::size_t u = 0; u < isUsed.size(); ++u) isUsed[u] = isUsed[u] && isSeen[u];
  const std::vector<bool> equations = dependence.findEquations(isUsed);
  const std::vector<int> rows = enumerate(equations, true), columns = enumerate(isUsed, true);
  SignalPath path;
  path.pencil = take(ports.pencil, rows, columns);
  path.beside = take(ports.pencil, enumerate(equations, false), enumerate(isUsed, false));
  for (const Eigen::MatrixXd& whole : makeInputPolynomial(ports)) {
    Eigen::MatrixXd& F =
        path.F.emplace_back(Eigen::MatrixXd::Zero(path.pencil.size(), whole.cols()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= 0) F.row(rows[i]) = whole.row(static_cast<Eigen::Index>(i));
    }
  }
  for (std::size_t u = 0; u < columns.size(); ++u) {
    if (columns[u] >= 0) path.unknowns.push_back(static_cast<int>(u));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0) path.equations.push_back(static_cast<int>(i));
  }
  for (const int output : ports.outputs) path.outputs.push_back(columns[output]);
  return path;
}

std::vector<std::vector<bool>> findReachedByInput(const LinearPorts& ports) {
  const linalg::Dependence dependence(ports.pencil, ports.delays);
  const Eigen::MatrixXd inputs = makeInputPattern(ports);
  std::vector<std::vector<bool>> reached;
  for (Eigen::Index k = 0; k < inputs.cols(); ++k) {
    reached.push_back(dependence.findReached(inputs.col(k)));
  }
  return reached;
}

}  // namespace flexloop::analysis
