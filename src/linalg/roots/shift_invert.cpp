#include "linalg/roots/shift_invert.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

#include "linalg/roots/fixed_vector.hpp"
#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/roots/root_search.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

// Where the first correction of a solution is larger, P has no inverse there to the last digits: the shift is a root.
// Smaller errors are refined away.
constexpr double kSingularError = 0.1;
// How far the shift is moved from a root, relative to the fastest motion of the pencil: near enough to
// leave the order of the roots alone, far enough to leave digits to the others.
constexpr double kFirstMove = 1e-6, kLastMove = 1e-3;
// Roots this much farther from the target than a moved shift or a slow root call for a shift nearer to them.
constexpr double kFarther = 100.0, kNearer = 0.1;
constexpr double kPilotTolerance = 1e-4;
constexpr double kSameDistance = 1e-2;
constexpr int kPilotCount = 2, kPilotRestarts = 8;
// One or two roots dominate all others if so many products leave nothing but them.
constexpr int kDominatingProducts = 5;
constexpr double kDominated = 1e-9, kErrorsOfProducts = 100.0;
// Where not even the next root can be seen beside a slow one, it is looked for this much farther: roots that dominate
// all others so that products leave nothing else are some sixty times nearer than these.
constexpr double kBlindStep = 30.0, kFarthestSeen = 1e9;
constexpr int kMostScales = 12;
constexpr double kPoorResidual = 1e-14, kNoGrowth = 1e-10;
// A root this much slower than the farthest one is refined, since the method has measured it by the others.
constexpr double kSlow = 1e-3;
constexpr double kRoundOffOfShift =
    1e-9;  // how far a root may be off, by its distance from the shift
constexpr double kZeroWithinShift = 1e-3, kIndependent = 1e-3;
constexpr double kWithinShift =
    0.1;  // roots this near to the target, by the shift, were found before
constexpr double kSame = 1e-6, kReal = 1e-11, kStays = 1e-4;
constexpr int kScalingProducts = 4;
constexpr int kTargetProducts = 2;
constexpr double kNoRest = 1e-15;  // some roundings of the terms

template <typename Scalar>
class NearestFinder {
 public:
  NearestFinder(const QuadraticPencil& pencil, const NearestOptions& options, PencilForm form,
                Scalar target)
      : pencil_(pencil),
        options_(options),
        target_(target),
        operator_(pencil, form, options.groups),
        refinement_(pencil, {}, options.groups) {}

  NearestResult find() {
    if (operator_.size() == 0) return result_;
    if (placeShift()) search();
    result_.solves = operator_.solves() + refinement_.factorizations();
    result_.factorizations = operator_.factorizations() + refinement_.factorizations();
    return std::move(result_);
  }

 private:
  bool placeShift();
  bool isTargetARoot();
  void search();
  void balance();
  // A shift that had to be moved away from a root is moved on, as far as the other roots allow.
  void moveShiftToRoots();
  // Roots far slower than all others are found first, and the shift then goes to the others.
  void separateSlowRoots();
  double findSlowRoots();
  bool isDominatedByKnown() const;
  bool isDominated();
  void collect(RootSearch<Scalar>& search);
  void add(Complex s, const Eigen::VectorXcd& z, bool doubtful);
  bool isConfirmed(Eigenpair& pair);
  static bool isThere(const Eigenpair& pair, const std::vector<Eigenpair>& pairs);
  bool isZero(const Eigenpair& pair) const;
  void addZero(Eigen::VectorXcd z);

  const QuadraticPencil& pencil_;
  const NearestOptions& options_;
  Scalar target_;
  PencilOperator<Scalar> operator_;
  RootRefinement refinement_;
  NearestResult result_;
  int repeatedZeros_ = 0;
  bool isShiftMoved_ = false;
  std::vector<Eigenpair> slow_;  // found before the shift went to the others
  double dominating_ = 0.0;      // distance from the shift of the roots that dominate
  double farthest_ = 0.0;        // |s| of the roots found
};

template <typename Scalar>
bool NearestFinder<Scalar>::placeShift() {
  const bool squared = operator_.form() == PencilForm::kSquared;
  const double M = calcOneNorm(pencil_.M), C = calcOneNorm(pencil_.C), K = calcOneNorm(pencil_.K);
  const double fastest = M > 0.0 ? std::sqrt(K / M) : K / C;
  const auto isGood = [&](double move) {
    const auto report = operator_.setShift(target_ + (squared ? move * move : move));
    return report.ok && report.error < kSingularError;
  };
  if (isGood(0.0) && !isTargetARoot()) return true;
  isShiftMoved_ = true;
  for (double move = kFirstMove; move <= kLastMove; move *= 10.0) {
    if (isGood(move * fastest)) return true;
  }
  result_.failure = base::numericalFailure(
      "K + s C + s² M is singular at the shift and near it: some unknown has no equation, or "
      "constraints are redundant");
  return false;
}

// Rounding may leave a singular matrix an inverse. Products then lead to a vector that solves the equations there as
// well as numbers can.
template <typename Scalar>
bool NearestFinder<Scalar>::isTargetARoot() {
  typename PencilOperator<Scalar>::Vector y =
      makeFixedVector(operator_.size(), 0).template cast<Scalar>();
  auto next = y;
  for (int k = 0; k < kTargetProducts; ++k) {
    operator_.apply(y, next);
    const double length = next.norm();
    if (!(length > 0.0) || !std::isfinite(length)) return false;
    y = next / length;
  }
  const Complex s = calcRootOfForm(operator_.form(), Complex(target_));
  return calcResidual(pencil_, s, operator_.calcVector(y.template cast<Complex>())) <= kNoRest;
}

// Of an undamped root, r = |w|/|x| becomes |s|²/r by a product: the mean of two is |s|.
template <typename Scalar>
void NearestFinder<Scalar>::balance() {
  if (operator_.form() == PencilForm::kSquared) return;
  typename PencilOperator<Scalar>::Vector y =
      makeFixedVector(operator_.size(), 0).template cast<Scalar>();
  auto next = y;
  operator_.setRootScale(1.0);
  double last = 0.0, scale = 0.0;
  for (int k = 0; k < kScalingProducts; ++k) {
    operator_.apply(y, next);
    const double length = next.norm();
    if (!(length > 0.0)) return;
    y = next / length;
    scale = std::sqrt(last * operator_.calcRootScale(y));
    last = operator_.calcRootScale(y);
  }
  scale = std::max(scale, std::abs(operator_.shift()));
  if (scale > 0.0 && std::isfinite(scale)) operator_.setRootScale(scale);
}

template <typename Scalar>
void NearestFinder<Scalar>::moveShiftToRoots() {
  balance();
  RootSearch<Scalar> search(
      operator_, refinement_,
      {target_, options_.count, kPilotTolerance, options_.maxRestarts, /*trusting=*/true});
  // What it has found serves, whether it is all or not.
  static_cast<void>(search.run());
  const std::vector<double> distances = search.distances();
  const Scalar before = operator_.shift();
  const double aside = std::abs(before - target_);
  const auto farther = std::upper_bound(distances.begin(), distances.end(), kFarther * aside);
  if (farther == distances.end()) return;
  const auto report = operator_.setShift(target_ + kNearer * *farther);
  if (report.ok && report.error < kSingularError) return;
  static_cast<void>(operator_.setShift(before));  // which has been possible once
}

// Beside a root a million times slower than all others these would be round-off of the operator. y, A y, A² y of a
// vector from which products have removed the others depend on each other.
template <typename Scalar>
bool NearestFinder<Scalar>::isDominated() {
  using Vector = typename PencilOperator<Scalar>::Vector;
  Vector y = makeFixedVector(operator_.size(), 0).template cast<Scalar>(), first, second;
  for (int k = 0; k < kDominatingProducts; ++k) {
    operator_.apply(y, first);
    const double length = first.norm();
    if (!(length > 0.0) || !std::isfinite(length)) return false;
    y = first / length;
  }
  operator_.apply(y, first);
  if (!(first.norm() > 0.0)) return false;
  first.normalize();
  operator_.apply(first, second);
  const double size = second.norm();
  dominating_ = 1.0 / size;
  const auto removeFrom = [](const Vector& v, Vector& from) { from -= v.dot(from) * v; };
  Vector other = y;
  for (int k = 0; k < 2; ++k) removeFrom(first, other);
  const double nothing = std::max(kDominated, kErrorsOfProducts * operator_.calcProductError());
  const bool areTwo = other.norm() > nothing;
  other.normalize();
  for (int k = 0; k < 2; ++k) {
    removeFrom(first, second);
    if (areTwo) removeFrom(other, second);
  }
  return second.norm() <= nothing * size;
}

// Whether the root that dominates has been found from another shift.
template <typename Scalar>
bool NearestFinder<Scalar>::isDominatedByKnown() const {
  return std::any_of(slow_.begin(), slow_.end(), [&](const Eigenpair& pair) {
    const double distance = std::abs(pair.value - Complex(operator_.shift()));
    return std::abs(distance - dominating_) <= kSameDistance * distance;
  });
}

// The distance from the target to which the shift may go; the slow roots that it leaves behind are kept.
template <typename Scalar>
double NearestFinder<Scalar>::findSlowRoots() {
  RootSearch<Scalar> search(
      operator_, refinement_,
      {target_, std::min(options_.count, kPilotCount), kPilotTolerance, kPilotRestarts,
       /*trusting=*/true});
  // Balanced for the slow ones, products are a poor judge of the others: what few of them tell must do.
  static_cast<void>(search.run());
  const auto roots = search.calcRoots();
  const auto distanceOf = [&](const auto& root) { return std::abs(root.t - Complex(target_)); };
  if (roots.empty() || distanceOf(roots.front()) == 0.0) return 0.0;
  const double slow = std::max(distanceOf(roots.front()), std::abs(operator_.shift() - target_));
  // What may be infinite is no place to go to.
  const auto farther = std::find_if(roots.begin(), roots.end(), [&](const auto& root) {
    return !root.doubtful && distanceOf(root) > kFarther * slow;
  });
  const bool isSeen = farther != roots.end() && distanceOf(*farther) < kFarthestSeen * slow;
  const double move =
      isSeen ? std::max(kNearer * distanceOf(*farther), 2.0 * slow) : kBlindStep * slow;
  for (const auto& root : roots) {
    const Complex s = calcRootOfForm(operator_.form(), root.t);
    if (std::abs(root.t - Complex(target_)) > kWithinShift * move) continue;
    Eigenpair pair{s, root.vector, calcResidual(pencil_, s, root.vector)};
    if (!refinement_.improve(pair) || isThere(pair, slow_)) continue;
    slow_.push_back(std::move(pair));
  }
  return move;
}

template <typename Scalar>
void NearestFinder<Scalar>::separateSlowRoots() {
  for (int scale = 0; scale < kMostScales && isDominated(); ++scale) {
    const Scalar before = operator_.shift();
    const double move =
        isDominatedByKnown() ? kBlindStep * std::abs(before - target_) : findSlowRoots();
    if (move == 0.0) return;
    const auto report = operator_.setShift(target_ + move);
    if (!report.ok || report.error >= kSingularError) {
      static_cast<void>(operator_.setShift(before));  // which has been possible once
      return;
    }
    balance();
  }
}

template <typename Scalar>
void NearestFinder<Scalar>::search() {
  if (operator_.shift() != target_) moveShiftToRoots();
  balance();
  if (!isShiftMoved_ && operator_.form() == PencilForm::kQuadratic) separateSlowRoots();
  RootSearch<Scalar> search(operator_, refinement_,
                            {target_, options_.count, options_.tolerance, options_.maxRestarts});
  bool converged = search.run();
  collect(search);
  if (converged && repeatedZeros_ > 0) {
    search.want(options_.count + repeatedZeros_);
    converged = search.run();
    collect(search);
  }
  result_.isBlurred = search.isBlurred();
  if (!converged) {
    result_.failure = base::numericalFailure(
        std::to_string(result_.pairs.size()) + " of " + std::to_string(options_.count) +
        " roots were found in " + std::to_string(options_.maxRestarts) +
        " restarts; use a shift closer to them, or fewer roots");
  }
}

// Zero is exact if it fits as well as the root does. Where K has an inverse there is no such root, however slow the
// slowest one is.
template <typename Scalar>
bool NearestFinder<Scalar>::isZero(const Eigenpair& pair) const {
  if (!isShiftMoved_ || target_ != Scalar(0.0)) return false;
  const Complex shift = calcRootOfForm(operator_.form(), operator_.shift());
  if (std::abs(pair.value) > kZeroWithinShift * std::abs(pair.value - shift)) return false;
  return calcResidual(pencil_, 0.0, pair.vector) <= std::max(2.0 * pair.residual, 1e-16);
}

// A free motion is a double root with one vector, which roundings make two roots with nearly one vector.
// Vectors of zero are made orthonormal to tell how many there are.
template <typename Scalar>
void NearestFinder<Scalar>::addZero(Eigen::VectorXcd z) {
  for (const Eigenpair& other : result_.pairs) {
    if (other.value == 0.0) z -= other.vector * other.vector.dot(z);
  }
  if (z.norm() < kIndependent) {
    ++repeatedZeros_;
    return;
  }
  z.normalize();
  const double residual = calcResidual(pencil_, 0.0, z);
  result_.pairs.push_back({0.0, std::move(z), residual});
}

template <typename Scalar>
bool NearestFinder<Scalar>::isThere(const Eigenpair& pair, const std::vector<Eigenpair>& pairs) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const Eigenpair& other) {
    const bool same = std::abs(other.value - pair.value) < kSame * std::abs(pair.value);
    return same && std::abs(other.vector.dot(pair.vector)) > 1.0 - kSame;
  });
}

// On a very fine mesh Newton's steps end before they are roundings; exact residuals then tell that the root stays.
template <typename Scalar>
bool NearestFinder<Scalar>::isConfirmed(Eigenpair& pair) {
  const Eigenpair found = pair;
  const double size = std::abs(found.value);
  if (!refinement_.settle(pair, size)) {
    pair = found;
    if (!refinement_.improve(pair) || std::abs(pair.value - found.value) > kStays * size)
      return false;
  }
  return !isThere(pair, result_.pairs);
}

template <typename Scalar>
void NearestFinder<Scalar>::add(Complex s, const Eigen::VectorXcd& z, bool doubtful) {
  Eigenpair pair{s, z, calcResidual(pencil_, s, z)};
  if (isZero(pair)) {
    addZero(z);
    return;
  }
  // What settles at a root that is there already has been an infinite one.
  if (doubtful && !isConfirmed(pair)) return;
  // What seems to grow must do so by more than rounding makes of it, and the bound of that comes with the improvement.
  const bool grows = s.real() > kNoGrowth * std::abs(s);
  if (grows || pair.residual > kPoorResidual || std::abs(s) < kSlow * farthest_) {
    const Complex shift = calcRootOfForm(operator_.form(), operator_.shift());
    refinement_.improve(pair, kRoundOffOfShift * std::abs(s - shift));
  }
  const bool real = std::abs(pair.value.imag()) <= kReal * std::abs(pair.value);
  if (s.imag() == 0.0 || real) pair.value = pair.value.real();
  if (pair.value.imag() < 0.0) {
    // Found beside its conjugate, unless the conjugate is another root of t = s².
    if (!std::is_same_v<Scalar, double>) return;
    pair = {std::conj(pair.value), pair.vector.conjugate(), pair.residual};
  }
  result_.pairs.push_back(std::move(pair));
}

template <typename Scalar>
void NearestFinder<Scalar>::collect(RootSearch<Scalar>& search) {
  repeatedZeros_ = 0;
  const auto roots = search.calcRoots();
  farthest_ = 0.0;
  for (const auto& root : roots) {
    if (!root.doubtful) {
      farthest_ = std::max(farthest_, std::abs(calcRootOfForm(operator_.form(), root.t)));
    }
  }
  result_.pairs = slow_;
  const double near = slow_.empty() ? 0.0 : kWithinShift * std::abs(operator_.shift() - target_);
  for (const auto& [t, z, doubtful] : roots) {
    const Complex s = calcRootOfForm(operator_.form(), t);
    if (std::abs(t - Complex(target_)) < near) continue;
    add(s, z, doubtful);
    const bool twoRoots = operator_.form() == PencilForm::kSquared && s.real() != 0.0;
    if (twoRoots && (result_.pairs.empty() || result_.pairs.back().value != 0.0)) {
      add(-s, z, doubtful);
    }
  }
  const Complex shift = options_.shift.imag() < 0.0 ? std::conj(options_.shift) : options_.shift;
  const auto key = [&](const Eigenpair& pair) {
    return std::tuple(std::abs(pair.value - shift), pair.value.imag(), pair.value.real());
  };
  std::stable_sort(result_.pairs.begin(), result_.pairs.end(),
                   [&](const Eigenpair& a, const Eigenpair& b) { return key(a) < key(b); });
  const std::size_t most = static_cast<std::size_t>(options_.count);
  if (result_.pairs.size() > most) result_.pairs.resize(most);
}

bool isFinite(const SparseMatrix& matrix) {
  return Eigen::Map<const Eigen::VectorXd>(matrix.valuePtr(), matrix.nonZeros()).allFinite();
}

NearestResult findNearestScaled(const QuadraticPencil& pencil, const NearestOptions& options) {
  const Complex shift = options.shift;
  if (shift.imag() != 0.0) {
    return NearestFinder<Complex>(pencil, options, PencilForm::kQuadratic, shift).find();
  }
  const bool undamped = calcOneNorm(pencil.C) == 0.0;
  const auto form = undamped && shift == 0.0 ? PencilForm::kSquared : PencilForm::kQuadratic;
  return NearestFinder<double>(pencil, options, form, shift.real()).find();
}

}  // namespace

NearestResult findNearest(const QuadraticPencil& pencil, const NearestOptions& options) {
  NearestResult result;
  if (!isFinite(pencil.K) || !isFinite(pencil.C) || !isFinite(pencil.M)) {
    result.failure =
        base::numericalFailure("K, C or M contains entries that are not finite numbers");
    return result;
  }
  if (options.count < 1) return result;
  const PencilScaling scaling = findScalingForPivots(pencil);
  NearestOptions scaled = options;
  scaled.shift =
      (options.shift.imag() < 0.0 ? std::conj(options.shift) : options.shift) / scaling.rate;
  result = findNearestScaled(applyScaling(pencil, scaling), scaled);
  for (Eigenpair& pair : result.pairs) {
    pair.value *= scaling.rate;
    pair.uncertainty *= scaling.rate;
    pair.vector = scaling.columns.asDiagonal() * pair.vector;
    pair.vector.normalize();
  }
  return result;
}

}  // namespace flexloop::linalg
