#include "linalg/all_roots.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "linalg/explicit_form.hpp"
#include "linalg/real_eigenpairs.hpp"
#include "linalg/root_polish.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

// Eigenvalues of (A − σE)⁻¹E are 1/(s − σ). Slow roots of a stiff machine would drown in the round-off of
// E⁻¹A, whose entries are the squares of the fast ones; here both keep their digits.
std::vector<Eigenpair> findRoots(const ReducedPencil& reduced) {
  constexpr double kShift = 1.0;
  if (reduced.E.rows() == 0) return {};
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(reduced.A - kShift * reduced.E);
  std::vector<Eigenpair> pairs = findRealEigenpairs(lu.solve(reduced.E));
  for (Eigenpair& pair : pairs) {
    pair.value = reduced.timeScale * (kShift + 1.0 / pair.value);
    if (pair.value.imag() < 0.0) {
      pair.value = std::conj(pair.value);
      pair.vector = pair.vector.conjugate().eval();
    }
  }
  return pairs;
}

}  // namespace

AllRoots findAllRoots(const QuadraticPencil& pencil, Complex point, int count) {
  const ReducedPencil reduced = removeInfiniteRoots(pencil);
  AllRoots roots;
  roots.singularEquation = reduced.singularEquation;
  if (!reduced.ok) return roots;
  roots.ok = true;
  if (pencil.size() == 0) return roots;
  roots.pairs = findRoots(reduced);
  std::stable_sort(roots.pairs.begin(), roots.pairs.end(),
                   [&](const Eigenpair& a, const Eigenpair& b) {
                     return std::abs(a.value - point) < std::abs(b.value - point);
                   });
  RootPolish polish(pencil);
  for (std::size_t i = 0; i < roots.pairs.size(); ++i) {
    Eigenpair& pair = roots.pairs[i];
    pair.vector = (reduced.V * pair.vector).normalized();
    pair.residual = calcResidual(pencil, pair.value, pair.vector);
    if (count < 0 || static_cast<int>(i) < count) polish.improve(pair);
  }
  return roots;
}

}  // namespace flexloop::linalg
