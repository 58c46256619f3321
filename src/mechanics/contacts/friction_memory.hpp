// What friction remembers of the last accepted step, in axes of A (docs/theory/34_contact.md, section 34.3).
#pragma once

#include <array>

#include "mechanics/contacts/relative_contact.hpp"

namespace flexloop::mechanics {

inline constexpr int kFrictionMemory = 33;

template <class S>
struct FrictionMemory {
  S time;                    // t_n [s]
  math::Vec3<S> place, arm;  // x_n, a_n [m]
  math::Vec3<S> normal;      // n_n
  math::Mat3<S> turn;        // R_n
  math::Vec3<S> stretch;     // s_n [m]
  math::Vec3<S> direction;   // of T_n
  math::Vec3<S> velocity;    // v_n [m/s]
  S stiffness;               // k_t [N/m]; zero: they did not touch
  S depth;                   // δ_n [m]
  S sliding;                 // one if it slid
  S margin;                  // how far its branch was from its end, (34.20); negative: it has ended
  S fresh;                   // one before the first step

  explicit FrictionMemory(const std::array<S, kFrictionMemory>& history) {
    int next = 0;
    visit(*this, [&](S& x) { x = history[next++]; });
  }

  void write(double* history) const {
    int next = 0;
    visit(*this, [&](const S& x) { history[next++] = x; });
  }

  auto slides() const { return sliding > 0.5; }
  bool isFresh() const { return fresh > 0.5; }

  // Zero where it stood still.
  S inverseSpeed() const {
    using math::select;
    const S speed = lengthOf<S>(velocity);
    return select(speed > kShortestVector, S(1.0 / speed), S(0.0));
  }

  // The stretch, turned as the normal has turned:  s − n·s/(1 + n_n·n) (n_n + n)              (34.13)
  math::Vec3<S> stretchAt(const math::Vec3<S>& n) const {
    const S cosine = math::notBelow(S(1.0 + normal.dot(n)), kSmallestSum);
    const math::Vec3<S> s = stretch - (normal + n) * S(n.dot(stretch) / cosine);
    return s - n * S(n.dot(s));
  }

  void take(double now, const ContactPoint<double>& at, const math::Vec3<double>& x,
            const math::Vec3<double>& a) {
    time = now;
    place = x;
    arm = a;
    normal = at.touch.normal;
    turn = at.G.R;
    depth = at.touch.depth;
  }

  void release() {
    stretch.setZero();
    direction.setZero();
    velocity.setZero();
    stiffness = sliding = margin = 0.0;
  }

 private:
  // Normals that turn by more than 170 degrees in a step are not those of one contact.
  static constexpr double kSmallestSum = 0.01;

  template <class Self, class Use>
  static void visit(Self& self, Use use) {
    use(self.time);
    for (auto* v : {&self.place, &self.arm, &self.normal}) visitAll(*v, use);
    visitAll(self.turn, use);
    for (auto* v : {&self.stretch, &self.direction, &self.velocity}) visitAll(*v, use);
    for (auto* x : {&self.stiffness, &self.depth, &self.sliding, &self.margin, &self.fresh})
      use(*x);
  }
  template <class M, class Use>
  static void visitAll(M& m, Use use) {
    for (int i = 0; i < m.size(); ++i) use(m.data()[i]);
  }
};

}  // namespace flexloop::mechanics
