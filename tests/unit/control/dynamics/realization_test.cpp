#include "control/dynamics/realization.hpp"

#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "control/dynamics/filters.hpp"

namespace flexloop::control {
namespace {

using Complex = std::complex<double>;
using Wide = std::complex<long double>;

// C (iω − A)⁻¹ B + D
Complex respond(const StateMatrices& s, double omega) {
  Eigen::MatrixXcd P = -s.A.cast<Complex>();
  P.diagonal().array() += Complex(0.0, omega);
  const Eigen::MatrixXcd x = P.partialPivLu().solve(s.B.cast<Complex>());
  return (s.C.cast<Complex>() * x + s.D.cast<Complex>())(0, 0);
}

Wide evaluate(const std::vector<double>& descending, Wide s) {
  Wide sum = 0.0L;
  for (const double c : descending) sum = sum * s + static_cast<long double>(c);
  return sum;
}

void expectQuotient(const std::vector<double>& b, const std::vector<double>& a, double tolerance) {
  const StateMatrices system = realizeTransferFunction(b, a);
  for (double omega = 1e-4; omega < 1e12; omega *= 7.3) {
    const Wide s(0.0L, omega);
    const Complex truth(evaluate(b, s) / evaluate(a, s));
    EXPECT_LE(std::abs(respond(system, omega) - truth), tolerance * std::abs(truth)) << omega;
  }
}

TEST(TransferFunctionRealization, HasTheResponseOfTheQuotient) {
  expectQuotient({1}, {0.01, 1}, 1e-13);
  expectQuotient({2, 1, 3, 1}, {1, 4, 2, 5}, 1e-12);
  expectQuotient({3}, {2}, 1e-15);
  expectQuotient({1, 2}, {1, 3, 0, 0}, 1e-12);  // two integrators
}

// Poles at 1, 1e4 and 1e8 rad/s, and coefficients over 24 decades.
TEST(TransferFunctionRealization, KeepsItsDigitsWithCoefficientsOfAllSizes) {
  expectQuotient({1e12}, {1, 1e8 + 1e4 + 1, 1e12 + 1e8 + 1e4, 1e12}, 1e-12);
  expectQuotient({1}, {1e-24, 1e-16 + 1e-20, 1e-12 + 1e-8, 1}, 1e-12);
  const StateMatrices s = realizeTransferFunction({1}, {1e-24, 1e-16, 1e-6, 1});
  EXPECT_LT(std::max(s.B.norm() / s.C.norm() / s.A.norm(), s.C.norm()), 1e3);
}

void expectRoots(const ZeroPoleGain& f, double tolerance) {
  const StateMatrices system = realizeZeroPoleGain(f);
  const auto product = [](const std::vector<Complex>& roots, Wide s) {
    Wide result = 1.0L;
    for (const Complex& root : roots) {
      result *= s - Wide(root);
      if (root.imag() != 0.0) result *= s - std::conj(Wide(root));
    }
    return result;
  };
  for (double omega = 1e-3; omega < 1e5; omega *= 3.7) {
    const Wide s(0.0L, omega);
    const Complex truth(static_cast<long double>(f.gain) * product(f.zeros, s) /
                        product(f.poles, s));
    EXPECT_LE(std::abs(respond(system, omega) - truth), tolerance * std::abs(truth)) << omega;
  }
}

TEST(SectionChain, HasTheResponseOfItsRoots) {
  expectRoots({{-3.0}, {-1.0, -2.0, Complex(-1, 4)}, 5.0}, 1e-12);
  expectRoots({{Complex(-0.5, 2)}, {-1.0, -4.0}, 2.0}, 1e-12);
  expectRoots({{Complex(-0.5, 2), -1.0, -7.0}, {-1.5, -4.0, -6.0, Complex(-1, 1e-3)}, 2.0}, 1e-11);
  expectRoots({{-1.0}, {0.0, 0.0, -50.0}, -3.0}, 1e-12);
  expectRoots({{}, {}, 4.0}, 1e-15);
  expectRoots({{Complex(-1, 10), Complex(-2, 10)}, {Complex(-1, 9), -30.0, -30.0}, 1.0}, 1e-11);
}

void expectResponse(const ZeroPoleGain& filter, const std::vector<double>& omegas,
                    const std::vector<Complex>& truth) {
  const StateMatrices system = realizeZeroPoleGain(filter);
  for (std::size_t i = 0; i < omegas.size(); ++i) {
    EXPECT_LE(std::abs(respond(system, omegas[i]) - truth[i]), 1e-13) << omegas[i];
  }
}

// from scipy import signal
// signal.freqs_zpk(*signal.butter(n, edges, kind, analog=True, output='zpk'), worN=omegas)[1]
// with (n, edges, kind) = (5, 3, 'low'), (4, 3, 'high'), and (3, ·, 'band'), (2, ·, 'band') with the
// edges w1 = (−W + √(W² + 36))/2 and w1 + W for W = 7.2 and 0.5.
TEST(Filters, AreThoseOfScipy) {
  expectResponse(makeLowPass(5, 3.0), {0.5, 3, 20},
                 {{0.8570506191496439, -0.5152321997672905},
                  {-0.5, 0.5},
                  {3.552465615212204e-05, -6.711559191626734e-05}});
  expectResponse(makeHighPass(4, 3.0), {0.5, 3, 20},
                 {{0.0006990214505774645, -0.00032671522451134906},
                  {-0.7071067811865476, 0.0},
                  {0.9236862081159332, 0.3831494912529735}});
  expectResponse(makeBandPass(3, 3.0, 7.2), {0.5, 3, 20},
                 {{-0.052203534575540125, -0.04584384301585169},
                  {1.0, 0.0},
                  {-0.0342130331089106, 0.036311286904079046}});
  expectResponse(makeBandPass(2, 3.0, 0.5), {2.5, 3, 3.3},
                 {{-0.15721210533211058, 0.12737741702233765},
                  {1.0, 0.0},
                  {-0.1146662171463976, -0.5952257731360016}});
}

TEST(Filters, ANotchHasItsDepthAndItsWidth) {
  const double omega = 30.0;
  for (const double damping : {0.05, 1.4}) {
    for (const double depth : {0.0, 0.1, 1.0}) {
      const StateMatrices s = realizeZeroPoleGain(makeNotch(omega, damping, depth));
      EXPECT_NEAR(std::abs(respond(s, omega)), depth, 1e-13);
      EXPECT_NEAR(std::abs(respond(s, 1e-6) - 1.0), 0.0, 1e-6);
      EXPECT_NEAR(std::abs(respond(s, 1e9) - 1.0), 0.0, 1e-6);
      // At the two points where |ω² − w²| = 2ζωw, the gain is √((1 + depth²)/2).
      const double edge = omega * (damping + std::sqrt(damping * damping + 1.0));
      EXPECT_NEAR(std::abs(respond(s, edge)), std::sqrt(0.5 * (1.0 + depth * depth)), 1e-13);
    }
  }
}

TEST(Rest, IsWhereNothingMoves) {
  const std::vector<StateMatrices> systems = {
      realizeTransferFunction({2, 1, 3}, {1, 4, 2, 5}), realizeTransferFunction({2, 3}, {1, 3, 0}),
      realizeTransferFunction({1}, {1e-24, 1e-16, 1e-6, 1})};
  for (const StateMatrices& s : systems) {
    const auto rest = findRest(s, 0.7);
    ASSERT_TRUE(rest.has_value());
    const Eigen::Map<const Eigen::VectorXd> x(rest->data(), s.countStates());
    // Some constant input u holds the state; these systems have no direct term.
    const double u = -s.B.col(0).dot(s.A * x) / s.B.squaredNorm();
    EXPECT_LE((s.A * x + s.B * u).norm(), 1e-12 * s.A.norm() * x.norm());
    EXPECT_NEAR((s.C * x)(0, 0), 0.7, 1e-12);
  }
  EXPECT_FALSE(findRest(realizeTransferFunction({1, 0}, {1, 1}), 0.7).has_value());
}

}  // namespace
}  // namespace flexloop::control
