#include "solve/signal_terms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace flexloop::solve {

using system::Kind;

namespace {

// A second one reaches what comes before its terms, where states and signals use each other.
constexpr int kSweeps = 2;

bool isOther(Kind kind) {
  return kind == Kind::kSignal || kind == Kind::kState;
}

// Signals and states, each after those that it uses; where they use each other, one of them is first.
std::vector<int> sortOthers(const std::vector<Kind>& kinds,
                            const std::vector<std::vector<int>>& uses) {
  std::vector<int> order;
  std::vector<bool> isSeen(kinds.size(), false);
  std::vector<std::pair<int, std::size_t>> path;
  for (std::size_t root = 0; root < kinds.size(); ++root) {
    if (!isOther(kinds[root]) || isSeen[root]) continue;
    isSeen[root] = true;
    path.emplace_back(static_cast<int>(root), 0);
    while (!path.empty()) {
      const int u = path.back().first;
      if (path.back().second == uses[u].size()) {
        order.push_back(u);
        path.pop_back();
        continue;
      }
      const int used = uses[u][path.back().second++];
      if (!isOther(kinds[used]) || isSeen[used]) continue;
      isSeen[used] = true;
      path.emplace_back(used, 0);
    }
  }
  return order;
}

}  // namespace

SignalTerms::SignalTerms(const system::System& system, const linalg::SparseMatrix& A, Beside beside)
    : values_(static_cast<int>(A.nonZeros())) {
  const std::vector<Kind>& kinds = system.kinds();
  std::vector<std::vector<int>> uses(kinds.size());
  std::vector<std::vector<Term>> terms(kinds.size());
  std::vector<int> diagonals(kinds.size(), -1);
  for (int column = 0; column < A.cols(); ++column) {
    if (beside == Beside::kNothing && kinds[column] != Kind::kSignal) continue;
    for (int k = A.outerIndexPtr()[column]; k < A.outerIndexPtr()[column + 1]; ++k) {
      const int row = A.innerIndexPtr()[k];
      if (!isOther(kinds[row])) continue;
      if (row == column) {
        diagonals[row] = k;
      } else {
        uses[row].push_back(column);
        terms[row].push_back({k, column});
      }
    }
  }
  std::vector<bool> follows(kinds.size(), false);
  for (const int u : sortOthers(kinds, uses)) {
    const int first = static_cast<int>(terms_.size());
    terms_.insert(terms_.end(), terms[u].begin(), terms[u].end());
    rows_.push_back({u, diagonals[u], first, static_cast<int>(terms_.size())});
    follows[u] =
        kinds[u] == Kind::kSignal && diagonals[u] >= 0 &&
        std::all_of(uses[u].begin(), uses[u].end(), [&](int used) { return follows[used]; });
    if (follows[u]) following_.push_back(rows_.back());
  }
}

void SignalTerms::raise(const double* values, Eigen::VectorXd& sizes) const {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (const Row& row : rows_) {
      const double diagonal = row.diagonal < 0 ? 0.0 : std::abs(values[row.diagonal]);
      if (!(diagonal > 0.0)) continue;
      double sum = 0.0;
      for (int i = row.first; i < row.last; ++i) {
        sum += std::abs(values[terms_[i].value]) * sizes[terms_[i].column];
      }
      if (std::isfinite(sum)) sizes[row.unknown] = std::max(sizes[row.unknown], sum / diagonal);
    }
  }
}

void SignalTerms::solveFollowing(const double* values, const Eigen::VectorXd& residual,
                                 Eigen::VectorXd& x) const {
  for (const Row& row : following_) {
    double rest = -residual[row.unknown];
    for (int i = row.first; i < row.last; ++i) {
      rest -= values[terms_[i].value] * x[terms_[i].column];
    }
    x[row.unknown] = rest / values[row.diagonal];
  }
}

}  // namespace flexloop::solve
