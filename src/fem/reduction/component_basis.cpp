#include "fem/reduction/component_basis.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "fem/reduction/mass_basis.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using linalg::multiplySymmetric;

namespace {

constexpr std::array<std::pair<ReductionMethod, const char*>, 6> kNames{{
    {ReductionMethod::kCraigBampton, "craig_bampton"},
    {ReductionMethod::kHintzConstraint, "hintz_constraint"},
    {ReductionMethod::kHintzAttachment, "hintz_attachment"},
    {ReductionMethod::kInertiaRelief, "inertia_relief"},
    {ReductionMethod::kFreeInterface, "free_interface"},
    {ReductionMethod::kHybridInterface, "hybrid_interface"},
}};

MatrixXd boundaryRows(const Component& component, const MatrixXd& X) {
  MatrixXd rows(component.boundary.size(), X.cols());
  for (std::size_t i = 0; i < component.boundary.size(); ++i)
    rows.row(i) = X.row(component.boundary[i]);
  return rows;
}

MatrixXd beside(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd both(a.rows(), a.cols() + b.cols());
  both << a, b;
  return both;
}

// L with L R_b = I, weighted by the stiffness of the boundary, so that it does not depend on units. Rigid motions × boundary.
MatrixXd rigidPart(const MatrixXd& Rb, const MatrixXd& S) {
  if (Rb.cols() == 0) return MatrixXd(0, Rb.rows());
  const MatrixXd weighted = S.diagonal().asDiagonal() * Rb;
  return linalg::DenseLu<double>(Rb.transpose() * weighted).solve(weighted.transpose());
}

// Internal columns: K- and M-orthogonal among themselves.
std::optional<base::Failure> makeInternal(const Component& component, MatrixXd Q, MatrixXd& X,
                                          VectorXd& omega2) {
  const MatrixXd k = Q.transpose() * multiplySymmetric(*component.K, Q);
  const auto system = linalg::findSymmetricEigensystem(0.5 * (k + k.transpose()));
  if (!system || (system->values.size() > 0 && !(system->values[0] > 0.0))) {
    return base::numericalFailure(
        "the stiffness of the part is not positive with its interfaces held");
  }
  X = Q * system->vectors;
  omega2 = system->values;
  return std::nullopt;
}

void fillMatrices(const Component& component, const MatrixXd& S, ComponentBasis& basis) {
  const Eigen::Index boundary = S.rows(), size = basis.Phi.cols();
  basis.K = MatrixXd::Zero(size, size);
  basis.K.topLeftCorner(boundary, boundary) = S;
  basis.K.diagonal().tail(basis.omega2.size()) = basis.omega2;
  const MatrixXd m = basis.Phi.transpose() * multiplySymmetric(*component.M, basis.Phi);
  basis.M = 0.5 * (m + m.transpose());
  basis.M.bottomRightCorner(basis.omega2.size(), basis.omega2.size()).setIdentity();
}

}  // namespace

std::string nameOf(ReductionMethod method) {
  for (const auto& [value, name] : kNames) {
    if (value == method) return name;
  }
  return {};
}

std::optional<ReductionMethod> findMethod(const std::string& name) {
  for (const auto& [value, text] : kNames) {
    if (name == text) return value;
  }
  return std::nullopt;
}

NormalModes usualModes(ReductionMethod method) {
  switch (method) {
    case ReductionMethod::kCraigBampton:
    case ReductionMethod::kHintzConstraint:
      return NormalModes::kFixed;
    case ReductionMethod::kHybridInterface:
      return NormalModes::kHybrid;
    default:
      return NormalModes::kFree;
  }
}

MatrixXd additionalColumns(const Component& component, const StaticModes& statics,
                           ReductionMethod method) {
  switch (method) {
    case ReductionMethod::kCraigBampton:
      return MatrixXd(component.unknowns(), 0);
    case ReductionMethod::kHintzConstraint:
    case ReductionMethod::kHybridInterface:
      return beside(component.rigid, statics.relief());
    case ReductionMethod::kHintzAttachment:
      return beside(component.rigid, beside(statics.attachment(), statics.reliefAttachmentForm()));
    case ReductionMethod::kInertiaRelief:
    case ReductionMethod::kFreeInterface:
      return beside(component.rigid, statics.inertiaReliefAttachment());
  }
  return {};
}

base::Result<ComponentBasis> makeBasis(const Component& component, const StaticModes& statics,
                                       ReductionMethod method, const MatrixXd& normal) {
  const MatrixXd& Psi = statics.constraint();
  const Eigen::Index boundary = Psi.cols();
  const MatrixXd Rb = boundaryRows(component, component.rigid);
  const MatrixXd L = rigidPart(Rb, statics.boundaryStiffness());
  const MatrixXd P = MatrixXd::Identity(boundary, boundary) - Rb * L;
  ComponentBasis basis;
  MassBasis columns(*component.M);
  const auto take = [&](const MatrixXd& X, bool inOrder) {
    MatrixXd inside = X - Psi * boundaryRows(component, X);
    for (const int row : component.boundary) inside.row(row).setZero();
    basis.dropped += columns.add(std::move(inside), massNorms(*component.M, X), inOrder);
  };
  take(additionalColumns(component, statics, method), false);
  if (statics.interfaceModes().cols() > 0) take(statics.interfaceModes(), false);
  take(normal, true);
  MatrixXd X;
  if (auto failure = makeInternal(component, columns.columns(), X, basis.omega2)) return *failure;
  basis.Phi.resize(component.unknowns(), boundary + X.cols());
  basis.Phi.leftCols(boundary) = Psi * P + component.rigid * L;
  basis.Phi.rightCols(X.cols()) = X;
  const MatrixXd S = P.transpose() * statics.boundaryStiffness() * P;
  fillMatrices(component, 0.5 * (S + S.transpose()), basis);
  return basis;
}

}  // namespace flexloop::fem
