#include "analysis/modes/mode_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "analysis/linear/drifting_roots.hpp"
#include "analysis/linear/turning_note.hpp"
#include "analysis/modes/effective_roots.hpp"
#include "analysis/modes/growing_roots.hpp"
#include "analysis/modes/mode_shape.hpp"
#include "analysis/modes/pencil_roots.hpp"
#include "analysis/modes/stability_verdict.hpp"
#include "analysis/sampled/rounded_boxes.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::Eigenpair;

constexpr double kTrusted = 1e-6;       // residual of a root that can be relied on
constexpr double kDoubtfulZero = 1e-2;  // by the slowest mode: what rounding may hide beside zero
// Of a box with few digits: how often the distance of roots is taken that follow from different records of it, and the share of
// a root that the digits of its numbers alone leave open: what a sum over the 181 calls of a record rounds off from each term.
constexpr double kTwins = 3.0;
constexpr double kDigits = 0.5 * 181.0 * std::numeric_limits<float>::epsilon();

// Effective matrices know black boxes by their gains only.
SampledBlocks findSampled(const model::Model& model, const system::State& state,
                          const ModeOptions& options) {
  if (options.view.loop != LoopView::kClosed) return {};
  return options.method == ModeMethod::kFull ? findSampledBlocks(model, state)
                                             : findSampledBlocks(model.system());
}

// How uncertain roots are because a controller rounds its numbers: the roots of the loop with what other records of it
// show (23.13).
void compareTwins(const std::vector<SampledBlocks>& twins, const system::System& system,
                  const LinearModel& linear, const system::State& state,
                  std::vector<Eigenpair>& pairs, ModeResult& result) {
  for (const SampledBlocks& twin : twins) {
    if (!result.ok()) return;
    const SampledRoots roots = findSampledRoots(twin, system, linear, state);
    result.failure = roots.failure;
    for (Eigenpair& pair : pairs) {
      double nearest = HUGE_VAL;
      for (const Eigenpair& other : roots.pairs) {
        nearest = std::min(nearest, std::abs(other.value - pair.value));
      }
      if (roots.pairs.empty()) nearest = std::abs(pair.value);
      pair.uncertainty =
          std::max(pair.uncertainty, kTwins * nearest + kDigits * std::abs(pair.value));
    }
  }
}

void warnOfTwins(const std::vector<SampledBlocks>& twins, ModeResult& result) {
  if (twins.empty()) return;
  double largest = 0.0;
  for (const Mode& mode : result.modes) {
    const double size = std::abs(mode.eigenvalue);
    if (size > 0.0) largest = std::max(largest, mode.uncertainty / size);
  }
  char text[160];
  std::snprintf(text, sizeof text,
                "a controller computes in single precision: modes are uncertain by up to %.1g of "
                "their size",
                largest);
  result.notes.emplace_back(text);
}

bool findSampledPairs(const SampledBlocks& blocks, const system::System& system,
                      const LinearModel& linear, const system::State& state,
                      std::vector<Eigenpair>& pairs, ModeResult& result) {
  if (blocks.elements.empty()) return false;
  SampledRoots roots = findSampledRoots(blocks, system, linear, state);
  result.failure = roots.failure;
  result.sampled = roots.cycle;
  result.isComplete = roots.note.empty();
  if (!roots.note.empty()) result.notes.push_back(roots.note);
  pairs = std::move(roots.pairs);
  return true;
}

// As many as are asked for, the nearest, and beside them those that grow and those that move nothing.
std::vector<Eigenpair> choose(const LinearModel& linear, const ModeOptions& options,
                              const system::System& system, std::vector<Eigenpair> pairs) {
  const Complex point(0.0, 2.0 * std::numbers::pi * options.nearHz);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Eigenpair& a, const Eigenpair& b) {
    return std::abs(a.value - point) < std::abs(b.value - point);
  });
  std::vector<Eigenpair> chosen;
  int count = 0;
  for (Eigenpair& pair : pairs) {
    const bool isAsked = !isIdle(linear, system, pair) && ++count <= options.count;
    if (isAsked || isGrowing(pair) || isIdle(linear, system, pair)) {
      chosen.push_back(std::move(pair));
    }
  }
  return chosen;
}

// What grows by less than the machine's own motion moves its root may as well decay: its uncertainty is such that Mode::isStable
// does not call it unstable.
void doubtDrifting(const std::vector<double>& drifts, std::vector<Eigenpair>& pairs,
                   ModeResult& result) {
  constexpr double kUncertainties = 16.0;  // as in isGrowing
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!isGrowing(pairs[k])) continue;
    pairs[k].uncertainty = std::max(pairs[k].uncertainty, drifts[k] / kUncertainties);
    if (isGrowing(pairs[k])) continue;
    --result.verdict.growing;
    ++result.verdict.doubtful;
    result.verdict.isCertain = false;
  }
}

void warnOfResiduals(ModeResult& result) {
  for (std::size_t k = 0; k < result.modes.size(); ++k) {
    const double residual = result.modes[k].residual;
    if (residual <= kTrusted) continue;
    char text[120];
    std::snprintf(text, sizeof text,
                  "mode %zu does not satisfy its equations (residual %.1e); do not rely on it",
                  k + 1, residual);
    result.notes.emplace_back(text);
  }
}

// A root at zero that rounding may hide a slow mode in.
void warnOfDoubtfulZeros(ModeResult& result) {
  double slowest = INFINITY, radius = 0.0;
  for (const Mode& mode : result.modes) {
    if (mode.eigenvalue == 0.0) {
      radius = std::max(radius, mode.uncertainty);
    } else {
      slowest = std::min(slowest, std::abs(mode.eigenvalue));
    }
  }
  if (!(radius > kDoubtfulZero * slowest)) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "zero roots: rates below %.2g 1/s are lost in rounding, so these may be slow "
                "modes, including growing ones",
                radius);
  result.notes.emplace_back(text);
}

// Damping in proportion to stiffness gives every stiff mode of a mesh a real root near −1/β: together they take the places of modes
// that oscillate.
void noteOverdamped(const ModeOptions& options, ModeResult& result) {
  const auto listed = static_cast<int>(result.modes.size());
  const auto decaying =
      std::count_if(result.modes.begin(), result.modes.end(), [](const Mode& mode) {
        return mode.eigenvalue.imag() == 0.0 && mode.eigenvalue.real() < 0.0;
      });
  const bool areAll = result.isComplete && listed >= result.total;
  if (areAll || listed < options.count || decaying < (options.count + 1) / 2) return;
  char text[200];
  std::snprintf(
      text, sizeof text,
      "%d of %d modes decay without oscillation; use `--near` or a larger `--count` to look "
      "for others that oscillate",
      static_cast<int>(decaying), listed);
  result.notes.emplace_back(text);
}

}  // namespace

ModeResult findModes(const model::Model& model, const system::State& state,
                     const ModeOptions& options) {
  const SampledBlocks sampled = findSampled(model, state, options);
  const LinearModel linear = linearize(model, state, options.view, sampled.boxElements());
  ModeResult result;
  if (options.view.loop == LoopView::kClosed) result.failure = findSampledFault(model.system());
  if (result.failure) return result;
  result.notes = linear.warnings;
  result.notes.insert(result.notes.end(), sampled.warnings.begin(), sampled.warnings.end());
  result.unknowns = linear.pencil.size();
  std::vector<Eigenpair> pairs;
  if (!sampled.elements.empty() && options.method != ModeMethod::kFull) {
    result.failure = base::Failure{"a sampled controller has no effective matrices",
                                   "use `--method full` to find its modes"};
    return result;
  }
  if (!findSampledPairs(sampled, model.system(), linear, state, pairs, result)) {
    pairs = options.method == ModeMethod::kFull
                ? findPencilRoots(linear, options, model.system(), result)
                : findEffectiveRoots(model, linear, options, result);
  }
  const std::vector<SampledBlocks> twins = findTwins(sampled, model, state);
  compareTwins(twins, model.system(), linear, state, pairs, result);
  if (!result.ok()) return result;
  result.total = static_cast<int>(pairs.size());
  judgeStability(linear, options, model.system(), pairs, result);
  std::vector<Eigenpair> chosen = choose(linear, options, model.system(), std::move(pairs));
  const bool areOfPencil = options.method == ModeMethod::kFull && !result.sampled;
  const std::vector<double> drifts =
      calcDrifts(model, state, options.view, linear, chosen, areOfPencil);
  doubtDrifting(drifts, chosen, result);
  for (const Eigenpair& pair : chosen) {
    result.modes.push_back(makeMode(model.system(), linear, pair));
    if (result.sampled) {
      result.modes.back().multiplier = std::exp(pair.value * result.sampled->period);
    }
    if (pair.value == 0.0 && isMoving(model.system(), result.modes.back().shape)) {
      ++result.rigidMotions;
    }
  }
  arrangeModes(result.modes);
  warnOfResiduals(result);
  warnOfDoubtfulZeros(result);
  warnOfTwins(twins, result);
  noteOverdamped(options, result);
  std::string note = describeTurning(linear.turning, result.modes, "modes");
  if (note.empty()) note = describeDrifts(chosen, drifts);
  if (!note.empty()) result.notes.push_back(std::move(note));
  return result;
}

}  // namespace flexloop::analysis
