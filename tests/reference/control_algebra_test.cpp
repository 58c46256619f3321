// Riccati, norms, balanced truncation, discretisation and H-infinity synthesis on ten plants, beside numbers that other
// programs computed: two independent codes, and 50-digit arithmetic where these disagreed.
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/state_space/balanced_truncation.hpp"
#include "linalg/state_space/discretization.hpp"
#include "linalg/state_space/hinf_synthesis.hpp"
#include "linalg/state_space/lyapunov.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "linalg/state_space/riccati.hpp"
#include "linalg/state_space/system_norms.hpp"
#include "support/places.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd readMatrix(const std::string& name) {
  std::ifstream file(test::inProject("tests/fixtures/control_plants/" + name + ".csv"));
  EXPECT_TRUE(file.is_open()) << name;
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) {
      rows.back().push_back(std::stod(field));
    }
  }
  MatrixXd matrix(std::ssize(rows), rows.empty() ? 0 : std::ssize(rows[0]));
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index k = 0; k < matrix.cols(); ++k) matrix(i, k) = rows[i][k];
  }
  return matrix;
}

StateMatrices readPlant(const std::string& name) {
  StateMatrices s{readMatrix(name + "_A"), readMatrix(name + "_B"), readMatrix(name + "_C"), {}};
  const Index n = s.A.rows();
  s.B = s.B.reshaped<Eigen::RowMajor>(n, s.B.size() / n).eval();
  s.C = s.C.reshaped<Eigen::RowMajor>(s.C.size() / n, n).eval();
  s.D = MatrixXd::Zero(s.C.rows(), s.B.cols());
  return s;
}

struct Case {
  const char* name;
  double rho, v, traceS, traceP, cost, hInfinity;
};

constexpr Case kCases[] = {
    {"p01_acc", 0.1, 0.01, 3.07075024277, 1.81301997462, 1.84229488939, 1.418573557},
    {"p02_dint", 1, 0.01, 2.82842712475, 0.49193495505, 1.62363937665, 1.286091636},
    {"p03_flexarm", 0.01, 1e-4, 0.415237096552, 105.098000895, 0.446188661476, 0.1055778048},
    {"p04_pendulum", 0.1, 1e-3, 17.9319911284, 1.06678952437, 3.28416332724, 0.9801421561},
    {"p05_rand20", 0.5, 0.1, 1.94866084144, 2.1742480447, 0.657949890147, 0.607776088},
    {"p06_unstable", 1, 0.1, 35.7546974343, 2.09952575564, 6.13676643516, 4.317900242},
    {"p07_nmp", 1, 0.1, 589.682623046, 0.188050607929, 2.36145016757, 1.816533556},
    {"p08_pnp043", 1e-10, 1e-12, 0.0307486766879, 4.29216659015e-4, 1.87493989102e-4,
     1.386093653e-5},
    {"p09_beam100", 0.01, 1e-4, 0.0967106981316, 36.1699476105, 0.395537305687, 0.1160733105},
    {"p10_amb", 1e-8, 1e-10, 0.0319246919858, 3.59420450061, 6.47136880986e-3, 1.377985872e-4},
};

// w = [d; n] and z = [y; √ρ u] with u + d at the input and y + √v n measured.
GeneralizedPlant makeFourBlock(const StateMatrices& s, double rho, double v) {
  const Index n = s.A.rows(), m = s.B.cols(), p = s.C.rows();
  GeneralizedPlant g;
  g.A = s.A;
  g.B1 = MatrixXd::Zero(n, m + p);
  g.B1.leftCols(m) = s.B;
  g.B2 = s.B;
  g.C1 = MatrixXd::Zero(p + m, n);
  g.C1.topRows(p) = s.C;
  g.C2 = s.C;
  g.D11 = MatrixXd::Zero(p + m, m + p);
  g.D12 = MatrixXd::Zero(p + m, m);
  g.D12.bottomRows(m) = std::sqrt(rho) * MatrixXd::Identity(m, m);
  g.D21 = MatrixXd::Zero(p, m + p);
  g.D21.rightCols(p) = std::sqrt(v) * MatrixXd::Identity(p, p);
  return g;
}

class ControlPlant : public testing::TestWithParam<Case> {};

TEST_P(ControlPlant, RegulatorAndFilter) {
  const Case& c = GetParam();
  const StateMatrices s = readPlant(c.name);
  const auto S = solveRiccati(s.A, s.B * s.B.transpose() / c.rho, s.C.transpose() * s.C);
  ASSERT_TRUE(S) << S.failure().message;
  EXPECT_NEAR(S.value().X.trace(), c.traceS, 1e-9 * c.traceS);
  const auto P = solveRiccati(s.A.transpose(), s.C.transpose() * s.C / c.v, s.B * s.B.transpose());
  ASSERT_TRUE(P) << P.failure().message;
  EXPECT_NEAR(P.value().X.trace(), c.traceP, 1e-9 * c.traceP);
  const auto h2 = synthesizeH2(makeFourBlock(s, c.rho, c.v));
  ASSERT_TRUE(h2) << h2.failure().message;
  EXPECT_NEAR(h2.value().norm, c.cost, 1e-8 * c.cost);
}

TEST_P(ControlPlant, LeastLevel) {
  const Case& c = GetParam();
  if (std::string(c.name) == "p09_beam100") GTEST_SKIP() << "in SlowBeam";
  const auto found = synthesizeHInfinity(makeFourBlock(readPlant(c.name), c.rho, c.v), 1.02);
  ASSERT_TRUE(found) << found.failure().message;
  EXPECT_NEAR(found.value().optimum, c.hInfinity, 1e-4 * c.hInfinity);
  // What the closed loop has is between the optimum and what was asked for.
  EXPECT_GT(found.value().norm, c.hInfinity * (1 - 1e-6));
  EXPECT_LT(found.value().norm, found.value().level * (1 + 1e-6));
}

TEST(ControlAlgebra, SlowBeamLevel) {
  const auto found =
      synthesizeHInfinity(makeFourBlock(readPlant("p09_beam100"), 0.01, 1e-4), 1.02, 1e-5);
  ASSERT_TRUE(found) << found.failure().message;
  EXPECT_NEAR(found.value().optimum, 0.1160733105, 1e-4 * 0.1160733105);
  EXPECT_LT(found.value().norm, found.value().level * (1 + 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Ten, ControlPlant, testing::ValuesIn(kCases),
                         [](const auto& plant) { return std::string(plant.param.name); });

TEST(ControlAlgebra, GainsOfOthers) {
  for (const char* name : {"p03_flexarm", "p04_pendulum", "p05_rand20", "p08_pnp043", "p10_amb"}) {
    const Case* c = std::find_if(std::begin(kCases), std::end(kCases),
                                 [&](const Case& x) { return std::string(x.name) == name; });
    const StateMatrices s = readPlant(name);
    const auto S = solveRiccati(s.A, s.B * s.B.transpose() / c->rho, s.C.transpose() * s.C);
    const auto P =
        solveRiccati(s.A.transpose(), s.C.transpose() * s.C / c->v, s.B * s.B.transpose());
    ASSERT_TRUE(S && P) << name;
    const MatrixXd K = s.B.transpose() * S.value().X / c->rho;
    const MatrixXd L = P.value().X * s.C.transpose() / c->v;
    const MatrixXd wantedK = readMatrix(std::string(name) + "_lqr_K");
    const MatrixXd wantedL = readMatrix(std::string(name) + "_lqe_L");
    EXPECT_LT((K - wantedK).norm(), 1e-8 * wantedK.norm()) << name;
    EXPECT_LT((L - wantedL).norm(), 1e-8 * wantedL.norm()) << name;
  }
}

// Mixed sensitivity: w = r, e = r − G u, z = [W1 e; W2 u; W3 y], W1 = (s/Ms + wB)/(s + wB ε).
GeneralizedPlant makeMixed(const StateMatrices& s, double Ms, double wB, double W2, double W3) {
  const Index n = s.A.rows(), m = s.B.cols(), p = s.C.rows(), third = W3 > 0.0 ? p : 0;
  const MatrixXd I = MatrixXd::Identity(p, p);
  const double a = -wB * 1e-3, d = 1.0 / Ms, c = wB - wB * 1e-3 / Ms;
  GeneralizedPlant g;
  g.A = MatrixXd::Zero(n + p, n + p);
  g.A.topLeftCorner(n, n) = s.A;
  g.A.bottomLeftCorner(p, n) = -s.C;
  g.A.bottomRightCorner(p, p) = a * I;
  g.B1 = MatrixXd::Zero(n + p, p);
  g.B1.bottomRows(p) = I;
  g.B2 = MatrixXd::Zero(n + p, m);
  g.B2.topRows(n) = s.B;
  g.B2.bottomRows(p) = -s.D;
  g.C1 = MatrixXd::Zero(p + m + third, n + p);
  g.C1.topLeftCorner(p, n) = -d * s.C;
  g.C1.topRightCorner(p, p) = c * I;
  if (third > 0) g.C1.bottomLeftCorner(p, n) = W3 * s.C;
  g.C2 = MatrixXd::Zero(p, n + p);
  g.C2.leftCols(n) = -s.C;
  g.D11 = MatrixXd::Zero(p + m + third, p);
  g.D11.topRows(p) = d * I;
  g.D12 = MatrixXd::Zero(p + m + third, m);
  g.D12.topRows(p) = -d * s.D;
  g.D12.middleRows(p, m) = W2 * MatrixXd::Identity(m, m);
  if (third > 0) g.D12.bottomRows(p) = W3 * s.D;
  g.D21 = I;
  g.D22 = -s.D;
  return g;
}

TEST(ControlAlgebra, MixedSensitivity) {
  struct Mixed {
    const char* name;
    double Ms, wB, W2, W3, level;
  };
  for (const Mixed& c : {Mixed{"p05_rand20", 2, 0.2, 0.5, 0, 3.159595539},
                         Mixed{"p06_unstable", 2.5, 0.5, 0.1, 0, 1.973830},
                         Mixed{"p07_nmp", 2, 0.5, 0.1, 0, 0.8005855866},
                         Mixed{"p07_nmp", 2, 0.5, 0.1, 0.3, 0.8323352595},
                         Mixed{"p07_nmp", 2, 0.5, 1e-5, 0, 0.750338873},
                         Mixed{"p10_amb", 2, 100, 1e-4, 0, 1.683622746},
                         Mixed{"p03s_flexarm", 2, 5, 0.02, 0, 0.6989101961}}) {
    const GeneralizedPlant plant = makeMixed(readPlant(c.name), c.Ms, c.wB, c.W2, c.W3);
    const auto found = synthesizeHInfinity(plant, 1.02);
    ASSERT_TRUE(found) << c.name << ": " << found.failure().message;
    EXPECT_NEAR(found.value().optimum, c.level, 1e-4 * c.level) << c.name;
    EXPECT_LT(found.value().norm, found.value().level * (1 + 1e-6)) << c.name;
    EXPECT_GT(found.value().norm, c.level * (1 - 1e-4)) << c.name;
  }
  // One zero at 2 rad/s in the right half plane, and a cheap control: |W1(2)|.
  const auto cheap = synthesizeHInfinity(makeMixed(readPlant("p07_nmp"), 2, 0.5, 1e-6, 0), 1.02);
  ASSERT_TRUE(cheap) << cheap.failure().message;
  EXPECT_NEAR(cheap.value().optimum, 0.7498125469, 2e-4);
}

// References reach the weights alone, so that all of Y but these entries is zero, which rounding makes a little negative. The level
// was found by bisection with another program, between roots of a Hamiltonian matrix on and off the imaginary axis. No controller is better than the best one.
TEST(ControlAlgebra, LeastLevelWithZerosInTheSolutions) {
  const StateMatrices plant{MatrixXd{{1.0, 0.5, 0.0}, {0.0, -1.0, 2.0}, {0.0, -2.0, -0.1}},
                            MatrixXd{{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}},
                            MatrixXd{{1.0, 0.0, 1.0}, {0.0, 1.0, 0.0}},
                            MatrixXd{{0.5, 0.0}, {0.2, -3.0}}};
  const auto found = synthesizeHInfinity(makeMixed(plant, 2.0, 2.0, 0.1, 0.0), 1.02);
  ASSERT_TRUE(found) << found.failure().message;
  EXPECT_NEAR(found.value().optimum, 0.328040, 1e-4 * 0.328040);
  EXPECT_GT(found.value().norm, found.value().optimum * (1.0 - 1e-6));
}

TEST(ControlAlgebra, Norms) {
  const auto h2 = [](const char* name) { return calcH2Norm(readPlant(name)).value(); };
  const auto peak = [](const char* name) {
    return calcHInfinityNorm(readPlant(name)).value().gain;
  };
  EXPECT_NEAR(h2("p05_rand20"), 0.705512495288, 1e-10);
  EXPECT_NEAR(h2("p07_nmp"), std::sqrt(7.5), 1e-10);
  EXPECT_NEAR(h2("p09_beam100"), 3.64758863456, 1e-9);
  EXPECT_NEAR(peak("p05_rand20"), 1.15664614, 1e-8);
  EXPECT_NEAR(peak("p07_nmp"), 3.63338484, 1e-8);
  EXPECT_NEAR(peak("p09_beam100"), 22.7424397711, 1e-8);
  EXPECT_FALSE(calcH2Norm(readPlant("p06_unstable")));
  EXPECT_FALSE(calcHInfinityNorm(readPlant("p02_dint")));
}

TEST(ControlAlgebra, BalancedTruncation) {
  const auto errorOf = [](const char* name, int order) {
    const StateMatrices s = readPlant(name);
    const auto r = truncateBalanced(s, order);
    EXPECT_TRUE(r);
    EXPECT_EQ(r.value().system.countStates(), order);
    const double error = calcHInfinityNorm(makeDifference(s, r.value().system), 1e-8).value().gain;
    EXPECT_LE(error, r.value().bound * (1 + 1e-7));
    return error;
  };
  EXPECT_NEAR(errorOf("p05_rand20", 4), 0.1070674543, 1e-8);
  EXPECT_NEAR(errorOf("p05_rand20", 8), 0.01453991806, 1e-8);
  EXPECT_NEAR(errorOf("p05_rand20", 12), 9.5563e-5, 1e-8);
  EXPECT_NEAR(errorOf("p07_nmp", 2), 1.7352626, 1e-7);  // twice the last Hankel value
  EXPECT_NEAR(errorOf("p07_nmp", 1), 3.6402467, 1e-7);
  EXPECT_NEAR(errorOf("p09_beam100", 6), 0.41757502, 1e-7);
  const auto hankel = truncateBalanced(readPlant("p05_rand20"), 20).value().hankel;
  EXPECT_NEAR(hankel[0], 0.58800261, 1e-8);
  EXPECT_NEAR(hankel[5], 0.05994384, 1e-8);
}

// The inverted pendulum has a root at +4.85 and two at zero: they stay, and one state is all that can go.
TEST(ControlAlgebra, UnstablePartIsKept) {
  const auto low = truncateBalanced(readPlant("p04_pendulum"), 2);
  ASSERT_FALSE(low);
  EXPECT_NE(low.failure().message.find("3 states"), std::string::npos) << low.failure().message;
  const auto whole = truncateBalanced(readPlant("p04_pendulum"), 4).value();
  EXPECT_EQ(whole.keptApart, 3);
  const StateMatrices s = readPlant("p04_pendulum");
  const std::complex<double> at(0.3, 2.0);
  EXPECT_LT((calcResponse(whole.system, at) - calcResponse(s, at)).norm(),
            1e-9 * calcResponse(s, at).norm());
}

// Coefficients of the transfer function of a sampled system from its response at as many points.
void expectSampled(const StateMatrices& s, const std::vector<double>& num,
                   const std::vector<double>& den) {
  for (const double angle : {0.3, 1.0, 2.4}) {
    const std::complex<double> z = std::polar(1.0, angle);
    std::complex<double> n = 0.0, d = 0.0;
    for (const double c : num) n = n * z + c;
    for (const double c : den) d = d * z + c;
    EXPECT_LT(std::abs(calcResponse(s, z)(0, 0) - n / d), 1e-9 * std::abs(n / d));
  }
}

TEST(ControlAlgebra, Discretization) {
  const StateMatrices p6 = readPlant("p06_unstable"), p7 = readPlant("p07_nmp");
  const std::vector<double> held6{1, -3.02688032063, 3.08460678384, -1.06183654655};
  const std::vector<double> held7{1, -2.71530250542, 2.54301397315, -0.818730753078};
  expectSampled(discretizeHeld(p6, 0.1), {1.68896798848e-4, 6.84592113272e-4, 1.74031919833e-4},
                held6);
  expectSampled(discretizeHeld(p7, 0.1), {-0.04324149213, 0.0149378255239, 0.0462650959071}, held7);
  const double k = 1.27746550843e-4;
  expectSampled(discretizeTustin(p6, 0.1).value(), {k, 3 * k, 3 * k, k},
                {1, -3.02759325498, 3.08584568217, -1.06234031681});
  expectSampled(discretizeTustin(p7, 0.1).value(),
                {-0.0199335548173, -0.015503875969, 0.0287929125138, 0.0243632336656},
                {1, -2.71871539313, 2.54817275748, -0.820598006645});
  const double k6 = 2.56880207988e-4, k7 = -0.0405627948139, z7 = 1.22140275816;
  expectSampled(discretizeMatched(p6, 0.1).value(), {k6, 2 * k6, k6}, held6);
  expectSampled(discretizeMatched(p7, 0.1).value(), {k7, k7 * (1 - z7), -k7 * z7}, held7);
}

// The sampled regulator of the double integrator and of the pendulum: the equation itself, and a stable loop.
TEST(ControlAlgebra, SampledRegulator) {
  for (const char* name : {"p02_dint", "p04_pendulum", "p08_pnp043"}) {
    const StateMatrices s = discretizeHeld(readPlant(name), 0.005);
    const MatrixXd Q = s.C.transpose() * s.C, R = MatrixXd::Constant(1, 1, 1e-3);
    const auto found = solveDiscreteRiccati(s.A, s.B, Q, R);
    ASSERT_TRUE(found) << name << found.failure().message;
    const MatrixXd& X = found.value().X;
    const MatrixXd K =
        solveDense(MatrixXd(R + s.B.transpose() * X * s.B), MatrixXd(s.B.transpose() * X * s.A));
    const MatrixXd r = s.A.transpose() * X * (s.A - s.B * K) - X + Q;
    EXPECT_LT(r.norm(), 1e-10 * X.norm()) << name;
    EXPECT_LT(findEigenvalues((s.A - s.B * K).cast<std::complex<double>>()).cwiseAbs().maxCoeff(),
              1.0);
  }
}

TEST(ControlAlgebra, WhatCannotBeStabilised) {
  // The second state grows, and no input reaches it.
  const MatrixXd A{{-1.0, 0.0}, {0.0, 1.0}}, B{{1.0}, {0.0}}, Q = MatrixXd::Identity(2, 2);
  const auto S = solveRiccati(A, B * B.transpose(), Q);
  ASSERT_FALSE(S);
  EXPECT_NE(S.failure().message.find("no stabilising solution"), std::string::npos)
      << S.failure().message;
  EXPECT_FALSE(solveDiscreteRiccati(2.0 * MatrixXd::Identity(2, 2), B, Q, MatrixXd::Ones(1, 1)));
  EXPECT_FALSE(solveLyapunov(MatrixXd::Zero(2, 2), Q));
}

// Units of states change nothing: lengths in units from 10⁻¹² to 10¹² m.
TEST(ControlAlgebra, UnitsOfStates) {
  const StateMatrices s = readPlant("p04_pendulum");
  const Eigen::Vector4d unit{1e12, 1.0, 1e-12, 1e3};
  StateMatrices t = s;
  t.A = unit.asDiagonal() * s.A * unit.cwiseInverse().asDiagonal();
  t.B = unit.asDiagonal() * s.B;
  t.C = s.C * unit.cwiseInverse().asDiagonal();
  const auto X = solveRiccati(t.A, t.B * t.B.transpose() / 0.1, t.C.transpose() * t.C);
  ASSERT_TRUE(X) << X.failure().message;
  const MatrixXd K = t.B.transpose() * X.value().X / 0.1 * unit.asDiagonal();
  const MatrixXd wanted{{-3.1622776602, -37.9842099331, -4.1108564625, -8.0889239927}};
  EXPECT_LT((K - wanted).norm(), 1e-9 * wanted.norm());
}

}  // namespace
}  // namespace flexloop::linalg
