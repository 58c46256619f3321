#include "system/step_axes.hpp"

#include <array>
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

Vec3<double> readRotation(const Node& node, const Eigen::VectorXd& x) {
  const double* entries = x.data() + node.firstUnknown;
  Vec3<double> omega = Vec3<double>::Zero();
  for (int c = node.translations(); c < node.count; ++c) {
    omega += node.columns[c].axis * entries[c];
  }
  return omega;
}

Vec3<double> axisOf(const Node& node, int freedom) {
  return node.map == NodeMap::kBody ? Vec3<double>(Vec3<double>::Unit(freedom % 3))
                                    : node.columns[freedom].axis;
}

// How far the mass matrix may couple translations otherwise than that of a body does.
constexpr double kCouplingDigits = 1e-12;

// m c × e_r is what the rotation r has in the rows of the translations. Zero if the node is no body of its own.
Vec3<double> findCentre(const Node& node, const linalg::SparseMatrix& M) {
  const int first = node.firstUnknown, rotations = node.translations();
  Mat3<double> moment = Mat3<double>::Zero();  // columns m e_r × c
  Vec3<double> mass = Vec3<double>::Zero();
  std::array<Vec3<double>, 3> axes;
  for (int c = 0; c < node.count; ++c) {
    for (linalg::SparseMatrix::InnerIterator entry(M, first + c); entry; ++entry) {
      const int row = static_cast<int>(entry.row()) - first;
      if (entry.value() == 0.0) continue;
      if (row < 0 || row >= node.count) return Vec3<double>::Zero();
      if (row >= rotations) continue;
      if (c >= rotations) {
        moment.col(c - rotations) += entry.value() * axisOf(node, row);
      } else if (row == c) {
        mass[c] = entry.value();
      }
    }
    if (c >= rotations) axes[c - rotations] = axisOf(node, c);
  }
  const double m = mass[0];
  for (int c = 1; c < rotations; ++c) {
    if (std::abs(mass[c] - m) > kCouplingDigits * m) return Vec3<double>::Zero();
  }
  if (!(m > 0.0)) return Vec3<double>::Zero();
  // Σ (e × c) × e = 2 c for three rotations, and c across the axis for one.
  Vec3<double> centre = Vec3<double>::Zero();
  const int count = node.count - rotations;
  for (int r = 0; r < count; ++r) centre += math::cross<double>(moment.col(r), axes[r]) / m;
  return count == 3 ? Vec3<double>(0.5 * centre) : centre;
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

void StepAxes::setCentres(const linalg::SparseMatrix& M) {
  std::vector<Vec3<double>> centres(system_.nodes().size(), Vec3<double>::Zero());
  for (const Place& place : nodes_) {
    const Node& node = system_.nodes()[place.index];
    const int rotations = node.count - node.translations();
    if (rotations == 1 || rotations == 3) centres[place.index] = findCentre(node, M);
  }
  setCentres(centres);
}

void StepAxes::setCentres(const std::vector<Vec3<double>>& centres) {
  shifted_.clear();
  centres_ = centres;
  if (centres.empty()) return;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (!centres[nodes_[k].index].isZero(0.0)) shifted_.push_back(static_cast<int>(k));
  }
  if (shifted_.empty()) centres_.clear();
}

void StepAxes::setTurns(const State& from, State& to) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const int i = nodes_[k].index;
    E_[k].noalias() = from.frames[i].R.transpose() * to.frames[i].R;
  }
  for (const int k : shifted_) {
    const int i = nodes_[k].index;
    to.frames[i].x += from.frames[i].R * (centres_[i] - E_[k] * centres_[i]);
  }
}

void StepAxes::shift(Eigen::VectorXd& x, double sign) const {
  for (const int k : shifted_) {
    const Place& place = nodes_[k];
    const Vec3<double>& centre = centres_[place.index];
    if (place.isBody) {
      at(x, place.first) += sign * math::cross<double>(at(x, place.first + 3), centre);
    } else {
      const Node& node = system_.nodes()[place.index];
      writeVector(
          node, readVector(node, x) + sign * math::cross<double>(readRotation(node, x), centre), x);
    }
  }
}

void StepAxes::toStart(Eigen::VectorXd& x) const {
  shift(x, 1.0);
  turnToStart(x);
}

void StepAxes::toEnd(Eigen::VectorXd& x) const {
  turnToEnd(x);
  shift(x, -1.0);
}

void StepAxes::turnToStart(Eigen::VectorXd& x) const {
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

void StepAxes::turnToEnd(Eigen::VectorXd& x) const {
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
    const math::Mat6<double> T = calcStepTangent(node, i, dq);
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
    const Node& node = system_.nodes()[place.index];
    const Vec3<double> omega =
        place.isBody ? Vec3<double>(at(rate, place.first + 3)) : readRotation(node, rate);
    Vec3<double> v = place.isBody ? Vec3<double>(at(rate, place.first)) : readVector(node, rate);
    if (!centres_.empty()) v += math::cross<double>(omega, centres_[place.index]);
    const Vec3<double> turn = sign * math::cross<double>(omega, v);
    if (place.isBody) {
      at(acceleration, place.first) += turn;
    } else {
      writeVector(node, readVector(node, acceleration) + turn, acceleration);
    }
  }
}

}  // namespace flexloop::system
