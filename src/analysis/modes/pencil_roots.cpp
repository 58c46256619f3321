#include "analysis/modes/pencil_roots.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "analysis/modes/growing_roots.hpp"
#include "analysis/modes/mode_shape.hpp"
#include "analysis/modes/zero_roots.hpp"
#include "linalg/roots/all_roots.hpp"
#include "linalg/roots/delay_roots.hpp"
#include "linalg/roots/shift_invert.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::Eigenpair;

// If more than this share of the roots is asked for, all are found as well, up to the second size.
constexpr double kLargeShare = 0.2;
constexpr int kMedium = 1500;
constexpr int kSpareRoots = 4;  // beyond the wanted ones, of approximations of delays

// Where roots are looked for, in the variable of the pencil.
Complex calcPoint(const ModeOptions& options) {
  const Complex s(0.0, 2.0 * std::numbers::pi * options.nearHz);
  return options.method == ModeMethod::kUndamped ? s * s : s;
}

std::vector<Eigenpair> findSmall(const LinearModel& linear, const ModeOptions& options,
                                 const system::System& system, ModeResult& result) {
  linalg::AllRoots roots = linalg::findAllRoots(linear.pencil, calcPoint(options), options.count);
  if (!roots.ok) {
    result.failure = base::numericalFailure(
        "the linear equations of the machine are singular at every frequency",
        "is there a freedom without mass, stiffness and damping, or feedback that cancels them "
        "exactly? Give it a mass, remove it from its node with 'free', or change a gain");
    if (roots.singularEquation >= 0 && roots.singularEquation < linear.pencil.size()) {
      result.failure->message += ": the equation '" +
                                 linear.equationName(system, roots.singularEquation) +
                                 "' is not independent of the others";
    }
    return {};
  }
  result.isComplete = true;
  return std::move(roots.pairs);
}

std::vector<Eigenpair> findLarge(const LinearModel& linear, const ModeOptions& options,
                                 const system::System& system, ModeResult& result) {
  linalg::NearestOptions nearest;
  nearest.shift = calcPoint(options);
  // More would take a Krylov space as large as the model.
  nearest.count = std::min(options.count, static_cast<int>(kLargeShare * linear.pencil.size()));
  if (nearest.count < options.count) {
    result.notes.push_back(std::to_string(options.count) + " modes are too many for " +
                           std::to_string(linear.pencil.size()) + " unknowns: the " +
                           std::to_string(nearest.count) +
                           " nearest are listed; use `--near` to find others");
  }
  nearest.groups = linear.groups;
  linalg::NearestResult found = linalg::findNearest(linear.pencil, nearest);
  // Integrals that nothing takes back are modes that nobody asks for.
  const auto idle = static_cast<int>(
      std::count_if(found.pairs.begin(), found.pairs.end(),
                    [&](const Eigenpair& pair) { return isIdle(linear, system, pair); }));
  if (found.converged() && idle > 0) {
    nearest.count += idle;
    found = linalg::findNearest(linear.pencil, nearest);
  }
  if (found.failure) result.failure = found.failure;
  if (found.isBlurred) {
    result.mayMiss = true;
    result.notes.emplace_back(
        "some modes may be missing from the list: they are close to the rounding errors of the "
        "equations, because stiffnesses differ too much");
  }
  return std::move(found.pairs);
}

// Without inertia and damping, nothing depends on a frequency. Feedback may be to blame as well.
bool isStatic(const linalg::QuadraticPencil& pencil, const system::System& system) {
  const std::vector<system::Kind>& kinds = system.kinds();
  if (std::count(kinds.begin(), kinds.end(), system::Kind::kSignal) > 0) return false;
  return pencil.M.norm() == 0.0 && pencil.C.norm() == 0.0;
}

std::vector<Eigenpair> findWithoutDelays(const LinearModel& linear, const ModeOptions& options,
                                         const system::System& system, ModeResult& result) {
  const int size = linear.pencil.size();
  const bool manyAsked = options.count > kLargeShare * size;
  const bool isSmall = size <= kMostForAllRoots || (manyAsked && size <= kMedium);
  std::vector<Eigenpair> pairs = isSmall ? findSmall(linear, options, system, result)
                                         : findLarge(linear, options, system, result);
  if (result.failure && isStatic(linear.pencil, system)) {
    result.failure = base::numericalFailure(
        "the model has no inertia and therefore no modes",
        "give its sections 'rhoA' and 'rhoJ' or a material with a density, or add bodies");
  }
  return pairs;
}

// Of infinitely many roots, those that are asked for.
std::vector<Eigenpair> findWithDelays(const LinearModel& linear, const ModeOptions& options,
                                      const system::System& system, ModeResult& result) {
  const Complex point(0.0, 2.0 * std::numbers::pi * options.nearHz);
  // Some of the nearest may belong to the approximation alone.
  ModeOptions more = options;
  more.count += kSpareRoots;
  LinearModel approximation = linear;
  const linalg::RootFinder finder = [&](const linalg::QuadraticPencil& pencil) {
    approximation.pencil = pencil;
    // The states of delays are eliminated one by one, behind the machine.
    const int last = *std::max_element(linear.groups.begin(), linear.groups.end());
    approximation.groups = linear.groups;
    for (int k = linear.pencil.size(); k < pencil.size(); ++k) {
      approximation.groups.push_back(last + 1 + k - linear.pencil.size());
    }
    std::vector<Eigenpair> pairs = findWithoutDelays(approximation, more, system, result);
    return result.ok() ? std::optional(std::move(pairs)) : std::nullopt;
  };
  linalg::DelayRoots roots =
      linalg::findDelayRoots(linear.pencil, linear.delays, point, options.count, finder);
  if (!roots.isFinite) result.isComplete = false;
  if (roots.ok && !roots.isSettled) {
    result.notes.emplace_back(
        "the model has transport delays, and some of their modes may be missing");
  }
  return std::move(roots.pairs);
}

}  // namespace

std::vector<Eigenpair> findPencilRoots(const LinearModel& linear, const ModeOptions& options,
                                       const system::System& system, ModeResult& result) {
  result.unknowns = linear.pencil.size();
  std::vector<Eigenpair> pairs = linear.delays.empty()
                                     ? findWithoutDelays(linear, options, system, result)
                                     : findWithDelays(linear, options, system, result);
  if (result.ok()) mergeZeroRoots(system, linear, pairs);
  return pairs;
}

}  // namespace flexloop::analysis
