// The force or torque of a spring on its second node (17.3), where the element E of the spring is
// known by type: then the rate of the force is exact too, also as a signal.
#pragma once

#include "mechanics/sensors/measure_makers.hpp"
#include "system/elements.hpp"
#include "system/sensor.hpp"

namespace flexloop::mechanics {

// Nodes: the two ends of the spring, and the one in whose axes components are given.
template <class E>
struct SpringReaction {
  static constexpr int kNodes = 3, kScalars = 0, kComponents = 3;
  static constexpr int kHistory = system::historyOf<E>();

  template <class S>
  struct Parameters {
    typename E::template Parameters<S> spring;
    math::Vec3<S> point;  // about which torques are taken, axes of the second node [m]
    S torque;             // 1 for the torque, 0 for the force
  };

  template <class S, class P>
  static void calc(const Parameters<P>& p, const system::Local<S, 3, 0, kHistory>& u,
                   std::array<S, 3>& result) {
    system::Local<S, 2, 0, kHistory> ends;
    for (int k = 0; k < 2; ++k) {
      ends.frame[k] = u.frame[k];
      ends.twist[k] = u.twist[k];
      ends.twistRate[k] = u.twistRate[k];
    }
    ends.history = u.history;
    ends.time = u.time;
    system::Residual<S, 2, 0> r;
    r.setZero();
    E::template addResidual<S, P>(p.spring, ends, system::Environment{}, r);
    const math::Vec3<S> f = math::firstOf(r.node[1]), m = math::secondOf(r.node[1]);
    const math::Vec3<S> about = math::cross<S>(p.point.template cast<S>(), f) - m;
    const S torque = S(p.torque);
    const math::Vec3<S> b = torque * (about + f) - f;
    const math::Vec3<S> ground = u.frame[1].R * b;
    const math::Vec3<S> g = u.frame[2].R.transpose() * ground;
    for (int i = 0; i < 3; ++i) result[i] = g[i];
  }
};

// Adds the measure if the spring is an E; false if not.
template <class E>
bool addSpringReaction(const system::Item& item, const ReactionPlan& plan,
                       system::Builder& builder) {
  const auto* set = dynamic_cast<const system::Elements<E>*>(plan.spring.set);
  if (set == nullptr) return false;
  const int e = plan.spring.element;
  using Measure = system::MeasureOf<SpringReaction<E>>;
  addVectorMeasure(
      item,
      std::make_unique<Measure>(
          std::array<system::NodeIndex, 3>{set->node(e, 0), set->node(e, 1), plan.axes},
          std::array<system::UnknownIndex, 0>{}, set->historyOffset(e),
          typename Measure::Parameters{set->parameters(e), plan.point, plan.isTorque ? 1.0 : 0.0}),
      builder);
  return true;
}

}  // namespace flexloop::mechanics
