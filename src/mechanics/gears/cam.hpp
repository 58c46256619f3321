// Cams (docs/theory/35_gears.md, section 35.6): the lift f of a follower is a periodic function of the angle of the cam. With the coordinates q_1
// of the cam and q_2 of the follower, and the angle φ_0 of the cam at the start,
//
//     (35.11)  Φ = q_2 − f(q_1 + φ_0) + f(φ_0)
//     (35.12)  W_2 = Q G_2,   W_1 = −f' Q G_1          groove: Φ = 0;  pressed on it: Q = −k δ (1 + d δ')₊ for δ = −Φ > 0
//
// f is a cubic in each of its pieces. Nodes: first and second of joint 2, then of joint 1.
#pragma once

#include <array>
#include <numbers>

#include "mechanics/joints/joint_coordinate.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

inline constexpr int kMostCamPieces = 120;

// f(φ) = c_0 + c_1 x + c_2 x² + c_3 x³ with x = φ − φ_i on the piece from φ_i on; unused pieces begin at infinity.
template <class S>
struct CamProfile {
  std::array<S, kMostCamPieces> begin;
  std::array<std::array<S, 4>, kMostCamPieces> cubic;
};

template <class S>
struct CamFrames {
  JointFrames<S> first, second;  // of the cam and of the follower
  CamProfile<S> profile;
  S angle;  // φ_0
  S lift;   // f(φ_0)
};

template <class S>
struct CamLift {
  S value, slope;
};

template <class S, class P>
CamLift<S> calcLift(const CamProfile<P>& profile, const S& angle) {
  using math::select;
  const S middle = S(profile.begin[0]) + S(std::numbers::pi);
  const S phi = math::nearestTurn<S>(angle, middle);
  P begin = profile.begin[0];
  std::array<P, 4> c = profile.cubic[0];
  for (int i = 1; i < kMostCamPieces; ++i) {
    const auto isBefore = phi < S(profile.begin[i]);
    if (math::all(isBefore)) break;
    begin = select(isBefore, begin, P(profile.begin[i]));
    for (int k = 0; k < 4; ++k) c[k] = select(isBefore, c[k], P(profile.cubic[i][k]));
  }
  const S x = phi - begin;
  return {S(((c[3] * x + c[2]) * x + c[1]) * x + c[0]),
          S((3.0 * c[3] * x + 2.0 * c[2]) * x + c[1])};
}

// The coordinates of both joints at one instant.
template <class Second, class S, class P>
struct CamMotion {
  template <class LocalView>
  CamMotion(const CamFrames<P>& p, const LocalView& u)
      : relative1(calcRelative<S, P>(p.first, u.frame[2], u.frame[3])),
        relative2(calcRelative<S, P>(p.second, u.frame[0], u.frame[1])),
        G1(RotationCoordinate::calcGradient(relative1)),
        G2(Second::calcGradient(relative2)) {
    const S q1 = RotationCoordinate::calcValue(relative1);
    const CamLift<S> at = calcLift<S, P>(p.profile, S(q1 + p.angle));
    slope = at.slope;
    phi = Second::calcValue(relative2) - (at.value - p.lift);
  }

  template <class LocalView>
  S calcRate(const CamFrames<P>& p, const LocalView& u) const {
    return G2.dot(calcRelativeTwist<S, P>(p.second, relative2, u.twist[0], u.twist[1])) -
           slope * G1.dot(calcRelativeTwist<S, P>(p.first, relative1, u.twist[2], u.twist[3]));
  }

  // (35.12)
  template <class ResidualView>
  void addForce(const CamFrames<P>& p, const S& Q, ResidualView& r) const {
    const math::Vec6<S> W2 = Q * G2, W1 = S(-slope * Q) * G1;
    addWrench<S, P>(p.second, relative2, W2, r.node[0], r.node[1]);
    addWrench<S, P>(p.first, relative1, W1, r.node[2], r.node[3]);
  }

  math::Frame<S> relative1, relative2;
  math::Vec6<S> G1, G2;
  S slope, phi;
};

// A follower in a groove. Its multiplier is minus the force on the follower.
template <class Second>
struct CamConstraint {
  static constexpr const char* kType = Second::kTurns ? "rocker_cam" : "cam";
  static constexpr int kNodes = 4, kScalars = 1;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  using Parameters = CamFrames<S>;

  static constexpr bool couples(int row, int column) { return row < kNodes || column < kNodes; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 4, 1>& u,
                          const system::Environment& environment, system::Residual<S, 4, 1>& r) {
    const CamMotion<Second, S, P> motion(p, u);
    const S Q =
        environment.constraintScale * u.value[0] + environment.constraintPenalty * motion.phi;
    motion.addForce(p, Q, r);
    r.scalar[0] += environment.constraintScale * motion.phi;
  }
};

// A follower that lies on the cam, and leaves it where the cam falls away too fast.
template <class Second>
struct CamPress {
  static constexpr const char* kType = Second::kTurns ? "rocker on a cam" : "follower on a cam";
  static constexpr int kNodes = 4, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    CamFrames<S> cam;
    S stiffness, damping;  // k on the coordinate of the follower, d
  };

  // N = −Q
  template <class S, class P, class LocalView>
  static S calcForce(const Parameters<P>& p, const CamMotion<Second, S, P>& motion,
                     const LocalView& u) {
    const S depth = math::notBelow(S(-motion.phi), 0.0);
    const S growth = 1.0 - p.damping * motion.calcRate(p.cam, u);
    return p.stiffness * depth * math::notBelow(growth, 0.0);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 4, 0>& u,
                          const system::Environment&, system::Residual<S, 4, 0>& r) {
    const CamMotion<Second, S, P> motion(p.cam, u);
    motion.addForce(p.cam, S(-calcForce<S, P>(p, motion, u)), r);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const system::Local<S, 4, 0>& u,
                                    const system::Environment&) {
    const CamMotion<Second, S, P> motion(p.cam, u);
    const S depth = math::notBelow(S(-motion.phi), 0.0);
    return {S(0.0), S(0.5 * p.stiffness * depth * depth)};
  }
};

}  // namespace flexloop::mechanics
