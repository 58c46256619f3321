// Dimensions of formulas by hand, and what must stay open because a number has no unit.
#include "math/expressions/expression_units.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.hpp"

namespace flexloop::math {
namespace {

using Kind = Measured::Kind;

// L 2 m, m 3 kg, T 0.5 s, f 5 Hz, a 30 deg, k 100 N/m, n 7 without unit.
const NameIndex& names() {
  static const NameIndex index{"L", "m", "T", "f", "a", "k", "n"};
  return index;
}

base::Result<Measured> unitOf(const std::string& text) {
  const std::vector<double> values{2.0, 3.0, 0.5, 5.0, 0.5, 100.0, 7.0};
  const std::vector<Measured> units{Measured::quantity(base::kLength),
                                    Measured::quantity(base::kMass),
                                    Measured::quantity(base::kTime),
                                    Measured::quantity(base::kFrequency),
                                    Measured::quantity(base::kAngle),
                                    Measured::quantity(base::kStiffness),
                                    {}};
  return findUnitOf(Expression::parse(text, names()).value(), values, units);
}

void expectUnit(const std::string& text, const std::string& unit) {
  const auto found = unitOf(text);
  ASSERT_TRUE(found) << text << ": " << found.failure().message;
  EXPECT_EQ(found.value().kind, Kind::kQuantity) << text;
  EXPECT_EQ(found.value().dimension, base::parseUnit(unit).value().dimension) << text;
}

TEST(ExpressionUnits, FollowProductsQuotientsPowersAndRoots) {
  expectUnit("L", "m");
  expectUnit("-2*L/3", "m");
  expectUnit("L*L^3/12", "m^4");
  expectUnit("pi*L^2/4", "m^2");
  expectUnit("m/L^3", "kg/m^3");
  expectUnit("sqrt(k/m)", "1/s");
  expectUnit("(k/m)^0.5*L", "m/s");
  expectUnit("pow(L, 2)*m", "kg*m^2");
  expectUnit("2*pi*f", "rad/s");
  expectUnit("L*cos(a)", "m");
  expectUnit("max(L, 3*L)", "m");
  expectUnit("hypot(L, 2*L)", "m");
  expectUnit("n > 3 ? L : m", "m");
  expectUnit("abs(-L) + 0.05", "m");
  expectUnit("L*m/T^2", "N");
}

// Numbers without unit may be quantities in SI.
TEST(ExpressionUnits, StayOpenBesideNumbersWithoutUnit) {
  for (const char* text : {"9.81*m", "n*L", "L/n", "n", "7850*L^3", "sqrt(n)*m", "0.3*L*m"}) {
    const auto found = unitOf(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found.value().kind, Kind::kAnything) << text;
  }
  for (const char* text : {"L/L", "sin(a)", "m/m*2", "L < 2*L", "f*T"}) {
    const auto found = unitOf(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found.value().kind, Kind::kNumber) << text;
  }
}

TEST(ExpressionUnits, AreAFailureWhereTheyDiffer) {
  const auto message = [](const std::string& text) {
    const auto found = unitOf(text);
    return found ? "none" : found.failure().message;
  };
  EXPECT_EQ(message("L + m"), "a length (m) and a mass (kg) cannot be added");
  EXPECT_EQ(message("2*L - T"), "a length (m) and a time (s) cannot be subtracted");
  EXPECT_EQ(message("L < m ? 1 : 2"), "a length (m) and a mass (kg) cannot be compared");
  EXPECT_EQ(message("exp(T)"),
            "the argument of 'exp' must be a number without unit, but is a time (s)");
  EXPECT_EQ(message("2^L"), "the exponent must be a number without unit, but is a length (m)");
  EXPECT_EQ(message("min(L, m)"),
            "a length (m) and a mass (kg) cannot be arguments of 'min' together");
  EXPECT_EQ(message("L + a"), "a length (m) and an angle (rad) cannot be added");
  EXPECT_EQ(message("L + n"), "none");
}

}  // namespace
}  // namespace flexloop::math
