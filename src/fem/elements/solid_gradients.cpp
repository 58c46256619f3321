#include "fem/elements/solid_gradients.hpp"

#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

namespace flexloop::fem {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Jacobians = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, 3 * kMostSolidPoints, 3>;

// Below this share of the cube of its size an element has no volume: a plate of a millionth of its width has 1e-6.
constexpr double kFlatness = 1e-12;

// Relative to the first node, so that a part far from the origin loses no digits.
SolidMotion findOffsets(const ElementGeometry& geometry, int nodes) {
  SolidMotion offsets(3, nodes);
  for (int i = 0; i < nodes; ++i) offsets.col(i) = geometry.points[i] - geometry.points[0];
  return offsets;
}

// Rows 3 q + k: ∂x/∂ξ_k at point q.
Jacobians calcJacobians(const SolidMotion& offsets, const RuleTable& rule) {
  Jacobians J(rule.dN.rows(), 3);
  J.noalias() = rule.dN.lazyProduct(offsets.transpose());
  return J;
}

struct Inverse {
  Matrix3d inverse;
  double det;
};

// The columns of the inverse of a matrix with rows a, b, c are b × c, c × a and a × b over the determinant.
Inverse invert(const Matrix3d& J) {
  const Vector3d a = J.row(0), b = J.row(1), c = J.row(2);
  Inverse result;
  result.inverse << b.cross(c), c.cross(a), a.cross(b);
  result.det = a.dot(result.inverse.col(0));
  result.inverse /= result.det;
  return result;
}

ElementFault judge(const PointVector& volumes, const SolidMotion& offsets) {
  const double size = offsets.cwiseAbs().maxCoeff();
  if (!(volumes.cwiseAbs().sum() > kFlatness * size * size * size)) return ElementFault::kFlat;
  const Eigen::Index positive = (volumes.array() > 0.0).count();
  if (positive == volumes.size()) return ElementFault::kNone;
  return positive == 0 ? ElementFault::kInverted : ElementFault::kTangled;
}

// Wilson's modes 1 − ξ_k² with Taylor's correction (28.5): with the Jacobian of the centre their strains have no mean, which is
// what the patch test needs.
void addIncompatibleModes(const SolidMotion& offsets, const SolidTable& table,
                          const RuleTable& rule, PointGradients& result) {
  const Inverse centre = invert(calcJacobians(offsets, table.centre).topRows<3>());
  for (int q = 0; q < rule.points; ++q) {
    const double share = centre.det * rule.weights[q] / result.volumes[q];
    for (int k = 0; k < kIncompatibleModes; ++k) {
      result.G.col(q).segment<3>(3 * (table.nodes + k)) =
          (-2.0 * rule.xi(k, q) * share) * centre.inverse.col(k);
    }
  }
}

}  // namespace

LameModuli calcLameModuli(const MeshMaterial& material) {
  const double mu = 0.5 * material.E / (1.0 + material.nu);
  return {2.0 * mu * material.nu / (1.0 - 2.0 * material.nu), mu};
}

ElementFault calcVolumes(const ElementGeometry& geometry, const RuleTable& rule,
                         PointVector& volumes) {
  const SolidMotion offsets = findOffsets(geometry, static_cast<int>(rule.dN.cols()));
  const Jacobians J = calcJacobians(offsets, rule);
  volumes.resize(rule.points);
  for (int q = 0; q < rule.points; ++q) {
    const Vector3d a = J.row(3 * q), b = J.row(3 * q + 1), c = J.row(3 * q + 2);
    volumes[q] = rule.weights[q] * a.dot(b.cross(c));
  }
  return judge(volumes, offsets);
}

void calcGradients(const ElementGeometry& geometry, const SolidTable& table, const RuleTable& rule,
                   PointGradients& result) {
  const SolidMotion offsets = findOffsets(geometry, table.nodes);
  const Jacobians J = calcJacobians(offsets, rule);
  const int modes = table.nodes + (table.hasIncompatibleModes ? kIncompatibleModes : 0);
  result.G.resize(3 * modes, rule.points);
  result.volumes.resize(rule.points);
  for (int q = 0; q < rule.points; ++q) {
    const Inverse inverse = invert(J.middleRows<3>(3 * q));
    result.volumes[q] = rule.weights[q] * inverse.det;
    Eigen::Map<Eigen::Matrix3Xd> column(result.G.col(q).data(), 3, table.nodes);
    column.noalias() = inverse.inverse.lazyProduct(rule.dN.middleRows<3>(3 * q));
  }
  result.fault = judge(result.volumes, offsets);
  if (table.hasIncompatibleModes && result.fault == ElementFault::kNone) {
    addIncompatibleModes(offsets, table, rule, result);
  }
}

void calcStiffness(const LameModuli& moduli, PointGradients& gradients, SolidSquare& K) {
  SolidGradients& G = gradients.G;
  for (int q = 0; q < G.cols(); ++q) G.col(q) *= std::sqrt(gradients.volumes[q]);
  const auto size = static_cast<int>(G.rows());
  // A_ij = ∫ ∇N_i ∇N_jᵀ dV; the stiffness is made of its transpose, its trace and itself.
  SolidSquare A(size, size);
  A.setZero();
  A.selfadjointView<Eigen::Lower>().rankUpdate(G);
  K.resize(size, size);
  for (int j = 0; j < size; j += 3) {
    A.block<3, 3>(j, j).triangularView<Eigen::StrictlyUpper>() = A.block<3, 3>(j, j).transpose();
    for (int i = j; i < size; i += 3) {
      const Matrix3d a = A.block<3, 3>(i, j);
      Matrix3d k = moduli.lambda * a + moduli.mu * a.transpose();
      k.diagonal().array() += moduli.mu * a.trace();
      K.block<3, 3>(i, j) = k;
    }
  }
}

Condensation calcCondensation(const SolidSquare& K) {
  using Inner = Eigen::Matrix<double, 3 * kIncompatibleModes, 3 * kIncompatibleModes>;
  const Inner inner = K.bottomRightCorner<3 * kIncompatibleModes, 3 * kIncompatibleModes>();
  return -inner.llt().solve(K.bottomLeftCorner<3 * kIncompatibleModes, 24>());
}

}  // namespace flexloop::fem
