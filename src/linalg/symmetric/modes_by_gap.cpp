#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/symmetric/lowest_modes.hpp"

namespace flexloop::linalg {
namespace {

constexpr Eigen::Index kLarge =
    50000;                // unknowns; below, a second factorisation takes no time to speak of
constexpr int kMore = 3;  // modes beyond those that are wanted, among which the gap is
constexpr double kRough = 1e-3;
constexpr double kLeastGap = 0.01;
// Rounding of single precision, ε λ_max with some growth, must be this small beside the lowest mode.
constexpr double kGrowth = 10.0, kShare = 0.1;

bool isForSinglePrecision(const SparseMatrix& K, const SparseMatrix& M,
                          const ModeRequest& request) {
  const bool isAsked = request.verify && !request.below && request.scale > 0.0 &&
                       request.factors.store == FactorStore::kAutomatic && K.rows() >= kLarge;
  if (!isAsked) return false;
  const Eigen::VectorXd k = K.diagonal(), m = M.diagonal();
  if (!(m.minCoeff() > 0.0)) return false;
  const double stiffest = k.cwiseAbs().cwiseQuotient(m).maxCoeff();
  return kGrowth * std::numeric_limits<float>::epsilon() * stiffest < kShare * request.scale;
}

Progress between(const Progress& progress, double first, double last) {
  if (!progress) return {};
  return [&progress, first, last](double fraction, const char* what) {
    return progress(first + fraction * (last - first), what);
  };
}

}  // namespace

std::optional<LowestModes> findLowestModesByGap(const SparseMatrix& K, const SparseMatrix& M,
                                                const ModeRequest& request,
                                                const Progress& progress) {
  if (!isForSinglePrecision(K, M, request)) return std::nullopt;
  ModeRequest rough = request;
  rough.count = request.count + kMore;
  rough.verify = false;
  rough.tolerance = kRough;
  rough.factors.store = FactorStore::kSingle;
  rough.factors.refine = false;
  const LowestModes near = findLowestModes(K, M, 0, rough, between(progress, 0.0, 0.3));
  if (near.status == ModesStatus::kStopped) return near;
  if (near.status != ModesStatus::kFound || near.values.size() < rough.count) return std::nullopt;
  int last = request.count;
  const auto gap = [&](int i) { return 1.0 - near.values[i - 1] / near.values[i]; };
  for (int i = request.count; i < rough.count; ++i) {
    if (gap(i) > gap(last)) last = i;
  }
  if (!(gap(last) > kLeastGap)) return std::nullopt;

  // Values of a projection are bounds from above, so at least as many modes as were found are below.
  ModeRequest exact = request;
  exact.count = 2 * request.count + 10 * kMore;
  exact.below = 0.5 * (near.values[last - 1] + near.values[last]);
  exact.start = &near.vectors;
  LowestModes modes = findLowestModes(K, M, 0, exact, between(progress, 0.3, 1.0));
  const bool isEnough = modes.status == ModesStatus::kFound && modes.values.size() >= request.count;
  if (modes.status == ModesStatus::kStopped) return modes;
  if (!isEnough) return std::nullopt;
  modes.solves += near.solves;
  modes.values.conservativeResize(request.count);
  modes.vectors.conservativeResize(Eigen::NoChange, request.count);
  modes.zeros = std::min(modes.zeros, request.count);
  return modes;
}

}  // namespace flexloop::linalg
