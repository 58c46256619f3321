// Mass-proportional damping of beams, the first part of Rayleigh's C = a M + b K (docs/theory/07_beams.md, section 7.9):
// forces a M v with the same mass matrix as the inertia, lumped at the nodes or consistent by (7.11). It acts on velocities
// in ground, those of rigid motions too.
//
//     (7.36)  lumped: r = a 𝕄 v
//     (7.37)  consistent: r_A = a L/6 𝕄 v_A + r_m − τᵀ r_m,   r_B = a L/6 𝕄 v_B + r_m + τᵀ r_m,   r_m = a L/3 𝕄 v_m
#pragma once

#include "math/se3.hpp"
#include "mechanics/beams/beam_maker.hpp"
#include "mechanics/beams/half_tangent.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

struct NodeMassDamping {
  static constexpr const char* kType = "mass damping of a node";
  static constexpr int kNodes = 1, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    math::Mat6<S> damping;  // a 𝕄, node axes
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 1, 0>& u,
                          const system::Environment&, system::Residual<S, 1, 0>& r) {
    r.node[0] += p.damping * u.twist[0];
  }
};

struct BeamMassDamping {
  static constexpr const char* kType = "mass damping of a beam";
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    math::Mat3<S> D_A, D_B;  // section axes in node axes
    math::Mat6<S> damping;   // a L/6 𝕄, section axes
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                          const system::Environment&, system::Residual<S, 2, 0>& r) {
    const math::Frame<S> F_A{u.frame[0].R * p.D_A, u.frame[0].x};
    const math::Frame<S> F_B{u.frame[1].R * p.D_B, u.frame[1].x};
    const math::Vec6<S> v_A = toSection<S, P>(p.D_A, u.twist[0]);
    const math::Vec6<S> v_B = toSection<S, P>(p.D_B, u.twist[1]);
    const HalfTangent<S> half(math::logSE3<S>(math::relative(F_A, F_B)));
    const math::Vec6<S> dv = v_B - v_A;
    const math::Vec6<S> v_m = 0.5 * (v_A + v_B + half.apply(dv));
    // Four sixths, times the ½ of (7.11).
    const math::Vec6<S> r_m = 2.0 * (p.damping * v_m);
    const math::Vec6<S> transferred = half.applyTransposed(r_m);
    const math::Vec6<S> r_A = p.damping * v_A + r_m - transferred;
    const math::Vec6<S> r_B = p.damping * v_B + r_m + transferred;
    r.node[0] += fromSection<S, P>(p.D_A, r_A);
    r.node[1] += fromSection<S, P>(p.D_B, r_B);
  }

 private:
  template <class S, class P>
  static math::Vec6<S> toSection(const math::Mat3<P>& D, const math::Vec6<S>& v) {
    return math::joined<S>(D.transpose() * math::firstOf(v), D.transpose() * math::secondOf(v));
  }
  template <class S, class P>
  static math::Vec6<S> fromSection(const math::Mat3<P>& D, const math::Vec6<S>& f) {
    return math::joined<S>(D * math::firstOf(f), D * math::secondOf(f));
  }
};

// `damping` of a beam: the time of its stiffness-proportional part, and the rate of its mass-proportional part [1/s].
double stiffnessDampingOf(const system::Item& beam);
double massDampingOf(const system::Item& beam);

// For a beam whose nodes and inertia have been made.
void addMassDamping(const system::Item& item, const BeamPlan& plan,
                    const std::vector<BeamNode>& nodes, system::Builder& builder);

}  // namespace flexloop::mechanics
