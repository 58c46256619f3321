#include "linalg/roots/root_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "linalg/roots/fixed_vector.hpp"
#include "linalg/roots/sorted_schur.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Products that take the infinite roots of an index-3 constraint out of a start vector.
constexpr int kPurges = 2;
// Below this, relative to the operator, θ may be a zero that roundings have moved: chains of three
// vectors, as constraints have them, move by the cube root of the precision.
constexpr double kDoubtful = 1e-4;
// So many of them say that no finite root is left. Some may come before the last finite ones.
constexpr int kMostInfinite = 12, kMostTried = 4;
// What is this far below the operator is rounding (krylov_schur.cpp), and roots must be clearly above it.
constexpr double kInvisible = 1e-14, kClearly = 1e-2;
// The residual of a Ritz value that locates a root, but not to its last digits.
constexpr double kLocated = 1e-3;
constexpr double kTie = 1e-9;
// Roots of complex arithmetic with a smaller imaginary part are real; those in between are made sure of.
constexpr double kReal = 1e-11, kNearlyReal = 1e-4;
constexpr int kLeastActive = 16, kMostActive = 60, kGrowth = 20;
// Roots at nearly one distance from the shift need more columns; so many restarts in vain tell.
constexpr int kPatience = 8, kMostVain = 5 * kPatience;
constexpr double kMostMemory = 1.5e9;  // bytes

// Columns for the wanted roots, and as many to search with.
template <typename Scalar>
int chooseCapacity(int count, PencilForm form) {
  const bool pairs = std::is_same_v<Scalar, double> && form == PencilForm::kQuadratic;
  const int wanted = pairs ? 2 * count : count;
  return wanted + std::clamp(wanted, kGrowth, kMostActive);
}

}  // namespace

Complex calcRootOfForm(PencilForm form, Complex t) {
  if (form == PencilForm::kQuadratic) return t;
  const Complex s = std::sqrt(t);
  return s.imag() < 0.0 ? -s : s;
}

template <typename Scalar>
RootSearch<Scalar>::RootSearch(PencilOperator<Scalar>& pencilOperator, RootRefinement& refinement,
                               const Settings& settings)
    : operator_(pencilOperator),
      refinement_(refinement),
      settings_(settings),
      krylov_([this](const auto& x, auto& y) { operator_.apply(x, y); }, pencilOperator.size(),
              chooseCapacity<Scalar>(settings.count, pencilOperator.form())) {}

template <typename Scalar>
Complex RootSearch<Scalar>::rootOf(Complex theta) const {
  const Complex offset = 1.0 / theta, t = operator_.shift() + offset;
  return std::abs(t.imag()) <= kReal * (std::abs(t) + std::abs(offset)) ? t.real() : t;
}

template <typename Scalar>
std::vector<double> RootSearch<Scalar>::distances() const {
  std::vector<double> distances;
  for (const Complex t : roots_) distances.push_back(std::abs(t - settings_.target));
  std::sort(distances.begin(), distances.end());
  return distances;
}

template <typename Scalar>
bool RootSearch<Scalar>::isEnough() const {
  return static_cast<int>(roots_.size()) >= settings_.count;
}

template <typename Scalar>
double RootSearch<Scalar>::wantedModulus() const {
  const double aside = std::abs(Complex(operator_.shift()) - settings_.target);
  return (1.0 - kTie) / (distances()[settings_.count - 1] + aside);
}

template <typename Scalar>
bool RootSearch<Scalar>::startFresh() {
  const typename Krylov::Vector vector =
      makeFixedVector(krylov_.size(), ++starts_).template cast<Scalar>();
  return krylov_.start(vector, kPurges);
}

template <typename Scalar>
bool RootSearch<Scalar>::isConverged(const Ritz& ritz) const {
  const double rounding = 4.0 * kEpsilon * krylov_.scale();
  return ritz.residual <= std::max(settings_.tolerance * std::abs(ritz.value), rounding);
}

template <typename Scalar>
bool RootSearch<Scalar>::isMaybeInfinite(Complex theta) const {
  return std::abs(theta) < kDoubtful * krylov_.scale();
}

// Of complex arithmetic only; real arithmetic has pairs.
template <typename Scalar>
bool RootSearch<Scalar>::isNearlyReal(Complex theta) const {
  if (std::is_same_v<Scalar, double>) return false;
  const Complex t = rootOf(theta);
  return t.imag() != 0.0 &&
         std::abs(t.imag()) < kNearlyReal * (std::abs(t) + 1.0 / std::abs(theta));
}

template <typename Scalar>
bool RootSearch<Scalar>::isKnownAsFinite(Complex theta) const {
  return std::any_of(finite_.begin(), finite_.end(), [&](Complex other) {
    const Complex same = std::is_same_v<Scalar, double> && other.imag() * theta.imag() < 0.0
                             ? std::conj(other)
                             : other;
    return std::abs(same - theta) <= kTie * std::abs(theta);
  });
}

template <typename Scalar>
Eigenpair RootSearch<Scalar>::calcPair(int columns, Complex& theta) {
  const SmallEigensystem system = calcEigensystem(krylov_.T(columns));
  Eigen::Index nearest = 0;
  (system.values.array() - theta).abs().minCoeff(&nearest);
  theta = system.values[nearest];
  const Eigen::VectorXcd y = krylov_.combine(system.vectors.col(nearest));
  return {calcRootOfForm(operator_.form(), rootOf(theta)), operator_.calcVector(y), 0.0};
}

// A nilpotent operator has no eigenvalues to settle at: restarts would go on among those of its roundings.
template <typename Scalar>
bool RootSearch<Scalar>::isEmptyOfFinite() {
  if (vain_ < kPatience || krylov_.locked() == krylov_.columns()) return false;
  const Ritz ritz = krylov_.ritz(krylov_.locked());
  if (!isMaybeInfinite(ritz.value)) return false;
  if (std::abs(ritz.value) <= kEpsilon * krylov_.scale()) return true;
  // What is not even located after all these restarts is no root.
  const bool isLocated = ritz.residual <= kLocated * std::abs(ritz.value);
  return (isLocated || vainSinceLock_ >= kMostVain) && !hasFinite();
}

// Behind a value that rounding has made there may be roots.
template <typename Scalar>
bool RootSearch<Scalar>::hasFinite() {
  int tried = 0;
  for (int column = krylov_.locked(); column < krylov_.columns() && tried < kMostTried;) {
    const Ritz ritz = krylov_.ritz(column);
    column += ritz.width;
    if (ritz.residual > kLocated * std::abs(ritz.value)) continue;
    if (std::abs(ritz.value) <= kEpsilon * krylov_.scale()) return false;
    ++tried;
    Complex theta = ritz.value;
    Eigenpair pair = calcPair(column, theta);
    if (operator_.isFiniteRoot(pair.value, pair.vector)) return true;
    if (refinement_.settle(pair, std::abs(pair.value))) return true;
  }
  return false;
}

template <typename Scalar>
bool RootSearch<Scalar>::isBlurred() const {
  double farthest = 0.0;
  for (const Complex t : roots_) {
    farthest = std::max(farthest, std::abs(t - Complex(operator_.shift())));
  }
  return farthest * kInvisible * krylov_.scale() > kClearly;
}

template <typename Scalar>
std::optional<Complex> RootSearch<Scalar>::findRoot(const Ritz& ritz) {
  if (std::abs(ritz.value) <= kEpsilon * krylov_.scale()) return std::nullopt;
  const bool isUnclear = isNearlyReal(ritz.value);
  if (settings_.trusting || !(isUnclear || isMaybeInfinite(ritz.value))) return rootOf(ritz.value);
  Complex theta = ritz.value;
  Eigenpair pair = calcPair(krylov_.locked() + ritz.width, theta);
  if (!isUnclear && operator_.isFiniteRoot(pair.value, pair.vector)) {
    finite_.push_back(theta);
    return rootOf(theta);
  }
  if (!refinement_.settle(pair, std::abs(pair.value))) return std::nullopt;
  const bool squared = operator_.form() == PencilForm::kSquared;
  const Complex t = squared ? pair.value * pair.value : pair.value;
  return std::abs(t.imag()) <= kReal * std::abs(t) ? t.real() : t;
}

template <typename Scalar>
void RootSearch<Scalar>::lockConverged() {
  while (krylov_.locked() < krylov_.columns()) {
    const Ritz ritz = krylov_.ritz(krylov_.locked());
    if (!isConverged(ritz)) return;
    if (confirming_ && std::abs(ritz.value) < wantedModulus()) return;
    if (const std::optional<Complex> t = findRoot(ritz)) {
      // In real arithmetic im t < 0 comes from im θ > 0, and stands for the pair.
      if (ritz.width == 2 || t->imag() >= 0.0) roots_.push_back(*t);
    } else {
      infinite_ += ritz.width;
      exhausted_ = infinite_ > kMostInfinite;
      if (exhausted_) return;
    }
    foundMissed_ = confirming_;
    krylov_.lock(ritz.width);
    vain_ = 0;
    vainSinceLock_ = 0;
  }
}

template <typename Scalar>
bool RootSearch<Scalar>::isRestOutside() const {
  if (krylov_.locked() == krylov_.columns()) return true;
  const Ritz ritz = krylov_.ritz(krylov_.locked());
  const double modulus = std::abs(ritz.value);
  return ritz.residual <= kLocated * modulus && modulus + ritz.residual < wantedModulus();
}

template <typename Scalar>
void RootSearch<Scalar>::makeRoom() {
  const bool full = krylov_.capacity() - krylov_.locked() < kLeastActive;
  const double memory = sizeof(Scalar) * static_cast<double>(krylov_.size()) *
                        static_cast<double>(krylov_.capacity() + kGrowth);
  const bool stagnant = vain_ >= kPatience && memory < kMostMemory;
  if ((!full && !stagnant) || krylov_.capacity() == krylov_.size()) return;
  krylov_.grow(kGrowth);
  vain_ = 0;
}

template <typename Scalar>
void RootSearch<Scalar>::want(int count) {
  settings_.count = count;
  confirming_ = false;
}

template <typename Scalar>
bool RootSearch<Scalar>::run() {
  if (exhausted_ || !startFresh()) return true;
  for (int restart = 0; restart < settings_.maxRestarts; ++restart) {
    makeRoom();
    const bool extended = krylov_.improve();
    ++vain_;
    ++vainSinceLock_;
    lockConverged();
    exhausted_ = exhausted_ || isEmptyOfFinite();
    if (exhausted_) return true;
    if (!isEnough()) {
      if (!extended && !startFresh()) return true;
      continue;
    }
    if (confirming_ && extended && !isRestOutside()) continue;
    if (confirming_ && !foundMissed_) return true;
    confirming_ = true;
    foundMissed_ = false;
    if (!startFresh()) return true;
  }
  return false;
}

template <typename Scalar>
std::vector<typename RootSearch<Scalar>::Root> RootSearch<Scalar>::calcRoots() {
  std::vector<Root> roots;
  if (krylov_.locked() == 0) return roots;
  const SmallEigensystem system = calcEigensystem(krylov_.T(krylov_.locked()));
  std::vector<Complex> values;
  std::vector<int> order;
  for (int k = 0; k < system.values.size(); ++k) {
    const Complex theta = system.values[k];
    values.push_back(rootOf(theta));
    if (std::abs(theta) <= kEpsilon * krylov_.scale()) continue;
    if (values[k].imag() >= 0.0 || isNearlyReal(theta)) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::abs(values[a] - settings_.target) < std::abs(values[b] - settings_.target);
  });
  int certain = 0;
  for (const int k : order) {
    if (certain == settings_.count) break;
    const Eigen::VectorXcd y = krylov_.combine(system.vectors.col(k));
    const Complex theta = system.values[k], s = calcRootOfForm(operator_.form(), values[k]);
    Root root{values[k], operator_.calcVector(y)};
    root.doubtful = isNearlyReal(theta) || (isMaybeInfinite(theta) && !isKnownAsFinite(theta) &&
                                            !operator_.isFiniteRoot(s, root.vector));
    roots.push_back(std::move(root));
    if (!roots.back().doubtful) ++certain;
  }
  return roots;
}

template class RootSearch<double>;
template class RootSearch<std::complex<double>>;

}  // namespace flexloop::linalg
