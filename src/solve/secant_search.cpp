#include "solve/secant_search.hpp"

#include "linalg/dense/least_squares.hpp"

namespace flexloop::solve {

// The rest r is as good as linear on the span of the last tries: r(x + Δx c) = r + Δr c, least with Δrᵀ(r + Δr c) = 0. From there
// on by what is left of it.
Eigen::VectorXd SecantSearch::next(const Eigen::VectorXd& x, const Eigen::VectorXd& fx) {
  const Eigen::VectorXd rest = fx - x;
  if (static_cast<Eigen::Index>(tries_.size()) > x.size()) {
    tries_.erase(tries_.begin());
    rests_.erase(rests_.begin());
  }
  Eigen::VectorXd result = fx;
  const auto count = static_cast<Eigen::Index>(tries_.size());
  if (count > 0) {
    Eigen::MatrixXd moves(x.size(), count), changes(x.size(), count);
    for (Eigen::Index i = 0; i < count; ++i) {
      moves.col(i) = tries_[i] - x;
      changes.col(i) = rests_[i] - rest;
    }
    // Tries may depend on each other, as where forces of several contacts follow from one.
    result += (moves + changes) * linalg::solveSmallest(changes, -rest);
  }
  tries_.push_back(x);
  rests_.push_back(rest);
  return result;
}

}  // namespace flexloop::solve
