#include "analysis/modes/mode_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "analysis/linear/effective_matrices.hpp"
#include "analysis/linear/turning_note.hpp"
#include "analysis/modes/growing_roots.hpp"
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
constexpr int kSpareRoots = 4;          // beyond the wanted ones, of approximations of delays
constexpr double kComplexShape = 1e-3;  // share of a shape that is out of phase
constexpr double kNoMotion = 1e-9;      // of the largest entry: a displacement by round-off
constexpr double kRealSquare = 1e-7;    // share of ω² that is its imaginary part by round-off
constexpr double kTrusted = 1e-6;       // residual of a root that can be relied on
constexpr double kDoubtfulZero = 1e-2;  // by the slowest mode: what rounding may hide beside zero

// The largest displacement becomes one; where nothing is displaced, the largest entry.
void normalize(const system::System& system, Eigen::VectorXcd& shape) {
  Complex largest = 0.0, any = 0.0;
  for (int u = 0; u < shape.size(); ++u) {
    const bool isTranslation =
        system.kinds()[u] == system::Kind::kMotion && !system.isRotation({u});
    // A slightly larger entry that comes later does not take over: symmetric shapes keep their sign.
    if (isTranslation && std::abs(shape[u]) > 1.000001 * std::abs(largest)) largest = shape[u];
    if (std::abs(shape[u]) > std::abs(any)) any = shape[u];
  }
  if (std::abs(largest) < kNoMotion * std::abs(any)) largest = any;
  if (largest == 0.0) return;
  shape /= largest;
  // Round-off would be taken for a motion where shapes are described and compared.
  bool isStill = true;
  for (int u = 0; u < shape.size(); ++u) {
    const bool isMotion = system.kinds()[u] == system::Kind::kMotion;
    if (isMotion && std::abs(shape[u]) > kNoMotion) isStill = false;
  }
  for (int u = 0; isStill && u < shape.size(); ++u) {
    if (system.kinds()[u] == system::Kind::kMotion) shape[u] = 0.0;
  }
}

Mode makeMode(const system::System& system, const LinearModel& linear, const Eigenpair& pair) {
  Mode mode{pair.value,
            linear.expansion * pair.vector,
            pair.residual,
            {},
            std::max(pair.uncertainty, 0.0)};
  normalize(system, mode.shape);
  return mode;
}

bool isMoving(const system::System& system, const Eigen::VectorXcd& shape) {
  for (int u = 0; u < shape.size(); ++u) {
    const bool isMotion = system.kinds()[u] == system::Kind::kMotion;
    if (isMotion && std::abs(shape[u]) > 1e-6) return true;
  }
  return false;
}

// A root at zero that moves nothing.
bool isIdle(const LinearModel& linear, const system::System& system, const Eigenpair& pair) {
  if (pair.value != 0.0) return false;
  Eigen::VectorXcd shape = linear.expansion * pair.vector;
  normalize(system, shape);
  return !isMoving(system, shape);
}

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
        "the linear equations of the machine determine nothing for any frequency",
        "a freedom without mass, stiffness and damping, or feedback that cancels them exactly? "
        "Give it a mass, take it from its node with 'free', or change a gain");
    if (roots.singularEquation >= 0 && roots.singularEquation < linear.pencil.size()) {
      result.failure->message += ": the equation '" +
                                 linear.equationName(system, roots.singularEquation) +
                                 "' depends on others";
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
    result.notes.push_back(std::to_string(options.count) + " modes are too many at once of " +
                           std::to_string(linear.pencil.size()) + " unknowns: the " +
                           std::to_string(nearest.count) +
                           " nearest are given; `--near` gives others");
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
        "some modes may be missing among those that are listed: they are not far above the "
        "rounding of the equations, whose parts are of too different stiffness");
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
        "the model has no inertia, and so no modes",
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
        "the model has transport delays, and among their modes some may be missing");
  }
  return std::move(roots.pairs);
}

// Effective matrices know black boxes by their gains only.
SampledBlocks findSampled(const model::Model& model, const system::State& state,
                          const ModeOptions& options) {
  if (options.view.loop != LoopView::kClosed) return {};
  return options.method == ModeMethod::kFull ? findSampledBlocks(model, state)
                                             : findSampledBlocks(model.system());
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

// The roots of the pencil, those at zero once.
std::vector<Eigenpair> findPairs(const LinearModel& linear, const ModeOptions& options,
                                 const system::System& system, ModeResult& result) {
  result.unknowns = linear.pencil.size();
  std::vector<Eigenpair> pairs = linear.delays.empty()
                                     ? findWithoutDelays(linear, options, system, result)
                                     : findWithDelays(linear, options, system, result);
  if (result.ok()) mergeZeroRoots(system, linear, pairs);
  return pairs;
}

// From λ = s² to s. Real shapes have real λ: s is iω, or the growing one of ±√λ. Two equal roots may come as
// a conjugate pair with a tiny imaginary part; then both parts of its vector are shapes.
std::vector<Eigenpair> takeRoots(const std::vector<Eigenpair>& squares) {
  std::vector<Eigenpair> pairs;
  for (const Eigenpair& square : squares) {
    const bool isReal = std::abs(square.value.imag()) <= kRealSquare * std::abs(square.value);
    if (!isReal) {
      pairs.push_back({std::sqrt(square.value), square.vector, square.residual});
      continue;
    }
    const Complex s = std::sqrt(Complex(square.value.real(), 0.0));
    Complex sum = square.vector.cwiseProduct(square.vector).sum();  // zᵀz: twice the phase of z
    if (sum == 0.0) sum = 1.0;
    const Eigen::VectorXcd turned = square.vector / std::sqrt(sum / std::abs(sum));
    pairs.push_back({s, turned.real().cast<Complex>(), square.residual});
    if (turned.imag().norm() > kComplexShape * turned.norm()) {
      pairs.push_back({s, turned.imag().cast<Complex>(), square.residual});
    }
  }
  return pairs;
}

// Back to all unknowns of the linear model, the states and signals too.
void restoreControl(const LinearModel& linear, const ControlSide& side, bool isExact,
                    std::vector<Eigenpair>& pairs) {
  for (Eigenpair& pair : pairs) {
    Eigen::VectorXcd z = Eigen::VectorXcd::Zero(linear.pencil.size());
    for (std::size_t i = 0; i < side.machine().size(); ++i) z[side.machine()[i]] = pair.vector[i];
    const bool restored = side.restore(pair.value, z);
    pair.vector = z;
    if (isExact && restored) pair.residual = linalg::calcResidual(linear.pencil, pair.value, z);
  }
}

std::vector<Eigenpair> findEffectivePairs(const model::Model& model, const LinearModel& linear,
                                          const ModeOptions& options, ModeResult& result) {
  const ControlSide side(model.system(), linear);
  const EffectiveMatrices matrices = makeEffectiveMatrices(model, linear, side);
  if ((result.failure = matrices.failure)) return {};
  if (options.method == ModeMethod::kSecond && !matrices.integrating.empty()) {
    result.failure =
        base::Failure{"method 2n cannot represent the integral of a position, which the loop of '" +
                          matrices.integrating + "' feeds back",
                      "use `--method 3n` or `--method full`"};
    return {};
  }
  const bool isUndamped = options.method == ModeMethod::kUndamped;
  const LinearModel reduced =
      isUndamped ? makeUndampedModel(linear, matrices) : makeDampedModel(linear, matrices);
  std::vector<Eigenpair> pairs = findPairs(reduced, options, model.system(), result);
  if (!result.ok()) return {};
  if (isUndamped) pairs = takeRoots(pairs);
  restoreControl(linear, side, !isUndamped, pairs);
  return pairs;
}

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

// Those that grow are added to the pairs, wherever they are.
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
                "modes of frequency zero: rounding hides whatever is slower than %.2g 1/s, so that "
                "they may be slow modes, growing ones too",
                radius);
  result.notes.emplace_back(text);
}

}  // namespace

double Mode::frequencyHz() const {
  return std::abs(eigenvalue.imag()) / (2.0 * std::numbers::pi);
}

double Mode::dampingRatio() const {
  const double size = std::abs(eigenvalue);
  return size > 0.0 ? -eigenvalue.real() / size : 0.0;
}

void arrangeModes(std::vector<Mode>& modes) {
  std::stable_sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
    const double fa = std::abs(a.eigenvalue.imag()), fb = std::abs(b.eigenvalue.imag());
    if (fa != fb) return fa < fb;
    return std::abs(a.eigenvalue.real()) < std::abs(b.eigenvalue.real());
  });
}

ModeResult findModes(const model::Model& model, const system::State& state,
                     const ModeOptions& options) {
  const SampledBlocks sampled = findSampled(model, state, options);
  const LinearModel linear = linearize(model, state, options.view, sampled.boxElements());
  ModeResult result;
  result.notes = linear.warnings;
  result.notes.insert(result.notes.end(), sampled.warnings.begin(), sampled.warnings.end());
  result.unknowns = linear.pencil.size();
  std::vector<Eigenpair> pairs;
  if (!sampled.elements.empty() && options.method != ModeMethod::kFull) {
    result.failure = base::Failure{"a sampled controller has no effective matrices",
                                   "`--method full` finds its modes"};
    return result;
  }
  if (!findSampledPairs(sampled, model.system(), linear, state, pairs, result)) {
    pairs = options.method == ModeMethod::kFull
                ? findPairs(linear, options, model.system(), result)
                : findEffectivePairs(model, linear, options, result);
  }
  if (!result.ok()) return result;
  result.total = static_cast<int>(pairs.size());
  judgeStability(linear, options, model.system(), pairs, result);
  for (const Eigenpair& pair : choose(linear, options, model.system(), std::move(pairs))) {
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
  if (std::string note = describeTurning(linear.turning, result.modes, "modes"); !note.empty()) {
    result.notes.push_back(std::move(note));
  }
  return result;
}

}  // namespace flexloop::analysis
