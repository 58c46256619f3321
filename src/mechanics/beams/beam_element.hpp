// The two-node geometrically exact beam on SE(3) (docs/theory/07_beams.md). With the section frames
// F_A = H_A D_A, F_B = H_B D_B and the relative motion d,
//
//     F_A⁻¹F_B = exp(d),   F(s) = F_A exp(s d),   ε = d/L − ε0,                                 (7.1)
//     d' = T⁻¹(d) v_B − T⁻¹(−d) v_A,                                                            (7.2)
//     σ = C (ε + η ε'),     f_B = T⁻ᵀ(d) σ,   f_A = −T⁻ᵀ(−d) σ.                                  (7.3)
//
// Strains and forces are (axial, shear y, shear z, torsion, bending y, bending z). The interpolation
// holds every state of constant strain exactly, so the element neither locks nor needs reduced
// integration. Linear moments enter by C_e in place of C (7.5) and by the strains of the mean section
// in place of ε (7.7), which carries the axial force.
//
// Consistent inertia takes the kinetic energy at A, B and the middle m with weights 1/6, 1/6, 4/6 of
// the length. The middle's twist follows exactly from (7.1),
//
//     v_m = ½(v_A + v_B) + ½ tanh(ad_d/4)(v_B − v_A),                                           (7.11)
//
// so that no rigid motion changes it, and translations of a deformed element have their exact energy
// and momentum.
#pragma once

#include "math/rotation_coefficients.hpp"
#include "math/se3.hpp"
#include "mechanics/beams/half_tangent.hpp"
#include "mechanics/bodies/inertia.hpp"
#include "mechanics/sections/mean_section.hpp"
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
  static constexpr bool kHasSections = true;

  template <class S>
  struct Parameters {
    S length;
    S damping;                // η of (7.3), seconds
    math::Mat3<S> D_A, D_B;   // section axes in node axes
    math::Vec6<S> strain0;    // of the unloaded shape
    math::Mat6<S> stiffness;  // C_e
    SectionTurn<S> turn;      // of the mean section
    math::Mat6<S> mass;       // per length, section axes
  };

  // What the forces depend on, in section axes; gravity as felt by each end.
  template <class S>
  struct Ends {
    math::Vec6<S> v_A, v_B, a_A, a_B;
    math::Vec3<S> g_A, g_B;
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                          const system::Environment& environment, system::Residual<S, 2, 0>& r) {
    const math::Frame<S> F_A{u.frame[0].R * p.D_A, u.frame[0].x};
    const math::Frame<S> F_B{u.frame[1].R * p.D_B, u.frame[1].x};
    const Ends<S> ends = calcEnds<S, P>(p, u, environment, F_A, F_B);
    math::Vec6<S> f_A, f_B;
    calcForces<S, P>(p, math::logSE3<S>(math::relative(F_A, F_B)), ends, f_A, f_B);
    r.node[0] += fromSection<S, P>(p.D_A, f_A);
    r.node[1] += fromSection<S, P>(p.D_B, f_B);
  }

  static void calcTangents(const Parameters<double>& p, const system::Local<double, 2, 0>& u,
                           const system::Environment& environment, system::Tangents& t);

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                                    const system::Environment& environment) {
    const math::Frame<S> F_A{u.frame[0].R * p.D_A, u.frame[0].x};
    const math::Frame<S> F_B{u.frame[1].R * p.D_B, u.frame[1].x};
    const math::Vec6<S> d = math::logSE3<S>(math::relative(F_A, F_B));
    const MeanSection<S, P> mean(p.turn, p.strain0, d / p.length);
    const math::Vec6<S> sigma = p.stiffness * mean.strain();
    system::EnergyOf<S> energy;
    energy.potential = 0.5 * p.length *
                       (mean.strain().dot(sigma) + p.turn.stiffness * mean.slack() * mean.slack());
    if constexpr (kInertia == BeamInertia::kConsistent) {
      const math::Vec6<S> v_A = toSection<S, P>(p.D_A, u.twist[0]);
      const math::Vec6<S> v_B = toSection<S, P>(p.D_B, u.twist[1]);
      const math::Vec6<S> dv = v_B - v_A, half_d = 0.5 * d;
      const math::Vec6<S> v_m = 0.5 * (v_A + v_B + HalfTangent<S>(d).apply(dv));
      const math::Frame<S> F_m = math::compose(F_A, math::expSE3<S>(half_d));
      const S sixth = S(p.length * (1.0 / 6.0));
      energy += sixth * calcInertiaEnergy<S, P>(p.mass, F_A, v_A, environment);
      energy += S(4.0 * sixth) * calcInertiaEnergy<S, P>(p.mass, F_m, v_m, environment);
      energy += sixth * calcInertiaEnergy<S, P>(p.mass, F_B, v_B, environment);
    }
    return energy;
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

  template <class S, class P>
  static Ends<S> calcEnds(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                          const system::Environment& environment, const math::Frame<S>& F_A,
                          const math::Frame<S>& F_B) {
    Ends<S> ends;
    ends.v_A = toSection<S, P>(p.D_A, u.twist[0]);
    ends.v_B = toSection<S, P>(p.D_B, u.twist[1]);
    if constexpr (kInertia == BeamInertia::kConsistent) {
      ends.a_A = toSection<S, P>(p.D_A, u.twistRate[0]);
      ends.a_B = toSection<S, P>(p.D_B, u.twistRate[1]);
      const math::Vec3<S> gravity = environment.gravity.template cast<S>();
      ends.g_A = F_A.R.transpose() * gravity;
      ends.g_B = F_B.R.transpose() * gravity;
    }
    return ends;
  }

  // The forces as a function of the relative motion d; the tangents differentiate this.
  template <class S, class P>
  static void calcForces(const Parameters<P>& p, const math::Vec6<S>& d, const Ends<S>& ends,
                         math::Vec6<S>& f_A, math::Vec6<S>& f_B) {
    const math::Vec6<S> ddot =
        math::applyTangentInverse<S>(d, ends.v_B) - math::applyTangentInverse<S>(-d, ends.v_A);
    const MeanSection<S, P> mean(p.turn, p.strain0, d / p.length);
    const math::Vec6<S> damped = ddot * P(p.damping / p.length);
    const math::Vec6<S> sigma =
        mean.applyTransposed(p.stiffness * (mean.strain() + mean.apply(damped)),
                             p.turn.stiffness * (mean.slack() + mean.applySlack(damped)));
    f_A = -math::applyTangentInverseTransposed<S>(-d, sigma);
    f_B = math::applyTangentInverseTransposed<S>(d, sigma);
    if constexpr (kInertia == BeamInertia::kConsistent) {
      addInertia<S, P>(p, d, ddot, ends, f_A, f_B);
    }
  }

  // 𝕄(a − (g; 0)) − v̂ᵀ𝕄v for one point, times its share of the length.
  template <class S, class P>
  static math::Vec6<S> pointInertia(const math::Mat6<P>& mass, const math::Vec3<S>& gravity,
                                    const math::Vec6<S>& v, math::Vec6<S> a, const P& share) {
    a.template head<3>() -= gravity;
    return share * calcInertiaForce<S, P>(mass, v, a);
  }

  template <class S, class P>
  static void addInertia(const Parameters<P>& p, const math::Vec6<S>& d, const math::Vec6<S>& ddot,
                         const Ends<S>& ends, math::Vec6<S>& f_A, math::Vec6<S>& f_B) {
    const HalfTangent<S> half(d);
    const math::Vec6<S> dv = ends.v_B - ends.v_A;
    const math::Vec6<S> v_m = 0.5 * (ends.v_A + ends.v_B + half.apply(dv));
    const math::Vec6<S> a_m =
        0.5 * (ends.a_A + ends.a_B + half.apply(ends.a_B - ends.a_A) + half.applyRate(ddot, dv));
    const math::Vec3<S> minusHalfRotation = -0.5 * math::secondOf(d);
    const math::Vec3<S> g_m = math::expSO3<S>(minusHalfRotation) * ends.g_A;
    const P sixth = P(p.length * (1.0 / 6.0));
    f_A += pointInertia<S, P>(p.mass, ends.g_A, ends.v_A, ends.a_A, sixth);
    f_B += pointInertia<S, P>(p.mass, ends.g_B, ends.v_B, ends.a_B, sixth);
    // Four sixths, times the ½ of (7.11).
    const math::Vec6<S> f_m = pointInertia<S, P>(p.mass, g_m, v_m, a_m, P(2.0 * sixth));
    const math::Vec6<S> transferred = half.applyTransposed(f_m);
    f_A += f_m - transferred;
    f_B += f_m + transferred;
  }
};

}  // namespace flexloop::mechanics
