// What friction of a rigid contact remembers of the last accepted step, in axes of A (docs/theory/33_impacts.md, section 33.5).
#pragma once

#include <array>
#include <cmath>

#include "mechanics/contacts/touch.hpp"

namespace flexloop::mechanics {

inline constexpr int kRigidFrictionMemory = 27;
inline constexpr double kAlmostSlips = 0.5, kAlmostSticks = 1.5;  // around the branch of slip

template <class S>
struct RigidFrictionMemory {
  S branch;                    // as in system::Switching; slip has one direction only
  std::array<S, 2> stretch;    // s [m], what has been moved since it began to stick
  std::array<S, 2> direction;  // d of slip, a unit vector
  S speed;                     // |v_n| of slip [m/s]; zero: it begins from rest
  math::Vec3<S> place, arm;    // x_n, a_n [m]
  math::Mat3<S> turn;          // R_n
  math::Vec3<S> axis;          // t_1
  S time;                      // t_n [s]
  std::array<S, 2> share;      // p of stick [N], which other contacts carry less

  explicit RigidFrictionMemory(const std::array<S, kRigidFrictionMemory>& history) {
    int next = 0;
    visit(*this, [&](S& x) { x = history[next++]; });
  }

  void write(double* history) const {
    int next = 0;
    visit(*this, [&](const S& x) { history[next++] = x; });
  }

  auto sticks() const { return branch > kAlmostSticks; }
  auto slips() const { return (branch > kAlmostSlips) & (branch < kAlmostSticks); }

  // (33.10): that of the velocity. Where the slip is about to end or to turn back within the step, the direction keeps on changing without a jump, so that
  // a step always has a solution, which the end of the branch then cuts short.
  std::array<S, 2> directionOf(const std::array<S, 2>& v) const {
    using math::select, math::sqrt;
    const S along = direction[0] * v[0] + direction[1] * v[1];
    const S across = direction[0] * v[1] - direction[1] * v[0];
    const S least = kSlow * speed;
    const auto isMoving = speed > 0.0;
    const S ahead = select(isMoving, select(along > least, along, least), S(1.0));
    const S ratio = select(isMoving, S(across / ahead), S(0.0));
    const std::array<S, 2> e{direction[0] - ratio * direction[1],
                             direction[1] + ratio * direction[0]};
    const S length =
        sqrt(math::notBelow(S(e[0] * e[0] + e[1] * e[1]), kShortestVector * kShortestVector));
    return {S(e[0] / length), S(e[1] / length)};
  }

  // What hardly moves along its direction any more keeps it: it is about to stop. So does what slips beside others that hold the same motion: it does not move but for
  // rounding of its place, whose size is given.
  void follow(const std::array<double, 2>& v, double now, double size) {
    if (std::hypot(v[0], v[1]) * (now - time) <= kSamePlace * size) return;
    if (v[0] * direction[0] + v[1] * direction[1] > kSlow * speed) aim(v);
  }
  void aim(const std::array<double, 2>& v) {
    speed = std::hypot(v[0], v[1]);
    direction = {v[0] / speed, v[1] / speed};
  }

 private:
  static constexpr double kSlow = 0.1;
  static constexpr double kSamePlace = 1e-13;

  template <class Self, class Use>
  static void visit(Self& self, Use use) {
    use(self.branch);
    for (int i = 0; i < 2; ++i) use(self.stretch[i]);
    for (int i = 0; i < 2; ++i) use(self.direction[i]);
    use(self.speed);
    for (auto* v : {&self.place, &self.arm, &self.axis}) visitAll(*v, use);
    visitAll(self.turn, use);
    use(self.time);
    for (int i = 0; i < 2; ++i) use(self.share[i]);
  }
  template <class M, class Use>
  static void visitAll(M& m, Use use) {
    for (int i = 0; i < m.size(); ++i) use(m.data()[i]);
  }
};

}  // namespace flexloop::mechanics
