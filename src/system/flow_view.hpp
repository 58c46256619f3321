// What an element or a measure sees, with time derivatives along the motion: quantities evaluated on
// it come with their exact rates, whatever the scalar type.
#pragma once

#include "math/flow.hpp"
#include "system/local.hpp"

namespace flexloop::system {

// The local view along the motion. Twists have no second derivative, nor have scalars that are no
// motions; measures that need one have no rate.
template <class S, int Nodes, int Scalars, int History>
Local<math::Flow<S>, Nodes, Scalars, History> makeFlow(
    const Local<S, Nodes, Scalars, History>& at) {
  using math::Flow;
  Local<Flow<S>, Nodes, Scalars, History> to;
  for (int k = 0; k < Nodes; ++k) {
    const math::Mat3<S>& R = at.frame[k].R;
    const math::Mat3<S> dR = R * math::skew<S>(math::Vec3<S>(math::secondOf(at.twist[k])));
    const math::Vec3<S> dx = R * math::firstOf(at.twist[k]);
    for (int i = 0; i < 9; ++i) to.frame[k].R.data()[i] = Flow<S>(R.data()[i], dR.data()[i]);
    for (int i = 0; i < 3; ++i) to.frame[k].x[i] = Flow<S>(at.frame[k].x[i], dx[i]);
    for (int i = 0; i < 6; ++i) {
      to.twist[k][i] = Flow<S>(at.twist[k][i], at.twistRate[k][i]);
      to.twistRate[k][i] = Flow<S>(at.twistRate[k][i], S(0.0));
    }
  }
  for (int k = 0; k < Scalars; ++k) {
    to.value[k] = Flow<S>(at.value[k], at.rate[k]);
    to.rate[k] = Flow<S>(at.rate[k], at.acceleration[k]);
    to.acceleration[k] = Flow<S>(at.acceleration[k], S(0.0));
  }
  for (int k = 0; k < History; ++k) to.history[k] = Flow<S>(at.history[k], S(0.0));
  to.time = Flow<S>(at.time, S(1.0));
  return to;
}

}  // namespace flexloop::system
