#include "linalg/state_space/dependence.hpp"

#include <btf.h>

namespace flexloop::linalg {
namespace {

SparseMatrix findPattern(const QuadraticPencil& pencil, const DelayTerms& delays) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (const SparseMatrix* matrix : {&pencil.K, &pencil.C, &pencil.M}) {
    for (int column = 0; column < matrix->outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(*matrix, column); it; ++it) {
        if (it.value() != 0.0) entries.emplace_back(static_cast<int>(it.row()), column, 1.0);
      }
    }
  }
  for (const DelayTerm& term : delays) entries.emplace_back(term.row, term.column, 1.0);
  SparseMatrix pattern(pencil.size(), pencil.size());
  pattern.setFromTriplets(entries.begin(), entries.end());
  return pattern;
}

}  // namespace

Dependence::Dependence(const QuadraticPencil& pencil, const DelayTerms& delays)
    : loop_(pencil.size(), 0), loopOfEquation_(pencil.size(), 0), needs_(1) {
  const int n = pencil.size();
  if (n == 0) return;
  SparseMatrix pattern = findPattern(pencil, delays);
  std::vector<int> equations(n), unknowns(n), starts(n + 1), work(5 * n);
  double effort = 0.0;
  int matched = 0;
  // The block triangular form of Duff and Reid: a loop needs itself and later ones.
  const int loops =
      btf_order(n, pattern.outerIndexPtr(), pattern.innerIndexPtr(), 0.0, &effort, equations.data(),
                unknowns.data(), starts.data(), &matched, work.data());
  if (matched < n) return;  // singular for every s: nothing is known, and all is one loop
  for (int loop = 0; loop < loops; ++loop) {
    for (int k = starts[loop]; k < starts[loop + 1]; ++k) {
      loop_[unknowns[k]] = loopOfEquation_[equations[k]] = loop;
    }
  }
  needs_.resize(loops);
  for (int column = 0; column < n; ++column) {
    for (SparseMatrix::InnerIterator it(pattern, column); it; ++it) {
      const int reader = loopOfEquation_[it.row()];
      if (reader != loop_[column]) needs_[reader].push_back(loop_[column]);
    }
  }
}

std::vector<bool> Dependence::findReached(const Eigen::MatrixXd& F) const {
  std::vector<bool> isReached(needs_.size(), false);
  for (Eigen::Index i = 0; i < F.rows(); ++i) {
    if (!F.row(i).isZero(0.0)) isReached[loopOfEquation_[i]] = true;
  }
  for (std::size_t loop = needs_.size(); loop-- > 0;) {
    for (const int other : needs_[loop]) {
      if (isReached[other]) isReached[loop] = true;
    }
  }
  std::vector<bool> unknowns;
  for (const int loop : loop_) unknowns.push_back(isReached[loop]);
  return unknowns;
}

std::vector<bool> Dependence::findSeen(const std::vector<int>& outputs) const {
  std::vector<bool> isSeen(needs_.size(), false);
  for (const int output : outputs) isSeen[loop_[output]] = true;
  for (std::size_t loop = 0; loop < needs_.size(); ++loop) {
    if (!isSeen[loop]) continue;
    for (const int other : needs_[loop]) isSeen[other] = true;
  }
  std::vector<bool> unknowns;
  for (const int loop : loop_) unknowns.push_back(isSeen[loop]);
  return unknowns;
}

std::vector<bool> Dependence::findEquations(const std::vector<bool>& unknowns) const {
  std::vector<bool> isChosen(needs_.size(), false);
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    if (unknowns[u]) isChosen[loop_[u]] = true;
  }
  std::vector<bool> equations;
  for (const int loop : loopOfEquation_) equations.push_back(isChosen[loop]);
  return equations;
}

}  // namespace flexloop::linalg
