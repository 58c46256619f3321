// A bearing of a shaft: it resists everything but the turn about its axis, at any number of turns
// (docs/theory/08_springs_loads_and_sources.md, section 8.7). In the frames of joint.hpp, of which frame 1 is that of the housing, with the position
// p of the shaft and its axis z = R e_z,
//
//     (8.12)  θ = 2/(1 + z_z) (−z_y, z_x),   q = (p_x, p_y, p_z, θ_x, θ_y)
//     (8.13)  e = ((1 − c/ρ)₊ p_x, (1 − c/ρ)₊ p_y, max(p_z − a, 0) + min(p_z + a, 0), θ_x, θ_y),   ρ² = p_x² + p_y²
//     (8.14)  s = K e,   Q = (∂e/∂q)ᵀ s + D q',   V = ½ eᵀK e
//
// with the radial clearance c and the axial one a.
#pragma once

#include "mechanics/contacts/touch.hpp"
#include "mechanics/joints/joint.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

struct Bearing {
  static constexpr const char* kType = "bearing";
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  using Five = Eigen::Matrix<S, 5, 1>;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    Eigen::Matrix<S, 5, 5> stiffness, damping;  // along x y z and about x y of the housing
    S radial, axial;                            // c, a [m]
  };

  // Where the shaft is in the housing, and what of it the bearing feels.
  template <class S, class P>
  struct Place {
    Place(const Parameters<P>& p, const math::Frame<S>& relative) : z(relative.R.col(2)) {
      using math::select, math::sqrt;
      const S &x = relative.x[0], &y = relative.x[1];
      // Where the shaft is in the middle, it has no direction; what follows does not need one there.
      const S square = math::notBelow(S(x * x + y * y), kShortestVector * kShortestVector);
      const S distance = sqrt(square);
      outward = {S(x / distance), S(y / distance)};
      share = select(distance > S(p.radial), S(p.radial / distance), S(1.0));
      share = select(S(p.radial) > 0.0, share, S(0.0));
      const S ahead = relative.x[2] - p.axial, behind = relative.x[2] + p.axial;
      const S free = math::notBelow(ahead, 0.0) + math::notAbove(behind, 0.0);
      axialPart = select(ahead > 0.0, S(1.0), select(behind < 0.0, S(1.0), S(0.0)));
      axialPart = select(S(p.axial) > 0.0, axialPart, S(1.0));
      factor = 2.0 / (1.0 + z[2]);
      tilt = {S(-factor * z[1]), S(factor * z[0])};
      felt[0] = (1.0 - share) * x;
      felt[1] = (1.0 - share) * y;
      felt[2] = select(S(p.axial) > 0.0, free, S(relative.x[2]));
      felt[3] = tilt[0];
      felt[4] = tilt[1];
    }

    math::Vec3<S> z;           // the axis of the shaft, axes of the housing
    std::array<S, 2> outward;  // unit vector from the axis of the housing to that of the shaft
    S share;                   // c/ρ; 1 inside of the clearance
    S axialPart;               // 1 where the shaft is at one of its axial ends
    S factor;                  // 2/(1 + z_z)
    std::array<S, 2> tilt;     // θ
    Five<S> felt;              // e

    // What acts on z if s acts on θ: s·dθ = g·dz.
    math::Vec3<S> gradientOfTilt(const S& s_x, const S& s_y) const {
      const S along = 0.5 * factor * (s_x * tilt[0] + s_y * tilt[1]);
      return math::Vec3<S>(S(factor * s_y), S(-factor * s_x), S(-along));
    }
    // (∂e/∂q)ᵀ s of the positions.
    math::Vec3<S> pull(const Five<S>& s) const {
      const S inner = share * (1.0 - isInside()) * (outward[0] * s[0] + outward[1] * s[1]);
      return math::Vec3<S>(S((1.0 - share) * s[0] + inner * outward[0]),
                           S((1.0 - share) * s[1] + inner * outward[1]), S(axialPart * s[2]));
    }

   private:
    S isInside() const {
      using math::select;
      return select(share < 1.0, S(0.0), S(1.0));
    }
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                          const system::Environment&, system::Residual<S, 2, 0>& r) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const Place<S, P> at(p, relative);
    const math::Vec6<S> eta = calcRelativeTwist<S, P>(p.frames, relative, u.twist[0], u.twist[1]);
    const Five<S> s = p.stiffness * at.felt;
    const Five<S> resistance = p.damping * calcRate<S, P>(at, relative, eta);
    const math::Vec3<S> force = at.pull(s) + resistance.template head<3>();
    const math::Vec3<S> g = at.gradientOfTilt(S(s[3] + resistance[3]), S(s[4] + resistance[4]));
    const math::Vec3<S> torque = math::cross<S>(at.z, g);
    const math::Vec6<S> W = math::joined<S>(math::Vec3<S>(relative.R.transpose() * force),
                                            math::Vec3<S>(relative.R.transpose() * torque));
    addWrench<S, P>(p.frames, relative, W, r.node[0], r.node[1]);
  }

  // q' from the relative twist.
  template <class S, class P>
  static Five<S> calcRate(const Place<S, P>& at, const math::Frame<S>& relative,
                          const math::Vec6<S>& eta) {
    const math::Vec3<S> moved = relative.R * math::firstOf(eta);
    const math::Vec3<S> turned = relative.R * math::secondOf(eta);
    const math::Vec3<S> dz = math::cross<S>(turned, at.z);
    Five<S> rate;
    rate.template head<3>() = moved;
    rate[3] = at.gradientOfTilt(S(1.0), S(0.0)).dot(dz);
    rate[4] = at.gradientOfTilt(S(0.0), S(1.0)).dot(dz);
    return rate;
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                                    const system::Environment&) {
    const Place<S, P> at(p, calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]));
    const Five<S> s = p.stiffness * at.felt;
    return {S(0.0), S(0.5 * at.felt.dot(s))};
  }
};

}  // namespace flexloop::mechanics
