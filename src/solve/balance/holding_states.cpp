#include "solve/balance/holding_states.hpp"

#include <algorithm>
#include <cstdint>

namespace flexloop::solve {

using system::Kind;

std::vector<int> findHoldingStates(const std::vector<Kind>& kinds, const linalg::SparseMatrix& K) {
  std::vector<int> holding;
  if (std::find(kinds.begin(), kinds.end(), Kind::kState) == kinds.end()) return holding;
  // What each signal and state depends on: whether on a motion, state or multiplier, and on which signals. A state that
  // holds is as good as a constant for those behind it.
  const auto n = static_cast<int>(kinds.size());
  std::vector<std::uint8_t> holds(n, 0);
  std::vector<std::vector<int>> usersOf(n);
  for (int column = 0; column < n; ++column) {
    for (linalg::SparseMatrix::InnerIterator it(K, column); it; ++it) {
      const int row = static_cast<int>(it.row());
      const bool isBlockRow = kinds[row] == Kind::kSignal || kinds[row] == Kind::kState;
      if (isBlockRow && it.value() != 0.0 && (row != column || kinds[row] == Kind::kState)) {
        usersOf[column].push_back(row);
      }
    }
  }
  for (bool isMore = true; isMore;) {
    std::vector<std::uint8_t> moves(n, 0);
    std::vector<int> open;
    for (int u = 0; u < n; ++u) {
      if (kinds[u] != Kind::kSignal && holds[u] == 0) open.push_back(u);
    }
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      for (const int user : usersOf[from]) {
        if (moves[user] != 0) continue;
        moves[user] = 1;
        if (kinds[user] == Kind::kSignal) open.push_back(user);
      }
    }
    isMore = false;
    for (int u = 0; u < n; ++u) {
      if (kinds[u] != Kind::kState || moves[u] != 0 || holds[u] != 0) continue;
      holds[u] = 1;
      isMore = true;
    }
  }
  for (int u = 0; u < n; ++u) {
    if (holds[u] != 0) holding.push_back(u);
  }
  return holding;
}

std::vector<int> findIdleStates(const std::vector<Kind>& kinds, const linalg::SparseMatrix& K) {
  std::vector<int> idle;
  if (std::find(kinds.begin(), kinds.end(), Kind::kState) == kinds.end()) return idle;
  const auto n = static_cast<int>(kinds.size());
  std::vector<std::vector<int>> usedBy(n);  // by row, the columns that it depends on
  std::vector<std::uint8_t> acts(n, 0), hasDiagonal(n, 0);
  std::vector<int> open;
  for (int column = 0; column < n; ++column) {
    for (linalg::SparseMatrix::InnerIterator it(K, column); it; ++it) {
      const int row = static_cast<int>(it.row());
      if (it.value() == 0.0) continue;
      if (row == column) {
        hasDiagonal[row] = 1;
      } else {
        usedBy[row].push_back(column);
      }
    }
  }
  const auto follow = [&](std::vector<std::uint8_t>& reached) {
    while (!open.empty()) {
      const int row = open.back();
      open.pop_back();
      for (const int column : usedBy[row]) {
        if (reached[column] != 0) continue;
        reached[column] = 1;
        open.push_back(column);
      }
    }
  };
  for (int u = 0; u < n; ++u) {
    if (kinds[u] == Kind::kMotion || kinds[u] == Kind::kMultiplier) open.push_back(u);
  }
  follow(acts);
  for (int u = 0; u < n; ++u) {
    if (kinds[u] != Kind::kState || acts[u] != 0 || hasDiagonal[u] != 0) continue;
    std::vector<std::uint8_t> reached(n, 0);
    open.push_back(u);
    follow(reached);
    if (reached[u] == 0) idle.push_back(u);
  }
  return idle;
}

void holdStates(const std::vector<Kind>& kinds, linalg::SparseMatrix& matrix) {
  const std::vector<int> idle = findIdleStates(kinds, matrix);
  for (const int u : findHoldingStates(kinds, matrix)) matrix.coeffRef(u, u) = 1.0;
  for (const int u : idle) matrix.coeffRef(u, u) = 1.0;
}

}  // namespace flexloop::solve
