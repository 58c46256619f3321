// A bushing: stiffness and damping in all six directions of the relative motion
// (docs/theory/08_springs_loads_and_sources.md, section 8.3). In the frames of joint.hpp,
//
//     (8.4)  q = (p; w),  w = log R,   q' = (R η_u; T⁻¹(w) η_w)
//     (8.5)  s = K q + D q',   W = (Rᵀ s_p; T⁻ᵀ(w) s_w)
//
// The wrench is the exact gradient of ½ qᵀKq, so the bushing is conservative for D = 0 at any
// rotation below half a turn, and depends on relative motion only.
#pragma once

#include "mechanics/joints/joint.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

struct Bushing {
  static constexpr const char* kType = "bushing";
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    math::Mat6<S> stiffness, damping;  // along and about the axes of frame 1
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                          const system::Environment&, system::Residual<S, 2, 0>& r) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const math::Vec3<S> w = math::logSO3<S>(relative.R);
    const math::Mat3<S> inverse = math::tangentInverseSO3<S>(w);
    const math::Vec6<S> eta = calcRelativeTwist<S, P>(p.frames, relative, u.twist[0], u.twist[1]);
    const math::Vec6<S> q = math::joined<S>(relative.x, w);
    const math::Vec6<S> rate =
        math::joined<S>(relative.R * math::firstOf(eta), inverse * math::secondOf(eta));
    const math::Vec6<S> s = p.stiffness * q + p.damping * rate;
    const math::Vec6<S> W = math::joined<S>(relative.R.transpose() * math::firstOf(s),
                                            inverse.transpose() * math::secondOf(s));
    addWrench<S, P>(p.frames, relative, W, r.node[0], r.node[1]);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                                    const system::Environment&) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const math::Vec6<S> q = math::joined<S>(relative.x, math::logSO3<S>(relative.R));
    const math::Vec6<S> s = p.stiffness * q;
    return {S(0.0), S(0.5 * q.dot(s))};
  }
};

}  // namespace flexloop::mechanics
