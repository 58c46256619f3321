// Errors of order 2: with steps H, H/2 and H/4 the differences d between neighbours fall by 4, by 2 if the order is 1. The
// limit between the two is 2^1.5. Coarse steps may be outside of the range where this holds: more halvings are
// tried before a group fails.
#include <cmath>
#include <cstdio>

#include "random/checks.hpp"
#include "random/dice.hpp"

namespace flexloop::random {
namespace {

constexpr int kMostRefinements = 10;
const double kLeastFall = std::pow(2.0, 1.5);

bool isSecondOrder(double coarse, double fine, double floor) {
  return fine <= floor || kLeastFall * fine <= coarse;
}

bool checkSteps(Study& study, Writing writing) {
  const auto level = [&](int refinement) -> const Trajectory& {
    writing.refinement = refinement;
    return study.run(writing);
  };
  std::vector<bool> isGood(study.groups().size(), false);
  std::vector<double> before = study.compare(level(0), level(1));
  std::vector<std::vector<double>> all{before};
  for (int refinement = 2; refinement <= kMostRefinements; ++refinement) {
    const std::vector<double> now = study.compare(level(refinement - 1), level(refinement));
    bool areAll = true;
    for (std::size_t i = 0; i < now.size(); ++i) {
      isGood[i] = isGood[i] || isSecondOrder(before[i], now[i], study.floor()[i]);
      areAll = areAll && isGood[i];
    }
    if (areAll) return true;
    before = now;
    all.push_back(now);
  }
  for (std::size_t i = 0; i < isGood.size(); ++i) {
    if (isGood[i]) continue;
    std::string text = study.groups()[i].name + ": differences of halved steps are";
    for (const std::vector<double>& differences : all) {
      char number[32];
      std::snprintf(number, sizeof number, " %.3g", differences[i]);
      text += number;
    }
    throw Failure(text);
  }
  return true;
}

}  // namespace

bool checkOrder(Study& study) {
  return checkSteps(study, {});
}

bool checkUnequalSteps(Study& study) {
  Dice dice(study.machine().seed + 4711);
  Writing writing;
  for (int i = 0; i < study.machine().steps; ++i) {
    const double share = dice.logUniform(1e-3, 0.5);
    writing.cuts.push_back(dice.chance(0.7) ? (dice.chance(0.5) ? share : 1.0 - share) : 0.0);
  }
  return checkSteps(study, writing);
}

}  // namespace flexloop::random
