// Physical dimensions as exponents of the SI base units.
#pragma once

#include <string>

namespace flexloop::base {

struct Dimension {
  int length = 0;
  int mass = 0;
  int time = 0;
  int current = 0;
  int temperature = 0;

  // Angles (rad, deg, rpm) and cycles (Hz) have no dimension and do not count in a comparison. They
  // are remembered only because 1 Hz is not 1 rad/s: see mixesCyclesAndAngles.
  int angle = 0;
  int cycle = 0;

  friend constexpr bool operator==(const Dimension& a, const Dimension& b) {
    return a.length == b.length && a.mass == b.mass && a.time == b.time && a.current == b.current &&
           a.temperature == b.temperature;
  }
};

inline constexpr Dimension kDimensionless{};
inline constexpr Dimension kLength{.length = 1};
inline constexpr Dimension kMass{.mass = 1};
inline constexpr Dimension kTime{.time = 1};
inline constexpr Dimension kAngle{.angle = 1};
inline constexpr Dimension kFrequency{.time = -1, .cycle = 1};
inline constexpr Dimension kAngularVelocity{.time = -1, .angle = 1};
inline constexpr Dimension kVelocity{.length = 1, .time = -1};
inline constexpr Dimension kAcceleration{.length = 1, .time = -2};
inline constexpr Dimension kForce{.length = 1, .mass = 1, .time = -2};
inline constexpr Dimension kTorque{.length = 2, .mass = 1, .time = -2};
inline constexpr Dimension kPower{.length = 2, .mass = 1, .time = -3};
inline constexpr Dimension kPressure{.length = -1, .mass = 1, .time = -2};
inline constexpr Dimension kDensity{.length = -3, .mass = 1};
inline constexpr Dimension kInertia{.length = 2, .mass = 1};
inline constexpr Dimension kStiffness{.mass = 1, .time = -2};
inline constexpr Dimension kDamping{.mass = 1, .time = -1};

Dimension operator*(const Dimension& a, const Dimension& b);
Dimension power(const Dimension& dimension, int exponent);

// True for Hz where rad/s is meant and the reverse: the dimensions agree, the values differ by 2
// pi.
bool mixesCyclesAndAngles(const Dimension& a, const Dimension& b);

// For messages: `a length (m)`, `a torque or an energy (N*m)`, or `a quantity in kg/m^2/s`.
std::string describe(const Dimension& dimension);

}  // namespace flexloop::base
