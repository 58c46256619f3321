// Filling an element's Local view: four nodes at once into packs, seeds of directions into duals and flows,
// time derivatives into Taylor numbers.
#pragma once

#include <array>

#include "math/dual.hpp"
#include "math/flow.hpp"
#include "math/pack.hpp"
#include "math/taylor.hpp"
#include "system/element_set.hpp"

namespace flexloop::system {

// The local view of what has these nodes, scalars and history.
template <int History, std::size_t Nodes, std::size_t Scalars>
Local<double, static_cast<int>(Nodes), static_cast<int>(Scalars), History> gatherLocal(
    const Motion& motion, const std::array<NodeIndex, Nodes>& nodes,
    const std::array<UnknownIndex, Scalars>& scalars, int historyOffset) {
  Local<double, static_cast<int>(Nodes), static_cast<int>(Scalars), History> local;
  for (std::size_t k = 0; k < Nodes; ++k) {
    const NodeMotion& node = motion.nodes[nodes[k].value];
    local.frame[k] = node.frame;
    local.twist[k] = node.twist;
    local.twistRate[k] = node.twistRate;
  }
  for (std::size_t k = 0; k < Scalars; ++k) {
    const int unknown = scalars[k].value;
    local.value[k] = motion.value[unknown];
    local.rate[k] = motion.rate[unknown];
    local.acceleration[k] = motion.acceleration[unknown];
  }
  for (int k = 0; k < History; ++k) local.history[k] = motion.history[historyOffset + k];
  local.time = motion.time;
  return local;
}

// Entry i of a node's numbers for four nodes: a transposition.
inline math::Pack gatherLanes(const std::array<const double*, 4>& from, int i) {
  math::Pack p(from[0][i]);
  for (int lane = 1; lane < 4; ++lane) p.set(lane, from[lane][i]);
  return p;
}

template <bool Rate, bool Acceleration>
void gatherNode(const std::array<const NodeMotion*, 4>& nodes, math::Frame<math::Pack>& frame,
                math::Vec6<math::Pack>& twist, math::Vec6<math::Pack>& twistRate) {
  std::array<const double*, 4> R, x;
  for (int lane = 0; lane < 4; ++lane) {
    R[lane] = nodes[lane]->frame.R.data();
    x[lane] = nodes[lane]->frame.x.data();
  }
  for (int i = 0; i < 9; ++i) frame.R.data()[i] = gatherLanes(R, i);
  for (int i = 0; i < 3; ++i) frame.x.data()[i] = gatherLanes(x, i);
  if constexpr (Rate) {
    std::array<const double*, 4> v;
    for (int lane = 0; lane < 4; ++lane) v[lane] = nodes[lane]->twist.data();
    for (int i = 0; i < 6; ++i) twist[i] = gatherLanes(v, i);
  }
  if constexpr (Acceleration) {
    std::array<const double*, 4> a;
    for (int lane = 0; lane < 4; ++lane) a[lane] = nodes[lane]->twistRate.data();
    for (int i = 0; i < 6; ++i) twistRate[i] = gatherLanes(a, i);
  }
}

// A local view with the same numbers and no derivatives.
template <class S, int Nodes, int Scalars, int History>
void lift(const Local<double, Nodes, Scalars, History>& from,
          Local<S, Nodes, Scalars, History>& to) {
  for (int k = 0; k < Nodes; ++k) {
    to.frame[k].R = from.frame[k].R.template cast<S>();
    to.frame[k].x = from.frame[k].x.template cast<S>();
    to.twist[k] = from.twist[k].template cast<S>();
    to.twistRate[k] = from.twistRate[k].template cast<S>();
  }
  for (int k = 0; k < Scalars; ++k) {
    to.value[k] = S(from.value[k]);
    to.rate[k] = S(from.rate[k]);
    to.acceleration[k] = S(from.acceleration[k]);
  }
  for (int k = 0; k < History; ++k) to.history[k] = S(from.history[k]);
  to.time = S(from.time);
}

// Direction d of a scalar that carries several: that of a dual, or a lane of a flow.
template <int W>
void setDerivative(math::Dual<W>& x, int d, double derivative) {
  x.d[d] = derivative;
}
inline void setDerivative(math::Flow<math::Pack>& x, int d, double derivative) {
  x.first.set(d, derivative);
}

// Direction d becomes local freedom j: for a node the increment H·exp(s e_c).
template <class S, int Nodes, int Scalars, int History>
void seedValue(const Local<double, Nodes, Scalars, History>& at, int j, int d,
               Local<S, Nodes, Scalars, History>& to) {
  if (j >= 6 * Nodes) {
    setDerivative(to.value[j - 6 * Nodes], d, 1.0);
    return;
  }
  if constexpr (Nodes > 0) {
    const int k = j / 6;
    const int c = j % 6;
    const math::Mat3<double>& R = at.frame[k].R;
    if (c < 3) {
      for (int i = 0; i < 3; ++i) setDerivative(to.frame[k].x[i], d, R(i, c));
      return;
    }
    const math::Mat3<double> dR = R * math::skew<double>(math::Vec3<double>::Unit(c - 3));
    for (int i = 0; i < 9; ++i) setDerivative(to.frame[k].R.data()[i], d, dR.data()[i]);
  }
}

template <class S, int Nodes, int Scalars, int History>
void seedRate(int j, int d, Local<S, Nodes, Scalars, History>& to) {
  if (j >= 6 * Nodes) {
    setDerivative(to.rate[j - 6 * Nodes], d, 1.0);
  } else if constexpr (Nodes > 0) {
    setDerivative(to.twist[j / 6][j % 6], d, 1.0);
  }
}

template <class S, int Nodes, int Scalars, int History>
void seedAcceleration(int j, int d, Local<S, Nodes, Scalars, History>& to) {
  if (j >= 6 * Nodes) {
    setDerivative(to.acceleration[j - 6 * Nodes], d, 1.0);
  } else if constexpr (Nodes > 0) {
    setDerivative(to.twistRate[j / 6][j % 6], d, 1.0);
  }
}

// Numbers along the motion: R' = Rω̂, R'' = R(ω̂² + ω̂'), x' = Rv, x'' = R(ω×v + v').
template <int Nodes, int Scalars, int History>
void seedTime(const Local<double, Nodes, Scalars, History>& at,
              Local<math::Taylor2, Nodes, Scalars, History>& to) {
  using math::Taylor2;
  for (int k = 0; k < Nodes; ++k) {
    const math::Mat3<double>& R = at.frame[k].R;
    const math::Vec3<double> v = at.twist[k].template head<3>();
    const math::Vec3<double> w = at.twist[k].template tail<3>();
    const math::Mat3<double> W = math::skew<double>(w);
    const math::Mat3<double> dR = R * W;
    const math::Mat3<double> ddR =
        R * (W * W + math::skew<double>(math::Vec3<double>(at.twistRate[k].template tail<3>())));
    const math::Vec3<double> dx = R * v;
    const math::Vec3<double> ddx =
        R * (math::cross<double>(w, v) + math::Vec3<double>(at.twistRate[k].template head<3>()));
    for (int i = 0; i < 9; ++i) {
      to.frame[k].R.data()[i] = Taylor2{R.data()[i], dR.data()[i], ddR.data()[i]};
    }
    for (int i = 0; i < 3; ++i) to.frame[k].x[i] = Taylor2{at.frame[k].x[i], dx[i], ddx[i]};
    for (int i = 0; i < 6; ++i) {
      to.twist[k][i] = Taylor2{at.twist[k][i], at.twistRate[k][i], 0.0};
      to.twistRate[k][i] = Taylor2{at.twistRate[k][i], 0.0, 0.0};
    }
  }
  for (int k = 0; k < Scalars; ++k) {
    to.value[k] = Taylor2{at.value[k], at.rate[k], at.acceleration[k]};
    to.rate[k] = Taylor2{at.rate[k], at.acceleration[k], 0.0};
    to.acceleration[k] = Taylor2{at.acceleration[k], 0.0, 0.0};
  }
  for (int k = 0; k < History; ++k) to.history[k] = Taylor2{at.history[k], 0.0, 0.0};
  to.time = Taylor2{at.time, 1.0, 0.0};
}

}  // namespace flexloop::system
