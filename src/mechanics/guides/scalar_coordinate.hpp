// What may act on a coordinate q that is an unknown of its own, such as the position along a beam
// (docs/theory/36_guides.md, section 36.3): as (6.7) on the coordinates of joints,
//
//     (36.6)  spring: Q = k (q − q_0) + c q'     inertia: Q = I q''     lock: q = 0     drive: q − y(t) = 0
#pragma once

#include "system/local.hpp"

namespace flexloop::mechanics {

struct ScalarSpring {
  static constexpr const char* kType = "spring along a beam";
  static constexpr int kNodes = 0, kScalars = 1;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    S stiffness, damping;  // N/m, N·s/m
    S rest;                // m
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 0, 1>& u,
                          const system::Environment&, system::Residual<S, 0, 1>& r) {
    r.scalar[0] += p.stiffness * (u.value[0] - p.rest) + p.damping * u.rate[0];
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const system::Local<S, 0, 1>& u,
                                    const system::Environment&) {
    const S stretch = u.value[0] - p.rest;
    return {S(0.0), S(0.5 * p.stiffness * stretch * stretch)};
  }
};

// The inertia of a drive that moves with the coordinate, as (5.5).
struct ScalarInertia {
  static constexpr const char* kType = "inertia along a beam";
  static constexpr int kNodes = 0, kScalars = 1;
  static constexpr bool kUsesRate = true, kUsesAcceleration = true;

  template <class S>
  struct Parameters {
    S inertia;  // I [kg]
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 0, 1>& u,
                          const system::Environment&, system::Residual<S, 0, 1>& r) {
    r.scalar[0] += p.inertia * u.acceleration[0];
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const system::Local<S, 0, 1>& u,
                                    const system::Environment&) {
    return {S(0.5 * p.inertia * u.rate[0] * u.rate[0]), S(0.0)};
  }
};

// A signal that pushes along the coordinate, as (17.9). Scalars: the coordinate, the signal.
struct ScalarActuator {
  static constexpr const char* kType = "actuator along a beam";
  static constexpr int kNodes = 0, kScalars = 2;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    S sign;  // 1
  };

  static constexpr bool couples(int row, int column) { return row == 0 && column == 1; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 0, 2>& u,
                          const system::Environment& environment, system::Residual<S, 0, 2>& r) {
    r.scalar[0] -= environment.loadFactor * p.sign * u.value[1];
  }
};

// Scalars: the coordinate, the multiplier and, of a drive, the signal.
template <bool kDriven>
struct ScalarHold {
  static constexpr const char* kType = kDriven ? "drive along a beam" : "lock along a beam";
  static constexpr int kNodes = 0, kScalars = kDriven ? 3 : 2;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    S target;  // of a lock [m]; added to the signal of a drive
  };

  static constexpr bool couples(int row, int column) {
    constexpr int kCoordinate = 0, kMultiplier = 1;
    return row == kCoordinate || (row == kMultiplier && column != kMultiplier);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 0, kScalars>& u,
                          const system::Environment& environment,
                          system::Residual<S, 0, kScalars>& r) {
    S gap = u.value[0] - p.target;
    if constexpr (kDriven) gap -= u.value[2];
    r.scalar[0] += environment.constraintScale * u.value[1] + environment.constraintPenalty * gap;
    r.scalar[1] += environment.constraintScale * gap;
  }
};

}  // namespace flexloop::mechanics
