// The two kinds of roads: a plane, and a plane with a height and a slope that signals give.
#pragma once

#include "mechanics/tyres/tyre_patch.hpp"

namespace flexloop::mechanics {

struct PlaneRoad {
  static constexpr int kSignals = 0;

  template <class S, class P, class Local>
  static WheelPlace<S> place(const WheelOnRoad<P>& p, const Local& u, int) {
    return calcPlace<S, P>(p, math::relative(u.frame[0], u.frame[1]));
  }
};

// The signals are scalars of the element, from `first` on.
struct UnevenRoad {
  static constexpr int kSignals = 2;

  template <class S, class P, class Local>
  static WheelPlace<S> place(const WheelOnRoad<P>& p, const Local& u, int first) {
    const RoadHeight<S> road{u.value[first], u.value[first + 1]};
    return calcPlace<S, P>(p, math::relative(u.frame[0], u.frame[1]), road);
  }
};

}  // namespace flexloop::mechanics
