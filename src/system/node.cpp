#include "system/node.hpp"

#include <cmath>

#include "math/so3.hpp"

namespace flexloop::system {
namespace {

constexpr double kParallel = 1e-12;

// Whether the free motions form a subgroup of SE(3) with constant columns in body axes: the set of
// translations must be mapped to itself by the free rotations.
bool isSubgroup(const FreeSet& free) {
  const int rotations = free.rotations();
  const int translations = free.translations();
  if (rotations == 0) return true;
  if (rotations == 2) return false;
  if (translations == 0 || translations == 3) return true;
  if (rotations == 3) return false;
  int axis = 0;
  while (!free.free[3 + axis]) ++axis;
  // Along the rotation axis only, or exactly the plane normal to it.
  if (translations == 1) return free.free[axis];
  return !free.free[axis];
}

Vec3<double> groundAxis(int i) {
  return Vec3<double>::Unit(i % 3);
}

Vec3<double> bodyAxis(const Column& column, const Frame<double>& frame) {
  return column.inGround ? Vec3<double>(frame.R.transpose() * column.axis) : column.axis;
}

bool endsWithThreeRotations(const Node& node) {
  return node.count >= 3 && node.columns[node.count - 3].rotation;
}

}  // namespace

int FreeSet::count() const {
  return translations() + rotations();
}

Node makeNode(std::string name, const Frame<double>& start, FreeSet free, Formulation formulation) {
  Node node;
  node.name = std::move(name);
  node.start = start;
  node.count = free.count();
  if (node.count == 0) return node;
  const bool full = node.count == 6;
  if (full && formulation == Formulation::kSE3) {
    node.map = NodeMap::kBody;
    return node;
  }
  const bool subgroup = formulation == Formulation::kSE3 && isSubgroup(free);
  node.map = subgroup ? NodeMap::kSubgroup : NodeMap::kMixed;
  const bool allRotations = free.rotations() == 3;
  bool firstRotation = true;
  for (int i = 0, c = 0; i < 6; ++i) {
    if (!free.free[i]) continue;
    Column& column = node.columns[c++];
    column.rotation = i >= 3;
    // Of two rotations the first is about an axis of ground, the second about one of the body, like
    // the two axes of a universal joint; so both coordinates are true angles.
    const bool universalFirst = column.rotation && free.rotations() == 2 && firstRotation;
    column.inGround = !subgroup && (!column.rotation || universalFirst);
    if (column.rotation) firstRotation = false;
    const bool bodyUnit = column.rotation && allRotations;
    if (column.inGround || bodyUnit) {
      column.axis = groundAxis(i);
    } else {
      column.axis = start.R.transpose() * groundAxis(i);
    }
  }
  return node;
}

Mat6<double> calcMap(const Node& node, const Frame<double>& frame) {
  Mat6<double> A = Mat6<double>::Zero();
  if (node.map == NodeMap::kBody) return Mat6<double>::Identity();
  for (int c = 0; c < node.count; ++c) {
    A.block<3, 1>(node.columns[c].rotation ? 3 : 0, c) = bodyAxis(node.columns[c], frame);
  }
  return A;
}

Frame<double> retract(const Node& node, const Frame<double>& frame, const double* dq) {
  if (node.map == NodeMap::kHeld) return frame;
  if (node.map == NodeMap::kBody) {
    return math::compose(frame, math::expSE3<double>(Eigen::Map<const Vec6<double>>(dq)));
  }
  Vec3<double> inGround = Vec3<double>::Zero();
  Vec3<double> rotationInGround = Vec3<double>::Zero();
  Vec6<double> inBody = Vec6<double>::Zero();
  for (int c = 0; c < node.count; ++c) {
    const Column& column = node.columns[c];
    if (column.inGround) {
      (column.rotation ? rotationInGround : inGround) += column.axis * dq[c];
    } else {
      inBody.segment<3>(column.rotation ? 3 : 0) += column.axis * dq[c];
    }
  }
  if (node.map == NodeMap::kSubgroup) return math::compose(frame, math::expSE3<double>(inBody));
  Frame<double> next;
  next.x = frame.x + inGround;
  next.R = math::expSO3<double>(rotationInGround) * frame.R *
           math::expSO3<double>(Vec3<double>(inBody.tail<3>()));
  return next;
}

Mat6<double> calcTangent(const Node& node, const double* dq) {
  if (node.map == NodeMap::kBody) {
    return math::tangentSE3<double>(Eigen::Map<const Vec6<double>>(dq));
  }
  Mat6<double> T = Mat6<double>::Identity();
  if (node.map == NodeMap::kSubgroup) {
    const Mat6<double> A = calcMap(node, node.start);
    const auto columns = A.leftCols(node.count);
    const Vec6<double> d = columns * Eigen::Map<const Eigen::VectorXd>(dq, node.count);
    T.topLeftCorner(node.count, node.count) =
        columns.transpose() * math::tangentSE3<double>(d) * columns;
    return T;
  }
  if (endsWithThreeRotations(node)) {
    const int first = node.count - 3;
    const Vec3<double> w(dq[first], dq[first + 1], dq[first + 2]);
    T.block<3, 3>(first, first) = math::tangentSO3<double>(w);
  }
  return T;
}

void calcTwist(const Node& node, const Frame<double>& frame, const double* u, const double* du,
               Vec6<double>& twist, Vec6<double>& twistRate) {
  if (node.map == NodeMap::kBody) {
    twist = Eigen::Map<const Vec6<double>>(u);
    twistRate = Eigen::Map<const Vec6<double>>(du);
    return;
  }
  twist.setZero();
  twistRate.setZero();
  if (node.map == NodeMap::kHeld) return;
  Vec6<double> ground = Vec6<double>::Zero();  // the part of the twist that is fixed in ground
  for (int c = 0; c < node.count; ++c) {
    const int block = node.columns[c].rotation ? 3 : 0;
    const Vec3<double> axis = bodyAxis(node.columns[c], frame);
    twist.segment<3>(block) += axis * u[c];
    twistRate.segment<3>(block) += axis * du[c];
    if (node.columns[c].inGround) ground.segment<3>(block) += axis * u[c];
  }
  const Vec3<double> omega = twist.tail<3>();
  twistRate.head<3>() -= math::cross<double>(omega, ground.head<3>());
  twistRate.tail<3>() -= math::cross<double>(omega, ground.tail<3>());
}

TwistDerivatives calcTwistDerivatives(const Node& node, const Frame<double>& frame, const double* u,
                                      const double* du) {
  TwistDerivatives D;
  D.A = calcMap(node, frame);
  D.twistByValue.setZero();
  D.rateByRate.setZero();
  D.rateByValue.setZero();
  if (node.map != NodeMap::kMixed) return D;
  Vec6<double> twist, twistRate;
  calcTwist(node, frame, u, du, twist, twistRate);
  const Vec3<double> omega = twist.tail<3>();
  Mat6<double> groundColumns = Mat6<double>::Zero();
  Vec6<double> w = Vec6<double>::Zero();  // ground-fixed part of the twist
  Vec6<double> z = Vec6<double>::Zero();  // the same with the rates du
  for (int c = 0; c < node.count; ++c) {
    if (!node.columns[c].inGround) continue;
    groundColumns.col(c) = D.A.col(c);
    w += D.A.col(c) * u[c];
    z += D.A.col(c) * du[c];
  }
  const Eigen::Matrix<double, 3, 6> A_r = D.A.bottomRows<3>();
  const math::Mat3<double> w_r = math::skew<double>(w.tail<3>());
  for (const int block : {0, 3}) {
    const math::Mat3<double> w_b = math::skew<double>(w.segment<3>(block));
    const math::Mat3<double> z_b = math::skew<double>(z.segment<3>(block));
    const math::Mat3<double> omegaHat = math::skew<double>(omega);
    D.twistByValue.middleRows<3>(block) = w_b * A_r;
    D.rateByRate.middleRows<3>(block) = -omegaHat * groundColumns.middleRows<3>(block) + w_b * A_r;
    D.rateByValue.middleRows<3>(block) = (z_b - omegaHat * w_b + w_b * w_r) * A_r;
  }
  return D;
}

Mat6<double> calcMapStiffness(const Node& node, const Frame<double>& frame, const Vec6<double>& r) {
  Mat6<double> stiffness = Mat6<double>::Zero();
  if (node.map != NodeMap::kMixed) return stiffness;
  const Mat6<double> A = calcMap(node, frame);
  for (int c = 0; c < node.count; ++c) {
    if (!node.columns[c].inGround) continue;
    const int block = node.columns[c].rotation ? 3 : 0;
    const Vec3<double> arm = math::cross<double>(r.segment<3>(block), A.col(c).segment<3>(block));
    stiffness.row(c) = arm.transpose() * A.bottomRows<3>();
  }
  return stiffness;
}

Vec6<double> calcBracket(const Node& node, const double* u, const double* du) {
  Vec6<double> result = Vec6<double>::Zero();
  if (node.map == NodeMap::kBody) {
    return math::bracket<double>(Eigen::Map<const Vec6<double>>(u),
                                 Eigen::Map<const Vec6<double>>(du));
  }
  if (node.map == NodeMap::kSubgroup) {
    const Mat6<double> A = calcMap(node, node.start);
    const auto columns = A.leftCols(node.count);
    const Vec6<double> v = columns * Eigen::Map<const Eigen::VectorXd>(u, node.count);
    const Vec6<double> dv = columns * Eigen::Map<const Eigen::VectorXd>(du, node.count);
    result.head(node.count) = columns.transpose() * math::bracket<double>(v, dv);
  } else if (endsWithThreeRotations(node)) {
    const int first = node.count - 3;
    const Vec3<double> w(u[first], u[first + 1], u[first + 2]);
    const Vec3<double> dw(du[first], du[first + 1], du[first + 2]);
    result.segment<3>(first) = math::cross<double>(w, dw);
  }
  return result;
}

const char* freedomLabel(const Node& node, int i) {
  static constexpr std::array<const char*, 6> kLabels{"x", "y", "z", "rx", "ry", "rz"};
  if (node.map == NodeMap::kBody) return kLabels[i];
  const Column& column = node.columns[i];
  const Vec3<double> axis =
      column.inGround ? column.axis : Vec3<double>(node.start.R * column.axis);
  int largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  const bool unit = std::abs(std::abs(axis[largest]) - 1.0) < kParallel;
  return kLabels[(column.rotation ? 3 : 0) + (unit ? largest : i % 3)];
}

}  // namespace flexloop::system
