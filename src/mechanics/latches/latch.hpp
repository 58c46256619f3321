// Latches: constraints that a signal closes and opens (docs/theory/41_losses_and_latches.md, section 4). While a latch is closed, it holds a coordinate q, or
// the pose (R, p) of one node relative to another, where it was closed:
//
//     (41.9)   closed:  q = q_c                            open:  no constraint, no λ
//     (41.10)  closed:  p − p_c = 0,  R_cᵀR = I            open:  likewise
//
// What is remembered is the branch, as in system::Switching, then q_c, or R_c and p_c.
#pragma once

#include "mechanics/joints/coordinate_place.hpp"
#include "mechanics/joints/joint.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

inline constexpr int kLatchBranchSlot = 0, kLatchPlaceSlot = 1;
inline constexpr double kAlmostLatched = 1.5;  // between the open branch and the closed one
inline constexpr double kLatchLevel = 0.5;     // of the signal, above which the latch is closed

// Scalars: λ, the signal, those of the place.
template <class Place>
struct CoordinateLatch {
  static constexpr const char* kType = Place::kScalars > 0 ? "latch along a beam"
                                       : Place::kTurns     ? "rotation latch"
                                                           : "translation latch";
  static constexpr int kNodes = Place::kNodes, kRows = 1, kScalars = 2 + Place::kScalars;
  static constexpr int kHistory = 2;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    [[no_unique_address]] typename Place::template Parameters<S> place;
    S level;  // kLatchLevel
  };

  // The signal commands and does nothing else.
  static constexpr bool couples(int row, int column) {
    constexpr int kMultiplier = kNodes, kSlots = kNodes + kScalars;
    const bool isMotion = Place::isOwn(column, kSlots);
    if (Place::isOwn(row, kSlots)) return isMotion || column == kMultiplier;
    return row == kMultiplier && isMotion;
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p,
                          const system::Local<S, kNodes, kScalars, kHistory>& u,
                          const system::Environment& environment,
                          system::Residual<S, kNodes, kScalars>& r) {
    using math::select;
    const typename Place::template At<S, P> at(p.place, u);
    const auto isClosed = u.history[kLatchBranchSlot] > kAlmostLatched;
    const double k = environment.constraintScale;
    const S gap = at.calcGapTo(u.history[kLatchPlaceSlot]);
    const S force =
        select(isClosed, S(k * u.value[0] + environment.constraintPenalty * gap), S(0.0));
    at.addForce(force, r);
    r.scalar[0] += select(isClosed, S(k * gap), S(0.0));
  }
};

// Scalars: three forces and three torques as those of a weld, the signal.
struct PoseLatch {
  static constexpr const char* kType = "latch";
  static constexpr int kNodes = 2, kRows = 6, kScalars = 7, kHistory = 13;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;
  using Rows = WeldRows;

  template <class S>
  struct Parameters {
    S level;  // kLatchLevel
  };

  static constexpr bool couples(int row, int column) {
    constexpr int kSignal = kNodes + kRows;
    if (row == kSignal || column == kSignal) return false;
    return row < kNodes || column < kNodes;
  }

  // R_c, p_c as a frame on the first node.
  template <class S, class History>
  static JointFrames<S> findFrames(const History& history) {
    JointFrames<S> frames;
    for (int i = 0; i < 9; ++i) frames.D_A.R(i / 3, i % 3) = history[kLatchPlaceSlot + i];
    for (int i = 0; i < 3; ++i) frames.D_A.x[i] = history[kLatchPlaceSlot + 9 + i];
    for (int i = 0; i < 9; ++i) frames.D_B.R(i / 3, i % 3) = S(i % 4 == 0 ? 1.0 : 0.0);
    frames.D_B.x = math::Vec3<S>::Constant(S(0.0));
    return frames;
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>&, const system::Local<S, 2, kScalars, kHistory>& u,
                          const system::Environment& environment,
                          system::Residual<S, 2, kScalars>& r) {
    using math::select;
    const auto isClosed = u.history[kLatchBranchSlot] > kAlmostLatched;
    const JointFrames<S> frames = findFrames<S>(u.history);
    system::Local<S, 2, kRows> held;
    held.frame = u.frame;
    for (int i = 0; i < kRows; ++i) held.value[i] = u.value[i];
    system::Residual<S, 2, kRows> weld;
    weld.setZero();
    Joint<Rows>::addResidual<S, S>({frames}, held, environment, weld);
    for (int n = 0; n < 2; ++n) {
      for (int i = 0; i < 6; ++i) r.node[n][i] += select(isClosed, weld.node[n][i], S(0.0));
    }
    for (int i = 0; i < kRows; ++i) r.scalar[i] += select(isClosed, weld.scalar[i], S(0.0));
  }
};

}  // namespace flexloop::mechanics
