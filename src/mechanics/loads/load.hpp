// A force and a torque on a node (docs/theory/08_springs_loads_and_sources.md, section 8.4):
//
//     (8.6)  r = −s γ (Rᵀf; Rᵀm)  in ground axes,   r = −s γ (f; m)  in body axes
//
// with the signal s and the load factor γ of load stepping.
#pragma once

#include "math/se3.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

enum class LoadAxes { kGround, kBody };

template <LoadAxes kAxes, bool kHasSignal>
struct Load {
  static constexpr const char* kType = kAxes == LoadAxes::kGround ? "load" : "follower load";
  static constexpr int kNodes = 1, kScalars = kHasSignal ? 1 : 0;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    math::Vec3<S> force, torque;  // N, N·m
  };

  // Nothing acts back on the signal.
  static constexpr bool couples(int row, int) { return row == 0; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 1, kScalars>& u,
                          const system::Environment& environment,
                          system::Residual<S, 1, kScalars>& r) {
    math::Vec3<S> force = p.force.template cast<S>(), torque = p.torque.template cast<S>();
    if constexpr (kAxes == LoadAxes::kGround) {
      force = (u.frame[0].R.transpose() * force).eval();
      torque = (u.frame[0].R.transpose() * torque).eval();
    }
    S factor = S(environment.loadFactor);
    if constexpr (kHasSignal) factor = factor * u.value[0];
    r.node[0] -= factor * math::joined<S>(force, torque);
  }
};

}  // namespace flexloop::mechanics
