// A cable from a point of node A over a pulley of node P to a point of node B (docs/theory/08_springs_loads_and_sources.md, section 8.8). In the axes of the pulley, with z
// along its axis and the radius R, a point x = (d cos φ, d sin φ, h) and the sense σ = ±1 in which the cable runs round about z from A to B,
//
//     (8.15)  t = √(d² − R² + h²),   α = arccos(R/d),   e_A = t_A − R (σ φ_A + α_A),   e_B = t_B + R (σ φ_B − α_B)
//     (8.16)  slides:  F_A = F_B = (F_0 + k (e_A + e_B − L) + c (e_A + e_B)')₊
//             held:    F_A = (F_0 + k_A (e_A − L_A) + c_A e_A')₊, and F_B likewise
//
// The force on A is −F_A ∂e_A/∂x, and what the cable does to the pulley is the opposite of both. Angles of a pulley that holds the cable count its turns, as remembered
// from the last step. Nodes: A, P, B.
#pragma once

#include <array>
#include <numbers>

#include "math/se3.hpp"
#include "math/turns.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// One end of the cable as the pulley sees it.
template <class S>
struct CableEnd {
  math::Vec3<S> place;      // x, axes of the pulley
  math::Vec3<S> direction;  // ∂e/∂x
  S length;                 // e
  S angle;                  // φ, counted
};

template <bool kHolds>
struct PulleyCable {
  static constexpr const char* kType = kHolds ? "cable that a pulley holds" : "cable";
  static constexpr int kNodes = 3, kScalars = 0;
  static constexpr int kHistory = 2;  // φ_A and φ_B of the last step
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;
  static constexpr double kLeastTangent = 1e-6;  // square, by that of the radius
  template <class S>
  using View = system::Local<S, 3, 0, kHistory>;

  template <class S>
  struct Parameters {
    math::Vec3<S> p_A, p_B;               // axes of A and of B
    math::Vec3<S> centre;                 // of the pulley, axes of P
    math::Mat3<S> axes;                   // of the pulley, axes of P
    S radius, sense;                      // R, σ
    std::array<S, 2> stiffness, damping;  // by side; of one that slides only the first counts
    std::array<S, 2> length;              // where the tension is F_0
    S preload;                            // F_0
  };

  // The part of a vector in axes of a node, seen in those of the pulley.
  template <class S, class P>
  static math::Mat3<S> pulleyAxes(const Parameters<P>& p, const View<S>& u) {
    return u.frame[1].R * p.axes;
  }

  template <class S, class P>
  static std::array<CableEnd<S>, 2> calcEnds(const Parameters<P>& p, const View<S>& u) {
    const math::Mat3<S> R_P = pulleyAxes<S, P>(p, u);
    const math::Vec3<S> centre = u.frame[1].x + u.frame[1].R * p.centre;
    std::array<CableEnd<S>, 2> ends;
    for (int k = 0; k < 2; ++k) {
      const math::Frame<S>& H = u.frame[2 * k];
      const math::Vec3<S> point = H.x + H.R * (k == 0 ? p.p_A : p.p_B);
      ends[k] = calcEnd<S, P>(p, math::Vec3<S>(R_P.transpose() * (point - centre)),
                              k == 0 ? S(-p.sense) : S(p.sense), u.history[k]);
    }
    return ends;
  }

  // `sign` is −σ at A and σ at B.
  template <class S, class P>
  static CableEnd<S> calcEnd(const Parameters<P>& p, const math::Vec3<S>& x, const S& sign,
                             const S& last) {
    using math::atan2, math::sqrt;
    const S R = S(p.radius);
    const S inPlane = x[0] * x[0] + x[1] * x[1];
    // A point inside of the pulley has no tangent; it counts as one near its rim.
    const S free = R * R * math::notBelow(S(inPlane / (R * R) - 1.0), kLeastTangent);
    const S tangent = sqrt(free), distance = sqrt(S(free + R * R));
    const S t = sqrt(S(free + x[2] * x[2]));
    CableEnd<S> end;
    end.place = x;
    end.angle = math::nearestTurn<S>(atan2(S(x[1]), S(x[0])), last);
    end.length = t + R * (sign * end.angle - atan2(tangent, R));
    // ∂e/∂d = d/t − R²/(d √(d² − R²)), ∂e/∂φ = σ R, ∂e/∂h = h/t.
    const S along = 1.0 / t - R * R / (distance * distance * tangent);
    const S across = sign * R / (distance * distance);
    end.direction = math::Vec3<S>(S(along * x[0] - across * x[1]), S(along * x[1] + across * x[0]),
                                  S(x[2] / t));
    return end;
  }

  // Of the point in the axes of the pulley, as seen from it.
  template <class S, class P>
  static S calcRate(const Parameters<P>& p, const View<S>& u, const CableEnd<S>& end, int k) {
    const math::Mat3<S> R_P = pulleyAxes<S, P>(p, u);
    const math::Frame<S>& H = u.frame[2 * k];
    const math::Vec3<S> p_E = (k == 0 ? p.p_A : p.p_B).template cast<S>();
    const math::Vec3<S> own =
        math::firstOf(u.twist[2 * k]) + math::cross<S>(math::secondOf(u.twist[2 * k]), p_E);
    const math::Vec3<S> arm = p.centre.template cast<S>() + p.axes * end.place;
    const math::Vec3<S> carried =
        math::firstOf(u.twist[1]) + math::cross<S>(math::secondOf(u.twist[1]), arm);
    const math::Vec3<S> velocity =
        R_P.transpose() * math::Vec3<S>(H.R * own - u.frame[1].R * carried);
    return end.direction.dot(velocity);
  }

  // (8.16)
  template <class S, class P>
  static std::array<S, 2> calcTensions(const Parameters<P>& p, const View<S>& u,
                                       const std::array<CableEnd<S>, 2>& ends) {
    const std::array rate{calcRate<S, P>(p, u, ends[0], 0), calcRate<S, P>(p, u, ends[1], 1)};
    const std::array stretch = calcStretch<S, P>(p, ends);
    if constexpr (kHolds) {
      return {pulling<S>(p.preload + p.stiffness[0] * stretch[0] + p.damping[0] * rate[0]),
              pulling<S>(p.preload + p.stiffness[1] * stretch[1] + p.damping[1] * rate[1])};
    } else {
      const S tension =
          pulling<S>(p.preload + p.stiffness[0] * stretch[0] + p.damping[0] * (rate[0] + rate[1]));
      return {tension, tension};
    }
  }

  template <class S, class P>
  static std::array<S, 2> calcStretch(const Parameters<P>& p,
                                      const std::array<CableEnd<S>, 2>& ends) {
    if constexpr (kHolds) {
      return {S(ends[0].length - p.length[0]), S(ends[1].length - p.length[1])};
    } else {
      const S stretch = ends[0].length + ends[1].length - p.length[0];
      return {stretch, S(0.0)};
    }
  }

  template <class S>
  static S pulling(const S& tension) {
    return math::notBelow(tension, 0.0);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const View<S>& u, const system::Environment&,
                          system::Residual<S, 3, 0>& r) {
    const auto ends = calcEnds<S, P>(p, u);
    const std::array<S, 2> tension = calcTensions<S, P>(p, u, ends);
    const math::Mat3<S> R_P = pulleyAxes<S, P>(p, u);
    for (int k = 0; k < 2; ++k) {
      const math::Vec3<S> pull = ends[k].direction * tension[k];  // axes of the pulley
      const math::Vec3<S> own = u.frame[2 * k].R.transpose() * math::Vec3<S>(R_P * pull);
      const math::Vec3<S> p_E = (k == 0 ? p.p_A : p.p_B).template cast<S>();
      r.node[2 * k] += math::joined<S>(own, math::cross<S>(p_E, own));
      const math::Vec3<S> back = p.axes * pull;  // axes of P
      const math::Vec3<S> arm = p.centre.template cast<S>() + p.axes * ends[k].place;
      r.node[1] -= math::joined<S>(back, math::cross<S>(arm, back));
    }
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const View<S>& u,
                                    const system::Environment&) {
    const auto stretch = calcStretch<S, P>(p, calcEnds<S, P>(p, u));
    S sum = energyOf<S, P>(p.preload, p.stiffness[0], stretch[0]);
    if constexpr (kHolds) sum += energyOf<S, P>(p.preload, p.stiffness[1], stretch[1]);
    return {S(0.0), sum};
  }

  // The integral of the tension, from where the cable is slack.
  template <class S, class P>
  static S energyOf(const P& preload, const P& stiffness, const S& stretch) {
    const S tension = pulling<S>(preload + stiffness * stretch);
    return 0.5 * tension * tension / stiffness;
  }

  static void updateHistory(const Parameters<double>& p, const View<double>& u, double* history) {
    const auto ends = calcEnds<double, double>(p, u);
    for (int k = 0; k < 2; ++k) history[k] = ends[k].angle;
  }
};

}  // namespace flexloop::mechanics
