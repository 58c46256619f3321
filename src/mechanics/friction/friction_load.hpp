// What presses the surfaces of a friction together (docs/theory/32_friction.md, section 1): each load makes of its own unknowns the force in the
// direction s = ±1 of slip, and the limit up to which the friction holds.
#pragma once

#include <array>

#include "mechanics/friction/friction_law.hpp"

namespace flexloop::mechanics {

// Loads N ≥ 0 that press alike in both directions: s F(s q', N) of (32.1), and (32.2).
template <class Press, int Scalars, bool AreMultipliers>
struct PressedBy {
  static constexpr int kScalars = Scalars;
  static constexpr bool kAreMultipliers = AreMultipliers;
  template <class S>
  using Law = FrictionLaw<S>;

  template <class S, class P>
  static S calcForce(const Law<P>& law, const S& direction, const S& rate,
                     const std::array<S, Scalars>& load) {
    const S pressed = Press::template calc<S>(load);
    return direction * calcSliding<S, P>(law, S(direction * rate), pressed);
  }
  static double calcLimit(const Law<double>& law, double, const std::array<double, Scalars>& load) {
    return law.held * law.arm * Press::template calc<double>(load);
  }
  // What does not depend on the rate.
  static double calcKinetic(const Law<double>& law, double direction,
                            const std::array<double, Scalars>& load) {
    return direction * law.kinetic * law.arm * Press::template calc<double>(load);
  }
};

// The level is given: N = 1.
struct NothingPresses {
  template <class S>
  static S calc(const std::array<S, 0>&) {
    return S(1.0);
  }
};
using GivenLevel = PressedBy<NothingPresses, 0, false>;

// The length of the force across the coordinate, which is made of the multipliers of a joint.
struct LengthPresses {
  template <class S, std::size_t N>
  static S calc(const std::array<S, N>& force) {
    return calcSize(force);
  }
};
template <int Reactions>
using ReactionLoad = PressedBy<LengthPresses, Reactions, true>;

// A signal; a negative one presses nothing.
struct SignalPresses {
  template <class S>
  static S calc(const std::array<S, 1>& load) {
    return math::notBelow(load[0], 0.0);
  }
};
using SignalLoad = PressedBy<SignalPresses, 1, false>;

// The teeth of a gear or the thread of a screw (docs/theory/41_losses_and_latches.md, section 1). With the force X = f k λ of the mesh against the
// coordinate, the friction is
//
//     (41.3)  y = s (c_1 max(s X, 0) − c_2 min(s X, 0))
//
// with c_1 while the coordinate drives the mesh, and c_2 while it is driven.
template <class S>
struct MeshLaw {
  S driving, driven;  // c_1, c_2
  S factor;           // f
};

struct MeshLoad {
  static constexpr int kScalars = 1;
  static constexpr bool kAreMultipliers = true;
  template <class S>
  using Law = MeshLaw<S>;

  template <class S, class P>
  static S calcForce(const Law<P>& law, const S& direction, const S&,
                     const std::array<S, 1>& load) {
    const S taken = direction * S(law.factor * load[0]);
    return direction *
           S(law.driving * math::notBelow(taken, 0.0) - law.driven * math::notAbove(taken, 0.0));
  }
  // In the direction in which it would slip.
  static double calcLimit(const Law<double>& law, double force, const std::array<double, 1>& load) {
    const double direction = force < 0.0 ? -1.0 : 1.0;
    return direction * calcKinetic(law, direction, load);
  }
  static double calcKinetic(const Law<double>& law, double direction,
                            const std::array<double, 1>& load) {
    return calcForce<double, double>(law, direction, 0.0, load);
  }
};

}  // namespace flexloop::mechanics
