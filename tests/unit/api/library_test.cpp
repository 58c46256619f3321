#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "flexloop/flexloop.hpp"

namespace flexloop {
namespace {

using Complex = std::complex<double>;
constexpr double kPi = std::numbers::pi;

// m x'' + c x' + k x = f − kp x: a mass on a spring with a proportional controller, and its weight along x.
constexpr const char* kCart = R"(
flexloop: 1
gravity: [9, 0, 0]
parameters: {kp: 7}
nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: 2}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 11, damping: 3}}
sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}
blocks: {u: {type: gain, input: x, gain: = -kp}}
actuators: {push: {type: force, node: cart, direction: [1, 0, 0], input: u}}
loads: {f: {node: cart, force: [1, 0, 0]}}
outputs: [x, x.rate]
analysis: {time: {end: 2, step: 1 ms, rho: 1}}
)";

struct Cart {
  double m = 2.0, c = 3.0, k = 11.0, kp = 7.0;

  Complex root() const {
    return (-c + std::sqrt(Complex(c * c - 4.0 * m * (k + kp), 0.0))) / (2.0 * m);
  }
  Complex response(double hz) const {
    const Complex s(0.0, 2.0 * kPi * hz);
    return 1.0 / (m * s * s + c * s + k + kp);
  }
};

TEST(Library, FindsTheRootOfAControlledMass) {
  const Modes found = Model::parse(kCart).modes();
  ASSERT_EQ(found.modes.size(), 1u);
  EXPECT_LT(std::abs(found.modes[0].eigenvalue - Cart().root()), 1e-12);
  EXPECT_EQ(found.verdict, Modes::Verdict::kStable);
  EXPECT_EQ(found.growing, 0);
  // By the largest displacement.
  const NodeMotion& cart = found.modes[0].shape.back();
  EXPECT_NEAR(std::abs(cart.displacement[0]), 1.0, 1e-12);
  EXPECT_EQ(cart.displacement[1], 0.0);
}

TEST(Library, WithoutItsControllerItIsAnother) {
  const Modes found = Model::parse(kCart).modes({.loop = Loop::kOpen});
  EXPECT_LT(std::abs(found.modes[0].eigenvalue - Cart{.kp = 0.0}.root()), 1e-12);
}

TEST(Library, ChangesOneCopyOfAModel) {
  Model model = Model::parse(kCart);
  const Model before = model;
  model.set("kp", 70.0);
  model.set("springs.k.stiffness", 5.0);
  EXPECT_EQ(model.get("kp"), 70.0);
  EXPECT_EQ(model.get("springs.k.stiffness"), 5.0);
  EXPECT_EQ(before.get("kp"), 7.0);
  const Complex root = Cart{.k = 5.0, .kp = 70.0}.root();
  EXPECT_LT(std::abs(model.modes().modes[0].eigenvalue - root), 1e-12);
  EXPECT_LT(std::abs(before.modes().modes[0].eigenvalue - Cart().root()), 1e-12);
}

// x = x₀ + Re(a e^{st}) from rest position 0 at 1 m/s, with (k + kp) x₀ = m g + 1.
TEST(Library, RunsToTheClosedForm) {
  const flexloop::Run run = Model::parse(kCart).run({.end = 1.0, .step = 0.5e-3});
  ASSERT_EQ(run.times.size(), 2001u);
  EXPECT_EQ(run.times.back(), 1.0);
  EXPECT_EQ(run.steps, 2000);
  const double x0 = 19.0 / 18.0;
  const Complex s = Cart().root();
  const Complex a(-x0, (-1.0 - s.real() * x0) / s.imag());
  EXPECT_NEAR(run["x"].back(), x0 + (a * std::exp(s)).real(), 1e-6);
  EXPECT_NEAR(run["x.rate"].back(), (a * s * std::exp(s)).real(), 1e-6);
  EXPECT_THROW(run["y"], Error);
}

TEST(Library, StopsWhereItIsTold) {
  const flexloop::Run run =
      Model::parse(kCart).run({.onStep = [](double time) { return time < 0.1; }});
  EXPECT_TRUE(run.isStopped);
  EXPECT_NEAR(run.times.back(), 0.1, 2e-3);
}

TEST(Library, HasTheResponseAndTheStateEquationsOfALoad) {
  const Model model = Model::parse(kCart);
  const std::vector<double> hz{0.0, 0.3, 0.5, 40.0};
  const Response response = model.frf({"f"}, {"x", "x.rate"}, hz);
  const StateSpace equations = model.linearize({"f"}, {"x"});
  ASSERT_EQ(equations.A.rows, 2u);
  for (std::size_t i = 0; i < hz.size(); ++i) {
    const Complex H = Cart().response(hz[i]), s(0.0, 2.0 * kPi * hz[i]);
    EXPECT_LT(std::abs(response(i, 0) - H), 1e-12 * std::abs(H)) << hz[i];
    EXPECT_LT(std::abs(response(i, 1) - s * H), 1e-12 * std::abs(H)) << hz[i];
    // C (s − A)⁻¹ B + D by Cramer's rule.
    const Matrix &A = equations.A, &B = equations.B, &C = equations.C;
    const Complex p = s - A(0, 0), q = s - A(1, 1), det = p * q - A(0, 1) * A(1, 0);
    const Complex x = (q * B(0, 0) + A(0, 1) * B(1, 0)) / det;
    const Complex y = (A(1, 0) * B(0, 0) + p * B(1, 0)) / det;
    EXPECT_LT(std::abs(C(0, 0) * x + C(0, 1) * y + equations.D(0, 0) - H), 1e-12) << hz[i];
  }
}

TEST(Library, RestsWhereSpringAndControllerHoldIt) {
  const Equilibrium rest = Model::parse(kCart).equilibrium();
  EXPECT_NEAR(rest["x"], 19.0 / 18.0, 1e-12);
  EXPECT_EQ(rest["x.rate"], 0.0);
}

TEST(Library, ExplainsWhatIsWrong) {
  const auto expect = [](ErrorKind kind, const char* part, const auto& action) {
    try {
      action();
      FAIL() << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect(ErrorKind::kInput, "no_such.yaml", [] { (void)Model::load("no_such.yaml"); });
  expect(ErrorKind::kInput, "model.yaml:2:1",
         [] { (void)Model::parse("flexloop: 1\nnods: {}\n"); });
  Model model = Model::parse(kCart);
  expect(ErrorKind::kInput, "kq", [&] { model.set("kq", 1.0); });
  expect(ErrorKind::kInput, "kq", [&] { (void)model.get("kq"); });
  expect(ErrorKind::kInput, "y", [&] { (void)model.frf({"f"}, {"y"}, {1.0}); });
  EXPECT_EQ(model.get("kp"), 7.0);
  const Model still =
      Model::parse("flexloop: 1\nnodes: {a: [0, 0, 0]}\nbodies: {a: {node: a, mass: 1}}\n");
  expect(ErrorKind::kInput, "analysis: time", [&] { (void)still.run(); });
}

}  // namespace
}  // namespace flexloop
