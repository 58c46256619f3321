#include "analysis/contradiction.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::analysis {
namespace {

// Of the size of the machine, or in rad. The compliance gives 1e-11 under its weight, so this takes a load
// of a hundred thousand times the weight.
constexpr double kTinyGap = 1e-6;

}  // namespace

ContradictionWatch::ContradictionWatch(const system::System& system,
                                       const solve::RedundancyReport& redundancy)
    : system_(system), compliance_(redundancy.compliance) {
  double size = 0.0;
  for (const auto& frame : system.start().frames) {
    size = std::max(size, frame.x.cwiseAbs().maxCoeff());
  }
  if (size == 0.0) size = 1.0;
  allowed_ = kTinyGap * (size * redundancy.gapByMove + redundancy.gapByTurn);
  for (int u = 0; u < compliance_.size(); ++u) {
    if (compliance_[u] == 0.0) continue;
    soft_.push_back(u);
    // What a joint asks of freedoms that are held anyway has no gradient.
    if (allowed_[u] == 0.0) allowed_[u] = kTinyGap * size;
  }
}

std::string ContradictionWatch::find(const system::State& state) const {
  double largest = 1.0;
  std::string name;
  for (const int u : soft_) {
    const double gap = std::abs(compliance_[u] * state.value[u]) / allowed_[u];
    if (gap <= largest) continue;
    largest = gap;
    name = system_.equationName(system::UnknownIndex{u});
  }
  return name;
}

}  // namespace flexloop::analysis
