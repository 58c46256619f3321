#include "solve/balance/slow_feedback.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace flexloop::solve {

using linalg::SparseMatrix;
using system::Kind;

namespace {

using Entry = SparseMatrix::InnerIterator;
using Triplets = std::vector<Eigen::Triplet<double>>;

constexpr double kSlow = 1e-12;  // of the fastest rate of the blocks
constexpr double kStiff = 1e6;   // of the machine: an integral that holds it as good as rigidly
constexpr int kMostAttempts = 6;

bool isBlock(Kind kind) {
  return kind == Kind::kSignal || kind == Kind::kState;
}

class SlowFeedback {
 public:
  SlowFeedback(const std::vector<Kind>& kinds, const SparseMatrix& K, const SparseMatrix& C)
      : kinds_(kinds), K_(K), C_(C) {
    findPaths();
  }

  bool isEmpty() const { return blocks_.empty(); }

  // With a rate s.
  std::optional<SparseMatrix> calc(double s) const {
    const auto n = static_cast<int>(blocks_.size());
    Triplets own, inputs, outputs;
    std::vector<int> measured;
    std::vector<int> columnOf(kinds_.size(), -1);
    for (int column = 0; column < static_cast<int>(kinds_.size()); ++column) {
      addEntries(K_, 1.0, column, own, inputs, outputs);
      addEntries(C_, s, column, own, inputs, outputs);
    }
    for (auto& entry : inputs) {
      int& place = columnOf[entry.col()];
      if (place < 0) {
        place = static_cast<int>(measured.size());
        measured.push_back(entry.col());
      }
      entry = {entry.row(), place, entry.value()};
    }
    SparseMatrix S(n, n), R(n, static_cast<int>(measured.size())),
        L(static_cast<int>(kinds_.size()), n);
    S.setFromTriplets(own.begin(), own.end());
    R.setFromTriplets(inputs.begin(), inputs.end());
    L.setFromTriplets(outputs.begin(), outputs.end());
    const auto solver = linalg::makeSparseSolver(S, linalg::SolverChoice::kKlu);
    if (solver == nullptr || !solver->factorize(S).ok) return std::nullopt;
    Triplets entries;
    for (int j = 0; j < R.cols(); ++j) {
      Eigen::VectorXd x = R.col(j);
      solver->solve(x);
      const Eigen::VectorXd force = L * x;
      if (!force.allFinite()) return std::nullopt;
      for (int i = 0; i < force.size(); ++i) {
        if (force[i] != 0.0) entries.emplace_back(i, measured[j], -force[i]);
      }
    }
    const auto all = static_cast<int>(kinds_.size());
    SparseMatrix feedback(all, all);
    feedback.setFromTriplets(entries.begin(), entries.end());
    return feedback;
  }

  // Of states; zero if there are none.
  double findFastestRate() const {
    Eigen::VectorXd values = Eigen::VectorXd::Zero(K_.rows()), rates = values;
    for (int column = 0; column < K_.outerSize(); ++column) {
      for (Entry it(K_, column); it; ++it) {
        values[it.row()] = std::max(values[it.row()], std::abs(it.value()));
      }
      for (Entry it(C_, column); it; ++it) {
        rates[it.row()] = std::max(rates[it.row()], std::abs(it.value()));
      }
    }
    double fastest = 0.0;
    for (const int u : blocks_) {
      if (kinds_[u] == Kind::kState && rates[u] > 0.0) {
        fastest = std::max(fastest, values[u] > 0.0 ? values[u] / rates[u] : 1.0);
      }
    }
    return fastest;
  }

 private:
  // The blocks on ways from motions to motions.
  void findPaths() {
    const std::size_t n = kinds_.size();
    std::vector<std::vector<int>> users(n), sources(n);
    for (const SparseMatrix* A : {&K_, &C_}) {
      for (int column = 0; column < A->outerSize(); ++column) {
        for (Entry it(*A, column); it; ++it) {
          if (it.value() == 0.0) continue;
          users[column].push_back(static_cast<int>(it.row()));
          sources[it.row()].push_back(column);
        }
      }
    }
    const std::vector<std::uint8_t> moved = reach(users), moving = reach(sources);
    place_.assign(n, -1);
    for (std::size_t u = 0; u < n; ++u) {
      if (!isBlock(kinds_[u]) || moved[u] == 0 || moving[u] == 0) continue;
      place_[u] = static_cast<int>(blocks_.size());
      blocks_.push_back(static_cast<int>(u));
    }
  }

  // Blocks that are reached from motions and multipliers through blocks.
  std::vector<std::uint8_t> reach(const std::vector<std::vector<int>>& next) const {
    std::vector<std::uint8_t> reached(kinds_.size(), 0);
    std::vector<int> open;
    for (std::size_t u = 0; u < kinds_.size(); ++u) {
      if (!isBlock(kinds_[u])) open.push_back(static_cast<int>(u));
    }
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      for (const int to : next[from]) {
        if (!isBlock(kinds_[to]) || reached[to] != 0) continue;
        reached[to] = 1;
        open.push_back(to);
      }
    }
    return reached;
  }

  void addEntries(const SparseMatrix& A, double factor, int column, Triplets& own, Triplets& inputs,
                  Triplets& outputs) const {
    for (Entry it(A, column); it; ++it) {
      const int row = static_cast<int>(it.row());
      const double value = factor * it.value();
      if (value == 0.0) continue;
      const bool fromBlock = place_[column] >= 0, toBlock = place_[row] >= 0;
      if (fromBlock && toBlock) own.emplace_back(place_[row], place_[column], value);
      if (!isBlock(kinds_[column]) && toBlock) inputs.emplace_back(place_[row], column, value);
      if (fromBlock && !isBlock(kinds_[row])) outputs.emplace_back(row, place_[column], value);
    }
  }

  const std::vector<Kind>& kinds_;
  const SparseMatrix &K_, &C_;
  std::vector<int> blocks_, place_;
};

// The largest entry beside the machine's own stiffness.
double compare(const SparseMatrix& feedback, const Eigen::VectorXd& stiffness) {
  double largest = 0.0;
  for (int column = 0; column < feedback.outerSize(); ++column) {
    for (Entry it(feedback, column); it; ++it) {
      const double own = std::sqrt(std::abs(stiffness[it.row()] * stiffness[column]));
      if (own > 0.0) largest = std::max(largest, std::abs(it.value()) / own);
    }
  }
  return largest;
}

}  // namespace

std::optional<SparseMatrix> calcSlowFeedback(const std::vector<Kind>& kinds, const SparseMatrix& K,
                                             const SparseMatrix& C,
                                             const Eigen::VectorXd& stiffness) {
  const SlowFeedback feedback(kinds, K, C);
  if (feedback.isEmpty()) return SparseMatrix(K.rows(), K.cols());
  double s = kSlow * feedback.findFastestRate();
  std::optional<SparseMatrix> found = feedback.calc(s);
  for (int attempt = 0; attempt < kMostAttempts && found; ++attempt) {
    const double ratio = compare(*found, stiffness);
    if (s == 0.0 || ratio <= kStiff) break;
    // What grows as 1/s is as stiff as it has to be; proportional parts that are stiffer stay so.
    s *= ratio / kStiff;
    std::optional<SparseMatrix> next = feedback.calc(s);
    if (!next || compare(*next, stiffness) > 0.5 * ratio) break;
    found = std::move(next);
  }
  return found;
}

}  // namespace flexloop::solve
