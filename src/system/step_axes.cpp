#include "system/step_axes.hpp"

namespace flexloop::system {
namespace {

using math::Mat3;

// The vector with the given components along the node's translations, and back. Nodes that move freely need none of this:
// their unknowns are the components.
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
    if (!node.isStraight) continue;
    nodes_.push_back({static_cast<int>(i), node.firstUnknown, node.map == NodeMap::kBody});
  }
  E_.assign(nodes_.size(), Mat3<double>::Identity());
}

void StepAxes::setTurns(const State& from, const State& to) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const int i = nodes_[k].index;
    E_[k] = from.frames[i].R.transpose().lazyProduct(to.frames[i].R);
  }
}

// Calls change(k, V) with the translations of each node.
template <class Change>
void StepAxes::forEach(Eigen::VectorXd& x, Change change) const {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].isBody) {
      Eigen::Map<Vec3<double>> V(x.data() + nodes_[k].firstUnknown);
      V = change(k, Vec3<double>(V));
    } else {
      const Node& node = system_.nodes()[nodes_[k].index];
      writeVector(node, change(k, readVector(node, x)), x);
    }
  }
}

void StepAxes::toStart(Eigen::VectorXd& x) const {
  forEach(x, [&](std::size_t k, const Vec3<double>& V) -> Vec3<double> {
    return E_[k].lazyProduct(V);
  });
}

void StepAxes::toEnd(Eigen::VectorXd& x) const {
  forEach(x, [&](std::size_t k, const Vec3<double>& V) -> Vec3<double> {
    return E_[k].transpose().lazyProduct(V);
  });
}

Vec3<double> StepAxes::turnOf(std::size_t k, const Eigen::VectorXd& rate) const {
  if (!nodes_[k].isBody) return calcTurnOf(system_.nodes()[nodes_[k].index], rate);
  const double* entries = rate.data() + nodes_[k].firstUnknown;
  const Vec3<double> V(entries[0], entries[1], entries[2]);
  const Vec3<double> omega(entries[3], entries[4], entries[5]);
  return math::cross<double>(omega, V);
}

void StepAxes::addTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const {
  forEach(acceleration, [&](std::size_t k, const Vec3<double>& V) -> Vec3<double> {
    return V + turnOf(k, rate);
  });
}

void StepAxes::removeTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const {
  forEach(acceleration, [&](std::size_t k, const Vec3<double>& V) -> Vec3<double> {
    return V - turnOf(k, rate);
  });
}

}  // namespace flexloop::system
