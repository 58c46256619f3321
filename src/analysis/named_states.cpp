#include "analysis/named_states.hpp"

#include <algorithm>
#include <map>

#include <Eigen/LU>

namespace flexloop::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVectorXd;

// What is left of a row after the rows before it, as a share: below, it follows from them.
constexpr double kDependent = 1e-9;

// A coordinate that a joint holds has a row of round-off, by the longest of its kind.
constexpr double kHeld = 1e-12;

// Pivoting on rows of length one, kind by kind.
class StateChoice {
 public:
  StateChoice(const std::vector<StateCandidate>& candidates, int count)
      : candidates_(candidates), count_(count), isChosen_(candidates.size(), false) {
    std::map<StateKind, double> longest;
    for (const StateCandidate& candidate : candidates) {
      double& length = longest[candidate.kind];
      length = std::max(length, candidate.row.norm());
    }
    for (const StateCandidate& candidate : candidates) {
      const double length = candidate.row.norm();
      const bool isHeld = length <= kHeld * longest[candidate.kind];
      rest_.push_back(isHeld ? Eigen::RowVectorXd::Zero(candidate.row.size()).eval()
                             : Eigen::RowVectorXd(candidate.row / length));
    }
  }

  std::vector<int> choose() {
    const auto isOf = [](StateKind kind) {
      return [kind](const StateCandidate& candidate) { return candidate.kind == kind; };
    };
    takeAll(isOf(StateKind::kCoordinate));
    takeAll([this](const StateCandidate& candidate) {
      return candidate.kind == StateKind::kRate && isChosen_[candidate.rateOf];
    });
    takeAll(isOf(StateKind::kBlock));
    takeAll(isOf(StateKind::kRate));
    takeAll(isOf(StateKind::kShifted));
    takeAll(isOf(StateKind::kCombination));
    return chosen_;
  }

 private:
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
      if (!filter(candidates_[i])) continue;
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
  std::vector<Eigen::RowVectorXd> rest_;
  std::vector<int> chosen_;
};

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
  const MatrixXd inverse = T.fullPivLu().inverse();
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
