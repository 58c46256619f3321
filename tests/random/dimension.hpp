// Dimensions of numbers, so that a whole machine can be written in other units of mass, length and time.
#pragma once

#include <cmath>

namespace flexloop::random {

struct Dimension {
  int mass = 0, length = 0, time = 0;

  friend constexpr Dimension operator*(Dimension a, Dimension b) {
    return {a.mass + b.mass, a.length + b.length, a.time + b.time};
  }
  friend constexpr Dimension operator/(Dimension a, Dimension b) {
    return {a.mass - b.mass, a.length - b.length, a.time - b.time};
  }
  friend constexpr auto operator<=>(const Dimension&, const Dimension&) = default;
};

inline constexpr Dimension kNone{}, kMass{1, 0, 0}, kLength{0, 1, 0}, kTime{0, 0, 1};
inline constexpr Dimension kRate = kNone / kTime, kVelocity = kLength / kTime;
inline constexpr Dimension kAcceleration = kVelocity / kTime, kForce = kMass * kAcceleration;
inline constexpr Dimension kTorque = kForce * kLength, kInertia = kMass * kLength * kLength;
inline constexpr Dimension kPower = kTorque * kRate;

// What a number of each dimension is multiplied with. Powers of two, so that the change of units itself makes no rounding error.
struct Units {
  int mass = 0, length = 0, time = 0;  // exponents of two

  double factor(Dimension d) const {
    return std::ldexp(1.0, mass * d.mass + length * d.length + time * d.time);
  }
};

}  // namespace flexloop::random
