// The change of variables at a node (docs/theory/03_nodes.md): every formula against differences
// along the retraction, for all sets of free freedoms and all formulations.
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/matrix_matchers.hpp"
#include "system/node.hpp"

namespace flexloop::system {
namespace {

using Eigen::VectorXd;
using math::Mat3;
using test::isNear;

constexpr double kStep = 1e-5;

VectorXd random(int n, double size, std::mt19937& generator) {
  std::uniform_real_distribution<double> number(-size, size);
  VectorXd v(n);
  for (int i = 0; i < n; ++i) v[i] = number(generator);
  return v;
}

// A node in general position that has moved, with rates and accelerations of its unknowns.
struct Sample {
  Node node;
  Frame<double> frame;
  VectorXd u, du;
};

template <class Check>
void forAllNodes(Check check) {
  std::mt19937 generator(3);
  for (const std::string& word : formulationWords()) {
    const Formulation formulation = findFormulation(word);
    for (int bits = 0; bits < 64; ++bits) {
      FreeSet free;
      for (int i = 0; i < 6; ++i) free.free[i] = (bits >> i & 1) != 0;
      const Frame<double> start = math::expSE3<double>(random(6, 1.0, generator));
      Sample s{makeNode("n", start, free, formulation), start, {}, {}};
      ASSERT_EQ(s.node.count, free.count());
      const VectorXd moved = random(s.node.count, 0.8, generator);
      s.frame = retract(s.node, start, moved.data());
      s.u = random(s.node.count, 1.5, generator);
      s.du = random(s.node.count, 2.0, generator);
      SCOPED_TRACE("free bits " + std::to_string(bits) + " " + word);
      check(s);
    }
  }
}

// Central difference of a function of the increment in the direction of unknown c.
template <class Function>
auto slope(const Sample& s, int c, Function function) {
  VectorXd dq = VectorXd::Zero(s.node.count);
  const auto at = [&](double h) {
    dq[c] = h;
    return function(retract(s.node, s.frame, dq.data()));
  };
  return ((8.0 * (at(kStep) - at(-kStep)) - (at(2 * kStep) - at(-2 * kStep))) / (12.0 * kStep))
      .eval();
}

Vec6<double> twistOf(const Sample& s, const Frame<double>& frame, Vec6<double>* rate = nullptr) {
  Vec6<double> twist, twistRate;
  calcTwist(s.node, frame, s.u.data(), s.du.data(), twist, twistRate);
  if (rate != nullptr) *rate = twistRate;
  return twist;
}

// (3.1): δ = A dq, for the increment δ of H ← H exp(δ).
TEST(NodeMap, IncrementsFollowTheMap) {
  forAllNodes([](const Sample& s) {
    const Mat6<double> A = calcMap(s.node, s.frame);
    for (int c = 0; c < s.node.count; ++c) {
      const auto delta = slope(s, c, [&](const Frame<double>& moved) {
        return math::logSE3<double>(math::relative(s.frame, moved));
      });
      EXPECT_TRUE(isNear(delta, A.col(c), 1e-9));
    }
  });
}

// What is held stays as it was: free translations leave the other coordinates, and without
// rotations the axes.
TEST(NodeMap, HeldFreedomsStay) {
  std::mt19937 generator(5);
  for (int bits = 0; bits < 8; ++bits) {
    FreeSet free = FreeSet::none();
    for (int i = 0; i < 3; ++i) free.free[i] = (bits >> i & 1) != 0;
    const Frame<double> start = math::expSE3<double>(random(6, 1.0, generator));
    const Node node = makeNode("n", start, free, Formulation::kSE3);
    const VectorXd dq = random(node.count, 2.0, generator);
    const Frame<double> moved = retract(node, start, dq.data());
    EXPECT_TRUE(isNear(moved.R, start.R, 1e-15));
    for (int i = 0, c = 0; i < 3; ++i) {
      EXPECT_NEAR(moved.x[i] - start.x[i], free.free[i] ? dq[c++] : 0.0, 1e-14);
    }
  }
  // A planar node, which turns about ground z, keeps its height and its z axis.
  const Frame<double> start = math::expSE3<double>(random(6, 1.0, generator));
  const Node planar =
      makeNode("n", start, {{true, true, false, false, false, true}}, Formulation::kSE3);
  const VectorXd dq = random(3, 1.0, generator);
  const Frame<double> moved = retract(planar, start, dq.data());
  EXPECT_NEAR(moved.x[2], start.x[2], 1e-14);
  EXPECT_TRUE(isNear((moved.R * start.R.transpose()).col(2).eval(), Vec3<double>(0, 0, 1), 1e-14));
}

// (3.2): the twist is A u, and its rate is the time derivative along the motion.
TEST(NodeMap, TwistRateIsTheDerivativeAlongTheMotion) {
  forAllNodes([](const Sample& s) {
    Vec6<double> twistRate;
    const Vec6<double> twist = twistOf(s, s.frame, &twistRate);
    EXPECT_TRUE(
        isNear(twist, (calcMap(s.node, s.frame).leftCols(s.node.count) * s.u).eval(), 1e-14));
    const auto twistAt = [&](double t) {
      const VectorXd dq = t * s.u;
      const VectorXd u = s.u + t * s.du;
      Vec6<double> v, unused;
      calcTwist(s.node, retract(s.node, s.frame, dq.data()), u.data(), s.du.data(), v, unused);
      return v;
    };
    const Vec6<double> rate =
        (8.0 * (twistAt(kStep) - twistAt(-kStep)) - (twistAt(2 * kStep) - twistAt(-2 * kStep))) /
        (12.0 * kStep);
    EXPECT_TRUE(isNear(twistRate, rate, 1e-9));
  });
}

// (3.3): the increment at the end of a step is T(dq) d(dq).
TEST(NodeMap, TangentOfTheRetraction) {
  forAllNodes([](const Sample& s) {
    const Mat6<double> T = calcTangent(s.node, s.u.data());
    const Frame<double> end = retract(s.node, s.frame, s.u.data());
    const Mat6<double> A = calcMap(s.node, end);
    for (int c = 0; c < s.node.count; ++c) {
      const auto at = [&](double h) {
        VectorXd dq = s.u;
        dq[c] += h;
        return math::logSE3<double>(math::relative(end, retract(s.node, s.frame, dq.data())));
      };
      const Vec6<double> delta =
          (8.0 * (at(kStep) - at(-kStep)) - (at(2 * kStep) - at(-2 * kStep))) / (12.0 * kStep);
      const Vec6<double> expected = A.leftCols(s.node.count) * T.col(c).head(s.node.count);
      EXPECT_TRUE(isNear(delta, expected, 1e-9));
    }
  });
}

// (3.4)–(3.6)
TEST(NodeMap, TwistDerivatives) {
  forAllNodes([](const Sample& s) {
    const TwistDerivatives D = calcTwistDerivatives(s.node, s.frame, s.u.data(), s.du.data());
    for (int c = 0; c < s.node.count; ++c) {
      const auto twist = slope(s, c, [&](const Frame<double>& F) { return twistOf(s, F); });
      EXPECT_TRUE(isNear(twist, D.twistByValue.col(c), 1e-9));
      const auto rate = slope(s, c, [&](const Frame<double>& F) {
        Vec6<double> twistRate;
        twistOf(s, F, &twistRate);
        return twistRate;
      });
      EXPECT_TRUE(isNear(rate, D.rateByValue.col(c), 1e-8));
      // The twist rate is quadratic in u, so a central difference of any size is exact.
      const auto rateAt = [&](double h) {
        VectorXd u = s.u;
        u[c] += h;
        Vec6<double> v, twistRate;
        calcTwist(s.node, s.frame, u.data(), s.du.data(), v, twistRate);
        return twistRate;
      };
      EXPECT_TRUE(isNear((0.5 * (rateAt(1.0) - rateAt(-1.0))).eval(), D.rateByRate.col(c), 1e-13));
    }
  });
}

// The end of a step from s.frame, with rates and accelerations there: vectors in the axes of its start
// are `velocity` and `acceleration`, translations first.
struct StepEnd {
  Frame<double> frame;
  VectorXd u, du;
};

// The translations of a vector of the node's unknowns as components in other axes.
VectorXd turned(const Node& node, const VectorXd& x, const math::Mat3<double>& turn) {
  if (!node.isStraight) return x;
  const int n = node.translations();
  const auto A = calcMap(node, node.start).topLeftCorner(3, n).eval();
  VectorXd y = x;
  y.head(n) = A.transpose() * (turn * (A * x.head(n)));
  return y;
}

StepEnd finishStep(const Sample& s, const VectorXd& expected, const VectorXd& dq,
                   const VectorXd& velocity, const VectorXd& acceleration) {
  StepEnd end;
  end.frame = advance(s.node, s.frame, expected.data(), dq.data());
  const math::Mat3<double> back = end.frame.R.transpose() * s.frame.R;
  end.u = turned(s.node, velocity, back);
  end.du = turned(s.node, acceleration, back);
  if (!s.node.isStraight) return end;
  const int n = s.node.translations();
  const auto A = calcMap(s.node, end.frame);
  const Vec6<double> twist = A.leftCols(s.node.count) * end.u;
  const Vec3<double> centripetal = math::cross<double>(twist.tail<3>(), twist.head<3>());
  end.du.head(n) -= A.topLeftCorner(3, n).transpose() * centripetal;
  return end;
}

// A step that goes straight moves the origin by a vector and turns the body by another, whatever the
// rotation: it is that of R³×SO(3).
TEST(NodeMap, AStepOfTheDefaultIsThatOfVectorsInGround) {
  std::mt19937 generator(17);
  for (int bits = 0; bits < 64; ++bits) {
    FreeSet free;
    for (int i = 0; i < 6; ++i) free.free[i] = (bits >> i & 1) != 0;
    const Frame<double> start = math::expSE3<double>(random(6, 1.0, generator));
    const Node local = makeNode("n", start, free, Formulation::kLocal);
    const Node ground = makeNode("n", start, free, Formulation::kR3xSO3);
    const VectorXd vectors = random(local.count, 1.2, generator);
    const VectorXd first = random(local.count, 2.0, generator);
    VectorXd dq = vectors;
    const auto A_local = calcMap(local, start).leftCols(local.count).eval();
    const auto A_ground = calcMap(ground, start).leftCols(local.count).eval();
    dq = A_local.transpose() * (A_ground * vectors);
    const Frame<double> a = advance(local, start, first.data(), dq.data());
    const Frame<double> b = advance(ground, start, first.data(), vectors.data());
    SCOPED_TRACE("free bits " + std::to_string(bits));
    EXPECT_TRUE(isNear(a.R, b.R, 1e-14));
    EXPECT_TRUE(isNear(a.x, b.x, 1e-14));
  }
}

// (3.9), (3.10): at the end of a step, in body axes there.
TEST(NodeMap, StepTangents) {
  std::mt19937 generator(13);
  forAllNodes([&](const Sample& s) {
    const int n = s.node.count;
    const VectorXd expected = random(n, 2.0, generator), dq = expected + random(n, 0.6, generator);
    const StepEnd end = finishStep(s, expected, dq, s.u, s.du);
    const math::Mat3<double> E = s.frame.R.transpose() * end.frame.R;
    const Mat6<double> T = calcStepTangent(s.node, expected.data(), dq.data());
    const Mat6<double> A = calcMap(s.node, end.frame);
    const TwistDerivatives D = calcStepDerivatives(s.node, end.frame, end.u.data(), end.du.data());
    for (int c = 0; c < n; ++c) {
      const VectorXd direction = turned(s.node, VectorXd::Unit(n, c), E);
      const auto twistAt = [&](const StepEnd& at) {
        Eigen::Matrix<double, 12, 1> both;
        Vec6<double> twist, twistRate;
        calcTwist(s.node, at.frame, at.u.data(), at.du.data(), twist, twistRate);
        both << twist, twistRate;
        return both;
      };
      const auto derivative = [&](auto function) {
        return ((8.0 * (function(kStep) - function(-kStep)) -
                 (function(2 * kStep) - function(-2 * kStep))) /
                (12.0 * kStep))
            .eval();
      };
      const Vec6<double> moved = derivative([&](double h) -> Vec6<double> {
        const StepEnd at = finishStep(s, expected, dq + h * direction, s.u, s.du);
        return math::logSE3<double>(math::relative(end.frame, at.frame));
      });
      const VectorXd atEnd = T.col(c).head(n);
      EXPECT_TRUE(isNear(moved, (A.leftCols(n) * atEnd).eval(), 1e-8));
      const auto byValue = derivative([&](double h) {
        return twistAt(finishStep(s, expected, dq + h * direction, s.u, s.du));
      });
      EXPECT_TRUE(
          isNear(byValue.head<6>().eval(), (D.twistByValue.leftCols(n) * atEnd).eval(), 1e-7));
      EXPECT_TRUE(
          isNear(byValue.tail<6>().eval(), (D.rateByValue.leftCols(n) * atEnd).eval(), 1e-7));
      const auto byRate = derivative([&](double h) {
        return twistAt(finishStep(s, expected, dq, s.u + h * direction, s.du));
      });
      EXPECT_TRUE(isNear(byRate.head<6>().eval(), A.col(c), 1e-8));
      EXPECT_TRUE(isNear(byRate.tail<6>().eval(), D.rateByRate.col(c), 1e-7));
      const auto byAcceleration = derivative([&](double h) {
        return twistAt(finishStep(s, expected, dq, s.u, s.du + h * direction));
      });
      EXPECT_TRUE(isNear(byAcceleration.tail<6>().eval(), A.col(c), 1e-8));
    }
  });
}

// T is as far from singular after any number of turns as after none, and the end is the same.
TEST(NodeMap, StepsOfWholeTurnsAreRegular) {
  const Node node = makeNode("n", Frame<double>::identity(), FreeSet::all(), Formulation::kLocal);
  const Vec3<double> axis = Vec3<double>(1, -2, 0.5).normalized();
  for (const double angle : {0.0, 1.0, 3.0, 3.3, 6.2, 2.0 * std::numbers::pi, 9.0, 12.5, 126.0}) {
    Vec6<double> expected = Vec6<double>::Zero();
    expected.tail<3>() = angle * axis;
    Vec6<double> dq = expected;
    dq.tail<3>() *= 1.001;
    const Mat3<double> T =
        calcStepTangent(node, expected.data(), dq.data()).bottomRightCorner<3, 3>();
    // Of a rotation about an axis, this is the product of the two factors across it.
    EXPECT_GT(math::cross<double>(T.col(0), T.col(1)).dot(T.col(2)), 0.3) << angle;
    const Frame<double> end = advance(node, Frame<double>::identity(), expected.data(), dq.data());
    EXPECT_TRUE(isNear(end.R, math::expSO3<double>(Vec3<double>(dq.tail<3>())), 1e-13)) << angle;
  }
}

// The increments know the angle of any number of turns.
TEST(NodeMap, TurnsAreThoseOfTheIncrement) {
  for (const std::string& word : formulationWords()) {
    for (const FreeSet& free : {FreeSet::all(), FreeSet{{false, false, true, false, false, true}},
                                FreeSet{{true, true, false, false, false, true}},
                                FreeSet{{false, false, false, true, false, true}}}) {
      const Frame<double> start = math::expSE3<double>(Vec6<double>(0.2, 0.1, -0.4, 0.0, 0.0, 0.9));
      const Node node = makeNode("n", start, free, findFormulation(word));
      VectorXd dq = VectorXd::Zero(node.count);
      dq[node.count - 1] = 33.0;
      const Frame<double> end = advance(node, start, dq.data(), dq.data());
      EXPECT_TRUE(isNear(calcTurn(node, start, end, dq.data()), Vec3<double>(0, 0, 33), 1e-12));
    }
  }
}

// (3.7)
TEST(NodeMap, MapStiffness) {
  std::mt19937 generator(11);
  forAllNodes([&](const Sample& s) {
    const Vec6<double> r = random(6, 3.0, generator);
    const Mat6<double> K = calcMapStiffness(s.node, s.frame, r);
    for (int c = 0; c < s.node.count; ++c) {
      const auto change = slope(s, c, [&](const Frame<double>& F) -> Vec6<double> {
        return calcMap(s.node, F).transpose() * r;
      });
      EXPECT_TRUE(isNear(change, K.col(c), 1e-8));
    }
  });
}

}  // namespace
}  // namespace flexloop::system
