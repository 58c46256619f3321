#include "fem/reduction/reduce_part.hpp"

#include <algorithm>
#include <cmath>

#include "fem/assembly/rigid_body.hpp"
#include "fem/modes/part_modes.hpp"
#include "fem/reduction/part_inertia.hpp"
#include "fem/reduction/reduce_component.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/symmetric/dense_modes.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using linalg::multiplySymmetric;

namespace {

constexpr int kFreedoms = 6;        // of an interface
constexpr double kGrounded = 1e-7;  // share of the forces in a rigid motion that does not cancel

base::Result<std::vector<int>> findBoundary(const PartSystem& part,
                                            const std::vector<PartInterface>& interfaces) {
  std::vector<int> boundary;
  for (const PartInterface& interface : interfaces) {
    for (int component = 0; component < kFreedoms; ++component) {
      const int unknown = part.unknownOf[kFreedoms * interface.node + component];
      if (unknown < 0) {
        return base::Failure{"interface '" + interface.name + "' cannot be moved in all directions",
                             "take a set of nodes that are not on one line"};
      }
      boundary.push_back(unknown);
    }
  }
  std::vector<int> sorted = boundary;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return base::Failure{"two interfaces are one and the same node", "give it one name"};
  return boundary;
}

// The unknowns that move nodes of interfaces which have modes.
std::vector<FlexibleSet> findFlexibleSets(const PartSystem& part,
                                          const std::vector<PartInterface>& interfaces,
                                          const std::vector<int>& boundary) {
  std::vector<FlexibleSet> sets;
  const int first = part.unknowns() - part.multipliers;
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    if (interfaces[i].modes == 0) continue;
    std::vector<char> isInside(part.points.size(), 0);
    for (const int node : interfaces[i].set) isInside[node] = 1;
    FlexibleSet set{static_cast<int>(i), interfaces[i].modes, {}};
    for (int unknown = 0; unknown < first; ++unknown) {
      if (std::find(boundary.begin(), boundary.end(), unknown) != boundary.end()) continue;
      bool moves = false;
      for (linalg::SparseMatrix::InnerIterator it(part.T, unknown); it && !moves; ++it)
        moves = isInside[it.row() / kFreedoms] != 0 && it.value() != 0.0;
      if (moves) set.unknowns.push_back(unknown);
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

MatrixXd project(const linalg::SparseMatrix& Kg, const MatrixXd& U) {
  const MatrixXd reduced = U.transpose() * multiplySymmetric(Kg, U);
  return 0.5 * (reduced + reduced.transpose());
}

void stiffen(const PartSystem& part, const MatrixXd& loads, const MatrixXd& loaded,
             const MatrixXd& U, const GeometricStiffness& geometricStiffness,
             mechanics::ReducedModel& model) {
  for (std::size_t pair = 0; pair < kAxisPairs.size(); ++pair) {
    const auto [a, b] = kAxisPairs[pair];
    const Eigen::Index column = static_cast<Eigen::Index>(pair);
    const StressState state{part.T * loaded.col(column), loads.col(column), {}};
    model.Kg[a][b] = project(geometricStiffness(state), U);
    if (a != b) model.Kg[b][a] = model.Kg[a][b];
  }
}

void foreshorten(const PartSystem& part, const std::vector<PartInterface>& interfaces,
                 const MatrixXd& pulled, const MatrixXd& U,
                 const GeometricStiffness& geometricStiffness, mechanics::ReducedModel& model) {
  for (Eigen::Index j = 0; j < pulled.cols(); ++j) {
    const NodeForce force{interfaces[1 + j / 3].node, Eigen::Vector3d::Unit(j % 3)};
    model.B.push_back(project(geometricStiffness({part.T * pulled.col(j), {}, force}), U));
  }
}

// Modal coordinates become lengths: the modal mass of each is the mass of the part instead of one. A machine that is heavier by a
// factor then moves through the same numbers, and the steps that judge them by the size of the machine do the same.
void scaleModes(double mass, Eigen::Index interfaceFreedoms, ComponentBasis& basis) {
  if (!(mass > 0.0)) return;
  const double scale = std::sqrt(mass);
  const Eigen::Index modes = basis.K.rows() - interfaceFreedoms;
  for (MatrixXd* X : {&basis.K, &basis.M}) {
    X->rightCols(modes) *= scale;
    X->bottomRows(modes) *= scale;
  }
  basis.Phi.rightCols(modes) *= scale;
}

// (30.18): coordinates f that are not held move against the first held interface.
MatrixXd makeHeldDamping(const mechanics::ReducedModel& model, const MatrixXd& Rz, double ratio,
                         const std::vector<int>& held) {
  std::vector<Eigen::Index> others;
  for (Eigen::Index i = 0; i < model.K.rows(); ++i) {
    const bool isHeld = std::find(held.begin(), held.end(), i / kFreedoms) != held.end();
    if (i >= model.interfaceFreedoms() || !isHeld) others.push_back(i);
  }
  const MatrixXd M = model.M(others, others);
  const auto modes = linalg::findDenseModes(model.K(others, others), M);
  if (!modes) return MatrixXd::Zero(model.K.rows(), model.K.rows());
  const MatrixXd momenta = M * modes->vectors;
  const Eigen::VectorXd omega = modes->values.cwiseMax(0.0).cwiseSqrt();
  const Eigen::Index first = kFreedoms * held.front();
  const MatrixXd own = linalg::DenseLu<double>(Rz.middleRows<kFreedoms>(first)).inverse();
  MatrixXd P = MatrixXd::Zero(M.rows(), model.K.rows());
  for (Eigen::Index i = 0; i < M.rows(); ++i) P(i, others[i]) = 1.0;
  P.middleCols<kFreedoms>(first) -= Rz(others, Eigen::all) * own;
  const MatrixXd rates = momenta.transpose() * P;
  return rates.transpose() * (2.0 * ratio * omega).asDiagonal() * rates;
}

}  // namespace

void setModalDamping(mechanics::ReducedModel& model, double ratio, const std::vector<int>& held) {
  MatrixXd Rz = MatrixXd::Zero(model.K.rows(), kFreedoms);
  Eigen::Index row = 0;
  for (const Eigen::Vector3d& point : model.interfaces) {
    Rz.middleRows<kFreedoms>(row) = makeNodalRigidModes({point}, model.interfaces.front());
    row += kFreedoms;
  }
  model.D = held.empty() ? makeModalDamping(model.K, model.M, Rz, ratio)
                         : makeHeldDamping(model, Rz, ratio, held);
}

base::Result<ReducedPart> reducePart(const PartSystem& part,
                                     const std::vector<PartInterface>& interfaces,
                                     const PartReduction& request,
                                     const linalg::Progress& progress) {
  if (interfaces.empty())
    return base::Failure{"the part has no interfaces", "name the sets where it is joined"};
  const auto boundary = findBoundary(part, interfaces);
  if (!boundary) return boundary.failure();
  Component component;
  component.K = &part.K;
  component.M = &part.M;
  component.multipliers = part.multipliers;
  component.boundary = boundary.value();
  component.factors = request.factors;
  component.pieces = request.pieces;
  component.flexible = findFlexibleSets(part, interfaces, component.boundary);
  component.name = makeUnknownNames(part, request.name);
  const MassProperties properties = calcMassProperties(part);
  component.rigid = makeRigidModes(part, properties.centre);
  const RigidResidual residual = findRigidResidual(part);
  if (residual.share > kGrounded) {
    const int unknown = residual.freedom < 0 ? -1 : part.unknownOf[residual.freedom];
    return base::Failure{
        "the part is held to the ground" + (unknown < 0 ? "" : " at " + component.nameOf(unknown)),
        "remove supports from the mesh: the machine holds its parts by joints"};
  }
  const Eigen::Vector3d& first = part.points[interfaces.front().node];
  MatrixXd loads;
  if (request.options.stiffening) {
    loads = makeSpinLoads(part, first);
    component.loads = part.T.transpose() * loads;
  }
  const auto reduced = reduceComponent(std::move(component), request.options, kFreedoms, progress);
  if (!reduced) return reduced.failure();

  ReducedPart result;
  result.report = reduced.value().report;
  ComponentBasis basis = reduced.value().basis;
  scaleModes(properties.mass, static_cast<Eigen::Index>(boundary.value().size()), basis);
  result.Phi = basis.Phi;
  mechanics::ReducedModel& model = result.model;
  for (const PartInterface& interface : interfaces) {
    model.interfaces.push_back(part.points[interface.node]);
    model.interfaceNames.push_back(interface.name);
  }
  model.K = basis.K;
  model.M = basis.M;
  setModalDamping(model, request.options.damping);
  const MatrixXd U = part.T * basis.Phi;
  fillTurningInertia(part, U, model);
  if (request.options.stiffening)
    stiffen(part, loads, reduced.value().loaded, U, request.geometricStiffness, model);
  foreshorten(part, interfaces, reduced.value().pulled, U, request.geometricStiffness, model);
  return result;
}

}  // namespace flexloop::fem
