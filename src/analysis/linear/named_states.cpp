#include "analysis/linear/named_states.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "linalg/dense/dense_lu.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;

// What is left of a row after the rows before it, as a share: below, it follows from them.
constexpr double kDependent = 1e-9;

// A coordinate that a joint holds has a row of round-off, by the longest of its unit, and so has what is left of a
// short row that follows from others: below the first share it is none, and below the second it is a state only if
// nothing else is left to be one.
constexpr double kHeld = 1e-12, kDoubtful = 1e-7;

// What is compared by its length: coordinates with coordinates and rates with rates, whether inputs add to them or not.
enum class Unit { kCoordinate, kRate, kBlock, kCombination };

Unit unitOf(const StateCandidate& candidate) {
  if (candidate.rateOf >= 0) return Unit::kRate;
  if (candidate.kind == StateKind::kBlock) return Unit::kBlock;
  return candidate.kind == StateKind::kCombination ? Unit::kCombination : Unit::kCoordinate;
}

// Pivoting on rows of length one, kind by kind.
class StateChoice {
 public:
  StateChoice(const std::vector<StateCandidate>& candidates, int count)
      : candidates_(candidates), count_(count), isChosen_(candidates.size(), false) {
    std::map<Unit, double> longest;
    for (const StateCandidate& candidate : candidates) {
      double& length = longest[unitOf(candidate)];
      length = std::max(length, candidate.row.norm());
    }
    for (const StateCandidate& candidate : candidates) {
      const double length = candidate.row.norm(), most = longest[unitOf(candidate)];
      const bool isHeld = length <= kHeld * most;
      shares_.push_back(isHeld ? 0.0 : length / most);
      rest_.push_back(isHeld ? Eigen::RowVectorXd::Zero(candidate.row.size()).eval()
                             : Eigen::RowVectorXd(candidate.row / length));
    }
  }

  std::vector<int> choose() {
    takeKinds(kDoubtful);
    takeKinds(kHeld);
    takeAll([this](int i) { return candidates_[i].kind == StateKind::kCombination; });
    return chosen_;
  }

 private:
  void takeKinds(double smallest) {
    const auto isOf = [this, smallest](StateKind kind) {
      return [this, smallest, kind](int i) {
        return candidates_[i].kind == kind && shares_[i] * rest_[i].norm() > smallest;
      };
    };
    const auto isRate = isOf(StateKind::kRate);
    takeAll(isOf(StateKind::kCoordinate));
    takeAll([&](int i) { return isRate(i) && isChosen_[candidates_[i].rateOf]; });
    takeAll(isOf(StateKind::kBlock));
    takeAll(isRate);
    takeAll(isOf(StateKind::kShifted));
  }

  template <class Filter>
  void takeAll(const Filter& filter) {
    while (static_cast<int>(chosen_.size()) < count_) {
      const int best = findBest(filter);
      if (best < 0) return;
      take(best);
    }
  }

  template <class Filter>
  int findBest(const Filter& filter) const {
    int best = -1;
    double largest = kDependent;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!filter(static_cast<int>(i))) continue;
      const double left = rest_[i].norm();
      // Of equals the first, whatever round-off says.
      if (left > 1.000001 * largest) best = static_cast<int>(i), largest = left;
    }
    return best;
  }

  void take(int index) {
    const Eigen::RowVectorXd direction = rest_[index].normalized();
    for (Eigen::RowVectorXd& row : rest_) row -= row.dot(direction) * direction;
    rest_[index].setZero();
    chosen_.push_back(index);
    isChosen_[index] = true;
  }

  const std::vector<StateCandidate>& candidates_;
  int count_;
  std::vector<bool> isChosen_;
  std::vector<double> shares_;  // of the longest row of the same unit
  std::vector<Eigen::RowVectorXd> rest_;
  std::vector<int> chosen_;
};

double power2(double x) {
  return x > 0.0 ? std::exp2(-std::round(std::log2(x))) : 1.0;
}

// Rows of T have the units of the states that are named, columns those of the states before. Brought to entries of about
// one, in powers of two, none is lost beside another one of a larger unit.
MatrixXd invert(MatrixXd T) {
  constexpr int kRounds = 4;
  const auto n = T.rows();
  Eigen::VectorXd rows = Eigen::VectorXd::Ones(n), columns = Eigen::VectorXd::Ones(n);
  for (int round = 0; round < kRounds; ++round) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const double scale = power2(T.row(i).cwiseAbs().maxCoeff());
      T.row(i) *= scale;
      rows[i] *= scale;
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      const double scale = power2(T.col(j).cwiseAbs().maxCoeff());
      T.col(j) *= scale;
      columns[j] *= scale;
    }
  }
  return columns.asDiagonal() * linalg::DenseLu<double>(T).inverse() * rows.asDiagonal();
}

}  // namespace

std::vector<int> chooseStates(const std::vector<StateCandidate>& candidates, int count) {
  std::vector<int> chosen = StateChoice(candidates, count).choose();
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void nameStates(StateSpace& system, std::vector<StateCandidate>& candidates) {
  const auto n = static_cast<int>(system.A.rows());
  const std::vector<int> chosen = chooseStates(candidates, n);
  system.states.clear();
  if (n == 0) return;
  MatrixXd T(n, n);
  for (int i = 0; i < n; ++i) T.row(i) = candidates[chosen[i]].row;
  const MatrixXd inverse = invert(T);
  system.A = (T * system.A * inverse).eval();
  system.B = (T * system.B).eval();
  system.C = (system.C * inverse).eval();
  for (StateCandidate& candidate : candidates) candidate.row = (candidate.row * inverse).eval();
  for (int i = 0; i < n; ++i) {
    system.states.push_back(candidates[chosen[i]].name);
    candidates[chosen[i]].row = RowVectorXd::Unit(n, i);
    // The rate of a coordinate is a state: nothing is to be computed.
    for (int k = 0; k < n; ++k) {
      const StateCandidate& rate = candidates[chosen[k]];
      if (rate.kind != StateKind::kRate || rate.rateOf != chosen[i]) continue;
      system.A.row(i) = RowVectorXd::Unit(n, k);
      system.B.row(i).setZero();
    }
  }
}

}  // namespace flexloop::analysis
