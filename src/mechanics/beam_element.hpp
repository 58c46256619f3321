// The two-node geometrically exact beam on SE(3) (docs/theory/07_beams.md). With the section frames
// F_A = H_A D_A, F_B = H_B D_B and the relative motion d,
//
//     F_A⁻¹F_B = exp(d),   F(s) = F_A exp(s d),   ε = d/L − ε0,                                 (7.1)
//     d' = T⁻¹(d) v_B − T⁻¹(−d) v_A,                                                            (7.2)
//     σ = C (ε + η ε'),     f_B = T⁻ᵀ(d) σ,   f_A = −T⁻ᵀ(−d) σ.                                  (7.3)
//
// Strains and forces are (axial, shear y, shear z, torsion, bending y, bending z). The interpolation
// holds every state of constant strain exactly, so the element neither locks nor needs reduced
// integration.
//
// Consistent inertia takes the kinetic energy at A, B and the middle m with weights 1/6, 1/6, 4/6 of
// the length. The middle's twist follows exactly from (7.1),
//
//     v_m = ½(v_A + v_B) + ½ tanh(ad_d/4)(v_B − v_A),                                           (7.6)
//
// so that every rigid motion of a deformed element has its exact energy and momentum.
#pragma once

#include "math/rotation_coefficients.hpp"
#include "math/se3.hpp"
#include "mechanics/half_tangent.hpp"
#include "system/element_set.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

enum class BeamInertia { kNone, kConsistent };

template <BeamInertia kInertia>
struct BeamElement {
  static constexpr const char* kType = "beam";
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr bool kUsesRate = true;
  static constexpr bool kUsesAcceleration = kInertia == BeamInertia::kConsistent;

  template <class S>
  struct Parameters {
    S length;
    S damping;                 // η of (7.3), seconds
    math::Mat3<S> D_A, D_B;    // section axes in node axes
    math::Vec6<S> strain0;     // of the unloaded shape
    math::Mat6<S> stiffness;   // C
    math::Mat6<S> mass;        // per length, section axes
  };

  template <class S>
  struct Ends {
    math::Frame<S> F_A, F_B;
    math::Vec6<S> v_A, v_B;
    math::Vec6<S> d, ddot;
  };

  template <class S, class P>
  static Ends<S> calcEnds(const Parameters<P>& p, const system::Local<S, 2, 0>& u) {
    Ends<S> ends;
    ends.F_A = {u.frame[0].R * p.D_A, u.frame[0].x};
    ends.F_B = {u.frame[1].R * p.D_B, u.frame[1].x};
    ends.v_A = toSection<S, P>(p.D_A, u.twist[0]);
    ends.v_B = toSection<S, P>(p.D_B, u.twist[1]);
    ends.d = math::logSE3<S>(math::relative(ends.F_A, ends.F_B));
    ends.ddot = math::applyTangentInverse<S>(ends.d, ends.v_B) -
                math::applyTangentInverse<S>(-ends.d, ends.v_A);
    return ends;
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                          const system::Environment& environment, system::Residual<S, 2, 0>& r) {
    const Ends<S> ends = calcEnds<S, P>(p, u);
    const math::Vec6<S> strain = (ends.d + p.damping * ends.ddot) / p.length - p.strain0;
    const math::Vec6<S> sigma = p.stiffness * strain;
    math::Vec6<S> f_A = -math::applyTangentInverseTransposed<S>(-ends.d, sigma);
    math::Vec6<S> f_B = math::applyTangentInverseTransposed<S>(ends.d, sigma);
    if constexpr (kInertia == BeamInertia::kConsistent) {
      addInertia<S, P>(p, u, environment, ends, f_A, f_B);
    }
    r.node[0] += fromSection<S, P>(p.D_A, f_A);
    r.node[1] += fromSection<S, P>(p.D_B, f_B);
  }

  static system::Energy energy(const Parameters<double>& p, const system::Local<double, 2, 0>& u,
                               const system::Environment& environment);

 private:
  template <class S, class P>
  static math::Vec6<S> toSection(const math::Mat3<P>& D, const math::Vec6<S>& v) {
    return math::joined<S>(D.transpose() * math::firstOf(v), D.transpose() * math::secondOf(v));
  }
  template <class S, class P>
  static math::Vec6<S> fromSection(const math::Mat3<P>& D, const math::Vec6<S>& f) {
    return math::joined<S>(D * math::firstOf(f), D * math::secondOf(f));
  }

  // 𝕄(a − (Rᵀg; 0)) − v̂ᵀ𝕄v for one point, times its share of the length.
  template <class S, class P>
  static math::Vec6<S> pointInertia(const math::Mat6<P>& mass, const math::Mat3<S>& R,
                                    const math::Vec3<S>& gravity, const math::Vec6<S>& v,
                                    math::Vec6<S> a, const S& share) {
    a.template head<3>() -= R.transpose() * gravity;
    const math::Vec6<S> momentum = mass * v;
    return share * (mass * a - math::coBracket<S>(v, momentum));
  }

  template <class S, class P>
  static void addInertia(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                         const system::Environment& environment, const Ends<S>& ends,
                         math::Vec6<S>& f_A, math::Vec6<S>& f_B) {
    const math::Vec6<S> a_A = toSection<S, P>(p.D_A, u.twistRate[0]);
    const math::Vec6<S> a_B = toSection<S, P>(p.D_B, u.twistRate[1]);
    const HalfTangent<S> half(ends.d);
    const math::Vec6<S> dv = ends.v_B - ends.v_A;
    const math::Vec6<S> v_m = 0.5 * (ends.v_A + ends.v_B + half.apply(dv));
    const math::Vec6<S> a_m =
        0.5 * (a_A + a_B + half.apply(a_B - a_A) + half.applyRate(ends.ddot, dv));
    const math::Vec3<S> halfRotation = 0.5 * math::secondOf(ends.d);
    const math::Mat3<S> R_m = ends.F_A.R * math::expSO3<S>(halfRotation);
    const math::Vec3<S> gravity = environment.gravity.template cast<S>();
    const S sixth = S(p.length * (1.0 / 6.0));
    f_A += pointInertia<S, P>(p.mass, ends.F_A.R, gravity, ends.v_A, a_A, sixth);
    f_B += pointInertia<S, P>(p.mass, ends.F_B.R, gravity, ends.v_B, a_B, sixth);
    const math::Vec6<S> f_m =
        pointInertia<S, P>(p.mass, R_m, gravity, v_m, a_m, S(2.0 * sixth));  // times the ½ of (7.6)
    const math::Vec6<S> transferred = half.applyTransposed(f_m);
    f_A += f_m - transferred;
    f_B += f_m + transferred;
  }
};

}  // namespace flexloop::mechanics
