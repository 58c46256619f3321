// Poles, zeros and gains that are affine in the length of the pick-and-place machine, beside coefficients and matrices that an
// independent program (numpy) computed from the same local models: acceleration of the motor, rigid and two flexible modes with
// 1 % damping, nine lengths.
#include "study/lpv/affine_form.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::study {
namespace {

using Complex = std::complex<double>;

// Length, two frequencies [Hz], two zeros, gain.
constexpr double kLocal[][8] = {
    {0.33, 63.1682351337, 230.953637273, -3.72572296064, 384.578752625, -13.5436770322, 1401.12592308, 0.0822340308342},
    {0.355, 58.7011539089, 256.410606362, -3.43229608792, 355.818630616, -15.1552698823, 1561.81808346, 0.0822955610838},
    {0.38, 54.5727930789, 286.761009642, -3.16790849193, 329.590233531, -17.0466184041, 1751.82485549, 0.0824122958461},
    {0.405, 50.8038056715, 321.76669092, -2.93120458587, 305.887927647, -19.1918189669, 1969.08286209, 0.0826326334923},
    {0.43, 47.3832309979, 358.750981228, -2.71967605743, 284.548831172, -21.4048665642, 2195.84990507, 0.0830321743225},
    {0.455, 44.286112561, 385.030213903, -2.53055249252, 265.352942059, -23.009316401, 2358.64143035, 0.0832689293898},
    {0.48, 41.4825328513, 383.414550168, -2.36115402753, 248.069818502, -23.1578424716, 2361.40452975, 0.0827006047539},
    {0.505, 38.9421152928, 366.783419965, -2.20896985165, 232.478190966, -22.3112445489, 2267.08404127, 0.0823926076902},
    {0.53, 36.6361208549, 346.806397861, -2.07183716018, 218.378303957, -21.1702679961, 2147.40311473, 0.0823524379029},
};

Complex poleOf(double hz) {
  const double w = 2.0 * std::numbers::pi * hz;
  return {-0.01 * w, w * std::sqrt(1.0 - 1e-4)};
}

struct Given {
  std::vector<PoleZeroGain> points;
  std::vector<double> f;
  std::vector<std::string> names;
};

Given readMotor() {
  Given given;
  for (const auto& row : kLocal) {
    given.points.push_back(
        {{poleOf(row[1]), poleOf(row[2])}, {{row[3], row[4]}, {row[5], row[6]}}, row[7]});
    given.f.push_back(row[0]);
    given.names.push_back("length = " + std::to_string(row[0]));
  }
  return given;
}

TEST(AffineForm, CoefficientsOfAnotherProgram) {
  const Given given = readMotor();
  const auto fitted = fitAffine(given.points, given.f, given.names, "motor");
  ASSERT_TRUE(fitted) << fitted.failure().message;
  const AffineResponse& r = fitted.value();
  const Complex expected[4][2] = {{{-6.61189272679, 661.156212389}, {8.29815200544, -829.773708747}},
                                  {{-1.56967430598, 156.95958203}, {-44.028377495, 4402.61760211}},
                                  {{-6.32027818692, 646.641429843}, {8.19978862187, -825.59928618}},
                                  {{-0.0571333368597, 78.1559320883}, {-45.3428222831, 4473.08303785}}};
  for (int i = 0; i < 4; ++i) {
    const AffineRoot& root = i < 2 ? r.poles[i] : r.zeros[i - 2];
    EXPECT_LT(std::abs(root.c0 - expected[i][0]), 1e-9 * std::abs(expected[i][0])) << i;
    EXPECT_LT(std::abs(root.c1 - expected[i][1]), 1e-9 * std::abs(expected[i][1])) << i;
  }
  EXPECT_NEAR(r.k0, 0.0820243173614, 1e-12);
  EXPECT_NEAR(r.k1, 0.00131845453825, 1e-12);
}

// A is quadratic in the length: A0 + l A1 + l² A2, by values at three lengths.
TEST(AffineForm, MatricesOfAnotherProgram) {
  const Given given = readMotor();
  const AffineResponse r = fitAffine(given.points, given.f, given.names, "motor").value();
  const linalg::StateMatrices zero = makeSections(r, 0.0), one = makeSections(r, 1.0),
                              other = makeSections(r, -1.0);
  const Eigen::MatrixXd A1 = 0.5 * (one.A - other.A), A2 = 0.5 * (one.A + other.A) - zero.A;
  const auto expectNear = [](double value, double expected) {
    EXPECT_NEAR(value, expected, 1e-8 * std::abs(expected));
  };
  expectNear(zero.A(0, 0), -13.2237854536);
  expectNear(zero.A(0, 1), -437171.254306);
  EXPECT_EQ(zero.A(1, 0), 1.0);
  expectNear(zero.A(2, 0), -0.583229079736);
  expectNear(zero.A(2, 1), -18986.1695994);
  expectNear(zero.A(2, 3), -24638.7742684);
  expectNear(A1(0, 0), 16.5963040109);
  expectNear(A1(0, 1), 1097329.81781);
  expectNear(A1(2, 0), 0.196726767138);
  expectNear(A1(2, 2), -88.0567549899);
  expectNear(A1(2, 1), 29492.7621351);
  expectNear(A2(0, 1), -688593.267054);
  expectNear(A2(2, 3), -19384980.2484);
  expectNear(zero.B(2, 0), 0.0820243173614);
  expectNear(zero.C(0, 2), -3.02508193823);
  expectNear(zero.C(0, 3), -18530.4212836);
  // And it is the response of its poles and zeros.
  const linalg::StateMatrices at = makeSections(r, 0.4);
  const Complex s(0.0, 700.0);
  Complex product = r.k0 + 0.4 * r.k1;
  for (int i = 0; i < 2; ++i) {
    const Complex p = r.poles[i].at(0.4), z = r.zeros[i].at(0.4);
    product *= (s - z) * (s - std::conj(z)) / ((s - p) * (s - std::conj(p)));
  }
  EXPECT_LT(std::abs(linalg::calcResponse(at, s)(0, 0) - product), 1e-12 * std::abs(product));
}

// Real roots in pairs and one that is left over, and fewer zeros than poles: 1 (s + 2)/((s + 1)(s + 3)(s + 4)).
TEST(AffineForm, RealRoots) {
  const AffineResponse r{"y",
                         {{-1.0, 0.0, true}, {-3.0, 0.0, true}, {-4.0, 0.0, true}},
                         {{-2.0, 0.0, true}},
                         1.0,
                         0.0};
  const linalg::StateMatrices s = makeSections(r, 0.7);
  for (const Complex at : {Complex(0.0, 0.3), Complex(1.0, 2.0), Complex(0.0, 20.0)}) {
    const Complex exact = (at + 2.0) / ((at + 1.0) * (at + 3.0) * (at + 4.0));
    EXPECT_LT(std::abs(linalg::calcResponse(s, at)(0, 0) - exact), 1e-13 * std::abs(exact));
  }
  const PoleZeroGain found = findPolesAndZeros(s, 0);
  ASSERT_EQ(found.poles.size(), 3U);
  ASSERT_EQ(found.zeros.size(), 1U);
  EXPECT_NEAR(found.zeros[0].real(), -2.0, 1e-9);
  EXPECT_NEAR(found.gain, 1.0, 1e-9);
}

TEST(AffineForm, RootsThatCannotBePaired) {
  // Two poles meet on the real axis.
  const std::vector<PoleZeroGain> meeting{{{{-1.0, 0.5}}, {}, 1.0}, {{-0.5, -2.0}, {}, 1.0}};
  const auto poles = fitAffine(meeting, {0.0, 1.0}, {"d = 1", "d = 2"}, "y");
  ASSERT_FALSE(poles);
  EXPECT_NE(poles.failure().message.find("meet on the real axis, of the output 'y' cannot be paired between d = 1 and d = 2"),
            std::string::npos)
      << poles.failure().message;
  // A pair of zeros leaves through infinity: the gain changes its sign.
  const std::vector<PoleZeroGain> leaving{{{{-1.0, 5.0}}, {-9.0, 9.0}, -0.1},
                                          {{{-1.0, 5.0}}, {{-0.1, 9.0}}, 0.1}};
  const auto zeros = fitAffine(leaving, {0.0, 1.0}, {"l = 0.43", "l = 0.455"}, "tip");
  ASSERT_FALSE(zeros);
  EXPECT_NE(zeros.failure().message.find("pass through infinity"), std::string::npos);
}

}  // namespace
}  // namespace flexloop::study
