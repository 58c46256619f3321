// The force across a beam with which a node presses on it, for its friction (docs/theory/36_guides.md, section 36.3):
//
//     (36.7)  N² = |λ − (λ·t) t|² + ε² (λ·t)²,   t = R_Oᵀp'/|p'|
//
// with ε = 1e-9, which gives N a slope where nothing presses: λ − (λ·t) t is round-off of λ then. On the piece on which the node is, N is a signal. Nodes: A, B, O as in guide.hpp. Scalars: λ, N, q.
#pragma once

#include "mechanics/friction/friction_law.hpp"
#include "mechanics/guides/guide.hpp"

namespace flexloop::mechanics {

struct GuidePressure {
  static constexpr const char* kType = "force across a beam";
  static constexpr int kNodes = 3, kScalars = 5, kForce = 3, kPosition = 4;
  static constexpr double kPart = 1e-9;  // ε
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    GuidePiece<S> piece;
  };

  static constexpr bool couples(int row, int) { return row == kNodes + kForce; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, kNodes, kScalars>& u,
                          const system::Environment& environment,
                          system::Residual<S, kNodes, kScalars>& r) {
    using math::sqrt;
    const S acts = calcActing<S, P>(p.piece, u.value[kPosition]);
    const S x = acts * ((u.value[kPosition] - p.piece.begin) / p.piece.length);
    const auto dN = CubicWeights<S>::slope(x);
    const math::Vec3<S> along =
        u.frame[2].R.transpose() * combine<S, P>(p.piece, dN, u.frame[0], u.frame[1]);
    math::Vec3<S> force;
    for (int i = 0; i < 3; ++i) force[i] = environment.constraintScale * u.value[i];
    const S share = force.dot(along) / along.dot(along);
    const math::Vec3<S> across = force - share * along;
    const S part = kPart * share * sqrt(along.dot(along));
    const S size = calcSize(std::array<S, 4>{across[0], across[1], across[2], part});
    r.scalar[kForce] += acts * (u.value[kForce] - size);
  }
};

}  // namespace flexloop::mechanics
