#include "fem/modes/normal_modes.hpp"

#include <algorithm>
#include <cmath>

#include "base/text_format.hpp"
#include "fem/reduction/mass_basis.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using linalg::LowestModes;
using linalg::ModesStatus;

namespace {

constexpr double kRank = 1e-9;  // of rigid motions at held freedoms

// Rigid motions that the held freedoms leave, by column.
MatrixXd remainingMotions(const Component& component, const std::vector<int>& held) {
  const MatrixXd& R = component.rigid;
  if (R.cols() == 0 || held.empty()) return R;
  MatrixXd rows(held.size(), R.cols());
  for (std::size_t i = 0; i < held.size(); ++i) rows.row(i) = R.row(held[i]);
  // Motions of about one size, so that their units do not matter.
  const Eigen::VectorXd sizes = massNorms(*component.M, R);
  for (Eigen::Index j = 0; j < R.cols(); ++j) rows.col(j) /= sizes[j];
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double size = rows.row(i).norm();
    if (size > 0.0) rows.row(i) /= size;
  }
  const linalg::PivotedQr<double> qr(rows.transpose());
  const MatrixXd left = qr.Q().rightCols(R.cols() - qr.rank(kRank));
  return R * sizes.cwiseInverse().asDiagonal() * left;
}

base::Failure describe(const Component& component, const LowestModes& modes,
                       const std::vector<int>& kept) {
  const std::string where =
      component.nameOf(modes.unknown >= 0 ? kept[modes.unknown] : modes.unknown);
  switch (modes.status) {
    case ModesStatus::kStopped:
      return {"the search for modes was interrupted", {}, base::FailureKind::kOther};
    case ModesStatus::kIndefinite:
      return {"the stiffness matrix of the part is not positive: it gives way at " + where,
              "check the material data and the signs of the matrices"};
    case ModesStatus::kSingular:
      return {"the part has neither stiffness nor mass at " + where,
              "connect it to an element, or remove it"};
    case ModesStatus::kTooMany:
      return {base::formatText("the part has %d modes below the limit", modes.total),
              "lower the frequency"};
    case ModesStatus::kFailed:
      return *modes.failure;
    default:
      return base::numericalFailure("the modes of the part did not converge",
                                    "check the units of its material data");
  }
}

// The largest motion among those without stiffness that is not one of the known ones.
base::Failure nameMechanism(const Component& component, const MatrixXd& zeros,
                            const MatrixXd& known) {
  MassBasis basis(*component.M);
  basis.add(known, massNorms(*component.M, known), true);
  const Eigen::Index before = basis.columns().cols();
  basis.add(zeros, Eigen::VectorXd::Ones(zeros.cols()), false);
  Eigen::Index unknown = -1;
  if (basis.columns().cols() > before) {
    // By kinetic energy, which has one unit.
    const Eigen::VectorXd motion = basis.columns().col(before);
    const Eigen::VectorXd momentum = linalg::multiplySymmetric(*component.M, motion);
    motion.cwiseProduct(momentum).maxCoeff(&unknown);
  }
  return {base::formatText("the part has %d motions without stiffness instead of %d: ",
                           static_cast<int>(zeros.cols()), static_cast<int>(known.cols())) +
              component.nameOf(static_cast<int>(unknown)) + " moves freely",
          "a piece of the mesh is not connected to the rest, or only by a hinge"};
}

}  // namespace

base::Result<NormalModeSet> findNormalModes(const Component& component,
                                            const std::vector<int>& held,
                                            linalg::ModeRequest request,
                                            const linalg::Progress& progress) {
  const std::vector<int> kept = findOthers(component.unknowns(), held);
  const MatrixXd motions = remainingMotions(component, held);
  const auto expected = static_cast<int>(motions.cols());
  request.count = std::min(request.count + expected, static_cast<int>(kept.size()));
  request.factors = component.factors;
  if (request.scale <= 0.0) request.scale = component.scale;
  const bool isFree = held.empty();
  const linalg::SparseMatrix K = isFree ? linalg::SparseMatrix() : extract(*component.K, kept);
  const linalg::SparseMatrix M = isFree ? linalg::SparseMatrix() : extract(*component.M, kept);
  const int first = component.unknowns() - component.multipliers;
  const auto multipliers = static_cast<int>(
      std::count_if(kept.begin(), kept.end(), [&](int unknown) { return unknown >= first; }));
  const LowestModes modes = linalg::findLowestModes(
      isFree ? *component.K : K, isFree ? *component.M : M, multipliers, request, progress);
  if (modes.status != ModesStatus::kFound) return describe(component, modes, kept);
  MatrixXd vectors = MatrixXd::Zero(component.unknowns(), modes.vectors.cols());
  for (std::size_t i = 0; i < kept.size(); ++i) vectors.row(kept[i]) = modes.vectors.row(i);
  vectors.bottomRows(component.multipliers).setZero();
  if (modes.zeros > expected)
    return nameMechanism(component, vectors.leftCols(modes.zeros), motions);
  const auto elastic = static_cast<int>(modes.values.size()) - modes.zeros;
  return NormalModeSet{vectors.rightCols(elastic), modes.values.tail(elastic), modes.zeros,
                       vectors.leftCols(modes.zeros), modes.verified};
}

}  // namespace flexloop::fem
