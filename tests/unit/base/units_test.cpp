#include "base/units.hpp"

#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace flexloop::base {
namespace {

constexpr double kPi = std::numbers::pi;

struct UnitCase {
  const char* text;
  double value;  // of one such unit in SI
  Dimension dimension;
};

void expectUnits(const std::vector<UnitCase>& cases) {
  for (const UnitCase& expected : cases) {
    SCOPED_TRACE(expected.text);
    const Result<Quantity> quantity = parseQuantity(std::string("1 ") + expected.text);
    ASSERT_TRUE(quantity) << quantity.failure().message;
    EXPECT_DOUBLE_EQ(quantity.value().value, expected.value);
    EXPECT_TRUE(quantity.value().dimension == expected.dimension)
        << describe(quantity.value().dimension);
    EXPECT_TRUE(quantity.value().hasUnit);
  }
}

constexpr Dimension kAngularDamping{.length = 2, .mass = 1, .time = -1};
constexpr Dimension kBendingStiffness{.length = 3, .mass = 1, .time = -2};

TEST(KnownUnits, Simple) {
  expectUnits({{"m", 1, kLength},
               {"mm", 1e-3, kLength},
               {"um", 1e-6, kLength},
               {"µm", 1e-6, kLength},
               {"cm", 1e-2, kLength},
               {"km", 1e3, kLength},
               {"kg", 1, kMass},
               {"g", 1e-3, kMass},
               {"t", 1e3, kMass},
               {"s", 1, kTime},
               {"ms", 1e-3, kTime},
               {"us", 1e-6, kTime},
               {"min", 60, kTime},
               {"h", 3600, kTime},
               {"rad", 1, kAngle},
               {"mrad", 1e-3, kAngle},
               {"deg", kPi / 180, kAngle},
               {"°", kPi / 180, kAngle},
               {"turn", 2 * kPi, kAngle},
               {"rpm", kPi / 30, kAngularVelocity},
               {"Hz", 1, kFrequency},
               {"kHz", 1e3, kFrequency},
               {"N", 1, kForce},
               {"kN", 1e3, kForce},
               {"MN", 1e6, kForce},
               {"Pa", 1, kPressure},
               {"kPa", 1e3, kPressure},
               {"MPa", 1e6, kPressure},
               {"GPa", 1e9, kPressure},
               {"bar", 1e5, kPressure},
               {"J", 1, kTorque},
               {"kJ", 1e3, kTorque},
               {"W", 1, kPower},
               {"kW", 1e3, kPower},
               {"g0", 9.80665, kAcceleration},
               {"%", 0.01, kDimensionless},
               {"in", 0.0254, kLength},
               {"lbf", 4.4482216152605, kForce},
               {"psi", 6894.757293168361, kPressure}});
}

TEST(KnownUnits, Composed) {
  expectUnits({{"N*m", 1, kTorque},
               {"N·m", 1, kTorque},
               {"N m", 1, kTorque},
               {"N/m", 1, kStiffness},
               {"N/mm", 1e3, kStiffness},
               {"kN/mm", 1e6, kStiffness},
               {"N*s/m", 1, kDamping},
               {"N/(m/s)", 1, kDamping},
               {"N*m*s/rad", 1, kAngularDamping},
               {"m/s", 1, kVelocity},
               {"km/h", 1 / 3.6, kVelocity},
               {"m/s^2", 1, kAcceleration},
               {"m/s2", 1, kAcceleration},
               {"m/s/s", 1, kAcceleration},
               {"m*s^-2", 1, kAcceleration},
               {"m/s²", 1, kAcceleration},
               {"rad/s", 1, kAngularVelocity},
               {"deg/s", kPi / 180, kAngularVelocity},
               {"rev/min", kPi / 30, kAngularVelocity},
               {"1/s", 1, kFrequency},
               {"kg/m^3", 1, kDensity},
               {"kg/m3", 1, kDensity},
               {"g/cm^3", 1e3, kDensity},
               {"t/mm^3", 1e12, kDensity},
               {"kg*m^2", 1, kInertia},
               {"m^2", 1, {.length = 2}},
               {"mm^2", 1e-6, {.length = 2}},
               {"m^4", 1, {.length = 4}},
               {"mm^4", 1e-12, {.length = 4}},
               {"mm4", 1e-12, {.length = 4}},
               {"N*m^2", 1, kBendingStiffness},
               {"N/m^2", 1, kPressure},
               {"N/mm2", 1e6, kPressure},
               {"(m/s)^2", 1, {.length = 2, .time = -2}},
               {"V*s/rad", 1, {.length = 2, .mass = 1, .time = -2, .current = -1}},
               {"N*m/A", 1, {.length = 2, .mass = 1, .time = -2, .current = -1}}});
}

TEST(KnownUnits, Compact) {
  expectUnits({{"Nm", 1, kTorque},
               {"kNm", 1e3, kTorque},
               {"Nmm", 1e-3, kTorque},
               {"mNm", 1e-3, kTorque},
               {"Ns/m", 1, kDamping},
               {"Nm/rad", 1, kTorque},
               {"Nms/rad", 1, kAngularDamping},
               {"Nms", 1, kAngularDamping},
               {"Nm/deg", 180 / kPi, kTorque},
               {"kgm2", 1, kInertia},
               {"kgm^2", 1, kInertia},
               {"gcm2", 1e-7, kInertia},
               {"kgmm2", 1e-6, kInertia},
               {"Nm2", 1, kBendingStiffness},
               {"Nm^2", 1, kBendingStiffness}});
}

double valueOf(std::string_view text) {
  const Result<Quantity> quantity = parseQuantity(text);
  return quantity ? quantity.value().value : -12345.0;
}

TEST(Quantity, ReadsNumberAndUnit) {
  EXPECT_EQ(valueOf("150 mm"), 0.15);
  EXPECT_EQ(valueOf("-3.5e2 N/mm"), -3.5e5);
  EXPECT_EQ(valueOf("30deg"), 30 * kPi / 180);
  EXPECT_EQ(valueOf("  2 kN  "), 2000.0);
  EXPECT_EQ(valueOf("+.5 m"), 0.5);
  EXPECT_EQ(valueOf("5. m"), 5.0);
  EXPECT_EQ(valueOf("3000 rpm"), 3000 * kPi / 30);
}

// The decimal number that a user would write in SI gives the same bits.
TEST(Quantity, SmallPrefixesDoNotRound) {
  for (int i = 1; i < 2000; ++i) {
    const std::string digits = std::to_string(i);
    EXPECT_EQ(valueOf(digits + " mm"), std::stod(digits + "e-3"));
    EXPECT_EQ(valueOf(digits + " um"), std::stod(digits + "e-6"));
    EXPECT_EQ(valueOf("0." + digits + " kg"), std::stod("0." + digits));
  }
}

TEST(Quantity, PureNumberHasNoUnit) {
  const Result<Quantity> quantity = parseQuantity("0.15");
  ASSERT_TRUE(quantity);
  EXPECT_EQ(quantity.value().value, 0.15);
  EXPECT_FALSE(quantity.value().hasUnit);
}

TEST(Quantity, RefusesWhatIsNoFiniteNumber) {
  for (const char* text :
       {"",  " ", "abc", "mm",  "inf",   "-inf",     "nan", "NaN",    "infinity", "-",
        "+", ".", "+-1", "--1", "1e999", "1e308 km", "e5",  "1,5 mm", "- 1",      "= L/2"}) {
    EXPECT_FALSE(parseQuantity(text)) << text;
  }
}

TEST(Quantity, RefusesBrokenUnits) {
  for (const char* text :
       {"1 N/", "1 /s", "1 *m", "1 N**m", "1 (m", "1 m)", "1 m^", "1 m^x", "1 m^99", "1 m^1.5",
        "1 m^--2", "1 m 2", "1 2", "1 0x10", "1 m;", "1 \x01", "1 kkg"}) {
    EXPECT_FALSE(parseQuantity(text)) << text;
  }
  EXPECT_FALSE(parseQuantity("1 " + std::string(10000, '(')));
  EXPECT_FALSE(parseQuantity("1 Tm^12*Tm^12*Tm^12"));
}

std::string hintFor(std::string_view text) {
  const Result<Quantity> quantity = parseQuantity(text);
  return quantity ? "none" : quantity.failure().hint;
}

TEST(Quantity, UnknownUnitNamesTheNearest) {
  EXPECT_EQ(parseQuantity("65.7 Gpa").failure().message, "unknown unit 'Gpa'");
  EXPECT_EQ(hintFor("65.7 Gpa"), "did you mean 'GPa'?");
  EXPECT_EQ(hintFor("3 kn"), "did you mean 'kN'?");
  EXPECT_EQ(hintFor("3 RPM"), "did you mean 'rpm'?");
  EXPECT_EQ(hintFor("3 drg"), "did you mean 'deg'?");
  EXPECT_EQ(hintFor("3 sec"), "did you mean 's'?");
  EXPECT_EQ(hintFor("3 degrees"), "did you mean 'deg'?");
  EXPECT_NE(hintFor("3 parsecs").find("examples of units are"), std::string::npos);
}

TEST(ConvertToSi, ChecksTheDimension) {
  EXPECT_EQ(convertToSi(parseQuantity("150 mm").value(), kLength).value(), 0.15);
  EXPECT_EQ(convertToSi(parseQuantity("150").value(), kLength).value(), 150.0);
  EXPECT_TRUE(convertToSi(parseQuantity("5 Nm/rad").value(), kTorque));
  const Result<double> wrong = convertToSi(parseQuantity("3 N").value(), kLength);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.failure().message, "the unit is that of a force (N), but a length (m) is needed");
}

TEST(ConvertToSi, DoesNotMixCyclesAndAngles) {
  EXPECT_FALSE(convertToSi(parseQuantity("50 Hz").value(), kAngularVelocity));
  EXPECT_FALSE(convertToSi(parseQuantity("3000 rpm").value(), kFrequency));
  EXPECT_TRUE(convertToSi(parseQuantity("50 Hz").value(), kFrequency));
  EXPECT_TRUE(convertToSi(parseQuantity("3000 rpm").value(), kAngularVelocity));
  EXPECT_TRUE(convertToSi(parseQuantity("50 1/s").value(), kAngularVelocity));
}

TEST(Dimension, IsDescribedForMessages) {
  EXPECT_EQ(describe(kLength), "a length (m)");
  EXPECT_EQ(describe(kAngle), "an angle (rad)");
  EXPECT_EQ(describe(kDimensionless), "a number without unit");
  EXPECT_EQ(describe({.length = -2, .mass = 1, .time = -1}), "a quantity in kg*m^-2*s^-1");
}

}  // namespace
}  // namespace flexloop::base
