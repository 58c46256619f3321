// Friction on a coordinate q (docs/theory/32_friction.md). Its force f + λ acts against the coordinate like that of a spring, as Q of (6.7), with a
// signal f and a multiplier λ. What determines them depends on the branch, which is remembered:
//
//     (32.3)  stick:  q − q_s = 0,               f = 0
//     (32.4)  slip:   no constraint, no λ,       f = s F(s q', N)     with the direction s = ±1 of slip
//
// and f = 0 without a constraint before a branch is chosen. friction_load.hpp says what N is.
#pragma once

#include <array>

#include "mechanics/friction/friction_load.hpp"
#include "mechanics/joints/coordinate_place.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// What is remembered: the branch, as in system::Switching, and q_s.
inline constexpr int kBranchSlot = 0, kStuckSlot = 1, kFrictionSlots = 2;
inline constexpr double kAlmostStuck = 1.5;  // between the branches of slip and that of stick

// Scalars: f, λ, those of the load, those of the place.
template <class Place, class Load>
struct CoordinateFriction {
  static constexpr const char* kType = Place::kScalars > 0 ? "friction along a beam"
                                       : Place::kTurns     ? "rotation friction"
                                                           : "translation friction";
  static constexpr int kNodes = Place::kNodes, kScalars = 2 + Load::kScalars + Place::kScalars;
  static constexpr int kHistory = kFrictionSlots;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    [[no_unique_address]] typename Place::template Parameters<S> place;
    typename Load::template Law<S> law;
  };

  // The load enters the law, and nothing enters its own equations.
  static constexpr bool couples(int row, int column) {
    constexpr int kForce = kNodes, kMultiplier = kNodes + 1, kSlots = kNodes + kScalars;
    const bool isMotion = Place::isOwn(column, kSlots);
    if (Place::isOwn(row, kSlots)) return isMotion || column == kForce || column == kMultiplier;
    if (row == kForce) return column != kMultiplier;
    return row == kMultiplier && isMotion;
  }

  // The load of scalars as in an element.
  template <class S, class Scalars>
  static std::array<S, Load::kScalars> findLoad(const Scalars& value, double scale) {
    std::array<S, Load::kScalars> load;
    for (int i = 0; i < Load::kScalars; ++i) {
      load[i] = (Load::kAreMultipliers ? scale : 1.0) * value[2 + i];
    }
    return load;
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p,
                          const system::Local<S, kNodes, kScalars, kHistory>& u,
                          const system::Environment& environment,
                          system::Residual<S, kNodes, kScalars>& r) {
    using math::select;
    const typename Place::template At<S, P> at(p.place, u);
    const double k = environment.constraintScale;
    const S& branch = u.history[kBranchSlot];
    const auto sticks = branch > kAlmostStuck;
    const S gap = at.calcGapTo(u.history[kStuckSlot]);
    const S held = select(sticks, S(k * u.value[1] + environment.constraintPenalty * gap), S(0.0));
    at.addForce(S(u.value[0] + held), r);
    const S force =
        Load::template calcForce<S, P>(p.law, branch, at.calcRate(u), findLoad<S>(u.value, k));
    r.scalar[0] += u.value[0] - select(sticks, S(0.0), force);
    r.scalar[1] += select(sticks, S(k * gap), S(0.0));
  }
};

// The law of Canudas de Wit, Olsson, Åström and Lischinsky (1995): bristles bend by z and give way,
//
//     (32.5)  z' = q' − σ0 |q'| z/g(|q'|),    λ = σ0 z + σ1 z' + f q',    g = c of (32.1)
//
// Smooth but for a kink at q' = 0; what sticks creeps. Scalars: λ, z, those of the place.
template <class Place>
struct LugreFriction {
  static constexpr const char* kType = Place::kScalars > 0 ? "bristles along a beam"
                                       : Place::kTurns     ? "rotation bristles"
                                                           : "translation bristles";
  static constexpr int kNodes = Place::kNodes, kScalars = 2 + Place::kScalars;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    [[no_unique_address]] typename Place::template Parameters<S> place;
    FrictionLaw<S> law;
    S stiffness, damping;  // σ0, σ1
  };

  static constexpr bool couples(int row, int column) {
    constexpr int kForce = kNodes, kBristles = kNodes + 1;
    if (Place::isOwn(row, kNodes + kScalars)) return column != kBristles;
    return row == kForce || (row == kBristles && column != kForce);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, kNodes, kScalars>& u,
                          const system::Environment&, system::Residual<S, kNodes, kScalars>& r) {
    using math::select;
    const typename Place::template At<S, P> at(p.place, u);
    at.addForce(u.value[0], r);
    const S rate = at.calcRate(u);
    const S speed = select(rate < 0.0, S(-rate), rate);
    const S& z = u.value[1];
    const S bend = rate - p.stiffness * speed * z / calcLevel<S, P>(p.law, speed);
    r.scalar[0] += u.value[0] - (p.stiffness * z + p.damping * bend + p.law.viscous * rate);
    r.scalar[1] += u.rate[1] - bend;
  }
};

}  // namespace flexloop::mechanics
