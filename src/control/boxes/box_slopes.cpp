#include "control/boxes/box_slopes.hpp"

#include <algorithm>

#include "control/boxes/slope_search.hpp"

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
  std::vector<SlopeSearch> searches;
  for (const double argument : at) searches.emplace_back(argument, question.results);
  Variations variations(at.size(), question.results);
  for (bool isFirst = true;; isFirst = false) {
    variations.clear();
    for (std::size_t c = 0; c < at.size(); ++c) {
      for (const double argument : searches[c].wanted()) variations.add(at, c, argument);
    }
    if (variations.count() == 0 && !isFirst) break;
    variations.add(at);
    evaluate(variations);
    const std::span<const double> middle = variations.results(variations.count() - 1);
    std::size_t first = 0;
    for (std::size_t c = 0; c < at.size(); ++c) {
      if (isFirst) searches[c].know(at[c], middle);
      const std::size_t count = searches[c].wanted().size();
      if (count > 0) searches[c].give(variations.results(first, count));
      first += count;
    }
  }
  for (std::size_t c = 0; c < at.size(); ++c) {
    const std::vector<double>& slopes = searches[c].slopes().values;
    std::copy(slopes.begin(), slopes.end(), J.col(static_cast<Eigen::Index>(c)).begin());
  }
}

}  // namespace flexloop::control
