#include "system/step_axes.hpp"

#include <cmath>

#include "math/so3.hpp"

namespace flexloop::system {

namespace {

using math::Mat3;

constexpr double kSmallTurn = 0.02;  // rad, of a step

// The three translations of a body twist.
Eigen::Map<Vec3<double>> at(Eigen::VectorXd& x, int first) {
  return Eigen::Map<Vec3<double>>(x.data() + first);
}

Eigen::Map<const Vec3<double>> at(const Eigen::VectorXd& x, int first) {
  return Eigen::Map<const Vec3<double>>(x.data() + first);
}

// The vector with the given components along the translations of a node with other unknowns, and back.
Vec3<double> readVector(const Node& node, const Eigen::VectorXd& x) {
  const double* entries = x.data() + node.firstUnknown;
  Vec3<double> v = Vec3<double>::Zero();
  const int count = node.translations();
  for (int c = 0; c < count; ++c) v += node.columns[c].axis * entries[c];
  return v;
}

void writeVector(const Node& node, const Vec3<double>& v, Eigen::VectorXd& x) {
  double* entries = x.data() + node.firstUnknown;
  const int count = node.translations();
  for (int c = 0; c < count; ++c) entries[c] = node.columns[c].axis.dot(v);
}

bool hasThreeRotations(const Node& node) {
  return node.count >= 3 && node.columns[node.count - 3].rotation;
}

// ω × V
Vec3<double> calcTurnOf(const Node& node, const Eigen::VectorXd& rate) {
  const double* entries = rate.data() + node.firstUnknown;
  Vec3<double> omega = Vec3<double>::Zero();
  for (int c = node.translations(); c < node.count; ++c) {
    omega += node.columns[c].axis * entries[c];
  }
  return math::cross<double>(omega, readVector(node, rate));
}

}  // namespace

StepAxes::StepAxes(const System& system) : system_(system) {
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    const bool isVector = node.isStraight || node.map == NodeMap::kMixed;
    if (isVector && (node.map == NodeMap::kBody || hasThreeRotations(node))) {
      rotations_.push_back(node.firstUnknown + node.count - 3);
    }
    if (node.map == NodeMap::kBody || hasThreeRotations(node)) {
      turning_.push_back(static_cast<int>(i));
    }
    if (!node.isStraight) continue;
    nodes_.push_back({static_cast<int>(i), node.firstUnknown, node.map == NodeMap::kBody});
  }
  E_.assign(nodes_.size(), Mat3<double>::Identity());
}

void StepAxes::setTurns(const State& from, const State& to) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const int i = nodes_[k].index;
    E_[k].noalias() = from.frames[i].R.transpose() * to.frames[i].R;
  }
}

void StepAxes::toStart(Eigen::VectorXd& x) const {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Place& place = nodes_[k];
    if (place.isBody) {
      at(x, place.first) = (E_[k] * at(x, place.first)).eval();
    } else {
      const Node& node = system_.nodes()[place.index];
      writeVector(node, E_[k] * readVector(node, x), x);
    }
  }
}

void StepAxes::toEnd(Eigen::VectorXd& x) const {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Place& place = nodes_[k];
    if (place.isBody) {
      at(x, place.first) = (E_[k].transpose() * at(x, place.first)).eval();
    } else {
      const Node& node = system_.nodes()[place.index];
      writeVector(node, E_[k].transpose() * readVector(node, x), x);
    }
  }
}

void StepAxes::turnUnder(const Eigen::VectorXd& dq, Eigen::VectorXd& x) const {
  for (const int first : rotations_) {
    const Vec3<double> turn = at(dq, first);
    if (turn.squaredNorm() < kSmallTurn * kSmallTurn) continue;
    at(x, first) = (math::expSO3<double>(turn).transpose() * at(x, first)).eval();
  }
}

void StepAxes::applyTangents(const StepIncrement& dq, Eigen::VectorXd& x) const {
  for (const int i : turning_) {
    const Node& node = system_.nodes()[i];
    const int first = node.firstUnknown;
    if (at(dq.total, first + node.count - 3).squaredNorm() < kSmallTurn * kSmallTurn) continue;
    const math::Mat6<double> T =
        calcStepTangent(node, dq.expected.data() + first, dq.total.data() + first);
    math::Vec6<double> changed = math::Vec6<double>::Zero();
    for (int c = 0; c < node.count; ++c) changed += x[first + c] * T.col(c);
    for (int c = 0; c < node.count; ++c) x[first + c] = changed[c];
  }
}

void StepAxes::addTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const {
  addTurnOf(rate, 1.0, acceleration);
}

void StepAxes::removeTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const {
  addTurnOf(rate, -1.0, acceleration);
}

void StepAxes::addTurnOf(const Eigen::VectorXd& rate, double sign,
                         Eigen::VectorXd& acceleration) const {
  for (const Place& place : nodes_) {
    if (place.isBody) {
      at(acceleration, place.first) +=
          sign * math::cross<double>(at(rate, place.first + 3), at(rate, place.first));
    } else {
      const Node& node = system_.nodes()[place.index];
      writeVector(node, readVector(node, acceleration) + sign * calcTurnOf(node, rate),
                  acceleration);
    }
  }
}

}  // namespace flexloop::system
