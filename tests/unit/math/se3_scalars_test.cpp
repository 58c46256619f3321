// SE(3) evaluated with the other scalar types: Dual, Taylor2 and Pack.
#include <numbers>

#include <gtest/gtest.h>

#include "math/dual.hpp"
#include "math/pack.hpp"
#include "math/se3.hpp"
#include "math/tangent_derivatives.hpp"
#include "math/taylor.hpp"
#include "support/matrix_matchers.hpp"
#include "support/screw_samples.hpp"

namespace flexloop::math {
namespace {

using namespace flexloop::test;

constexpr double kTolerance = 1e-14;

TEST(SE3Scalars, TangentsByDualNumbersAgreeWithTheirDerivatives) {
  for (const auto& d : screws(anglesBelowTwoPi())) {
    for (const auto& e : screwDirections()) {
      Vec6<Dual<1>> seeded;
      for (int i = 0; i < 6; ++i) {
        seeded[i] = Dual<1>(d[i]);
        seeded[i].d[0] = e[i];
      }
      const auto derivative = [](const Mat6<Dual<1>>& A) {
        return Mat6<double>(A.unaryExpr([](const Dual<1>& x) { return x.d[0]; }));
      };
      EXPECT_TRUE(isNear(derivative(tangentSE3(seeded)), tangentDerivativeSE3(d, e), kTolerance));
      EXPECT_TRUE(isNear(derivative(tangentInverseSE3(seeded)), tangentInverseDerivativeSE3(d, e),
                         kTolerance * conditionNearTwoPi(d)));
    }
  }
}

// d/ds log(F exp(s e)) = T(log F)⁻¹ e, the formula of beam strains; by dual numbers it must hold at
// zero rotation as well.
TEST(SE3Scalars, DerivativeOfLogarithmIsInverseTangent) {
  for (const auto& d : screws(anglesBelowPi())) {
    const Frame<double> F = expSE3(d);
    Vec6<Dual<6>> increment;
    for (int i = 0; i < 6; ++i) increment[i] = Dual<6>::variable(0.0, i);
    const Frame<Dual<6>> lifted = {F.R.cast<Dual<6>>(), F.x.cast<Dual<6>>()};
    const Vec6<Dual<6>> moved = logSE3(compose(lifted, expSE3(increment)));
    Mat6<double> J;
    for (int i = 0; i < 6; ++i) J.row(i) = moved[i].d.array().matrix().transpose();
    EXPECT_TRUE(isNear(J, tangentInverseSE3(d), 3e-14)) << d;
  }
}

// Along d(t): V = T ḋ and V̇ = T d̈ + DT[ḋ] ḋ; the origin of exp(d) has ẋ = R v and ẍ = R (v̇ + ω ×
// v).
TEST(SE3Scalars, SecondDerivativesInTime) {
  const Vec6<double> velocity = someScrew(), acceleration = screwDirections()[0];
  for (const auto& d : screws(anglesBelowPi())) {
    Vec6<Taylor2> moving;
    for (int i = 0; i < 6; ++i) moving[i] = Taylor2(d[i], velocity[i], acceleration[i]);
    const Frame<Taylor2> F = expSE3(moving);
    const Vec6<double> V = applyTangent(d, velocity);
    const Vec6<double> rate =
        applyTangent(d, acceleration) + tangentDerivativeSE3(d, velocity) * velocity;
    const Mat3<double> R = expSE3(d).R;
    const Vec3<double> second = R * (firstOf(rate) + cross(secondOf(V), firstOf(V)));
    EXPECT_TRUE(isNear(Vec3<double>(F.x.unaryExpr([](const Taylor2& x) { return x.first; })),
                       Vec3<double>(R * firstOf(V)), kTolerance));
    EXPECT_TRUE(isNear(Vec3<double>(F.x.unaryExpr([](const Taylor2& x) { return x.second; })),
                       second, 2e-14));
  }
}

// Neighbouring lanes hold unlike angles, so that every select is taken both ways.
TEST(SE3Scalars, PackLanesAgreeWithDouble) {
  const auto all = screws(anglesBelowPi());
  const std::size_t stride = 101;  // prime, not a divisor of the number of screws
  for (std::size_t first = 0; first < all.size(); ++first) {
    Vec6<Pack> d, v;
    for (int lane = 0; lane < Pack::kWidth; ++lane) {
      const Vec6<double>& one = all[(first + lane * stride) % all.size()];
      for (int i = 0; i < 6; ++i) d[i].set(lane, one[i]);
    }
    v = someScrew().cast<Pack>();
    const Frame<Pack> F = expSE3(d);
    const Vec6<Pack> log = logSE3(F), forward = applyTangent(d, v),
                     backward = applyTangentInverse(d, v);
    for (int lane = 0; lane < Pack::kWidth; ++lane) {
      const auto laneOf = [lane](const auto& A) {
        return A.unaryExpr([lane](const Pack& x) { return x[lane]; }).eval();
      };
      const Vec6<double> one = laneOf(d);
      EXPECT_TRUE(isSameFrame({laneOf(F.R), laneOf(F.x)}, expSE3(one), 1e-15));
      EXPECT_TRUE(isNear(laneOf(log), one, kTolerance));
      EXPECT_TRUE(isNear(laneOf(forward), applyTangent(one, someScrew()), 1e-15));
      EXPECT_TRUE(isNear(laneOf(backward), applyTangentInverse(one, someScrew()), 1e-15));
    }
  }
}

}  // namespace
}  // namespace flexloop::math
