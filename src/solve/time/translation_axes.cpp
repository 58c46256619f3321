#include "solve/time/translation_axes.hpp"

#include "system/common_axes.hpp"

namespace flexloop::solve {

using Eigen::VectorXd;
using math::Mat3;
using math::Vec3;

TranslationAxes::TranslationAxes(const system::System& system) {
  for (const auto& set : system.sets()) {
    if (dynamic_cast<const system::CommonAxes*>(set.get()) == nullptr) continue;
    for (int e = 0; e < set->size(); ++e) {
      for (int k = 1; k < set->nodes(e); ++k) {
        const int node = set->node(e, k).value;
        const system::Node& unknowns = system.nodes()[node];
        if (unknowns.map != system::NodeMap::kBody || unknowns.count != 6) continue;
        nodes_.push_back({set->node(e, 0).value, node, unknowns.firstUnknown});
      }
    }
  }
  turns_.assign(nodes_.size(), Mat3<double>::Identity());
}

Mat3<double> TranslationAxes::measure(const system::State& state, const Turning& turning) const {
  return state.frames[turning.firstNode].R.transpose() * state.frames[turning.node].R;
}

VectorXd TranslationAxes::measure(const system::State& state) const {
  VectorXd turns(size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Mat3<double>::Map(turns.data() + 9 * i) = measure(state, nodes_[i]);
  }
  return turns;
}

void TranslationAxes::setTurns(const system::State& state, const VectorXd& then) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Mat3<double> before = Mat3<double>::Map(then.data() + 9 * i);
    turns_[i] = before.transpose() * measure(state, nodes_[i]);
  }
}

void TranslationAxes::toFactors(VectorXd& rhs) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto translation = rhs.segment<3>(nodes_[i].translation);
    translation = Vec3<double>(turns_[i] * translation);
  }
}

void TranslationAxes::fromFactors(VectorXd& x) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto translation = x.segment<3>(nodes_[i].translation);
    translation = Vec3<double>(turns_[i].transpose() * translation);
  }
}

}  // namespace flexloop::solve
