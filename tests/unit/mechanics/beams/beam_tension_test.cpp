// Beams that are pulled or pressed: strings, wires, ropes, chains, columns. References are closed forms;
// τ = T h²/EI says how an element feels the force.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "math/dual.hpp"
#include "mechanics/sections/mean_section.hpp"
#include "support/machine_modes.hpp"
#include "support/static_machine.hpp"

namespace flexloop::mechanics {
namespace {

using analysis::Mode;
using analysis::ModeResult;
using math::Vec3;
using math::Vec6;
using std::numbers::pi;
using test::StaticMachine;

constexpr model::OperatingPoint kEquilibrium{model::OperatingPoint::Kind::kEquilibrium, 0.0};

std::string text(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", x);
  return buffer;
}

struct Wire {
  int elements = 4;
  double tension = 0.0;  // of EI/L²; EI = ρA = L = 1
  std::string ends = "pinned";
  std::string options{};  // of the beam
  double stretch = 1e-5;  // T/EA
  double secondEI = 1.0;  // the other plane
  std::string loads{};    // more of them
};

// In the plane x, z, so that every frequency comes once.
std::string describe(const Wire& wire) {
  const double EA = std::max(std::abs(wire.tension), 1.0) / wire.stretch;
  const std::string a = wire.ends == "pinned" ? "[ry]" : "[]";
  const std::string b = wire.ends == "clamped" ? "[x]"
                        : wire.ends == "free"  ? "[x, z, ry]"
                                               : "[x, ry]";
  return "sections: {s: {type: stiffness, EA: " + text(EA) + ", GAy: " + text(EA) +
         ", GAz: " + text(EA) + ", GJ: 1, EIy: 1, EIz: " + text(wire.secondEI) +
         ", rhoA: 1, rhoJ: [1e-7, 1e-7, 1e-7]}}\n"
         "nodes: {A: {position: [0, 0, 0], free: " +
         a + "}, B: {position: [1, 0, 0], free: " + b +
         "}}\n"
         "beams: {w: {from: A, to: B, section: s, y_axis: [0, 1, 0], elements: " +
         std::to_string(wire.elements) + (wire.options.empty() ? "" : ", " + wire.options) +
         "}}\n" + "loads:\n  pull: {node: B, force: [" + text(wire.tension) + ", 0, 0]}\n" +
         wire.loads;
}

// Transverse modes in z; those in y have the other EI.
std::vector<double> frequencies(const ModeResult& result) {
  std::vector<double> found;
  for (const Mode& mode : result.modes) found.push_back(mode.eigenvalue.imag());
  std::sort(found.begin(), found.end());
  return found;
}

bool hasNear(const std::vector<double>& found, double omega, double tolerance) {
  return std::any_of(found.begin(), found.end(),
                     [&](double w) { return std::abs(w - omega) <= tolerance * omega; });
}

bool isStable(const ModeResult& result) {
  return std::all_of(result.modes.begin(), result.modes.end(),
                     [](const Mode& mode) { return mode.isStable(); });
}

analysis::ModeOptions all() {
  analysis::ModeOptions options;
  options.count = 1000;
  return options;
}

// ω_n² = (nπ)² (T + (nπ)² EI) for a pinned wire with EI = ρA = L = 1.
TEST(BeamTension, PinnedStringsAtFourElements) {
  for (const char* options : {"", "damping: 1e-9"}) {
    for (const double tau : {0.01, 1.0, 12.0, 30.0, 1e3, 1e6}) {
      const Wire wire{4, 16.0 * tau, "pinned", options};
      const ModeResult result = test::modesOf(describe(wire), all(), kEquilibrium);
      EXPECT_TRUE(isStable(result)) << tau << options;
      for (int n = 1; n <= 2; ++n) {
        const double omega = n * pi * std::sqrt(wire.tension + n * n * pi * pi);
        EXPECT_TRUE(hasNear(frequencies(result), omega, 0.01)) << tau << ' ' << n << options;
      }
    }
  }
}

// Lumped masses on a string are beads: ω_n = 2/h sin(nπh/2) √T, and the bending stiffness adds to T.
TEST(BeamTension, LumpedStringsAreBeads) {
  for (const double tau : {1e3, 1e6}) {
    const Wire wire{4, 16.0 * tau, "pinned", "inertia: lumped"};
    const ModeResult result = test::modesOf(describe(wire), all(), kEquilibrium);
    EXPECT_TRUE(isStable(result)) << tau;
    for (int n = 1; n <= 3; ++n) {
      const double omega = 8.0 * std::sin(n * pi / 8.0) * std::sqrt(wire.tension);
      EXPECT_TRUE(hasNear(frequencies(result), omega, 0.01)) << tau << ' ' << n;
    }
  }
  const Wire stiff{4, 16.0, "pinned", "inertia: lumped"};
  const ModeResult result = test::modesOf(describe(stiff), all(), kEquilibrium);
  EXPECT_TRUE(hasNear(frequencies(result), pi * std::sqrt(16.0 + pi * pi), 0.01));
}

TEST(BeamTension, OrdersTwoAndThreeToo) {
  for (const char* options : {"order: 2", "order: 3", "order: 2, inertia: consistent"}) {
    for (const double tau : {0.01, 30.0, 1e3, 1e6}) {
      const Wire wire{4, 16.0 * tau, "pinned", options};
      const ModeResult result = test::modesOf(describe(wire), all(), kEquilibrium);
      EXPECT_TRUE(isStable(result)) << tau << options;
      const double omega = pi * std::sqrt(wire.tension + pi * pi);
      EXPECT_TRUE(hasNear(frequencies(result), omega, 0.01)) << tau << options;
    }
  }
}

// The lowest root of 2αβ(1 − cosh α cos β) + (α² − β²) sinh α sin β = 0 where
// α², β² = √(T²/4 + ω²) ± T/2: both ends clamped. Divided by cosh α.
double clampedFrequency(double T) {
  const auto gap = [T](double omega) {
    const double root = std::sqrt(0.25 * T * T + omega * omega);
    const double alpha = std::sqrt(root + 0.5 * T), beta = std::sqrt(root - 0.5 * T);
    return 2.0 * alpha * beta * (1.0 / std::cosh(alpha) - std::cos(beta)) +
           (alpha * alpha - beta * beta) * std::tanh(alpha) * std::sin(beta);
  };
  // Between that of the string and four times what both stiffnesses have together.
  double low = pi * std::sqrt(T) + 1.0, high = low;
  while (gap(low) * gap(high) > 0.0) high *= 1.001;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (gap(low) * gap(middle) > 0.0 ? low : high) = middle;
  }
  return low;
}

// As long as the layers at the clamps, of length √(EI/T), are not below a thirtieth of an element.
TEST(BeamTension, ClampedWiresAtFourElements) {
  EXPECT_NEAR(clampedFrequency(0.0), 22.3733, 1e-3);
  for (const double tau : {0.01, 1.0, 12.0, 100.0, 900.0}) {
    const Wire wire{4, 16.0 * tau, "clamped"};
    const ModeResult result = test::modesOf(describe(wire), all(), kEquilibrium);
    EXPECT_TRUE(isStable(result)) << tau;
    EXPECT_TRUE(hasNear(frequencies(result), clampedFrequency(wire.tension), 0.01)) << tau;
  }
}

// A torque M at one end of a pinned beam in tension turns it by M/T (k coth(kL) − 1/L), k² = T/EI. With
// the axial force along the mean section it is exact for elements of any length, up to τ = 625 here, as
// long as there are enough of them for the turn to fade.
TEST(BeamTension, RotationOfAPulledEndIsExact) {
  struct Case {
    int elements;
    double T;
  };
  for (const auto& [elements, T] : {Case{3, 1.0}, {3, 100.0}, {8, 1e4}, {40, 1e6}}) {
    StaticMachine machine("flexloop: 1\n" +
                          describe({elements, T, "pinned", "", 1e-7, 1.0,
                                    "  twist: {node: B, torque: [0, -1e-3, 0]}\n"}));
    ASSERT_TRUE(machine.solve(3));
    const double k = std::sqrt(T);
    const double angle = 1e-3 / T * (k / std::tanh(k) - 1.0);
    EXPECT_NEAR(machine.frame("B").R(2, 0), angle, 1e-4 * angle) << elements << ' ' << T;
  }
}

// Euler's load of a cantilever, π²/4, and of a pinned column, π². The straight column is the equilibrium
// that is found; what is asked is whether it stands.
TEST(BeamTension, ColumnsBuckleAtEulersLoad) {
  struct Case {
    const char* ends;
    int elements;
    const char* options;
    double error;  // an upper bound, the lower one is 1e-3
  };
  const Case cases[] = {{"free", 1, "", 0.016},          {"free", 2, "", 0.0012},
                        {"free", 4, "", 1e-3},           {"pinned", 2, "", 0.016},
                        {"pinned", 4, "", 0.0012},       {"pinned", 4, "inertia: lumped", 0.0012},
                        {"pinned", 4, "order: 2", 1e-3}, {"free", 1, "order: 3", 1e-3}};
  for (const Case& c : cases) {
    const double load = std::string(c.ends) == "free" ? 0.25 * pi * pi : pi * pi;
    const auto stands = [&](double factor) {
      const Wire wire{c.elements, -factor * load, c.ends, c.options};
      return isStable(test::modesOf(describe(wire), all(), kEquilibrium));
    };
    EXPECT_TRUE(stands(0.999)) << c.ends << c.elements << c.options;
    EXPECT_FALSE(stands(1.0 + c.error)) << c.ends << c.elements << c.options;
  }
}

// Bending in two planes that differ by a factor of a hundred, beside torsion.
TEST(BeamTension, BothPlanesOfAStrip) {
  const Wire wire{4, 1e4, "pinned", "", 1e-5, 100.0};
  std::string strip = describe(wire);
  strip.replace(strip.find("[ry]"), 4, "[rx, ry, rz]");
  strip.replace(strip.find("[x, ry]"), 7, "[x, ry, rz]");
  const ModeResult result = test::modesOf(strip, all(), kEquilibrium);
  EXPECT_TRUE(isStable(result));
  for (const double EI : {1.0, 100.0}) {
    const double omega = pi * std::sqrt(1e4 + EI * pi * pi);
    EXPECT_TRUE(hasNear(frequencies(result), omega, 1e-3)) << EI;
  }
}

// A chain that hangs from one end: ω_n = j_{0,n}/2 √(g/L) with the zeros of the Bessel function.
TEST(BeamTension, HangingChain) {
  for (const char* options : {"elements: 4", "elements: 12", "elements: 4, order: 2"}) {
    const ModeResult result = test::modesOf(
        std::string("gravity: [0, 0, -9.81]\n"
                    "sections: {s: {type: stiffness, EA: 1e7, GAy: 1e7, GAz: 1e7, GJ: 1e-4, "
                    "EIy: 1e-4, EIz: 1e-4, rhoA: 1, rhoJ: [1e-6, 1e-6, 1e-6]}}\n"
                    "nodes: {A: {position: [0, 0, 0], free: [ry]}, B: {position: [0, 0, -2]}}\n"
                    "beams: {w: {from: A, to: B, section: s, y_axis: [0, 1, 0], ") +
            options + "}}\n",
        all(), kEquilibrium);
    EXPECT_TRUE(isStable(result)) << options;
    for (const double zero : {2.404825557695773, 5.520078110286311}) {
      EXPECT_TRUE(hasNear(frequencies(result), 0.5 * zero * std::sqrt(9.81 / 2.0), 0.01))
          << options << ' ' << zero;
    }
  }
}

// 500 kg on a rope, clamped at both ends: a pendulum, a load that rocks, and waves of the rope.
std::string rope(const std::string& mesh) {
  return "gravity: [0, 0, -9.81]\n"
         "materials: {rope: {E: 100 GPa, nu: 0.3, rho: 6000}}\n"
         "sections: {rope: {type: circle, diameter: 12 mm}}\n"
         "nodes: {top: {position: [0, 0, 0], free: []}, hook: {position: [0, 0, -8], velocity: "
         "[0.01, 0, 0]}}\n"
         "bodies: {load: {node: hook, mass: 500 kg, inertia: [20, 20, 20]}}\n"
         "beams: {rope: {from: top, to: hook, section: rope, material: rope, damping: 0.5 ms, " +
         mesh + "}}\n";
}

TEST(BeamTension, RopeWithALoad) {
  const std::vector<double> exact =
      frequencies(test::modesOf(rope("elements: 30, order: 3"), {.count = 12}, kEquilibrium));
  for (const char* mesh : {"elements: 4", "elements: 12"}) {
    const ModeResult result = test::modesOf(rope(mesh), all(), kEquilibrium);
    EXPECT_TRUE(isStable(result)) << mesh;
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_TRUE(hasNear(frequencies(result), exact[i], 0.01)) << mesh << ' ' << exact[i];
    }
  }
}

TEST(BeamTension, LoadOnARopeSwings) {
  const test::ModelRun run =
      test::runModel(rope("elements: 12") + "sensors: {load: {measure: position, node: hook}}\n",
                     "load.x, load.z", "end: 10, step: 10 ms");
  double widest = 0.0;
  for (const double x : run.column("load.x")) widest = std::max(widest, std::abs(x));
  // 0.01 m/s at the frequency of the pendulum, 2π·0.1775 Hz.
  EXPECT_NEAR(widest, 0.01 / (2.0 * pi * 0.1775), 2e-4);
  EXPECT_NEAR(run.last("load.z"), -8.0, 0.01);
}

// The strains of the mean section: derivatives, the chord where Φ = 1, the screw where Φ = 0, and a
// slack that grows with the angle up to half a turn.
TEST(BeamTension, MeanSection) {
  using D = math::Dual<6>;
  const SectionTurn<double> turn{0.8, 0.1, -0.05, 3.0};
  Vec6<double> strain0, screw, sigma;
  strain0 << 1.0, 0.01, -0.02, 0.1, 0.2, 0.3;
  sigma << 3.0, -1.0, 2.0, 0.5, 0.7, -0.4;
  for (const double angle : {0.0, 0.3, 1.5, 2.9, pi}) {
    screw << 1.1 * std::cos(angle), std::sin(angle), 0.3 * std::sin(angle), 0.2, -0.1, 0.4;
    Vec6<D> seeded = screw.cast<D>();
    for (int j = 0; j < 6; ++j) seeded[j].d[j] = 1.0;
    const MeanSection<D, double> dual(turn, strain0, seeded);
    const MeanSection<double, double> mean(turn, strain0, screw);
    for (int j = 0; j < 6; ++j) {
      const Vec6<double> unit = Vec6<double>::Unit(j), rate = mean.apply(unit);
      for (int i = 0; i < 6; ++i) EXPECT_NEAR(rate[i], dual.strain()[i].d[j], 1e-12) << angle;
      EXPECT_NEAR(mean.applySlack(unit), dual.slack().d[j], 1e-12) << angle;
      EXPECT_NEAR(mean.applyTransposed(sigma, 0.7)[j], rate.dot(sigma) + 0.7 * dual.slack().d[j],
                  1e-12)
          << angle;
    }
  }
  const Vec6<double> straight = Vec6<double>::UnitX();
  EXPECT_EQ((MeanSection<double, double>({}, straight, screw).strain()), screw - straight);
  double last = -1.0;
  for (double angle = 0.0; angle <= pi; angle += 0.1) {
    screw << std::cos(angle), std::sin(angle), 0, 0, 0, 0;
    const MeanSection<double, double> mean({1.0, 0.0, 0.0, 1.0}, straight, screw);
    EXPECT_NEAR(mean.strain()[0], 0.0, 1e-13);
    EXPECT_GT(mean.slack(), last);
    last = mean.slack();
  }
}

}  // namespace
}  // namespace flexloop::mechanics
