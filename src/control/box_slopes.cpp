#include "control/box_slopes.hpp"

#include <algorithm>

#include "control/slope_search.hpp"

namespace flexloop::control {

void Variations::clear() {
  count_ = 0;
  arguments_.clear();
}

void Variations::add(std::span<const double> all) {
  arguments_.insert(arguments_.end(), all.begin(), all.end());
  ++count_;
  results_.resize(std::max(results_.size(), count_ * resultsOfOne_));
}

void Variations::add(std::span<const double> all, std::size_t changed, double value) {
  add(all);
  arguments_[(count_ - 1) * argumentsOfOne_ + changed] = value;
}

void calcColumns(const SlopeQuestion& question, Eigen::MatrixXd& J, const Evaluate& evaluate) {
  const std::span<const double> at = question.at;
  Variations first(at.size(), question.results), further(at.size(), question.results);
  for (std::size_t c = 0; c < at.size(); ++c) {
    for (const double argument : firstArguments(at[c])) first.add(at, c, argument);
  }
  first.add(at);
  evaluate(first);
  const std::span<const double> middle = first.results(first.count() - 1);
  bool hasFurther = false;
  for (std::size_t c = 0; c < at.size(); ++c) {
    const auto respond = [&](std::span<const double> arguments, std::span<double> results) {
      further.clear();
      for (const double argument : arguments) further.add(at, c, argument);
      evaluate(further);
      const std::span<double> found = further.results(0, arguments.size());
      std::copy(found.begin(), found.end(), results.begin());
      hasFurther = true;
    };
    const FirstResponses known{middle, first.results(c * kFirstArguments, kFirstArguments)};
    const Slopes slopes = calcSlopes(at[c], known, respond);
    std::copy(slopes.values.begin(), slopes.values.end(),
              J.col(static_cast<Eigen::Index>(c)).begin());
  }
  if (!hasFurther) return;
  further.clear();
  further.add(at);
  evaluate(further);
}

}  // namespace flexloop::control
