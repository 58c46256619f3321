// A node that slides along a beam (docs/theory/36_guides.md). Between two neighbouring nodes A and B of the beam, which are the
// length L apart, the guide is the cubic
//
//     (36.1)  p(ξ) = h_0 x_A + h_1 x_B + m (g_0 R_A t_A + g_1 R_B t_B),   ξ = (q − q_A)/L
//     (36.2)  h_0 = 1 − 3ξ² + 2ξ³,  h_1 = 1 − h_0,  g_0 = ξ − 2ξ² + ξ³,  g_1 = ξ³ − ξ²
//
// through both, along the section's normals t. Its tangent is that of the node at every node, so forces are continuous where
// the sliding node C passes from one piece to the next. The position q along the beam is an unknown without mass:
//
//     (36.4)  Φ = R_Oᵀ(x_C − p) = 0,   λ·R_Oᵀ p' = 0
//     (36.5)  clamped too: c_y·R_Cᵀp' = 0,  c_z·R_Cᵀp' = 0,  c_y·R_Cᵀ z = 0,   z = (1 − ξ) R_A z_A + ξ R_B z_B
//
// with p' = dp/dq and the first node O of the beam, in whose axes λ is given. Each piece is an element with the same scalars, and
// acts while q is on it. Nodes: C, A, B, O. Scalars: λ, the multipliers of (36.5), q.
#pragma once

#include "math/se3.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// Weights of a cubic at ξ, for x_A, x_B, m R_A t_A and m R_B t_B.
template <class S>
struct CubicWeights {
  S h0, h1, g0, g1;

  static CubicWeights value(const S& x) {
    const S square = x * x, cube = square * x, h1 = 3.0 * square - 2.0 * cube;
    return {1.0 - h1, h1, x - 2.0 * square + cube, cube - square};
  }
  static CubicWeights slope(const S& x) {
    const S square = x * x, h1 = 6.0 * (x - square);
    return {-h1, h1, 1.0 - 4.0 * x + 3.0 * square, 3.0 * square - 2.0 * x};
  }
  static CubicWeights bend(const S& x) {
    const S h1 = 6.0 - 12.0 * x;
    return {-h1, h1, 6.0 * x - 4.0, 6.0 * x - 2.0};
  }
};

// One piece of the guide, as fixed to its nodes.
template <class S>
struct GuidePiece {
  S begin;                 // q_A [m]
  S length;                // L [m], unloaded
  S reach;                 // m [m]
  math::Vec3<S> t_A, t_B;  // the section's normal, unit, in the axes of A and B
  math::Vec3<S> z_A, z_B;  // the section's z, likewise
  S lower, upper;          // acts for lower ≤ q < upper; the first and the last piece have no end
};

// One on the piece on which q is, else zero.
template <class S, class P>
S calcActing(const GuidePiece<P>& piece, const S& q) {
  using math::select;
  const auto isBefore = q < S(piece.lower), isWithin = q < S(piece.upper);
  return select(isBefore, S(0.0), select(isWithin, S(1.0), S(0.0)));
}

template <class S, class P>
math::Vec3<S> combine(const GuidePiece<P>& piece, const CubicWeights<S>& w, const math::Frame<S>& A,
                      const math::Frame<S>& B) {
  return A.x * w.h0 + B.x * w.h1 + (A.R * piece.t_A) * S(piece.reach * w.g0) +
         (B.R * piece.t_B) * S(piece.reach * w.g1);
}

template <bool kClamp>
struct BeamGuide {
  static constexpr const char* kType = kClamp ? "clamped slide_on_beam" : "slide_on_beam";
  static constexpr int kNodes = 4, kTurns = kClamp ? 3 : 0, kPosition = 3 + kTurns;
  static constexpr int kScalars = kPosition + 1;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    GuidePiece<S> piece;
    math::Vec3<S> c_y, c_z;  // the section's axes at the start, in the axes of C
  };

  // Multipliers do not enter constraints.
  static constexpr bool couples(int row, int column) {
    const auto isMultiplier = [](int slot) { return slot >= kNodes && slot < kNodes + kPosition; };
    return !isMultiplier(row) || !isMultiplier(column);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, kNodes, kScalars>& u,
                          const system::Environment& environment,
                          system::Residual<S, kNodes, kScalars>& r) {
    const GuidePiece<P>& piece = p.piece;
    const S& q = u.value[kPosition];
    const S acts = calcActing<S, P>(piece, q);
    // Where it does not act, its place is of no importance.
    const S x = acts * ((q - piece.begin) / piece.length);
    const math::Frame<S>&C = u.frame[0], &A = u.frame[1], &B = u.frame[2], &O = u.frame[3];
    const double k = environment.constraintScale;
    const S perLength = S(1.0 / piece.length);

    const auto N = CubicWeights<S>::value(x), dN = CubicWeights<S>::slope(x);
    const math::Vec3<S> phi = O.R.transpose() * (C.x - combine<S, P>(piece, N, A, B));
    math::Vec3<S> lambda;
    for (int i = 0; i < 3; ++i) {
      r.scalar[i] += acts * (k * phi[i]);
      lambda[i] = acts * (k * u.value[i] + environment.constraintPenalty * phi[i]);
    }
    const math::Vec3<S> force = -(O.R * lambda);  // on p, ground axes
    const math::Vec3<S> none = math::Vec3<S>::Constant(S(0.0));
    r.node[0] -= math::joined<S>(C.R.transpose() * force, none);
    r.node[3] += math::joined<S>(none, math::cross<S>(lambda, phi));
    const math::Vec3<S> tangent = combine<S, P>(piece, dN, A, B) * perLength;
    addForce<S, P>(piece, N, A, B, force, r);
    r.scalar[kPosition] += force.dot(tangent);

    if constexpr (kClamp) {
      const math::Vec3<S> t_C = C.R.transpose() * tangent;
      const math::Vec3<S> z = (A.R * piece.z_A) * S(1.0 - x) + (B.R * piece.z_B) * x;
      const math::Vec3<S> z_C = C.R.transpose() * z;
      const math::Vec3<S> c_y = p.c_y.template cast<S>(), c_z = p.c_z.template cast<S>();
      const std::array<S, 3> turns{c_y.dot(t_C), c_z.dot(t_C), c_y.dot(z_C)};
      std::array<S, 3> mu;
      for (int i = 0; i < 3; ++i) {
        r.scalar[3 + i] += acts * (k * turns[i]);
        mu[i] = acts * (k * u.value[3 + i] + environment.constraintPenalty * turns[i]);
      }
      const math::Vec3<S> onTangent = c_y * mu[0] + c_z * mu[1], onZ = c_y * mu[2];  // axes of C
      const math::Vec3<S> torque = math::cross<S>(onTangent, t_C) + math::cross<S>(onZ, z_C);
      r.node[0] += math::joined<S>(none, torque);
      const math::Vec3<S> pull = C.R * onTangent, twist = C.R * onZ;
      addForce<S, P>(piece, dN, A, B, math::Vec3<S>(pull * perLength), r);
      addTwist<S, P>(piece.z_A, A, math::Vec3<S>(twist * S(1.0 - x)), r.node[1]);
      addTwist<S, P>(piece.z_B, B, math::Vec3<S>(twist * x), r.node[2]);
      const math::Vec3<S> bend = combine<S, P>(piece, CubicWeights<S>::bend(x), A, B);
      const math::Vec3<S> turned = B.R * piece.z_B - A.R * piece.z_A;
      r.scalar[kPosition] += perLength * (perLength * pull.dot(bend) + twist.dot(turned));
    }
  }

 private:
  // The force (ground axes) on the weighted sum of `combine`, at the nodes.
  template <class S, class P>
  static void addForce(const GuidePiece<P>& piece, const CubicWeights<S>& w,
                       const math::Frame<S>& A, const math::Frame<S>& B, const math::Vec3<S>& force,
                       system::Residual<S, kNodes, kScalars>& r) {
    const math::Vec3<S> f_A = A.R.transpose() * force, f_B = B.R.transpose() * force;
    const math::Vec3<S> t_A = piece.t_A.template cast<S>(), t_B = piece.t_B.template cast<S>();
    r.node[1] += math::joined<S>(f_A * w.h0, math::cross<S>(t_A, f_A) * S(piece.reach * w.g0));
    r.node[2] += math::joined<S>(f_B * w.h1, math::cross<S>(t_B, f_B) * S(piece.reach * w.g1));
  }

  // The same on a vector v that is fixed to a node.
  template <class S, class P>
  static void addTwist(const math::Vec3<P>& v, const math::Frame<S>& H, const math::Vec3<S>& force,
                       math::Vec6<S>& f) {
    const math::Vec3<S> own = H.R.transpose() * force;
    f +=
        math::joined<S>(math::Vec3<S>::Constant(S(0.0)), math::cross<S>(v.template cast<S>(), own));
  }
};

}  // namespace flexloop::mechanics
