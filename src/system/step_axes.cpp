#include "system/step_axes.hpp"

namespace flexloop::system {
namespace {

using math::Mat3;

// The vector with the given components along the node's translations, and back.
Vec3<double> readVector(const Node& node, const Eigen::VectorXd& x) {
  const double* entries = x.data() + node.firstUnknown;
  if (node.map == NodeMap::kBody) return Eigen::Map<const Vec3<double>>(entries);
  Vec3<double> v = Vec3<double>::Zero();
  const int count = node.translations();
  for (int c = 0; c < count; ++c) v += node.columns[c].axis * entries[c];
  return v;
}

void writeVector(const Node& node, const Vec3<double>& v, Eigen::VectorXd& x) {
  double* entries = x.data() + node.firstUnknown;
  if (node.map == NodeMap::kBody) {
    for (int i = 0; i < 3; ++i) entries[i] = v[i];
    return;
  }
  const int count = node.translations();
  for (int c = 0; c < count; ++c) entries[c] = node.columns[c].axis.dot(v);
}

// ω × V
Vec3<double> calcTurnOf(const Node& node, const Eigen::VectorXd& rate) {
  const double* entries = rate.data() + node.firstUnknown;
  Vec3<double> omega = Vec3<double>::Zero();
  if (node.map == NodeMap::kBody) {
    omega = Eigen::Map<const Vec3<double>>(entries + 3);
  } else {
    for (int c = node.translations(); c < node.count; ++c) {
      omega += node.columns[c].axis * entries[c];
    }
  }
  return math::cross<double>(omega, readVector(node, rate));
}

}  // namespace

StepAxes::StepAxes(const System& system) : system_(system) {
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    if (system.nodes()[i].isStraight) nodes_.push_back(static_cast<int>(i));
  }
  E_.assign(nodes_.size(), Mat3<double>::Identity());
}

void StepAxes::setTurns(const State& from, const State& to) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    E_[k].noalias() = from.frames[nodes_[k]].R.transpose() * to.frames[nodes_[k]].R;
  }
}

void StepAxes::toStart(Eigen::VectorXd& x) const {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = system_.nodes()[nodes_[k]];
    writeVector(node, E_[k] * readVector(node, x), x);
  }
}

void StepAxes::toEnd(Eigen::VectorXd& x) const {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = system_.nodes()[nodes_[k]];
    writeVector(node, E_[k].transpose() * readVector(node, x), x);
  }
}

void StepAxes::addTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const {
  for (const int i : nodes_) {
    const Node& node = system_.nodes()[i];
    writeVector(node, readVector(node, acceleration) + calcTurnOf(node, rate), acceleration);
  }
}

void StepAxes::removeTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const {
  for (const int i : nodes_) {
    const Node& node = system_.nodes()[i];
    writeVector(node, readVector(node, acceleration) - calcTurnOf(node, rate), acceleration);
  }
}

}  // namespace flexloop::system
