#include "model/start/start_coordinate.hpp"

#include <cmath>
#include <numbers>

#include "linalg/dense/pivoted_qr.hpp"

namespace flexloop::model {

using math::Frame;
using math::Vec3;
using math::Vec6;
using system::State;
using system::System;

namespace {

constexpr double kHeld = 1e-9;  // share of a velocity that a node has not the freedom for

Eigen::MatrixXd calcFreedoms(const system::Node& node, const Frame<double>& frame) {
  return system::calcMap(node, frame).leftCols(node.count);
}

Eigen::VectorXd solveRates(const Eigen::MatrixXd& A, const Vec6<double>& twist) {
  return linalg::PivotedQr<double>(A).solve(Eigen::VectorXd(twist));
}

// The velocity field of a node, in ground axes.
Vec6<double> calcNodeField(const System& system, const State& at, system::NodeIndex index) {
  const system::Node& node = system.node(index);
  if (node.count == 0) return Vec6<double>::Zero();
  const Frame<double>& frame = at.frames[index.value];
  const Vec6<double> twist =
      calcFreedoms(node, frame) * at.rate.segment(node.firstUnknown, node.count);
  return math::applyAdjoint<double>(frame, twist);
}

Vec3<double> calcPlace(const StartCoordinate& c, const State& at) {
  const Frame<double>& A = at.frames[c.first.value];
  return A.x + A.R * c.at;
}

Vec3<double> velocityAt(const Vec3<double>& place, const Vec6<double>& field) {
  return field.head<3>() + math::cross<double>(field.tail<3>(), place);
}

Frame<double> calcMove(const StartCoordinate& c, double by, const State& at) {
  if (!c.guide) return math::expSE3<double>(Vec6<double>(by * calcField(c, at)));
  const Frame<double> along = c.guide->calcMove(at.frames, by);
  return c.sign > 0.0 ? along : math::inverse<double>(along);
}

}  // namespace

bool isPrescribed(const StartCoordinate& c, Prescribed which) {
  const bool isInLoop = c.moved.empty();
  if (which == Prescribed::kAll || !isInLoop) return true;
  return which == Prescribed::kGivenPlaces ? c.hasStart : c.hasRate;
}

std::string nameOf(const StartCoordinate& c) {
  return "joints." + c.joint->name() + (c.group.empty() ? "" : "." + c.group);
}

Vec6<double> calcField(const StartCoordinate& c, const State& at) {
  if (c.guide) return c.sign * c.guide->calcField(at.frames);
  const Vec3<double> axis = at.frames[c.first.value].R * c.axis;
  const Vec3<double> place = calcPlace(c, at);
  if (!c.turns) return c.sign * math::joined<double>(axis, Vec3<double>::Zero());
  return c.sign * math::joined<double>(math::cross<double>(place, axis) + c.pitch * axis, axis);
}

void moveTree(const StartCoordinate& c, double by, State& at) {
  if (c.moved.empty() || by == 0.0) return;
  const Frame<double> G = calcMove(c, by, at);
  for (std::size_t n = 0; n < c.moved.size(); ++n) {
    if (c.moved[n]) at.frames[n] = math::compose<double>(G, at.frames[n]);
  }
}

StartRate calcRate(const StartCoordinate& c, const System& system, const State& at) {
  if (c.guide) {
    const auto fieldOf = [&](system::NodeIndex n) { return calcNodeField(system, at, n); };
    const Vec3<double> u = velocityAt(at.frames[c.first.value].x, fieldOf(c.first));
    const Vec3<double> w = velocityAt(at.frames[c.second.value].x, fieldOf(c.second));
    return {c.guide->calcRate(at.frames, fieldOf), u.norm() + w.norm()};
  }
  const Vec3<double> axis = at.frames[c.first.value].R * c.axis;
  const Vec6<double> first = calcNodeField(system, at, c.first);
  const Vec6<double> second = calcNodeField(system, at, c.second);
  if (c.turns) {
    const Vec3<double> u = first.tail<3>(), w = second.tail<3>();
    return {axis.dot(w - u), u.norm() + w.norm()};
  }
  const Vec3<double> place = calcPlace(c, at);
  const Vec3<double> u = velocityAt(place, first), w = velocityAt(place, second);
  return {axis.dot(w - u), u.norm() + w.norm()};
}

void moveAtRate(const StartCoordinate& c, const System& system, State& at) {
  const double change = c.rate - calcRate(c, system, at).value;
  if (c.moved.empty() || change == 0.0) return;
  const Vec6<double> field = calcField(c, at);
  for (std::size_t n = 0; n < c.moved.size(); ++n) {
    const system::Node& node = system.nodes()[n];
    if (!c.moved[n] || node.count == 0) continue;
    const Vec6<double> twist = math::applyAdjointInverse<double>(at.frames[n], field);
    at.rate.segment(node.firstUnknown, node.count) +=
        change * solveRates(calcFreedoms(node, at.frames[n]), twist);
  }
}

StartGap calcGap(const StartCoordinate& c, const System& system, const State& at) {
  const Frame<double>&A = at.frames[c.first.value], &B = at.frames[c.second.value];
  const Frame<double>&A0 = system.node(c.first).start, &B0 = system.node(c.second).start;
  if (c.guide) return {c.guide->calcPosition(at.frames) - c.start, A.x.norm() + B.x.norm()};
  if (c.turns) {
    const math::Mat3<double> Q = A.R.transpose() * B.R * B0.R.transpose() * A0.R;
    const Vec3<double> twice(Q(2, 1) - Q(1, 2), Q(0, 2) - Q(2, 0), Q(1, 0) - Q(0, 1));
    const double angle = std::atan2(twice.dot(c.axis), Q.trace() - 1.0);
    return {std::remainder(angle - c.start, 2.0 * std::numbers::pi), 1.0};
  }
  const Vec3<double> place = A0.x + A0.R * c.at;
  const Vec3<double> moved = B.x + B.R * B0.R.transpose() * (place - B0.x) - A.x;
  return {(A.R.transpose() * moved - c.at).dot(c.axis) - c.start,
          A.x.norm() + B.x.norm() + place.norm()};
}

bool isFree(const system::Node& node, const Frame<double>& frame, const Vec6<double>& field) {
  const Vec6<double> twist = math::applyAdjointInverse<double>(frame, field);
  const Eigen::MatrixXd A = calcFreedoms(node, frame);
  const Vec6<double> off = A * solveRates(A, twist) - twist;
  const double turn = field.tail<3>().norm();
  return off.head<3>().norm() <= kHeld * (field.head<3>().norm() + turn * frame.x.norm()) &&
         off.tail<3>().norm() <= kHeld * turn;
}

}  // namespace flexloop::model
