// Partial derivatives of a black box by perturbation (16.13), with as few questions to it as possible: what the
// searches for the slopes of all inputs want next is asked for at once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace flexloop::control {

// Arguments at which a box is to be evaluated, and where its results go.
class Variations {
 public:
  Variations(std::size_t arguments, std::size_t results)
      : argumentsOfOne_(arguments), resultsOfOne_(results) {}

  void clear();
  // The arguments with one of them changed.
  void add(std::span<const double> all, std::size_t changed, double value);
  void add(std::span<const double> all);

  std::size_t count() const { return count_; }
  std::span<const double> arguments(std::size_t k) const {
    return std::span(arguments_).subspan(k * argumentsOfOne_, argumentsOfOne_);
  }
  std::span<double> results(std::size_t k) const { return results(k, 1); }
  std::span<double> results(std::size_t first, std::size_t count) const {
    return std::span(results_).subspan(first * resultsOfOne_, count * resultsOfOne_);
  }

 private:
  std::size_t argumentsOfOne_, resultsOfOne_, count_ = 0;
  std::vector<double> arguments_;
  mutable std::vector<double> results_;
};

// J: a column for each argument, a row for each result. The last evaluation of each question is at the
// arguments themselves, so that what is no number elsewhere is no fault of the box.
struct SlopeQuestion {
  std::span<const double> at;
  std::size_t results;
};
using Evaluate = std::function<void(const Variations& variations)>;
void calcColumns(const SlopeQuestion& question, Eigen::MatrixXd& J, const Evaluate& evaluate);

}  // namespace flexloop::control
