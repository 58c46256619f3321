// What acts along the line between two points, one fixed to each of two nodes
// (docs/theory/06_joints.md, section 6.5; docs/theory/08_springs_loads_and_sources.md,
// section 8.2):
//
//     (6.9)  Δ = x_B + R_B p_B − x_A − R_A p_A,   l = |Δ|,   n = Δ/l,   l' = n·Δ'
//
// A tension F pulls the points together: force −F n on B, +F n on A.
#pragma once

#include "math/se3.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// The two points, each in the axes of its node.
template <class S>
struct LinePoints {
  math::Vec3<S> p_A, p_B;
};

// The length whose square is still a number: a line that is shorter has no direction, and the force is taken as zero.
inline constexpr double kShortestLine = 1e-150;

template <class S>
struct Line {
  math::Vec3<S> n_A, n_B;  // from A to B, in the axes of A and of B
  S length;
};

template <class S, class P>
Line<S> calcLine(const LinePoints<P>& points, const math::Frame<S>& H_A,
                 const math::Frame<S>& H_B) {
  using math::sqrt;
  const math::Vec3<S> delta = H_B.x - H_A.x + H_B.R * points.p_B - H_A.R * points.p_A;
  Line<S> line;
  line.length = sqrt(math::notBelow(S(delta.squaredNorm()), kShortestLine * kShortestLine));
  const math::Vec3<S> n = delta / line.length;
  line.n_A = H_A.R.transpose() * n;
  line.n_B = H_B.R.transpose() * n;
  return line;
}

template <class S, class P>
S calcLineRate(const LinePoints<P>& points, const Line<S>& line, const math::Vec6<S>& v_A,
               const math::Vec6<S>& v_B) {
  const math::Vec3<S> p_A = points.p_A.template cast<S>(), p_B = points.p_B.template cast<S>();
  const math::Vec3<S> at_A = math::firstOf(v_A) + math::cross<S>(math::secondOf(v_A), p_A);
  const math::Vec3<S> at_B = math::firstOf(v_B) + math::cross<S>(math::secondOf(v_B), p_B);
  return line.n_B.dot(at_B) - line.n_A.dot(at_A);
}

// Adds the tension to the residual, which holds forces with the opposite sign.
template <class S, class P>
void addTension(const LinePoints<P>& points, const Line<S>& line, const S& tension,
                math::Vec6<S>& f_A, math::Vec6<S>& f_B) {
  const math::Vec3<S> p_A = points.p_A.template cast<S>(), p_B = points.p_B.template cast<S>();
  const math::Vec3<S> force_A = -tension * line.n_A, force_B = tension * line.n_B;
  f_A += math::joined<S>(force_A, math::cross<S>(p_A, force_A));
  f_B += math::joined<S>(force_B, math::cross<S>(p_B, force_B));
}

// A rod: Φ = l − L.
struct DistanceRow {
  static constexpr const char* kType = "distance";
  static constexpr int kNodes = 2, kScalars = 1;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    LinePoints<S> points;
    S length;  // m
  };

  static constexpr bool couples(int row, int column) { return row < kNodes || column < kNodes; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 1>& u,
                          const system::Environment& environment, system::Residual<S, 2, 1>& r) {
    const Line<S> line = calcLine<S, P>(p.points, u.frame[0], u.frame[1]);
    const S phi = line.length - p.length;
    const S tension =
        environment.constraintScale * u.value[0] + environment.constraintPenalty * phi;
    addTension<S, P>(p.points, line, tension, r.node[0], r.node[1]);
    r.scalar[0] += environment.constraintScale * phi;
  }
};

// A spring and damper along the line.
struct DistanceSpring {
  static constexpr const char* kType = "distance";
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    LinePoints<S> points;
    S stiffness, damping;  // N/m, N·s/m
    S length;              // m, where the spring is relaxed
    S preload;             // N, tension at that length
  };

  template <class S, class P>
  static S calcTension(const Parameters<P>& p, const Line<S>& line,
                       const system::Local<S, 2, 0>& u) {
    return p.preload + p.stiffness * (line.length - p.length) +
           p.damping * calcLineRate<S, P>(p.points, line, u.twist[0], u.twist[1]);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                          const system::Environment&, system::Residual<S, 2, 0>& r) {
    const Line<S> line = calcLine<S, P>(p.points, u.frame[0], u.frame[1]);
    addTension<S, P>(p.points, line, calcTension<S, P>(p, line, u), r.node[0], r.node[1]);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                                    const system::Environment&) {
    const S stretch = calcLine<S, P>(p.points, u.frame[0], u.frame[1]).length - p.length;
    return {S(0.0), S((0.5 * p.stiffness * stretch + p.preload) * stretch)};
  }
};

}  // namespace flexloop::mechanics
