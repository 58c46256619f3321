// One part: what its forces are in states that are known.
#include "mechanics/parts/reduced_bodies.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "mechanics/bodies/inertia.hpp"
#include "support/part_samples.hpp"
#include "system/elements.hpp"

namespace flexloop::test {
namespace {

using Eigen::VectorXd;
using math::Frame;
using math::Mat3;
using math::Vec3;
using math::Vec6;

struct Machine {
  system::System system;
  system::Motion motion;
  std::vector<double> value, rate, acceleration;

  const system::ElementSet& set(int i) const { return *system.sets()[i]; }
  VectorXd force(int s, const Vec3<double>& gravity = Vec3<double>::Zero()) const {
    system::Environment environment;
    environment.gravity = gravity;
    VectorXd r;
    set(s).calcResidual(motion, environment, 0, r);
    return r;
  }
};

std::unique_ptr<Machine> finish(system::Builder& builder) {
  std::map<std::string, std::unique_ptr<system::Measure>> measures;
  auto machine = std::make_unique<Machine>(Machine{builder.finish(measures), {}, {}, {}, {}});
  const std::size_t unknowns = machine->system.unknowns();
  for (auto* x : {&machine->value, &machine->rate, &machine->acceleration})
    x->assign(unknowns, 0.0);
  machine->motion.value = machine->value.data();
  machine->motion.rate = machine->rate.data();
  machine->motion.acceleration = machine->acceleration.data();
  for (const Frame<double>& frame : machine->system.start().frames) {
    machine->motion.nodes.push_back({frame, Vec6<double>::Zero(), Vec6<double>::Zero()});
  }
  return machine;
}

// A steel strip of 400 × 100 × 20 mm.
BeamPart makeStrip() {
  const double E = 210e9, G = E / 2.6, b = 0.1, h = 0.02;
  return {.length = 0.4,
          .massPerLength = 7850 * b * h,
          .polarInertia = 7850 * b * h * (b * b + h * h) / 12.0,
          .EA = E * b * h,
          .GJ = 0.2808 * G * b * h * h * h,
          .EIy = E * b * h * h * h / 12.0,
          .EIz = E * h * b * b * b / 12.0};
}

// The same numbers as an element of `bodies`, in any state.
TEST(ReducedBody, IsARigidBodyWithOneInterfaceAndNoModes) {
  Mat3<double> J;
  J << 0.11, 0.01, -0.02, 0.01, 0.14, 0.03, -0.02, 0.03, 0.2;
  const Vec3<double> centre(0.1, 0.2, -0.3);
  base::Diagnostics diagnostics;
  system::Builder builder(diagnostics);
  addPart(builder, "part", makeRigidPart(1.2, centre, J), Frame<double>::identity());
  builder.elements<mechanics::Inertia>().add("body", {system::NodeIndex{1}}, {},
                                             {mechanics::makeMass(1.2, centre, J)});
  const auto machine = finish(builder);
  system::NodeMotion& node = machine->motion.nodes[1];
  node.frame.R = math::expSO3<double>(Vec3<double>(0.3, 4.0, -0.2));
  node.twist << 0.3, 0.8, -0.5, 2.0, -1.0, 3.0;
  node.twistRate << 4.0, -0.8, 1.5, -2.0, 7.0, 0.3;
  const Vec3<double> gravity(0.5, -0.3, -9.81);
  const VectorXd part = machine->force(0, gravity), body = machine->force(1, gravity);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(part[i], body[i], 1e-14 * body.norm()) << i;

  system::Tangents a, b;
  system::Environment environment;
  environment.gravity = gravity;
  machine->set(0).calcTangents(machine->motion, environment, 0, a);
  machine->set(1).calcTangents(machine->motion, environment, 0, b);
  EXPECT_LT((a.K - b.K).norm(), 1e-14 * b.K.norm());
  EXPECT_LT((a.C - b.C).norm(), 1e-14 * b.C.norm());
  EXPECT_LT((a.M - b.M).norm(), 1e-14 * b.M.norm());
}

// Angles of H6 R1, the last of several turns.
TEST(ReducedBody, HasNoStrainInAnyRigidMotion) {
  const BeamPart strip = makeStrip();
  const auto model = makeBeamPart(strip, 4, 6);
  for (const Vec3<double>& w :
       {Vec3<double>(0.3, -0.2, 0.9), Vec3<double>(3.0, 0.1, 0.05), Vec3<double>(20.0, 0.0, 0.0)}) {
    base::Diagnostics diagnostics;
    system::Builder builder(diagnostics);
    addPart(builder, "strip", model, {math::expSO3<double>(w), Vec3<double>(3.0, -2.0, 7.0)});
    const auto machine = finish(builder);
    const double bound = 1e-12 * model.K.cwiseAbs().maxCoeff() * strip.length;
    EXPECT_LT(machine->force(0).cwiseAbs().maxCoeff(), bound);
  }
}

// A rigid motion with any twist and acceleration: resultant force and moment are those of the rigid body, and the modes
// feel the inertia forces only.
TEST(ReducedBody, HasTheInertiaOfTheRigidBody) {
  const BeamPart strip = makeStrip();
  const auto model = makeBeamPart(strip, 4, 6);
  const double m = strip.massPerLength * strip.length, L = strip.length;
  const double I = m * L * L / 12.0;
  Mat3<double> J = Vec3<double>(strip.polarInertia * L, I, I).asDiagonal();
  base::Diagnostics diagnostics;
  system::Builder builder(diagnostics);
  addPart(builder, "strip", model, Frame<double>::identity());
  builder.elements<mechanics::Inertia>().add(
      "body", {system::NodeIndex{1}}, {},
      {mechanics::makeMass(m, Vec3<double>(0.5 * L, 0.0, 0.0), J)});
  const auto machine = finish(builder);
  auto& nodes = machine->motion.nodes;
  nodes[1].twist << 0.3, 0.8, -0.5, 2.0, -1.0, 3.0;
  nodes[1].twistRate << 4.0, -0.8, 1.5, -2.0, 7.0, 0.3;
  const Frame<double> tip = math::relative(nodes[1].frame, nodes[2].frame);
  nodes[2].twist = math::applyAdjointInverse<double>(tip, nodes[1].twist);
  nodes[2].twistRate = math::applyAdjointInverse<double>(tip, nodes[1].twistRate);
  const Vec3<double> gravity(0.5, -0.3, -9.81);
  const VectorXd part = machine->force(0, gravity), body = machine->force(1, gravity);
  const Vec6<double> sum = part.head<6>() + math::applyAdjointInverseTransposed<double>(
                                                tip, Vec6<double>(part.segment<6>(6)));
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(sum[i], body[i], 1e-12 * body.norm()) << i;
}

// A massless spring between two nodes, in the axes of the first: force K e on the second.
TEST(ReducedBody, IsASpringWithoutMass) {
  mechanics::ReducedModel model;
  model.interfaces = {Vec3<double>(1.0, 2.0, 3.0), Vec3<double>(1.5, 2.0, 3.0)};
  model.interfaceNames = {"a", "b"};
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(12, 12);
  model.K = model.D = model.M = zero;
  for (int a = 0; a < 3; ++a) {
    model.G[a] = zero;
    for (int b = 0; b < 3; ++b) model.Q[a][b] = zero;
  }
  const Vec6<double> k(10.0, 20.0, 30.0, 1.0, 2.0, 3.0);
  model.K.bottomRightCorner<6, 6>() = k.asDiagonal();
  base::Diagnostics diagnostics;
  system::Builder builder(diagnostics);
  const Mat3<double> R = math::expSO3<double>(Vec3<double>(0.0, 0.0, 0.5 * std::numbers::pi));
  addPart(builder, "spring", model, {R, Vec3<double>(0.0, 0.0, 0.0)});
  const auto machine = finish(builder);
  auto& nodes = machine->motion.nodes;
  // In part axes (0.01, −0.02, 0.03), and a turn of 0.1 about its z.
  nodes[2].frame.x += R * Vec3<double>(0.01, -0.02, 0.03);
  nodes[2].frame.R = R * math::expSO3<double>(Vec3<double>(0.0, 0.0, 0.1));
  const VectorXd r = machine->force(0);
  const Vec3<double> force(0.1, -0.4, 0.9);
  const Vec3<double> inTip = math::expSO3<double>(Vec3<double>(0.0, 0.0, -0.1)) * force;
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(r[6 + i], inTip[i], 1e-14);
  EXPECT_NEAR(r[11], 0.3, 1e-14);
  // The first node gets the counterpart at the place of the second: −s × f with s = (0.51, −0.02, 0.03).
  const Vec3<double> moment =
      -math::cross<double>(Vec3<double>(0.51, -0.02, 0.03), force) - Vec3<double>(0.0, 0.0, 0.3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(r[i], -force[i], 1e-14);
    EXPECT_NEAR(r[3 + i], moment[i], 1e-14);
  }
}

// All lengths times 1e12 and 1e-12, masses and moduli likewise: forces scale with the stiffness times length.
TEST(ReducedBody, HasNoScaleOfItsOwn) {
  const auto forceAt = [](double length, double modulus) {
    BeamPart strip = makeStrip();
    strip.length *= length;
    strip.EA *= modulus * length * length;
    for (double* EI : {&strip.GJ, &strip.EIy, &strip.EIz}) *EI *= modulus * std::pow(length, 4);
    base::Diagnostics diagnostics;
    system::Builder builder(diagnostics);
    addPart(builder, "strip", makeBeamPart(strip, 2, 2), Frame<double>::identity());
    const auto machine = finish(builder);
    machine->motion.nodes[2].frame.x += 0.001 * length * Vec3<double>(0.1, 0.5, 1.0);
    return VectorXd(machine->force(0).segment<3>(6) / (modulus * length * length));
  };
  const VectorXd unit = forceAt(1.0, 1.0);
  for (const double length : {1e-6, 1e6}) {
    for (const double modulus : {1e-12, 1e12}) {
      EXPECT_LT((forceAt(length, modulus) - unit).norm(), 1e-9 * unit.norm())
          << length << " " << modulus;
    }
  }
}

}  // namespace
}  // namespace flexloop::test
