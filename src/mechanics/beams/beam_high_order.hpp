// Geometrically exact beams of order p = 2, 3 on SE(3) (docs/theory/07_beams.md, section 7.5): p + 1 nodes
// at the Gauss–Lobatto points ξ_i, with section frames F_i. Motions relative to the reference node
// r = ⌊p/2⌋ are interpolated by Lagrange polynomials,
//
//     d_i = log(F_r⁻¹F_i),   w(ξ) = Σ N_i(ξ) d_i,   F(ξ) = F_r exp(w(ξ)),                (7.17)
//     e(ξ) = T(w) w'/J,   ε = e − ε0,   σ = C (ε + η ε'),   J = L/2.                     (7.18)
//
// The virtual work Σ_g weight J σ·δe at p Gauss points gives, with ψ = σ·T(w) w',
//
//     γ_i = Σ_g weight (N_i' T(w)ᵀσ + N_i ∂ψ/∂w),                                        (7.21)
//     f_i = T⁻ᵀ(d_i) γ_i,      f_r = −Σ T⁻ᵀ(−d_i) γ_i.                                   (7.22)
//
// For p = 1 this is the element of beam_element.hpp. Constant strain is exact, rigid motions make
// none, and only relative motions enter. Mass is lumped at the nodes (calcShares of beam_mesh.hpp) or
// in elements of its own (beam_inertia_high_order.hpp).
#pragma once

#include <array>

#include "math/quadrature.hpp"
#include "math/se3.hpp"
#include "mechanics/beams/screw_strain.hpp"
#include "system/element_set.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// The section frames and twists of the nodes, and their motions relative to the reference node.
template <int p, class S>
struct BeamMotion {
  static constexpr int kReference = p / 2;

  std::array<math::Vec6<S>, p + 1> v;  // section axes
  std::array<math::Vec6<S>, p + 1> d;  // zero for the reference node

  // d_i' = T⁻¹(d_i) v_i − T⁻¹(−d_i) v_r
  std::array<math::Vec6<S>, p + 1> calcRates() const {
    std::array<math::Vec6<S>, p + 1> rates;
    for (int i = 0; i <= p; ++i) {
      rates[i] = math::applyTangentInverse<S>(d[i], v[i]) -
                 math::applyTangentInverse<S>(-d[i], v[kReference]);
    }
    return rates;
  }
};

// A twist or a force from section axes to node axes, and back with Dᵀ.
template <class S, class P>
math::Vec6<S> rotated(const math::Mat3<P>& D, const math::Vec6<S>& f) {
  return math::joined<S>(D * math::firstOf(f), D * math::secondOf(f));
}

// The same for rows and columns of the end nodes.
void rotateEnds(const math::Mat3<double>& D_A, const math::Mat3<double>& D_B,
                Eigen::MatrixXd& matrix);

template <int p, class S, class P>
BeamMotion<p, S> calcBeamMotion(const math::Mat3<P>& D_A, const math::Mat3<P>& D_B,
                                const system::Local<S, p + 1, 0>& u) {
  constexpr int r = BeamMotion<p, S>::kReference;
  BeamMotion<p, S> motion;
  std::array<math::Frame<S>, p + 1> F = u.frame;
  motion.v = u.twist;
  // Only the end nodes may have axes other than those of the section.
  for (const int i : {0, p}) {
    const math::Mat3<P>& D = i == 0 ? D_A : D_B;
    F[i].R = u.frame[i].R * D;
    motion.v[i] = math::joined<S>(D.transpose() * math::firstOf(u.twist[i]),
                                  D.transpose() * math::secondOf(u.twist[i]));
  }
  for (int i = 0; i <= p; ++i) {
    if (i == r) {
      motion.d[i].setConstant(S(0.0));
    } else {
      motion.d[i] = math::logSE3<S>(math::relative(F[r], F[i]));
    }
  }
  return motion;
}

// Σ c_i x_i
template <class S, class C, std::size_t n>
math::Vec6<S> combine(const std::array<C, n>& c, const std::array<math::Vec6<S>, n>& x) {
  math::Vec6<S> sum = c[0] * x[0];
  for (std::size_t i = 1; i < n; ++i) sum += c[i] * x[i];
  return sum;
}

// e of (7.18) at the point of the shape functions N, for section frames at the nodes.
template <int p>
math::Vec6<double> calcStrain(const std::array<math::Frame<double>, p + 1>& F,
                              const math::Lagrange<p + 1>& N, double length) {
  std::array<math::Vec6<double>, p + 1> d;
  for (int i = 0; i <= p; ++i) d[i] = math::logSE3<double>(math::relative(F[p / 2], F[i]));
  const ScrewStrain<double> screw(combine<double>(N.value, d));
  return screw.apply(combine<double>(N.derivative, d)) * (2.0 / length);
}

template <int p>
struct BeamHighOrder {
  static constexpr const char* kType = "beam";
  static constexpr int kNodes = p + 1, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;
  static constexpr int kReference = p / 2;
  static constexpr auto kNodePoints = math::lobattoPoints<p + 1>();
  static constexpr auto kGauss = math::gaussPoints<p>();
  static constexpr std::array<math::Lagrange<p + 1>, p> kShapes = [] {
    std::array<math::Lagrange<p + 1>, p> shapes{};
    for (int g = 0; g < p; ++g) {
      shapes[g] = math::calcLagrange<p + 1>(kNodePoints.points, kGauss.points[g]);
    }
    return shapes;
  }();

  template <class S>
  struct Parameters {
    S length;
    S damping;                             // η of (7.18), seconds
    math::Mat3<S> D_A, D_B;                // section axes in the axes of the end nodes
    std::array<math::Vec6<S>, p> strain0;  // e of the unloaded shape at the Gauss points
    math::Mat6<S> stiffness;               // C
  };
  template <class S>
  using Forces = std::array<math::Vec6<S>, p + 1>;

  template <class S, class P>
  static void addResidual(const Parameters<P>& parameters, const system::Local<S, kNodes, 0>& u,
                          const system::Environment&, system::Residual<S, kNodes, 0>& residual) {
    const auto motion = calcBeamMotion<p, S, P>(parameters.D_A, parameters.D_B, u);
    const Forces<S> f = calcForces<S, P>(parameters, motion);
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
                                    const system::Environment&) {
    const auto motion = calcBeamMotion<p, S, P>(parameters.D_A, parameters.D_B, u);
    const P perJ = 2.0 / parameters.length;
    system::EnergyOf<S> energy;
    for (int g = 0; g < p; ++g) {
      const auto& N = kShapes[g];
      const ScrewStrain<S> screw(combine<S>(N.value, motion.d));
      const math::Vec6<S> strain =
          screw.apply(combine<S>(N.derivative, motion.d)) * perJ - parameters.strain0[g];
      const math::Vec6<S> sigma = kGauss.weights[g] * (parameters.stiffness * strain);
      energy.potential += 0.25 * parameters.length * strain.dot(sigma);
    }
    return energy;
  }

 private:
  // In section axes.
  static void addStiffness(const Parameters<double>& parameters,
                           const BeamMotion<p, double>& motion, Eigen::MatrixXd& K);
  static void addDamping(const Parameters<double>& parameters, const BeamMotion<p, double>& motion,
                         Eigen::MatrixXd& C);

  // (7.21) and (7.22), in section axes.
  template <class S, class P>
  static Forces<S> calcForces(const Parameters<P>& parameters, const BeamMotion<p, S>& motion) {
    const std::array<math::Vec6<S>, p + 1> rates = motion.calcRates();
    Forces<S> gamma;
    for (auto& f : gamma) f.setConstant(S(0.0));
    const P perJ = 2.0 / parameters.length;
    for (int g = 0; g < p; ++g) {
      const auto& N = kShapes[g];
      const math::Vec6<S> dw = combine<S>(N.derivative, motion.d);
      const ScrewStrain<S> screw(combine<S>(N.value, motion.d));
      const math::Vec6<S> rate = screw.apply(combine<S>(N.derivative, rates)) +
                                 screw.applyRate(combine<S>(N.value, rates), dw);
      const math::Vec6<S> strain =
          (screw.apply(dw) + parameters.damping * rate) * perJ - parameters.strain0[g];
      const math::Vec6<S> sigma = kGauss.weights[g] * (parameters.stiffness * strain);
      const math::Vec6<S> slope = screw.applyTransposed(sigma);
      const math::Vec6<S> gradient = screw.gradient(dw, sigma);
      for (int i = 0; i <= p; ++i) gamma[i] += N.derivative[i] * slope + N.value[i] * gradient;
    }
    Forces<S> f;
    f[kReference].setConstant(S(0.0));
    for (int i = 0; i <= p; ++i) {
      if (i == kReference) continue;
      f[i] = math::applyTangentInverseTransposed<S>(motion.d[i], gamma[i]);
      f[kReference] -= math::applyTangentInverseTransposed<S>(-motion.d[i], gamma[i]);
    }
    return f;
  }
};

}  // namespace flexloop::mechanics
