// Energies as signals: what they are, how they change, and what a controller makes of them.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/model_run.hpp"
#include "system/assembler.hpp"

namespace flexloop::test {
namespace {

double largest(const std::vector<double>& values) {
  double size = 0.0;
  for (const double v : values) size = std::max(size, std::abs(v));
  return size;
}

// (17.14): the gap to the energy of the upper position shrinks by exp(−k ∫ω² dt), so that the pendulum
// is swung up from near its lower position, where E = −m g L.
TEST(EnergySignal, SwingsAPendulumUp) {
  const ModelRun record = runModel(R"(gravity: [0, 0, -9.81]
nodes: {A: {position: [0, 0, -1], velocity: [-0.3, 0, 0], angular_velocity: [0, 0.3, 0]}}
bodies: {a: {node: A, mass: 2}}
joints: {h: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 1, 0]}}
sensors:
  q: {measure: angle, joint: h}
  e: {measure: energy, component: total}
blocks:
  upper: {type: constant, value: 19.62}
  gap: {type: sum, inputs: [upper, -e]}
  push: {type: product, inputs: [gap, q.rate]}
  u: {type: gain, input: push, gain: 0.2}
  square: {type: product, inputs: [q.rate, q.rate]}
  work: {type: integrator, input: square}
  power: {type: product, inputs: [u, q.rate]}
  seen: {type: gain, input: e, gain: 1}
  change: {type: gain, input: e.rate, gain: 1}
actuators: {motor: {type: torque, joint: h, input: u}}
outputs: [q, e, e.rate, seen, change, gap, work, power]
analysis: {time: {end: 8, step: 1 ms, rho: 0.9, newton: {tolerance: 1e-9}}}
)");
  const double start = record.column("gap").front();
  EXPECT_NEAR(start, 2.0 * 19.62 - 0.09, 1e-9);
  for (std::size_t i = 0; i < record.times().size(); ++i) {
    EXPECT_NEAR(record.column("seen")[i], record.column("e")[i], 1e-6);
    EXPECT_NEAR(record.column("change")[i], record.column("e.rate")[i], 1e-4);
    EXPECT_NEAR(record.column("change")[i], record.column("power")[i], 1e-4);
    EXPECT_NEAR(record.column("gap")[i], start * std::exp(-0.2 * record.column("work")[i]), 5e-4);
  }
  EXPECT_LT(std::abs(record.column("gap").back()), 1e-3);
  EXPECT_GT(largest(record.column("q")), 3.0);
}

// A flexible arm on a damped spring: Ė = u ω − c ω², in all orders of elements.
TEST(EnergySignal, ChangesByThePowerLessWhatIsDissipated) {
  for (const char* beam : {"elements: 6", "elements: 3, order: 2", "elements: 2, order: 3",
                           "elements: 3, order: 2, inertia: consistent"}) {
    const ModelRun record = runModel(std::string(R"(gravity: [0, 0, -9.81]
materials: {soft: {E: 0.5 GPa, nu: 0.3, rho: 1200}}
sections: {bar: {type: rectangle, width: 20 mm, height: 20 mm}}
nodes: {A: [0, 0, 0], B: [1, 0, 0]}
bodies: {tip: {node: B, mass: 0.2}}
beams: {arm: {from: A, to: B, section: bar, material: soft, y_axis: [0, 1, 0], )") +
                                     beam + R"(}}
joints: {h: {type: hinge, between: [ground, A], axis: [0, 1, 0], stiffness: 30, damping: 0.4}}
sensors:
  q: {measure: angle, joint: h}
  w: {measure: rate, joint: h}
  e: {measure: energy}
  arm: {measure: energy, beam: arm}
  tip: {measure: energy, body: tip, component: total}
blocks:
  u: {type: sine, amplitude: 3, omega: 7}
  input: {type: product, inputs: [u, w]}
  square: {type: product, inputs: [w, w]}
  loss: {type: gain, input: square, gain: 0.4}
  power: {type: sum, inputs: [input, -loss]}
  change: {type: gain, input: e.total.rate, gain: 1}
  parts: {type: sum, inputs: [e.kinetic.rate, e.potential.rate]}
  seen: {type: gain, input: e.total, gain: 1}
  joint: {type: expression, inputs: [q], value: "= 15*q*q"}
  sum: {type: sum, inputs: [arm.kinetic, arm.potential, tip, joint]}
actuators: {motor: {type: torque, joint: h, input: u}}
outputs: [e, seen, change, parts, power, sum]
analysis: {time: {end: 0.5, step: 2 ms}}
)");
    const double size = largest(record.column("power"));
    EXPECT_GT(size, 1.0);
    for (std::size_t i = 0; i < record.times().size(); ++i) {
      EXPECT_NEAR(record.column("change")[i], record.column("power")[i], 1e-4 * size) << beam;
      EXPECT_NEAR(record.column("change")[i], record.column("parts")[i], 1e-6 * size) << beam;
      EXPECT_NEAR(record.column("seen")[i], record.column("e.total")[i], 1e-6) << beam;
      EXPECT_NEAR(record.column("seen")[i], record.column("sum")[i], 1e-6) << beam;
    }
  }
}

// The energy V of a spring is fed back by F = −c V dV/dx, which is conservative: T + V + c V²/2 stays.
TEST(EnergySignal, ClosesALoopThroughASpring) {
  const ModelRun record =
      runModel(R"(nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [2, 0, 0]}}
bodies: {m: {node: cart, mass: 3}}
springs: {k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 12}}
sensors:
  x: {measure: position, node: cart, direction: [1, 0, 0]}
  V: {measure: energy, spring: k, component: potential}
  T: {measure: energy, body: m, component: kinetic}
blocks:
  slope: {type: product, inputs: [V, x]}
  F: {type: gain, input: slope, gain: -6}
loads: {push: {node: cart, force: [1, 0, 0], signal: F}}
outputs: [T, V]
analysis: {time: {end: 4, step: 1 ms, rho: 1}}
)");
  for (std::size_t i = 0; i < record.times().size(); ++i) {
    const double V = record.column("V")[i];
    EXPECT_NEAR(record.column("T")[i] + V + 0.25 * V * V, 6.0, 2e-4);
  }
}

// The slopes of signals by signals, where sensors of all kinds, energies of many parts among them, stand beside blocks: as
// differences of the residual, which is at most quadratic in signals here.
TEST(EnergySignal, HasASlopeOfOneInTheEquationsOfSignalsAlone) {
  const model::Model model = buildModel(R"(gravity: [0, 0, -9.81]
materials: {soft: {E: 0.5 GPa, nu: 0.3, rho: 1200}}
sections: {bar: {type: rectangle, width: 20 mm, height: 20 mm}}
nodes: {A: [0, 0, 0], B: {position: [1, 0, 0], velocity: [0, 0, 1]}}
bodies: {root: {node: A, mass: 1, inertia: [1, 1, 1]}, tip: {node: B, mass: 0.2}}
beams: {arm: {from: A, to: B, elements: 5, section: bar, material: soft, y_axis: [0, 1, 0]}}
joints: {h: {type: hinge, between: [ground, A], axis: [0, 1, 0], stiffness: 30}}
sensors:
  q: {measure: angle, joint: h}
  f: {measure: force, joint: h, direction: [0, 0, 1]}
  a: {measure: acceleration, node: B, direction: [0, 0, 1]}
  e: {measure: energy}
blocks:
  u: {type: sum, inputs: [e.kinetic, -q, f]}
  v: {type: product, inputs: [u, e.total.rate]}
  w: {type: expression, inputs: [v, a, q.rate], value: 2*v*a + q.rate}
actuators: {motor: {type: torque, joint: h, input: w}}
outputs: [w, e]
)");
  system::Assembler assembler(model.system());
  system::State state = model.start();
  const std::vector<system::Kind>& kinds = model.system().kinds();
  for (int u = 0; u < state.value.size(); ++u) {
    if (kinds[u] == system::Kind::kSignal) state.value[u] = 0.7 + 0.1 * u;
  }
  linalg::SparseMatrix slopes = assembler.pattern();
  assembler.calcSignalMatrix(state, slopes);
  Eigen::VectorXd after, before;
  int signals = 0;
  for (int column = 0; column < state.value.size(); ++column) {
    if (kinds[column] != system::Kind::kSignal) continue;
    ++signals;
    const double value = state.value[column];
    state.value[column] = value + 0.5;
    assembler.calcSignalResidual(state, after);
    state.value[column] = value - 0.5;
    assembler.calcSignalResidual(state, before);
    state.value[column] = value;
    for (int row = 0; row < state.value.size(); ++row) {
      if (kinds[row] != system::Kind::kSignal) continue;
      EXPECT_NEAR(slopes.coeff(row, column), after[row] - before[row], 1e-9)
          << model.system().equationName(system::UnknownIndex{row}) << " by "
          << model.system().unknownName(system::UnknownIndex{column});
    }
  }
  EXPECT_GT(signals, 7);
}

}  // namespace
}  // namespace flexloop::test
