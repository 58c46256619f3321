#include "base/dimension.hpp"

#include <array>
#include <string_view>

namespace flexloop::base {
namespace {

struct NamedDimension {
  Dimension dimension;
  std::string_view name;
};

constexpr std::array kNamedDimensions{
    NamedDimension{kLength, "a length (m)"},
    NamedDimension{kMass, "a mass (kg)"},
    NamedDimension{kTime, "a time (s)"},
    NamedDimension{kVelocity, "a velocity (m/s)"},
    NamedDimension{kAcceleration, "an acceleration (m/s^2)"},
    NamedDimension{kForce, "a force (N)"},
    NamedDimension{kTorque, "a torque or an energy (N*m)"},
    NamedDimension{kPower, "a power (W)"},
    NamedDimension{kPressure, "a pressure or a modulus (Pa)"},
    NamedDimension{kDensity, "a density (kg/m^3)"},
    NamedDimension{kInertia, "a moment of inertia (kg*m^2)"},
    NamedDimension{kStiffness, "a stiffness (N/m)"},
    NamedDimension{kDamping, "a damping (N*s/m)"},
    NamedDimension{{.length = 2, .mass = 1, .time = -1}, "an angular damping (N*m*s/rad)"},
    NamedDimension{{.length = 3, .mass = 1, .time = -2}, "a bending stiffness (N*m^2)"},
    NamedDimension{{.length = 2}, "an area (m^2)"},
    NamedDimension{{.length = 3}, "a volume (m^3)"},
    NamedDimension{{.length = 4}, "a second moment of area (m^4)"},
    NamedDimension{{.time = -2}, "an angular acceleration (rad/s^2)"},
    NamedDimension{{.length = -1, .mass = 1}, "a mass per length (kg/m)"},
    NamedDimension{{.current = 1}, "a current (A)"},
    NamedDimension{{.temperature = 1}, "a temperature (K)"},
};

void appendFactor(std::string& text, std::string_view symbol, int exponent) {
  if (exponent == 0) return;
  if (!text.empty()) text += '*';
  text += symbol;
  if (exponent != 1) text += "^" + std::to_string(exponent);
}

std::string baseUnits(const Dimension& dimension) {
  std::string text;
  appendFactor(text, "kg", dimension.mass);
  appendFactor(text, "m", dimension.length);
  appendFactor(text, "s", dimension.time);
  appendFactor(text, "A", dimension.current);
  appendFactor(text, "K", dimension.temperature);
  return text;
}

}  // namespace

Dimension operator*(const Dimension& a, const Dimension& b) {
  return {.length = a.length + b.length,
          .mass = a.mass + b.mass,
          .time = a.time + b.time,
          .current = a.current + b.current,
          .temperature = a.temperature + b.temperature,
          .angle = a.angle + b.angle,
          .cycle = a.cycle + b.cycle};
}

Dimension power(const Dimension& dimension, int exponent) {
  return {.length = dimension.length * exponent,
          .mass = dimension.mass * exponent,
          .time = dimension.time * exponent,
          .current = dimension.current * exponent,
          .temperature = dimension.temperature * exponent,
          .angle = dimension.angle * exponent,
          .cycle = dimension.cycle * exponent};
}

bool mixesCyclesAndAngles(const Dimension& a, const Dimension& b) {
  return (a.cycle != 0 && b.angle != 0) || (a.angle != 0 && b.cycle != 0);
}

std::string describe(const Dimension& dimension) {
  if (dimension == kDimensionless) {
    return dimension.angle != 0 ? "an angle (rad)" : "a number without unit";
  }
  if (dimension == kFrequency) {
    return dimension.angle != 0 ? "an angular velocity (rad/s)" : "a frequency (Hz)";
  }
  for (const NamedDimension& named : kNamedDimensions) {
    if (named.dimension == dimension) return std::string(named.name);
  }
  return "a quantity in " + baseUnits(dimension);
}

}  // namespace flexloop::base
