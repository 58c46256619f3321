// Beams under load and in motion: exact solutions, published static benchmarks, inertia, sensors.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "mechanics/beams/beam_element.hpp"
#include "support/matrix_matchers.hpp"
#include "support/static_machine.hpp"

namespace flexloop::mechanics {
namespace {

using math::Frame;
using math::Vec3;
using math::Vec6;
using std::numbers::pi;
using test::isNear;
using test::StaticMachine;

std::string text(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

std::string text(const Vec3<double>& v) {
  return "[" + text(v[0]) + ", " + text(v[1]) + ", " + text(v[2]) + "]";
}

constexpr const char* kSection =
    "flexloop: 1\nsections: {s: {type: stiffness, EA: 1e4, GAy: 5e3, GAz: 4e3, GJ: 100, EIy: 100, "
    "EIz: 100, rhoA: 1, rhoJ: [0.2, 0.1, 0.1]}}\n";

// A cantilever from the origin to (10, 0, 0) with a load at its tip B.
std::string cantilever(const std::string& mesh, const std::string& load) {
  return std::string(kSection) + "nodes: {A: {position: [0, 0, 0], free: []}, B: [10, 0, 0]}\n" +
         "beams: {b: {from: A, to: B, section: s, y_axis: [0, 1, 0], " + mesh + "}}\n" +
         "loads: {tip: {node: B, " + load + "}}\n";
}

TEST(Beam, RollsUpExactlyWithOneElement) {
  for (const int order : {1, 2, 3}) {
    for (const double angle : {0.5, 2.0, 3.0}) {
      StaticMachine machine(cantilever("elements: 1, order: " + std::to_string(order),
                                       "torque: " + text(Vec3<double>(0, 0, 10 * angle))));
      ASSERT_TRUE(machine.solve(8));
      const Vec3<double> exact(std::sin(angle), 1.0 - std::cos(angle), 0.0);
      EXPECT_TRUE(isNear(machine.frame("B").x, (10.0 / angle * exact).eval(), 1e-10));
    }
  }
}

TEST(Beam, ClosesTheCircle) {
  StaticMachine machine(cantilever("elements: 4", "torque: " + text(Vec3<double>(0, 0, 20 * pi))));
  ASSERT_TRUE(machine.solve(40));
  EXPECT_TRUE(isNear(machine.frame("B").x, Vec3<double>(0, 0, 0), 1e-10));
  EXPECT_TRUE(isNear(machine.frame("B").R, math::Mat3<double>::Identity().eval(), 1e-10));
}

// Reference page B3: a spatial end moment with EI = GJ makes a helix of constant strain.
TEST(Beam, WindsIntoAHelix) {
  for (const int order : {1, 2, 3}) {
    StaticMachine machine(cantilever("elements: 2, order: " + std::to_string(order),
                                     "torque: " + text(pi / 6.0 * Vec3<double>(20, 0, 60))));
    ASSERT_TRUE(machine.solve(80));
    const Vec3<double> tip(0.5403693994, 5.6883119914, 3.1532102002);
    EXPECT_TRUE(isNear(machine.frame("B").x, tip, 1e-9, 0.0));
  }
}

// Reference page B1, κ = 1 and GJ = G·I_p: the 45 degree bend of Bathe and Bolourchi.
Vec3<double> bendTip(const std::string& mesh, double P) {
  const double a = pi / 8.0;
  const Vec3<double> middle(100 * std::sin(a), 100 * (1 - std::cos(a)), 0);
  const Vec3<double> end(100 * std::sin(2 * a), 100 * (1 - std::cos(2 * a)), 0);
  StaticMachine machine(
      "flexloop: 1\nmaterials: {m: {E: 1e7, nu: 0}}\n"
      "sections: {s: {type: general, A: 1, Iy: =1/12, Iz: =1/12, J: =1/6, shear_factor: 1}}\n"
      "nodes: {A: {position: [0, 0, 0], free: []}, B: " +
      text(end) +
      "}\n"
      "beams: {b: {from: A, to: B, via: " +
      text(middle) + ", section: s, material: m, " + mesh +
      "}}\nloads: {tip: {node: B, force: " + text(Vec3<double>(0, 0, P)) + "}}\n");
  EXPECT_TRUE(machine.solve(20));
  return machine.frame("B").x;
}

TEST(Beam, FortyFiveDegreeBend) {
  const Vec3<double> at300(58.779122, 22.244781, 40.191892), at600(47.150439, 15.684801, 53.474859);
  EXPECT_TRUE(isNear(bendTip("elements: 8", 600), at600, 5e-3, 0.0));
  EXPECT_TRUE(isNear(bendTip("elements: 32", 300), at300, 5e-4, 0.0));
  EXPECT_TRUE(isNear(bendTip("elements: 32", 600), at600, 5e-4, 0.0));
  EXPECT_TRUE(isNear(bendTip("elements: 8, order: 2", 600), at600, 1e-5, 0.0));
  EXPECT_TRUE(isNear(bendTip("elements: 8, order: 3", 600), at600, 1e-7, 0.0));
}

// Reference page B4: displacement (axial, stiff, soft) of the Princeton beam.
TEST(Beam, PrincetonBeam) {
  struct Case {
    double P, degrees;
    Vec3<double> u;
  };
  const Case cases[] = {{4.448, 45, {-0.00374689, 0.00396516, 0.05605519}},
                        {8.896, 0, {-0.00013558, 0.01071541, 0.0}},
                        {8.896, 30, {-0.00766082, 0.01014724, 0.07945608}},
                        {8.896, 60, {-0.02047318, 0.00665436, 0.12992351}},
                        {8.896, 90, {-0.02602423, 0.0, 0.14625998}},
                        {13.345, 45, {-0.03036111, 0.01534226, 0.15658782}}};
  for (const Case& c : cases) {
    const double angle = c.degrees * pi / 180.0;
    StaticMachine machine(
        "flexloop: 1\nsections: {s: {type: stiffness, EA: 2.84191e6, GAy: 9.03915e5, GAz: "
        "9.03915e5, "
        "GJ: 3.10334, EIy: 2.42873, EIz: 36.2794}}\n"
        "nodes: {A: {position: [0, 0, 0], free: []}, B: [0.508, 0, 0]}\n"
        "beams: {b: {from: A, to: B, section: s, y_axis: [0, 1, 0], elements: 20}}\n"
        "loads: {tip: {node: B, force: " +
        text(c.P * Vec3<double>(0, std::cos(angle), std::sin(angle))) + "}}\n");
    ASSERT_TRUE(machine.solve(5));
    const Vec3<double> u = machine.frame("B").x - Vec3<double>(0.508, 0, 0);
    EXPECT_TRUE(isNear(u, c.u, 1e-3, 0.0)) << c.P << " N at " << c.degrees;
  }
}

// A strongly bent element that translates: the energy is that of its mass, whatever its shape.
TEST(Beam, BentElementHasExactMomentum) {
  using Element = BeamElement<BeamInertia::kConsistent>;
  Element::Parameters<double> p;
  p.length = 2.0;
  p.damping = 0.0;
  p.D_A = math::expSO3<double>({0.3, -0.2, 0.5});
  p.D_B = math::expSO3<double>({-0.1, 0.7, 0.4});
  p.strain0 = Vec6<double>::UnitX();
  p.stiffness.setIdentity();
  p.turn = {};
  p.mass.setZero();
  p.mass.diagonal() << 3.0, 3.0, 3.0, 0.02, 0.01, 0.01;
  Vec6<double> d;
  d << 1.8, 0.3, -0.2, 0.4, 1.1, -2.0;
  const Vec3<double> velocity(0.3, -0.8, 0.5), acceleration(2.0, 1.0, -0.7);
  system::Local<double, 2, 0> u;
  u.frame[0] = math::expSE3<double>({1.0, 2.0, 3.0, 0.4, 0.5, -0.6});
  const Frame<double> F_A{u.frame[0].R * p.D_A, u.frame[0].x};
  const Frame<double> F_B = compose(F_A, math::expSE3<double>(d));
  u.frame[1] = {F_B.R * p.D_B.transpose(), F_B.x};
  for (const int k : {0, 1}) {
    const math::Mat3<double> toBody = u.frame[k].R.transpose();
    u.twist[k] = math::joined<double>(toBody * velocity, Vec3<double>::Zero());
    u.twistRate[k] = math::joined<double>(toBody * acceleration, Vec3<double>::Zero());
  }
  const double mass = 3.0 * p.length;
  EXPECT_NEAR(Element::energy(p, u, {}).kinetic, 0.5 * mass * velocity.squaredNorm(), 1e-13);
  system::Residual<double, 2, 0> r;
  r.setZero();
  Element::addResidual<double, double>(p, u, {}, r);
  const Vec3<double> force =
      u.frame[0].R * math::firstOf(r.node[0]) + u.frame[1].R * math::firstOf(r.node[1]);
  EXPECT_TRUE(isNear(force, (mass * acceleration).eval(), 1e-12));
}

TEST(Beam, EveryInertiaHasTheWholeMass) {
  for (const char* mesh : {"elements: 3", "elements: 3, inertia: lumped", "elements: 2, order: 2",
                           "elements: 2, order: 3", "elements: 2, order: 2, inertia: consistent",
                           "elements: 2, order: 3, inertia: consistent"}) {
    StaticMachine machine(std::string(kSection) + R"(nodes:
  A: {position: [0, 0, 0], velocity: [1, 2, 3]}
  B: {position: [2, 0, 0], velocity: [1, 2, 3]}
beams: {b: {from: A, to: B, via: [1, 0.4, 0], section: s, y_axis: [0, 0, 1], )" +
                          mesh + "}}\n");
    const double length = (1.0 + 0.16) / 0.4 * std::atan(0.4) * 2.0;
    EXPECT_NEAR(machine.assembler().calcEnergy(machine.state()).kinetic, 0.5 * length * 14.0, 1e-12)
        << mesh;
  }
}

TEST(Beam, SensorsReadTheSection) {
  const std::string sensors = R"(sensors:
  q: {measure: section_force, beam: b, at: 0.35}
  m: {measure: section_force, beam: b, at: 0.35, component: bending_y}
  e: {measure: section_strain, beam: b, at: 0.35}
)";
  // So small a load that statics of the straight beam holds: M_y = −(L − x) F_z.
  for (const int order : {1, 2, 3}) {
    const std::string mesh = "elements: 10, order: " + std::to_string(order);
    StaticMachine machine(cantilever(mesh, "force: [1e-4, 0, 1e-3]") + sensors);
    ASSERT_TRUE(machine.solve());
    EXPECT_NEAR(machine.output("q.axial"), 1e-4, 5e-7);
    EXPECT_NEAR(machine.output("q.shear_z"), 1e-3, 1e-7);
    EXPECT_NEAR(machine.output("q.bending_z"), 0.0, 1e-12);
    EXPECT_NEAR(machine.output("m"), -0.0065, 2e-6) << order;
    EXPECT_DOUBLE_EQ(machine.output("m"), machine.output("q.bending_y"));
    EXPECT_NEAR(machine.output("e.bending_y"), machine.output("m") / 100.0, 1e-12);
    EXPECT_NEAR(machine.output("e.axial"), 1e-8, 5e-11);
  }
}

}  // namespace
}  // namespace flexloop::mechanics
