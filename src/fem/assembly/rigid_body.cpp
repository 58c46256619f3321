#include "fem/assembly/rigid_body.hpp"

#include <cmath>

#include <Eigen/Geometry>

#include "fem/assembly/element_source.hpp"

namespace flexloop::fem {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;

Vector3d meanPoint(const std::vector<Vector3d>& points) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& point : points) sum += point;
  return points.empty() ? sum : Vector3d(sum / static_cast<double>(points.size()));
}

// |A| x for the lower triangle of a symmetric A.
Eigen::VectorXd multiplyMagnitudes(const linalg::SparseMatrix& A, const Eigen::VectorXd& x) {
  Eigen::VectorXd y = Eigen::VectorXd::Zero(x.size());
  for (int j = 0; j < A.outerSize(); ++j) {
    for (linalg::SparseMatrix::InnerIterator entry(A, j); entry; ++entry) {
      const auto i = entry.row();
      y[i] += std::abs(entry.value()) * x[j];
      if (i != j) y[j] += std::abs(entry.value()) * x[i];
    }
  }
  return y;
}

}  // namespace

MatrixXd makeNodalRigidModes(const std::vector<Vector3d>& points, const Vector3d& origin) {
  MatrixXd R = MatrixXd::Zero(6 * static_cast<Eigen::Index>(points.size()), 6);
  for (std::size_t node = 0; node < points.size(); ++node) {
    const auto row = 6 * static_cast<Eigen::Index>(node);
    const Vector3d arm = points[node] - origin;
    R.block<6, 6>(row, 0).setIdentity();
    for (int k = 0; k < 3; ++k) R.block<3, 1>(row, 3 + k) = Vector3d::Unit(k).cross(arm);
  }
  return R;
}

MatrixXd makeRigidModes(const PartSystem& part, const Vector3d& origin) {
  MatrixXd nodal = makeNodalRigidModes(part.points, origin);
  // What nothing resists is left out of the motion in the order in which it was held.
  for (const FreeMotion& free : part.freeMotions) {
    auto rows = nodal.middleRows<6>(6 * free.node);
    rows -= (free.motion / free.row.dot(free.motion) * (free.row.transpose() * rows)).eval();
  }
  MatrixXd R = MatrixXd::Zero(part.unknowns(), 6);
  for (std::size_t freedom = 0; freedom < part.unknownOf.size(); ++freedom) {
    if (part.unknownOf[freedom] >= 0) R.row(part.unknownOf[freedom]) = nodal.row(freedom);
  }
  return R;
}

MassProperties calcMassProperties(const PartSystem& part) {
  // About the mean of the nodes first: far from the origin of the mesh the digits of the inertia would cancel.
  const Vector3d origin = meanPoint(part.points);
  const MatrixXd R = makeNodalRigidModes(part.points, origin);
  const MatrixXd MR = part.nodalMass.selfadjointView<Eigen::Lower>() * R;
  const Eigen::Matrix<double, 6, 6> m = R.transpose() * MR;
  MassProperties result;
  result.mass = m.topLeftCorner<3, 3>().trace() / 3.0;
  if (!(result.mass > 0.0)) return result;
  // m(translation, rotation) = −mass · [centre]×
  const Eigen::Matrix3d s = 0.5 * (m.block<3, 3>(3, 0) - m.block<3, 3>(0, 3));
  const Vector3d offset =
      0.5 * Vector3d(s(2, 1) - s(1, 2), s(0, 2) - s(2, 0), s(1, 0) - s(0, 1)) / result.mass;
  result.centre = origin + offset;
  const Eigen::Matrix3d about = m.bottomRightCorner<3, 3>();
  result.inertia = 0.5 * (about + about.transpose()) -
                   result.mass * (offset.squaredNorm() * Eigen::Matrix3d::Identity() -
                                  offset * offset.transpose());
  return result;
}

double calcVolume(const Mesh& mesh) {
  double volume = 0.0;
  ElementPoints points;
  for (const MeshElement& element : mesh.elements) {
    volume += calcElementVolume(gatherElement(mesh, element, points));
  }
  return volume;
}

RigidResidual findRigidResidual(const PartSystem& part) {
  MatrixXd R = makeRigidModes(part, meanPoint(part.points));
  std::vector<int> freedomOf(part.unknowns(), -1);
  for (std::size_t freedom = 0; freedom < part.unknownOf.size(); ++freedom) {
    if (part.unknownOf[freedom] >= 0) {
      freedomOf[part.unknownOf[freedom]] = static_cast<int>(freedom);
    }
  }
  // Rotations are measured by what they move farthest, so that nodes on their axis do not compare rounding with rounding.
  Eigen::VectorXd size = Eigen::VectorXd::Zero(part.unknowns());
  for (int motion = 0; motion < 6; ++motion) {
    const double most = R.col(motion).cwiseAbs().maxCoeff();
    if (most > 0.0) R.col(motion) /= most;
    size = size.cwiseMax(R.col(motion).cwiseAbs());
  }
  const Eigen::VectorXd forces = multiplyMagnitudes(part.K, size);
  const MatrixXd residuals = part.K.selfadjointView<Eigen::Lower>() * R;
  RigidResidual worst;
  for (int motion = 0; motion < 6; ++motion) {
    for (int i = 0; i < part.unknowns(); ++i) {
      const double share = forces[i] > 0.0 ? std::abs(residuals(i, motion)) / forces[i] : 0.0;
      if (share > worst.share) worst = {share, freedomOf[i], motion};
    }
  }
  return worst;
}

}  // namespace flexloop::fem
