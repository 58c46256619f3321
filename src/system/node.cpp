#include "system/node.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

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

// Axes that are fixed in ground are those of its coordinates.
Vec3<double> bodyAxis(const Column& column, const Frame<double>& frame) {
  if (!column.inGround) return column.axis;
  const int i = column.axis[0] != 0.0 ? 0 : column.axis[1] != 0.0 ? 1 : 2;
  return frame.R.row(i).transpose();
}

bool endsWithThreeRotations(const Node& node) {
  return node.count >= 3 && node.columns[node.count - 3].rotation;
}

}  // namespace

const std::vector<std::string>& formulationWords() {
  static const std::vector<std::string> words{"local", "se3", "r3xso3"};
  return words;
}

Formulation findFormulation(const std::string& word) {
  const auto& words = formulationWords();
  return static_cast<Formulation>(std::find(words.begin(), words.end(), word) - words.begin());
}

int Node::translations() const {
  if (map == NodeMap::kBody) return 3;
  int n = 0;
  while (n < count && !columns[n].rotation) ++n;
  return n;
}

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
  const bool inBody = formulation != Formulation::kR3xSO3;
  node.dropsTurns = formulation != Formulation::kSE3 && free.rotations() == 3;
  // A single translation along the axis of the only rotation does not turn.
  node.isStraight = formulation == Formulation::kLocal && isSubgroup(free) &&
                    free.rotations() > 0 && free.translations() > 1;
  if (full && inBody) {
    node.map = NodeMap::kBody;
    return node;
  }
  const bool subgroup = inBody && isSubgroup(free);
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

namespace {

TwistDerivatives withoutTurn(const Node& node, const Frame<double>& frame) {
  TwistDerivatives D;
  D.A = calcMap(node, frame);
  D.twistByValue.setZero();
  D.rateByRate.setZero();
  D.rateByValue.setZero();
  return D;
}

// (3.4)–(3.6) with the given columns for those that a turn of the body leaves in ground.
TwistDerivatives calcDerivatives(const Node& node, const Frame<double>& frame,
                                 const Vec3<double>& omega, const Mat6<double>& groundColumns,
                                 const Vec6<double>& w, const Vec6<double>& z) {
  TwistDerivatives D = withoutTurn(node, frame);
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

Vec3<double> rotationOf(const Node& node, const double* dq) {
  return Vec3<double>(dq[node.count - 3], dq[node.count - 2], dq[node.count - 1]);
}

// The rotation of a step without the whole turns of what is expected (3.9).
Vec3<double> calcRest(const Node& node, const double* expected, const double* dq) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const Vec3<double> whole = rotationOf(node, expected);
  const double angle = whole.norm();
  const double turns = std::round(angle / kTurn);
  const Vec3<double> rotation = rotationOf(node, dq);
  return turns == 0.0 ? rotation : Vec3<double>(rotation - (turns * kTurn / angle) * whole);
}

}  // namespace

TwistDerivatives calcTwistDerivatives(const Node& node, const Frame<double>& frame, const double* u,
                                      const double* du) {
  if (node.map != NodeMap::kMixed) return withoutTurn(node, frame);
  Vec6<double> twist, twistRate;
  calcTwist(node, frame, u, du, twist, twistRate);
  const Mat6<double> A = calcMap(node, frame);
  Mat6<double> groundColumns = Mat6<double>::Zero();
  Vec6<double> w = Vec6<double>::Zero();  // ground-fixed part of the twist
  Vec6<double> z = Vec6<double>::Zero();  // the same with the rates du
  for (int c = 0; c < node.count; ++c) {
    if (!node.columns[c].inGround) continue;
    groundColumns.col(c) = A.col(c);
    w += A.col(c) * u[c];
    z += A.col(c) * du[c];
  }
  return calcDerivatives(node, frame, twist.tail<3>(), groundColumns, w, z);
}

TwistDerivatives calcStepDerivatives(const Node& node, const Frame<double>& frame, const double* u,
                                     const double* du) {
  if (!node.isStraight) return calcTwistDerivatives(node, frame, u, du);
  Vec6<double> twist, twistRate;
  calcTwist(node, frame, u, du, twist, twistRate);
  const Vec3<double> omega = twist.tail<3>();
  Mat6<double> columns = calcMap(node, frame);
  columns.bottomRows<3>().setZero();
  Vec6<double> w = Vec6<double>::Zero(), z = w;
  w.head<3>() = twist.head<3>();
  z.head<3>() = twistRate.head<3>() + math::cross<double>(omega, twist.head<3>());
  return calcDerivatives(node, frame, omega, columns, w, z);
}

Frame<double> advance(const Node& node, const Frame<double>& frame, const double* expected,
                      const double* dq) {
  if (!node.isStraight && !node.dropsTurns) return retract(node, frame, dq);
  Frame<double> next = frame;
  if (node.map == NodeMap::kBody) {
    next.x += frame.R * Eigen::Map<const Vec3<double>>(dq);
  } else {
    const int translations = node.translations();
    Vec3<double> moved = Vec3<double>::Zero();
    for (int c = 0; c < translations; ++c) moved += node.columns[c].axis * dq[c];
    // Those that do not go straight in body axes, beside three rotations, are along axes of ground.
    next.x += node.isStraight ? Vec3<double>(frame.R * moved) : moved;
    if (!node.dropsTurns) {
      next.R = frame.R * math::expSO3<double>(
                             Vec3<double>(node.columns[translations].axis * dq[translations]));
    }
  }
  if (node.dropsTurns) next.R = frame.R * math::expSO3<double>(calcRest(node, expected, dq));
  return next;
}

Mat6<double> calcStepTangent(const Node& node, const double* expected, const double* dq) {
  if (!node.isStraight && !node.dropsTurns) return calcTangent(node, dq);
  Mat6<double> T = Mat6<double>::Identity();
  if (node.dropsTurns) {
    const int first = node.count - 3;
    T.block<3, 3>(first, first) = math::tangentSO3<double>(calcRest(node, expected, dq));
  }
  return T;
}

Vec6<double> calcStepBracket(const Node& node, const double* u, const double* du) {
  Vec6<double> bracket = calcBracket(node, u, du);
  if (node.isStraight) bracket.head(node.translations()).setZero();
  return bracket;
}

Vec3<double> calcTurn(const Node& node, const Frame<double>& from, const Frame<double>& to,
                      const double* dq) {
  if (node.map == NodeMap::kBody) return rotationOf(node, dq);
  Vec3<double> turn = Vec3<double>::Zero();
  for (int c = 0; c < node.count; ++c) {
    const Column& column = node.columns[c];
    if (!column.rotation) continue;
    turn += 0.5 * dq[c] * (bodyAxis(column, from) + bodyAxis(column, to));
  }
  return turn;
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
