#include "analysis/contradiction.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::analysis {
namespace {

// Of the size of the machine. The compliance gives 1e-11 under its weight, so this takes a load of
// a hundred thousand times the weight.
constexpr double kTinyGap = 1e-6;

}  // namespace

ContradictionWatch::ContradictionWatch(const system::System& system,
                                       const Eigen::VectorXd& compliance)
    : system_(system), compliance_(compliance) {
  for (int u = 0; u < compliance.size(); ++u) {
    if (compliance[u] != 0.0) soft_.push_back(u);
  }
  double size = 0.0;
  for (const auto& frame : system.start().frames) {
    size = std::max(size, frame.x.norm());
  }
  largestGap_ = kTinyGap * (size > 0.0 ? size : 1.0);
}

std::string ContradictionWatch::find(const system::State& state) const {
  double largest = largestGap_;
  std::string name;
  for (const int u : soft_) {
    const double gap = std::abs(compliance_[u] * state.value[u]);
    if (gap <= largest) continue;
    largest = gap;
    name = system_.equationName(system::UnknownIndex{u});
  }
  return name;
}

}  // namespace flexloop::analysis
