#include "linalg/roots/all_roots.hpp"

#include <algorithm>
#include <cmath>

#include "base/disjoint_sets.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/roots/real_eigenpairs.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "linalg/state_space/explicit_form.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

// Round-off of a root at zero, and of one of a chain there, by the unit of time.
constexpr double kRoundOffOfZero = 1e-6, kMaybeZero = 1e-4;
// By its size: what grows less is not called unstable.
constexpr double kMayGrow = 1e-11;
// By the unit of time, and of no machine's root, unlike a power of two.
constexpr double kShift = 0.8203125, kSlowest = 1e-3;
constexpr double kRealRoot = 1e-15, kOwnShape = 1e-8;

// Eigenvalues of (A − σE)⁻¹E are 1/(s − σ). Slow roots of a stiff machine would drown in the round-off of
// E⁻¹A, whose entries are the squares of the fast ones; here both keep their digits.
std::vector<Eigenpair> findRoots(const ReducedPencil& reduced) {
  if (reduced.E.rows() == 0) return {};
  double shift = kShift;
  std::vector<Eigenpair> pairs;
  for (int round = 0; round < 2; ++round) {
    pairs = findRealEigenpairs(solveDense(reduced.A - shift * reduced.E, reduced.E));
    double largest = 0.0;
    for (Eigenpair& pair : pairs) {
      pair.value = shift + 1.0 / pair.value;
      largest = std::max(largest, std::abs(pair.value));
    }
    // All far slower than the shift: seen from there they would be one.
    if (!(largest < kSlowest * shift) || largest == 0.0) break;
    shift = kShift * largest;
  }
  for (Eigenpair& pair : pairs) {
    pair.value *= reduced.timeScale;
    if (pair.value.imag() < 0.0) {
      pair.value = std::conj(pair.value);
      pair.vector = pair.vector.conjugate().eval();
    }
  }
  return pairs;
}

// Two equal real roots may come out as a pair with an imaginary part of round-off. Then both parts of its vector are
// shapes, or the first alone where the root has only one.
void addReal(const QuadraticPencil& pencil, Eigenpair pair, std::vector<Eigenpair>& pairs) {
  const double roundOff = std::max(kRealRoot * std::abs(pair.value), 2.0 * pair.uncertainty);
  if (pair.value.imag() == 0.0 || pair.value.imag() > roundOff) {
    if (pair.value.imag() == 0.0) pair.value = pair.value.real();
    pairs.push_back(std::move(pair));
    return;
  }
  const double s = pair.value.real();
  Complex sum = pair.vector.cwiseProduct(pair.vector).sum();  // zᵀz: twice the phase of z
  if (sum == 0.0) sum = 1.0;
  const Eigen::VectorXcd turned = pair.vector / std::sqrt(sum / std::abs(sum));
  const auto add = [&](const Eigen::VectorXd& part) {
    Eigenpair real{s, part.normalized().cast<Complex>(), 0.0, pair.uncertainty};
    real.residual = calcResidual(pencil, s, real.vector);
    pairs.push_back(std::move(real));
  };
  add(turned.real());
  add(turned.imag());
  const Eigenpair& first = pairs[pairs.size() - 2];
  const bool isShape = pairs.back().residual <= kOwnShape && pairs.back().vector.allFinite();
  if (!isShape) pairs.back() = first;
}

void sortByDistance(Complex from, std::vector<Eigenpair>& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Eigenpair& a, const Eigenpair& b) {
    return std::abs(a.value - from) < std::abs(b.value - from);
  });
}

AllRoots findRootsOfPart(const QuadraticPencil& pencil, Complex point, int count) {
  const ReducedPencil reduced = removeInfiniteRoots(pencil);
  AllRoots roots;
  roots.singularEquation = reduced.singularEquation;
  if (!reduced.ok) return roots;
  roots.ok = true;
  if (pencil.size() == 0) return roots;
  roots.pairs = findRoots(reduced);
  sortByDistance(point, roots.pairs);
  const PencilScaling scaling = findScaling(pencil, reduced.timeScale);
  const QuadraticPencil scaled = applyScaling(pencil, scaling);
  RootRefinement refinement(scaled);
  std::vector<Eigenpair> refined;
  int wanted = 0;
  for (Eigenpair& pair : roots.pairs) {
    pair.vector = scaling.columns.cwiseInverse().asDiagonal() * (reduced.V * pair.vector).eval();
    pair.vector.normalize();
    pair.value /= scaling.rate;
    pair.residual = calcResidual(scaled, pair.value, pair.vector);
    // Whether it grows, and whether it is zero, is known of refined ones only.
    const bool mayGrow = pair.value.real() > kMayGrow * std::abs(pair.value);
    // Several of those near zero may be one motion, which does not use up what is asked for.
    const bool isMaybeZero = std::abs(pair.value) < kMaybeZero;
    const bool isWanted = count < 0 || isMaybeZero || mayGrow || wanted++ < count;
    if (isWanted) refinement.improve(pair, kRoundOffOfZero);
    addReal(scaled, std::move(pair), refined);
  }
  for (Eigenpair& pair : refined) {
    pair.value *= scaling.rate;
    pair.uncertainty *= scaling.rate;
    pair.vector = scaling.columns.asDiagonal() * pair.vector;
    pair.vector.normalize();
  }
  roots.pairs = std::move(refined);
  return roots;
}

template <class Visit>
void visitEntries(const QuadraticPencil& pencil, Visit&& visit) {
  for (const SparseMatrix* matrix : {&pencil.K, &pencil.C, &pencil.M}) {
    for (int column = 0; column < matrix->cols(); ++column) {
      for (SparseMatrix::InnerIterator it(*matrix, column); it; ++it) {
        if (it.value() != 0.0) visit(static_cast<int>(it.row()), column, matrix != &pencil.K);
      }
    }
  }
}

// Unknowns that are zero in every mode: constants, and what is made of them alone.
std::vector<bool> findConstants(const QuadraticPencil& pencil) {
  std::vector<int> others(pencil.size(),
                          0);  // terms of an equation beside the stiffness of its own unknown
  std::vector<bool> hasOwn(pencil.size(), false), isConstant(pencil.size(), false);
  std::vector<std::vector<int>> uses(pencil.size());
  visitEntries(pencil, [&](int row, int column, bool isRate) {
    if (row == column && !isRate) {
      hasOwn[row] = true;
    } else {
      ++others[row];
      if (row != column) uses[column].push_back(row);
    }
  });
  std::vector<int> found;
  for (int u = 0; u < pencil.size(); ++u) {
    if (hasOwn[u] && others[u] == 0) found.push_back(u);
  }
  while (!found.empty()) {
    const int constant = found.back();
    found.pop_back();
    isConstant[constant] = true;
    for (const int row : uses[constant]) {
      if (--others[row] == 0 && hasOwn[row]) found.push_back(row);
    }
  }
  return isConstant;
}

// Unknowns that equations connect, in ascending order.
std::vector<std::vector<int>> findParts(const QuadraticPencil& pencil) {
  const std::vector<bool> isConstant = findConstants(pencil);
  base::DisjointSets sets(pencil.size());
  visitEntries(pencil, [&](int row, int column, bool) {
    if (!isConstant[row] && !isConstant[column]) sets.join(row, column);
  });
  std::vector<std::vector<int>> parts;
  std::vector<int> partOf(pencil.size(), -1);
  for (int u = 0; u < pencil.size(); ++u) {
    if (isConstant[u]) continue;
    int& part = partOf[sets.findRoot(u)];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    parts[part].push_back(u);
  }
  return parts;
}

SparseMatrix extract(const SparseMatrix& matrix, const std::vector<int>& part,
                     const std::vector<int>& place) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t j = 0; j < part.size(); ++j) {
    for (SparseMatrix::InnerIterator it(matrix, part[j]); it; ++it) {
      if (place[it.row()] >= 0) {
        entries.emplace_back(place[it.row()], static_cast<int>(j), it.value());
      }
    }
  }
  SparseMatrix own(std::ssize(part), std::ssize(part));
  own.setFromTriplets(entries.begin(), entries.end());
  return own;
}

}  // namespace

// Parts that nothing connects are solved each in its own units of time: the roots of a slow machine would else be round-off
// of a fast one beside it.
AllRoots findAllRoots(const QuadraticPencil& pencil, Complex point, int count) {
  const std::vector<std::vector<int>> parts = findParts(pencil);
  if (parts.size() == 1 && std::ssize(parts.front()) == pencil.size()) {
    return findRootsOfPart(pencil, point, count);
  }
  AllRoots all;
  all.ok = true;
  std::vector<int> place(pencil.size(), -1);
  for (const std::vector<int>& part : parts) {
    for (std::size_t i = 0; i < part.size(); ++i) place[part[i]] = static_cast<int>(i);
    const QuadraticPencil own{extract(pencil.K, part, place), extract(pencil.C, part, place),
                              extract(pencil.M, part, place)};
    AllRoots roots = findRootsOfPart(own, point, count);
    if (!roots.ok) {
      const int singular = roots.singularEquation;
      const bool isOwn = singular >= 0 && singular < std::ssize(part);
      return {false, isOwn ? part[singular] : -1, {}};
    }
    for (Eigenpair& pair : roots.pairs) {
      Eigen::VectorXcd vector = Eigen::VectorXcd::Zero(pencil.size());
      for (std::size_t i = 0; i < part.size(); ++i) vector[part[i]] = pair.vector[i];
      pair.vector = std::move(vector);
      all.pairs.push_back(std::move(pair));
    }
    for (const int u : part) place[u] = -1;
  }
  sortByDistance(point, all.pairs);
  return all;
}

}  // namespace flexloop::linalg
