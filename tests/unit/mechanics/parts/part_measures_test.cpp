// Measures of points and stresses of a part: against motions that are known, and their derivatives.
#include "mechanics/parts/part_measures.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "math/jet.hpp"
#include "support/part_samples.hpp"
#include "system/jet_view.hpp"

namespace flexloop::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::Vec3;
using math::Vec6;
using mechanics::PartPointMeasure;
using mechanics::PartStressMeasure;
using Quantity = PartPointMeasure::Quantity;

// A part with three interfaces and two modes whose nodes move along known paths, and a node of axes.
class PartMeasures : public testing::Test {
 protected:
  static constexpr int kFreedoms = 6 * 3 + 2;

  void SetUp() override {
    matrices_ = std::make_shared<mechanics::ReducedMatrices>(makeRandomPart(3, 2, 11));
    part_.matrices = matrices_;
    for (int i = 1; i <= 3; ++i) part_.place.nodes.push_back({i});
    part_.place.modes = {{0}, {1}};
    srand(3);
    for (int k = 0; k < 5; ++k) {
      start_.push_back({math::expSE3<double>(0.3 * Vec6<double>(random(6))), random(6), random(6)});
      if (k == 2 || k == 3) start_[k].frame.x += matrices_->arms[k - 2];
    }
    start_[0] = {math::Frame<double>::identity(), Vec6<double>::Zero(), Vec6<double>::Zero()};
  }

  static VectorXd random(int n) {
    VectorXd x(n);
    for (double& e : x) e = 2.0 * rand() / RAND_MAX - 1.0;
    return x;
  }

  // The motion after the time h with constant twist rates and accelerations, right up to h³.
  struct Numbers {
    system::Motion motion;
    std::array<double, 2> value, rate, acceleration;
  };
  void moveTo(double h, Numbers& to) const {
    to.motion.nodes.clear();
    for (const system::NodeMotion& from : start_) {
      const Vec6<double> increment = h * from.twist + 0.5 * h * h * from.twistRate;
      to.motion.nodes.push_back({math::compose(from.frame, math::expSE3<double>(increment)),
                                 from.twist + h * from.twistRate, from.twistRate});
    }
    to.acceleration = {0.7, -0.4};
    to.rate = {0.2 + h * 0.7, 0.9 - h * 0.4};
    to.value = {0.1 + h * 0.2 + 0.35 * h * h, -0.3 + h * 0.9 - 0.2 * h * h};
    to.motion.value = to.value.data();
    to.motion.rate = to.rate.data();
    to.motion.acceleration = to.acceleration.data();
  }
  VectorXd valueAt(const system::Measure& measure, double h) const {
    Numbers numbers;
    moveTo(h, numbers);
    VectorXd value(measure.components().size());
    measure.calcValue(numbers.motion, value.data());
    return value;
  }
  VectorXd slope(const system::Measure& measure) const {
    const auto difference = [&](double h) -> VectorXd {
      return (valueAt(measure, h) - valueAt(measure, -h)) / (2.0 * h);
    };
    return (4.0 * difference(5e-4) - difference(1e-3)) / 3.0;
  }
  VectorXd rateOf(const system::Measure& measure) const {
    Numbers numbers;
    moveTo(0.0, numbers);
    VectorXd rate(measure.components().size());
    measure.calcRate(numbers.motion, rate.data());
    return rate;
  }
  // Jets have the same value, rate and second derivative.
  void expectJets(const system::Measure& measure) const {
    Numbers numbers;
    moveTo(0.0, numbers);
    std::array<math::Jet, 6> jets;
    measure.calcJets(numbers.motion, {}, measure.terms()[0], {}, jets.data());
    const VectorXd value = valueAt(measure, 0.0), expected = slope(measure);
    for (int i = 0; i < value.size(); ++i) {
      EXPECT_NEAR(jets[i].value, value[i], 1e-13 * (1.0 + std::abs(value[i])));
      EXPECT_NEAR(jets[i].first, expected[i], 1e-8 * (1.0 + std::abs(expected[i])));
    }
  }

  std::shared_ptr<mechanics::ReducedMatrices> matrices_;
  mechanics::MeasuredPart part_;
  std::vector<system::NodeMotion> start_;
};

// Each is the rate of the one before, in the axes of a node that turns as well.
TEST_F(PartMeasures, PositionVelocityAndAccelerationBelongTogether) {
  const Vec3<double> arm(0.3, -0.2, 0.5);
  const MatrixXd rows = Eigen::Map<MatrixXd>(random(3 * kFreedoms).data(), 3, kFreedoms);
  const PartPointMeasure position(Quantity::kPosition, part_, arm, rows);
  const PartPointMeasure velocity(Quantity::kVelocity, part_, arm, rows);
  const PartPointMeasure acceleration(Quantity::kAcceleration, part_, arm, rows);
  EXPECT_LT((rateOf(position) - valueAt(velocity, 0.0)).norm(), 1e-12);
  EXPECT_LT((rateOf(velocity) - valueAt(acceleration, 0.0)).norm(), 1e-11);
  EXPECT_LT((slope(position) - valueAt(velocity, 0.0)).norm(), 1e-8);
  EXPECT_LT((slope(velocity) - valueAt(acceleration, 0.0)).norm(), 1e-7);
  EXPECT_FALSE(acceleration.hasRate());

  const PartPointMeasure turning(Quantity::kVelocity, part_, arm, rows, {4});
  EXPECT_LT((rateOf(turning) - slope(turning)).norm(), 1e-8);
  for (const auto* measure : {&position, &velocity, &turning}) expectJets(*measure);
}

// A point at an interface, whose displacement is that of the interface, moves as the node does.
TEST_F(PartMeasures, APointAtAnInterfaceMovesWithIt) {
  MatrixXd rows = MatrixXd::Zero(3, kFreedoms);
  rows.block<3, 3>(0, 6).setIdentity();
  const PartPointMeasure position(Quantity::kPosition, part_, matrices_->arms[0], rows);
  const PartPointMeasure velocity(Quantity::kVelocity, part_, matrices_->arms[0], rows);
  const system::NodeMotion& node = start_[2];
  EXPECT_LT((valueAt(position, 0.0) - node.frame.x).norm(), 1e-14);
  EXPECT_LT((valueAt(velocity, 0.0) - node.frame.R * node.twist.head<3>()).norm(), 1e-14);
}

// σ_xx = 3, σ_xy = 2 gives √(9 + 12); its slope by numbers.
TEST_F(PartMeasures, StressesFollowTheCoordinates) {
  MatrixXd rows = MatrixXd::Zero(6, kFreedoms);
  rows(0, 18) = 30.0;        // q_1 = 0.1
  rows(3, 19) = -2.0 / 0.3;  // q_2 = −0.3
  const PartStressMeasure components(PartStressMeasure::Quantity::kComponents, part_, rows);
  const PartStressMeasure mises(PartStressMeasure::Quantity::kVonMises, part_, rows);
  const VectorXd stress = valueAt(components, 0.0);
  EXPECT_NEAR(stress[0], 3.0, 1e-14);
  EXPECT_NEAR(stress[3], 2.0, 1e-14);
  EXPECT_NEAR(rateOf(components)[0], 6.0, 1e-14);
  EXPECT_NEAR(valueAt(mises, 0.0)[0], std::sqrt(21.0), 1e-14);
  EXPECT_NEAR(rateOf(mises)[0], slope(mises)[0], 1e-8);
  expectJets(components);
  expectJets(mises);
  const PartStressMeasure none(PartStressMeasure::Quantity::kVonMises, part_, 0.0 * rows);
  EXPECT_EQ(valueAt(none, 0.0)[0], 0.0);
  EXPECT_EQ(rateOf(none)[0], 0.0);
}

// Partial derivatives by all freedoms of the part and of the axes.
TEST_F(PartMeasures, GradientsAreDerivatives) {
  const MatrixXd rows = Eigen::Map<MatrixXd>(random(3 * kFreedoms).data(), 3, kFreedoms);
  const PartPointMeasure velocity(Quantity::kVelocity, part_, Vec3<double>(0.3, -0.2, 0.5), rows,
                                  {4});
  const auto term = velocity.terms()[0];
  const int n = 6 * static_cast<int>(term.nodes.size()) + static_cast<int>(term.scalars.size());
  ASSERT_EQ(n, 26);
  system::Tangents t;
  for (MatrixXd* X : {&t.K, &t.C, &t.M}) X->setZero(n + 1, n + 1);
  Numbers numbers;
  moveTo(0.0, numbers);
  velocity.subtractGradient(numbers.motion, {}, term, {0.0, 1.0, 0.0}, false, t);
  const auto at = [&](int j, double h) {
    Numbers moved;
    moveTo(0.0, moved);
    if (j < 24) {
      math::Frame<double>& frame = moved.motion.nodes[term.nodes[j / 6].value].frame;
      frame = math::compose(frame, math::expSE3<double>(h * Vec6<double>::Unit(j % 6)));
    } else {
      moved.value[j - 24] += h;
    }
    std::array<double, 3> v;
    velocity.calc(moved.motion, {}, false, v.data());
    return v[1];
  };
  for (int j = 0; j < n; ++j) {
    const auto difference = [&](double h) { return (at(j, h) - at(j, -h)) / (2.0 * h); };
    EXPECT_NEAR(-t.K(n, j), (4.0 * difference(5e-4) - difference(1e-3)) / 3.0, 1e-8) << j;
  }
}

}  // namespace
}  // namespace flexloop::test
