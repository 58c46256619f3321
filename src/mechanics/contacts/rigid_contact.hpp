// A contact without compliance (docs/theory/33_impacts.md): the depth δ of two shapes gives the gap g = −δ of a stop, which is a constraint
// while they touch, and which they hit with an impact. It pushes along the normal; rigid_friction.hpp is across it.
#pragma once

#include "mechanics/contacts/relative_contact.hpp"
#include "mechanics/contacts/stop_reading.hpp"
#include "system/gather.hpp"

namespace flexloop::mechanics {

template <class Shape>
struct RigidContact {
  static constexpr const char* kType = "rigid contact";
  static constexpr const char* kWord = "contact ";
  static constexpr int kNodes = 2, kScalars = 1, kHistory = 1;  // the branch, in kTouchSlot
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    typename Shape::template Parameters<S> shape;
    S restitution;
  };

  static constexpr bool couples(int row, int column) { return row < kNodes || column < kNodes; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 1, kHistory>& u,
                          const system::Environment& environment, system::Residual<S, 2, 1>& r) {
    using math::select;
    const auto at = calcContactPlace<Shape, S>(p.shape, u);
    const auto isTouched = u.history[kTouchSlot] > kAlmostTouched;
    const double k = environment.constraintScale;
    const S gap = -at.touch.depth;
    const S pull =
        select(isTouched, S(k * u.value[0] + environment.constraintPenalty * gap), S(0.0));
    addContactForce<S>(at, at.touch.normal * S(-pull), r);
    r.scalar[0] += select(isTouched, S(k * gap), S(0.0));
  }

  template <class Set>
  static GapReading readGap(const Set& set, int k, const system::Motion& motion) {
    using math::Taylor2;
    const Parameters<double>& p = set.parameters(k);
    const std::array<system::NodeIndex, 2> nodes{set.node(k, 0), set.node(k, 1)};
    const auto local =
        system::gatherLocal<0>(motion, nodes, std::array<system::UnknownIndex, 0>{}, 0);
    system::Local<Taylor2, 2, 0> along;
    system::seedTime(local, along);
    const Taylor2 depth =
        Shape::calc(p.shape, math::relative(along.frame[0], along.frame[1])).depth;
    const auto at = calcContactPlace<Shape, double>(p.shape, local);
    const auto speedOf = [](const math::Vec6<double>& twist, double arm) {
      return twist.head<3>().norm() + arm * twist.tail<3>().norm();
    };
    const double speed =
        speedOf(local.twist[0], at.touch.point.norm()) + speedOf(local.twist[1], at.onB.norm());
    const double place = local.frame[0].x.norm() + local.frame[1].x.norm() + at.touch.point.norm() +
                         at.onB.norm() + p.shape.size;
    return {-depth.value, -depth.first, -depth.second, speed, place};
  }
};

}  // namespace flexloop::mechanics
