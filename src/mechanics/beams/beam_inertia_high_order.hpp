// Consistent inertia of beams of order p = 2, 3 (docs/theory/07_beams.md, section 7.5). The kinetic energy is
// taken at p + 1 Gauss points, with the exact twist of the frame F = F_r exp(w) of (7.17),
//
//     ζ_i = T⁻¹(d_i)(v_i − v_r),   v(ξ) = v_r + T(w) Σ N_i ζ_i,                            (7.23)
//     d_i' = ζ_i + ad_{d_i} v_r,   ζ_i' = T⁻¹(d_i)(v_i' − v_r' − DT(d_i)[d_i'] ζ_i),       (7.25)
//     v' = v_r' + T(w) Σ N_i ζ_i' + DT(w)[w'] Σ N_i ζ_i.                                   (7.26)
//
// The force φ_q of (5.1) at the point q, times its weight, goes to the nodes by the transpose of (7.23),
//
//     f_i = T⁻ᵀ(d_i) Σ_q N_i T(w)ᵀφ_q,   f_r = Σ_q φ_q − Σ f_i.                            (7.27)
//
// An element of its own beside that of the strains: beams with lumped inertia do not pay for it.
#pragma once

#include "mechanics/beams/beam_high_order.hpp"
#include "mechanics/bodies/inertia.hpp"

namespace flexloop::mechanics {

template <int p>
struct BeamInertiaHighOrder {
  static constexpr const char* kType = "beam";
  static constexpr int kNodes = p + 1, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = true;
  static constexpr int kReference = p / 2;
  // Exact to degree 2p + 1, and the energy of a straight element is of degree 2p.
  static constexpr int kPoints = p + 1;
  static constexpr auto kGauss = math::gaussPoints<kPoints>();
  static constexpr std::array<math::Lagrange<p + 1>, kPoints> kShapes = [] {
    std::array<math::Lagrange<p + 1>, kPoints> shapes{};
    for (int q = 0; q < kPoints; ++q) {
      shapes[q] = math::calcLagrange<p + 1>(math::lobattoPoints<p + 1>().points, kGauss.points[q]);
    }
    return shapes;
  }();

  template <class S>
  struct Parameters {
    S length;
    math::Mat3<S> D_A, D_B;  // section axes in the axes of the end nodes
    math::Mat6<S> mass;      // per length, section axes
  };
  template <class S>
  using ByNode = std::array<math::Vec6<S>, p + 1>;

  // What the forces depend on, in section axes.
  template <class S>
  struct Motion {
    ByNode<S> d, v, a;
    math::Vec3<S> gravity;  // in the axes of the reference node
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& parameters, const system::Local<S, kNodes, 0>& u,
                          const system::Environment& environment,
                          system::Residual<S, kNodes, 0>& residual) {
    const ByNode<S> f = calcForces<S, P>(parameters, calcMotion<S, P>(parameters, u, environment));
    for (int i = 1; i < p; ++i) residual.node[i] += f[i];
    residual.node[0] += rotated<S, P>(parameters.D_A, f[0]);
    residual.node[p] += rotated<S, P>(parameters.D_B, f[p]);
  }

  static void calcTangents(const Parameters<double>& parameters,
                           const system::Local<double, kNodes, 0>& u,
                           const system::Environment& environment, system::Tangents& tangents);

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& parameters,
                                    const system::Local<S, kNodes, 0>& u,
                                    const system::Environment& environment) {
    const auto motion = calcBeamMotion<p, S, P>(parameters.D_A, parameters.D_B, u);
    const ByNode<S> zeta = calcZeta<S>(motion.d, motion.v);
    system::EnergyOf<S> energy;
    for (int q = 0; q < kPoints; ++q) {
      const auto& N = kShapes[q].value;
      const math::Vec6<S> w = combine<S>(N, motion.d);
      const math::Vec6<S> v = motion.v[kReference] + math::applyTangent<S>(w, combine<S>(N, zeta));
      // Only end nodes have axes of their own, and the reference node is none.
      const math::Frame<S> F = math::compose(u.frame[kReference], math::expSE3<S>(w));
      const S share = S((0.5 * kGauss.weights[q]) * parameters.length);
      energy += share * calcInertiaEnergy<S, P>(parameters.mass, F, v, environment);
    }
    return energy;
  }

  template <class S, class P>
  static Motion<S> calcMotion(const Parameters<P>& parameters, const system::Local<S, kNodes, 0>& u,
                              const system::Environment& environment) {
    const auto beam = calcBeamMotion<p, S, P>(parameters.D_A, parameters.D_B, u);
    Motion<S> motion{beam.d, beam.v, u.twistRate, {}};
    motion.a[0] = rotated<S, P>(parameters.D_A.transpose(), u.twistRate[0]);
    motion.a[p] = rotated<S, P>(parameters.D_B.transpose(), u.twistRate[p]);
    motion.gravity = u.frame[kReference].R.transpose() * environment.gravity.template cast<S>();
    return motion;
  }

  // ζ_i of (7.23), by node.
  template <class S>
  static ByNode<S> calcZeta(const ByNode<S>& d, const ByNode<S>& v) {
    ByNode<S> zeta;
    zeta[kReference].setConstant(S(0.0));
    for (int i = 0; i <= p; ++i) {
      if (i == kReference) continue;
      const math::Vec6<S> dv = v[i] - v[kReference];
      zeta[i] = math::applyTangentInverse<S>(d[i], dv);
    }
    return zeta;
  }

  // d_i', ζ_i and ζ_i' of (7.25), by node.
  template <class S>
  struct Rates {
    ByNode<S> d, zeta, zetaRate;

    explicit Rates(const Motion<S>& motion) : zeta(calcZeta<S>(motion.d, motion.v)) {
      for (auto* list : {&d, &zetaRate}) (*list)[kReference].setConstant(S(0.0));
      for (int i = 0; i <= p; ++i) {
        if (i == kReference) continue;
        d[i] = zeta[i] + math::bracket<S>(motion.d[i], motion.v[kReference]);
        const ScrewStrain<S> screw(motion.d[i]);
        const math::Vec6<S> da =
            motion.a[i] - motion.a[kReference] - screw.applyRate(d[i], zeta[i]);
        zetaRate[i] = math::applyTangentInverse<S>(motion.d[i], da);
      }
    }
  };

  // (7.27), in section axes; the tangents differentiate this.
  template <class S, class P>
  static ByNode<S> calcForces(const Parameters<P>& parameters, const Motion<S>& motion) {
    const Rates<S> rates(motion);
    ByNode<S> gamma;
    for (auto& f : gamma) f.setConstant(S(0.0));
    ByNode<S> forces = gamma;
    for (int q = 0; q < kPoints; ++q) {
      const auto& N = kShapes[q].value;
      const math::Vec6<S> w = combine<S>(N, motion.d), zeta = combine<S>(N, rates.zeta);
      const ScrewStrain<S> screw(w);
      const math::Vec6<S> v = motion.v[kReference] + screw.apply(zeta);
      math::Vec6<S> a = motion.a[kReference] + screw.apply(combine<S>(N, rates.zetaRate)) +
                        screw.applyRate(combine<S>(N, rates.d), zeta);
      const math::Vec3<S> back = -math::secondOf(w);
      a.template head<3>() -= math::expSO3<S>(back) * motion.gravity;
      const P share = P((0.5 * kGauss.weights[q]) * parameters.length);
      const math::Vec6<S> force = share * calcInertiaForce<S, P>(parameters.mass, v, a);
      const math::Vec6<S> slope = screw.applyTransposed(force);
      forces[kReference] += force;
      for (int i = 0; i <= p; ++i) gamma[i] += N[i] * slope;
    }
    for (int i = 0; i <= p; ++i) {
      if (i == kReference) continue;
      forces[i] = math::applyTangentInverseTransposed<S>(motion.d[i], gamma[i]);
      forces[kReference] -= forces[i];
    }
    return forces;
  }
};

}  // namespace flexloop::mechanics
