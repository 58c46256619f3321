// A node that slides along a beam, against closed forms and a modal solution (reference J5).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "support/machine_modes.hpp"
#include "support/model_run.hpp"

namespace flexloop::test {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

std::string text(double x) {
  std::ostringstream stream;
  stream.precision(17);
  stream << x;
  return stream.str();
}

// The slender beam of J5 along x, which bends in the plane x, z: EI = 43.75 N m², 0.785 kg/m, without shear.
std::string beam(const std::string& ends, const std::string& mesh) {
  return "sections:\n"
         "  steel: {type: stiffness, EA: 2e7, GAy: 1e9, GAz: 1e9, GJ: 1e3, EIy: 43.75, EIz: 700, "
         "rhoA: 0.785, "
         "rhoJ: [1e-9, 1e-9, 1e-9]}\n"
         "beams: {link1: {from: A, to: B, section: steel, y_axis: [0, 1, 0], " +
         mesh + "}}\n" + ends;
}

constexpr const char* kClamped = "nodes:\n  A: {position: [0, 0, 0], free: []}\n  B: [1, 0, 0]\n";

// J5.3: a mass that is held at x.
std::string massAt(double x, const std::string& mesh, const std::string& joint, double inertia,
                   const char* freedoms = "x, z") {
  const std::string J = text(inertia);
  return beam(kClamped, mesh) + "  cart: {position: [" + text(x) + ", 0, 0], free: [" + freedoms +
         "]}\n"
         "bodies: {cart: {node: cart, mass: 0.4, inertia: [" +
         J + ", " + J + ", " + J +
         "]}}\n"
         "joints: {run: {type: slide_on_beam, beam: link1, node: cart, locked: true, " +
         joint + "}}\n";
}

std::vector<double> bendingOf(const std::string& model) {
  analysis::ModeOptions options;
  options.count = 12;
  std::vector<double> hertz;
  for (const analysis::Mode& mode : modesOf(model, options).modes) {
    hertz.push_back(std::abs(mode.eigenvalue.imag()) / kTwoPi);
  }
  return hertz;
}

void expectAmong(const std::vector<double>& hertz, double expected, double tolerance) {
  double nearest = 1e300;
  for (const double f : hertz) nearest = std::min(nearest, std::abs(f - expected));
  EXPECT_LE(nearest, tolerance * expected) << expected;
}

TEST(SlideOnBeam, MassOnACantileverHasItsModes) {
  struct Case {
    double x;
    std::vector<double> hertz;
  };
  // At 0.3 and 0.55 of the meshes' pieces too, not at nodes only.
  for (const char* mesh : {"elements: 22", "elements: 9, order: 2", "elements: 7, order: 3"}) {
    for (const Case& c : {Case{0.25, {4.1373267369, 22.11547389, 54.192998989}},
                          Case{0.5, {3.750979755, 19.255330127, 73.291575282}},
                          Case{0.75, {3.0438211725, 25.910517916, 61.881068941}},
                          Case{1.0, {2.3803682362, 20.055610624, 61.395388112}}}) {
      SCOPED_TRACE(std::string(mesh) + ", x = " + text(c.x));
      const std::vector<double> hertz = bendingOf(massAt(c.x, mesh, "", 1e-12));
      for (const double f : c.hertz) expectAmong(hertz, f, 1e-3);
    }
  }
}

TEST(SlideOnBeam, ClampedMassHasRotaryInertia) {
  for (const char* mesh : {"elements: 21", "elements: 14, order: 2"}) {
    SCOPED_TRACE(mesh);
    const auto half = bendingOf(massAt(0.5, mesh, "clamp: true", 5e-4, "x, z, ry"));
    for (const double f : {3.745845285, 19.24331345, 70.406144226}) expectAmong(half, f, 1e-3);
    const auto tip = bendingOf(massAt(1.0, mesh, "clamp: true", 5e-4, "x, z, ry"));
    for (const double f : {2.3782105243, 19.75765505, 58.832070512}) expectAmong(tip, f, 1e-3);
  }
}

// Nodes of a beam are exact where it is loaded between them, since the guide is a cubic as the deflected beam is. Under the load the
// beam bends more, as between two clamps; the guide is without that, F a³b³/(3 EI h³) at the distances a and b from its nodes.
double bendBetweenNodes(double x, int elements, double force) {
  const double h = 1.0 / elements, a = std::fmod(x, h), b = h - a;
  return force * std::pow(a * b / h, 3) / (3.0 * 43.75);
}

TEST(SlideOnBeam, WeightBendsTheBeamAsItShould) {
  struct Case {
    double x, under, tip;
  };
  for (const Case& c :
       {Case{0.25, 0.000467142857143, 0.00256928571429},
        Case{0.5, 0.00373714285714, 0.00934285714286}, Case{0.75, 0.0126128571429, 0.0189192857143},
        Case{1.0, 0.0298971428571, 0.0298971428571}}) {
    for (const int elements : {3, 7, 20}) {
      const std::string mesh = "elements: " + std::to_string(elements);
      SCOPED_TRACE(mesh + ", x = " + text(c.x));
      const model::Model model =
          buildModel(massAt(c.x, mesh, "", 1e-12) +
                     "loads: {weight: {node: cart, force: [0, 0, -3.924e-3]}}\n"
                     "sensors:\n"
                     "  under: {measure: displacement, node: cart, direction: [0, 0, -1]}\n"
                     "  tip: {measure: displacement, node: B, direction: [0, 0, -1]}\n"
                     "  f: {measure: force, joint: run}\n"
                     "outputs: [under, tip, f]\n");
      const analysis::EquilibriumResult rest = analysis::findEquilibrium(model);
      ASSERT_TRUE(rest.report.ok()) << messageOf(rest.report.failure);
      const double under = 1e-3 * c.under - bendBetweenNodes(c.x, elements, 3.924e-3);
      EXPECT_NEAR(rest.outputs[0], under, 1e-5 * under);
      EXPECT_NEAR(rest.outputs[1], 1e-3 * c.tip, 1e-5 * 1e-3 * c.tip);
      EXPECT_NEAR(rest.outputs[4], 3.924e-3, 1e-9);
    }
  }
}

// J5.1: speed, place of the mass, deflection in the middle and under the mass, contact force.
struct Passage {
  double v, x, middle, under, force;
};
const std::vector<Passage> kPassages{
    {5, 0.25, 0.001362222, 0.001109005, 3.87},    {5, 0.5, 0.002291593, 0.002291593, 4.46},
    {5, 0.75, 0.001150956, 0.0009565902, 3.79},   {5, 1.0, 0.0001338853, 0, 3.34},
    {10, 0.25, 0.0005463669, 0.0004831035, 2.43}, {10, 0.5, 0.002248666, 0.002248666, 3.86},
    {10, 0.75, 0.00351603, 0.002787468, 7.66},    {10, 1.0, 0.0008709235, 0, -0.281},
    {20, 0.25, 0.0001237018, 0.0002216758, 3.03}, {20, 0.5, 0.0008707694, 0.0008707694, 1.4},
    {20, 0.75, 0.002048107, 0.001722229, 11.5},   {20, 1.0, 0.003832407, 0, -5.83}};

void expectPassages(double v, const std::string& mesh, double tolerance, double forceTolerance) {
  const std::string model =
      beam(
          "nodes:\n  A: {position: [0, 0, 0], free: [ry]}\n  B: {position: [1, 0, 0], free: [x, "
          "ry]}\n"
          "  cart: {position: [0, 0, 0], free: [x, z]}\n",
          mesh) +
      "bodies: {cart: {node: cart, mass: 0.4}}\n"
      "joints:\n"
      "  run: {type: slide_on_beam, beam: link1, node: cart, drive: way}\n"
      "loads: {weight: {node: cart, force: [0, 0, -3.924]}}\n"
      "blocks: {way: {type: ramp, slope: " +
      text(v) +
      "}}\n"
      "sensors:\n"
      "  middle: {measure: position, node: link1@0.5, direction: [0, 0, -1]}\n"
      "  under: {measure: position, node: cart, direction: [0, 0, -1]}\n"
      "  f: {measure: force, joint: run, direction: [0, 0, 1]}\n";
  const double end = 1.0 / v;
  const ModelRun run =
      runModel(model, "middle, under, f",
               "end: " + text(end) + ", step: " + text(end / 800.0) + ", rho: 0.9");
  for (const Passage& p : kPassages) {
    if (p.v != v) continue;
    SCOPED_TRACE(mesh + ", v = " + text(v) + ", x = " + text(p.x));
    EXPECT_NEAR(run.at(p.x / v, "middle"), p.middle, tolerance);
    EXPECT_NEAR(run.at(p.x / v, "under"), p.under, tolerance);
    if (p.x < 1.0) {
      EXPECT_NEAR(run.at(p.x / v, "f"), p.force, forceTolerance);
    }
  }
}

TEST(SlideOnBeam, MovingMassBendsABridge) {
  for (const double v : {5.0, 10.0, 20.0}) expectPassages(v, "elements: 24", 4e-6, 0.3);
  expectPassages(10.0, "elements: 8, order: 3", 4e-6, 0.3);
}

}  // namespace
}  // namespace flexloop::test
