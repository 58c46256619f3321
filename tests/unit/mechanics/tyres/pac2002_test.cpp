// The magic formula against a table from outside (reference J6.1).
#include "mechanics/tyres/pac2002.hpp"

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file_text.hpp"
#include "mechanics/tyres/tir_file.hpp"
#include "support/places.hpp"

namespace flexloop::mechanics {
namespace {

using Tyre = Pac2002::Parameters<double>;

Tyre readTyre() {
  base::Diagnostics diagnostics;
  const std::string path = test::inProject("tests/fixtures/tyres/passenger_car.tir");
  const TirFile file = parseTir(base::readFileText(path).value(), path, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.toText();
  Tyre tyre{};
  for (int k = 0; k < pac2002::kCount; ++k) {
    const auto found = file.values.find(std::string(pac2002::kNames[k]));
    if (found != file.values.end()) {
      tyre.c[k] = std::stod(found->second.text);
    } else if (pac2002::isFactor(k)) {
      tyre.c[k] = 1.0;
    }
  }
  tyre.c[pac2002::FZMAX] = tyre.c[pac2002::CAMMAX] = HUGE_VAL;
  tyre.c[pac2002::CAMMIN] = -HUGE_VAL;
  tyre.c[pac2002::LONGVL] = 1.0;
  return tyre;
}

struct Row {
  double load, alpha, kappa, camber, Fx0, Fy0, Mz0, Fx, Fy, Mz;
};

std::vector<Row> readTable() {
  std::ifstream file(test::inProject("tests/fixtures/tyres/pac2002_table.csv"));
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line[0] == 'F') continue;
    std::vector<double> x;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) x.push_back(std::stod(cell));
    constexpr double kDegree = std::numbers::pi / 180.0;
    rows.push_back(
        {x[0], x[1] * kDegree, x[2], x[3] * kDegree, x[4], x[5], x[6], x[7], x[8], x[9]});
  }
  return rows;
}

TyreForces<double> forcesAt(const Tyre& tyre, const Row& row) {
  return Pac2002::calcForces<double, double>(
      tyre, {row.kappa, std::tan(row.alpha), row.camber, row.load, 10.0, 1.0});
}

TEST(Pac2002, GivesTheTable) {
  const Tyre tyre = readTyre();
  const std::vector<Row> rows = readTable();
  ASSERT_EQ(rows.size(), 468u);
  // The table has twelve digits.
  constexpr double kDigits = 1e-10;
  for (const Row& row : rows) {
    const std::string at = std::to_string(row.load) + " N, " + std::to_string(row.alpha) +
                           " rad, " + std::to_string(row.kappa) + ", " + std::to_string(row.camber);
    const auto load = Pac2002::calcLoad<double, double>(tyre, row.load);
    const auto x =
        Pac2002::calcLongitudinal<double, double>(tyre, load, row.kappa, row.camber, 1.0);
    const auto y = Pac2002::calcLateral<double, double>(tyre, load, row.alpha, row.camber, 1.0);
    const TyreForces<double> f = forcesAt(tyre, row);
    EXPECT_NEAR(x[0], row.Fx0, kDigits * row.load) << at;
    EXPECT_NEAR(y.force, row.Fy0, kDigits * row.load) << at;
    EXPECT_NEAR(f.Fx, row.Fx, kDigits * row.load) << at;
    EXPECT_NEAR(f.Fy, row.Fy, kDigits * row.load) << at;
    EXPECT_NEAR(f.Mz, row.Mz, kDigits * row.load) << at;
    if (row.kappa == 0.0) {
      EXPECT_NEAR(f.Mz, row.Mz0, kDigits * row.load) << at;
    }
  }
}

TEST(Pac2002, HasTheRelaxationLengthsOfTheReference) {
  const Tyre tyre = readTyre();
  const std::vector<std::array<double, 3>> expected{
      {2000.0, 0.386871, 0.287777}, {4000.0, 0.82902, 0.485485}, {6000.0, 1.21211, 0.577583}};
  for (const auto& [load, along, across] : expected) {
    const auto length = Pac2002::calcRelaxation<double, double>(tyre, load, 0.0);
    EXPECT_NEAR(length.lengthX, along, 1e-5);
    EXPECT_NEAR(length.lengthY, across, 1e-6);
  }
}

// Forces are proportional to the load outside of the range of the file, and vanish with it.
TEST(Pac2002, ExtendsItsRangeOfLoadsInProportion) {
  Tyre tyre = readTyre();
  tyre.c[pac2002::FZMIN] = 500.0;
  tyre.c[pac2002::FZMAX] = 6000.0;
  Row row{500.0, 0.05, 0.02, 0.01, 0, 0, 0, 0, 0, 0};
  const TyreForces<double> low = forcesAt(tyre, row);
  row.load = 50.0;
  EXPECT_NEAR(forcesAt(tyre, row).Fy, 0.1 * low.Fy, 1e-12 * std::abs(low.Fy));
  row.load = 0.0;
  const TyreForces<double> none = forcesAt(tyre, row);
  for (const double f : {none.Fx, none.Fy, none.Mx, none.My, none.Mz}) EXPECT_EQ(f, 0.0);
  row.load = 6000.0;
  const double high = forcesAt(tyre, row).Mz;
  row.load = 12000.0;
  EXPECT_NEAR(forcesAt(tyre, row).Mz, 2.0 * high, 1e-12 * std::abs(high));
}

// Factors of friction scale the peak, those of stiffness the slope at the origin.
TEST(Pac2002, AppliesItsFactors) {
  using namespace pac2002;
  const Tyre plain = readTyre();
  const auto curve = [](Tyre tyre, int factor, double by, double kappa, double alpha) {
    for (const int shift : {PHX1, PHX2, PVX1, PVX2, PHY1, PHY2, PVY1, PVY2}) tyre.c[shift] = 0.0;
    tyre.c[factor] *= by;
    return forcesAt(tyre, {4000.0, alpha, kappa, 0.0, 0, 0, 0, 0, 0, 0});
  };
  constexpr double kTiny = 1e-7;
  const auto ratioX = [&](int factor, double kappa) {
    return curve(plain, factor, 0.7, kappa, 0.0).Fx / curve(plain, factor, 1.0, kappa, 0.0).Fx;
  };
  const auto ratioY = [&](int factor, double alpha) {
    return curve(plain, factor, 0.7, 0.0, alpha).Fy / curve(plain, factor, 1.0, 0.0, alpha).Fy;
  };
  EXPECT_NEAR(ratioX(LKX, kTiny), 0.7, 1e-6);
  EXPECT_NEAR(ratioY(LKY, kTiny), 0.7, 1e-6);
  EXPECT_NEAR(ratioX(LMUX, kTiny), 1.0, 1e-6);
  EXPECT_NEAR(ratioY(LMUY, kTiny), 1.0, 1e-6);
  double peakX = 0.0, lowX = 0.0, peakY = 0.0, lowY = 0.0;
  for (double slip = 0.001; slip < 0.6; slip += 0.001) {
    peakX = std::max(peakX, curve(plain, LMUX, 1.0, slip, 0.0).Fx);
    lowX = std::max(lowX, curve(plain, LMUX, 0.7, slip, 0.0).Fx);
    peakY = std::max(peakY, -curve(plain, LMUY, 1.0, 0.0, slip).Fy);
    lowY = std::max(lowY, -curve(plain, LMUY, 0.7, 0.0, slip).Fy);
  }
  EXPECT_NEAR(lowX / peakX, 0.7, 1e-4);
  EXPECT_NEAR(lowY / peakY, 0.7, 1e-4);
}

// The curve does not fold at large slip.
TEST(Pac2002, LimitsItsCurvature) {
  Tyre tyre = readTyre();
  tyre.c[pac2002::PEX1] = 3.0;
  tyre.c[pac2002::PEY1] = 3.0;
  Tyre limited = tyre;
  for (const int name :
       {pac2002::PEX2, pac2002::PEX3, pac2002::PEX4, pac2002::PEY2, pac2002::PEY3, pac2002::PEY4}) {
    limited.c[name] = 0.0;
  }
  limited.c[pac2002::PEX1] = limited.c[pac2002::PEY1] = 1.0;
  const Row row{4000.0, 0.3, 0.0, 0.0, 0, 0, 0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(forcesAt(tyre, row).Fy, forcesAt(limited, row).Fy);
}

}  // namespace
}  // namespace flexloop::mechanics
