#include "analysis/modes/effective_roots.hpp"

#include <cmath>

#include "analysis/linear/effective_matrices.hpp"
#include "analysis/modes/pencil_roots.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::Eigenpair;

constexpr double kComplexShape = 1e-3;  // share of a shape that is out of phase
constexpr double kRealSquare = 1e-7;    // share of ω² that is its imaginary part by round-off

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

}  // namespace

std::vector<Eigenpair> findEffectiveRoots(const model::Model& model, const LinearModel& linear,
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
  std::vector<Eigenpair> pairs = findPencilRoots(reduced, options, model.system(), result);
  if (!result.ok()) return {};
  if (isUndamped) pairs = takeRoots(pairs);
  restoreControl(linear, side, !isUndamped, pairs);
  return pairs;
}

}  // namespace flexloop::analysis
