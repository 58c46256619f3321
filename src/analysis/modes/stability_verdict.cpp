#include "analysis/modes/stability_verdict.hpp"

#include <algorithm>
#include <numbers>

#include "analysis/modes/growing_roots.hpp"
#include "analysis/modes/zero_roots.hpp"
#include "linalg/roots/all_roots.hpp"

namespace flexloop::analysis {
namespace {

using linalg::Eigenpair;

// Of a machine with delays, whose roots are infinitely many: those that grow are counted.
bool areAllGrowing(const system::System& system, const LinearModel& linear,
                   const std::vector<Eigenpair>& pairs) {
  if (linear.pencil.size() > kMostForAllRoots) return false;
  linalg::AllRoots roots = linalg::findAllRoots(linear.pencil);
  if (!roots.ok) return false;
  LinearModel undelayed = linear;
  undelayed.delays.clear();
  mergeZeroRoots(system, undelayed, roots.pairs);
  UndelayedRoots known;
  for (const Eigenpair& pair : roots.pairs) known.values.push_back(pair.value);
  known.isComplete = true;
  int found = 0;
  for (const Eigenpair& pair : pairs) {
    if (isGrowing(pair)) found += pair.value.imag() != 0.0 ? 2 : 1;
  }
  return countGrowing(linear.pencil, linear.delays, linear.groups, known) == found;
}

}  // namespace

void judgeStability(const LinearModel& linear, const ModeOptions& options,
                    const system::System& system, std::vector<Eigenpair>& pairs,
                    ModeResult& result) {
  StabilityVerdict& verdict = result.verdict;
  const bool isWhole = options.method == ModeMethod::kFull && !result.sampled;
  GrowingRoots growing;
  if (isWhole && linear.delays.empty() && !result.isComplete && options.nearHz == 0.0) {
    growing = findGrowingRoots(system, linear, pairs);
  } else {
    growing = pickGrowingRoots(pairs);
    growing.isCertain = linear.delays.empty() || !isWhole ? result.isComplete
                                                          : areAllGrowing(system, linear, pairs);
    // Roots of a cycle are folded: their sizes say nothing.
    if (options.nearHz != 0.0 || result.sampled) growing.searched = 0.0;
  }
  for (const Eigenpair& pair : growing.pairs) {
    const auto isSame = [&](const Eigenpair& other) { return other.value == pair.value; };
    if (std::none_of(pairs.begin(), pairs.end(), isSame)) pairs.push_back(pair);
  }
  if (growing.doubtful > 0) growing.isCertain = false;
  if (result.mayMiss) {
    growing.isCertain = false;
    growing.searched = 0.0;
  }
  verdict.growing = static_cast<int>(growing.pairs.size());
  verdict.doubtful = growing.doubtful;
  verdict.isCertain = growing.isCertain;
  verdict.searchedHz = growing.searched / (2.0 * std::numbers::pi);
}

}  // namespace flexloop::analysis
