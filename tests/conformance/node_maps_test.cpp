// The tangents of a whole system, for nodes of every kind: assembled K, C and M are the derivatives
// of the assembled residual through the retraction of the state.
#include <algorithm>
#include <array>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "conformance/check_tools.hpp"
#include "support/built_sample.hpp"
#include "system/assembler.hpp"
#include "system/step_axes.hpp"

namespace flexloop::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Springs and loads on nodes of which different freedoms are free.
constexpr const char* kNodes = R"(flexloop: 1
gravity: [0.4, -1.1, -9.7]
nodes:
  body: {position: [0.3, -0.2, 0.5], rotation: {axis: [1, 2, -0.5], angle: 40 deg}}
  inertial: {position: [0.7, 0.4, -0.1], rotation: {axis: [-0.4, 1, 0.8], angle: 65 deg}, formulation: r3xso3}
  held: {position: [1, 1, 0], free: []}
  cart: {position: [0.1, 0.9, 0.4], rotation: {axis: [1, 0, 1], angle: 20 deg}, free: [x]}
  table: {position: [1.1, 0.2, 0.4], rotation: {axis: [1, 1, 1], angle: 35 deg}, free: [x, y, rz]}
  ball: {position: [0.8, 0.8, 0.8], rotation: {axis: [0, 1, 1], angle: 50 deg}, free: [rx, ry, rz]}
  rotor: {position: [0.2, 0.6, -0.3], rotation: {axis: [2, 1, 0], angle: 15 deg}, free: [ry]}
  drill: {position: [0.5, -0.6, 0.3], rotation: {axis: [2, 1, 1], angle: 80 deg}, free: [z, rz]}
  swing: {position: [0.4, -0.6, 0.1], rotation: {axis: [1, 1, 0], angle: 30 deg}, free: [x, rz]}
  gimbal: {position: [0.6, 0.1, 0.9], rotation: {axis: [1, -1, 0.5], angle: 25 deg}, free: [z, rx, rz]}
  cross: {position: [-0.3, 0.1, 0.9], rotation: {axis: [1, -1, 0.5], angle: 25 deg}, free: [ry, rz]}
  puck: {position: [-0.3, -0.4, 0.2], rotation: {axis: [0, -1, 0.5], angle: 45 deg}, free: [x, y, rx, ry, rz]}
  screw: {position: [0.1, -0.5, 0.1], rotation: {axis: [1, -1, 0.5], angle: 55 deg}, formulation: se3}
  lift: {position: [-0.2, -0.1, 0.4], rotation: {axis: [1, -1, 2], angle: 35 deg}, free: [x, y, z, ry]}
  planar: {position: [-0.1, -0.4, 0.2], rotation: {axis: [0, -1, 0.5], angle: 45 deg}, free: [x, y, rz], formulation: r3xso3}
bodies:
)";

constexpr std::array<const char*, 14> kFree{"body",  "inertial", "cart",  "table",  "ball",
                                            "rotor", "drill",    "swing", "gimbal", "cross",
                                            "puck",  "screw",    "lift",  "planar"};

// A ring of bushings and joints through all nodes, bodies and loads on each.
std::string makeModel() {
  std::ostringstream text;
  const auto neighbour = [](std::size_t i, std::size_t by) {
    return kFree[(i + by) % kFree.size()];
  };
  text << kNodes;
  for (const char* node : kFree) {
    text << "  " << node << ": {node: " << node
         << ", mass: 1.3, inertia: [0.12, 0.1, 0.07, 0.01, 0, 0.02], com: [0.1, -0.05, 0.2]}\n";
  }
  text << "loads:\n";
  for (const char* node : kFree) {
    text << "  " << node << ": {node: " << node
         << ", force: [3, -2, 5], torque: [0.2, 0.1, -0.4]}\n";
  }
  text << "springs:\n  base: {type: bushing, between: [held, body], "
          "stiffness: [30, 20, 25, 4, 5, 6]}\n";
  for (std::size_t i = 0; i < kFree.size(); ++i) {
    text << "  " << kFree[i] << ": {type: bushing, between: [" << kFree[i] << ", "
         << neighbour(i, 1)
         << "], stiffness: [30, 20, 25, 4, 5, 6], damping: [1, 2, 1, 0.3, 0.2, 0.4]}\n";
  }
  text << "joints:\n";
  constexpr std::array<const char*, 3> kJoints{"type: hinge, stiffness: 2",
                                               "type: slider, damping: 2",
                                               "type: universal, second_axis: [2, 1, -3]"};
  for (std::size_t i = 0; i < kFree.size(); ++i) {
    text << "  " << kFree[i] << ": {" << kJoints[i % 3] << ", axis: [1, 1, 1], between: ["
         << kFree[i] << ", " << neighbour(i, 5) << "]}\n";
  }
  return text.str();
}

struct SystemTangents {
  MatrixXd K, C, M;
};

VectorXd calcResidual(system::Assembler& assembler, const system::State& state) {
  VectorXd residual;
  assembler.calcResidual(state, residual);
  return residual;
}

// By central differences with one extrapolation, unknown by unknown.
SystemTangents calcByDifferences(system::Assembler& assembler, const system::State& state) {
  const int n = assembler.system().unknowns();
  SystemTangents tangents{MatrixXd(n, n), MatrixXd(n, n), MatrixXd(n, n)};
  const auto differentiate = [&](MatrixXd& matrix, const auto& changed) {
    for (int u = 0; u < n; ++u) {
      const auto slope = [&](double h) -> VectorXd {
        return (calcResidual(assembler, changed(u, h)) - calcResidual(assembler, changed(u, -h))) /
               (2.0 * h);
      };
      matrix.col(u) = extrapolated(slope(kStep), slope(0.5 * kStep));
    }
  };
  differentiate(tangents.K, [&](int u, double h) {
    system::State to = state;
    assembler.system().retract(state, h * VectorXd::Unit(n, u), to);
    return to;
  });
  differentiate(tangents.C, [&](int u, double h) {
    system::State to = state;
    to.rate[u] += h;
    return to;
  });
  differentiate(tangents.M, [&](int u, double h) {
    system::State to = state;
    to.acceleration[u] += h;
    return to;
  });
  return tangents;
}

system::State makeRandomState(const system::System& system, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto random = [&](double size) {
    VectorXd v(system.unknowns());
    for (int u = 0; u < v.size(); ++u) v[u] = size * number(generator);
    return v;
  };
  system::State state = system.start();
  system.retract(state, random(0.4), state);
  state.time = 0.37;
  state.rate = random(1.5);
  state.acceleration = random(3.0);
  return state;
}

void expectNear(const char* what, const system::System& system, const MatrixXd& is,
                const MatrixXd& expected, double noise) {
  const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
  for (int c = 0; c < is.cols(); ++c) {
    for (int r = 0; r < is.rows(); ++r) {
      EXPECT_NEAR(is(r, c), expected(r, c), 2.0 * kDifferences * scale + noise)
          << what << ": " << system.equationName({r}) << " by " << system.unknownName({c});
    }
  }
}

void expectExactTangents(const system::System& system, std::uint32_t seed) {
  system::Assembler assembler(system);
  const system::State state = makeRandomState(system, seed);
  const SystemTangents expected = calcByDifferences(assembler, state);
  linalg::SparseMatrix K, C, M;
  const double noise = differenceNoise(sizeOf(calcResidual(assembler, state)));
  assembler.calcTangents(state, K, C, M);
  expectNear("K", system, MatrixXd(K), expected.K, noise);
  expectNear("C", system, MatrixXd(C), expected.C, noise);
  expectNear("M", system, MatrixXd(M), expected.M, noise);
}

TEST(NodeMaps, HaveExactSystemTangents) {
  const BuiltSample built = buildSample(makeModel());
  for (const system::NodeMap map : {system::NodeMap::kHeld, system::NodeMap::kBody,
                                    system::NodeMap::kSubgroup, system::NodeMap::kMixed}) {
    const auto& nodes = built.system.nodes();
    EXPECT_TRUE(std::any_of(nodes.begin(), nodes.end(),
                            [&](const system::Node& node) { return node.map == map; }));
  }
  for (const std::uint32_t seed : {1, 2}) expectExactTangents(built.system, seed);
}

// The end of a time step after a correction of its vectors, which is given in body axes there.
struct Step {
  system::State from, end;
  VectorXd expected, increment;
  std::vector<math::Vec3<double>> centres;

  system::State corrected(const system::System& system, const system::Weights& w,
                          VectorXd delta) const {
    system::State at = end;
    system::StepAxes axes(system);
    axes.setCentres(centres);
    axes.setTurns(from, at);
    axes.toStart(delta);
    axes.addTurnOf(at.rate, at.acceleration);
    axes.toStart(at.rate);
    axes.toStart(at.acceleration);
    at.rate += w.rate.cwiseProduct(delta);
    at.acceleration += w.acceleration.cwiseProduct(delta);
    system.advance(from, expected, increment + w.value.cwiseProduct(delta), at);
    axes.setTurns(from, at);
    axes.toEnd(at.rate);
    axes.toEnd(at.acceleration);
    axes.removeTurnOf(at.rate, at.acceleration);
    return at;
  }
};

// Of the nodes whose translations are turned by one rotation or by all.
std::vector<math::Vec3<double>> makeRandomCentres(const system::System& system,
                                                  std::mt19937& generator) {
  std::uniform_real_distribution<double> number(-0.5, 0.5);
  std::vector<math::Vec3<double>> centres;
  for (const system::Node& node : system.nodes()) {
    const int rotations = node.count - node.translations();
    const bool hasCentre = node.isStraight && (rotations == 1 || rotations == 3);
    const math::Vec3<double> c(number(generator), number(generator), number(generator));
    centres.push_back(hasCentre ? c : math::Vec3<double>(math::Vec3<double>::Zero()));
  }
  return centres;
}

// (4.1) with (3.9) to (3.11): what Newton's method takes for the derivative of the residual is that
// along the step, for nodes of every kind, also after steps of more than a turn.
TEST(NodeMaps, HaveExactIterationMatrices) {
  const BuiltSample built = buildSample(makeModel());
  const system::System& system = built.system;
  const int n = system.unknowns();
  std::mt19937 generator(23);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto random = [&](double size) {
    VectorXd v(n);
    for (int u = 0; u < n; ++u) v[u] = size * number(generator);
    return v;
  };
  // The freedoms of one node share their weights.
  const system::Weights w{VectorXd::Constant(n, 0.3), VectorXd::Constant(n, 0.7),
                          VectorXd::Constant(n, 1.2), VectorXd::Ones(n)};
  for (const double turn : {0.5, 9.0, -0.5}) {
    Step step;
    if (turn < 0.0) step.centres = makeRandomCentres(system, generator);
    step.from = makeRandomState(system, 7);
    step.expected = random(std::abs(turn));
    for (int u = 0; u < n; ++u) {
      // Screws cannot go further than a turn.
      const std::string name = system.unknownName({u});
      if (name.find("screw") != std::string::npos) step.expected[u] *= 0.5 / std::abs(turn);
    }
    step.increment = step.expected + random(0.3);
    step.end = step.from;
    step.end.rate = random(1.5);
    step.end.acceleration = random(3.0);
    system.advance(step.from, step.expected, step.increment, step.end);
    system::StepAxes axes(system);
    axes.setCentres(step.centres);
    axes.setTurns(step.from, step.end);
    system::Assembler assembler(system);
    const VectorXd r = calcResidual(assembler, step.end);
    linalg::SparseMatrix S = assembler.pattern();
    const system::StepIncrement increment{step.expected, step.increment, axes.centres()};
    assembler.calcIterationMatrix(step.end, w, &increment, S);
    MatrixXd expected(n, n);
    for (int u = 0; u < n; ++u) {
      const auto slope = [&](double h) -> VectorXd {
        return (calcResidual(assembler, step.corrected(system, w, h * VectorXd::Unit(n, u))) -
                calcResidual(assembler, step.corrected(system, w, -h * VectorXd::Unit(n, u)))) /
               (2.0 * h);
      };
      expected.col(u) = extrapolated(slope(kStep), slope(0.5 * kStep));
    }
    expectNear("S", system, MatrixXd(S), expected, 10.0 * differenceNoise(sizeOf(r)));
  }
}

// T of a node's own increment: the increment at the end of a step by that of the step.
TEST(NodeMaps, HaveExactTangentsOfIncrements) {
  const BuiltSample built = buildSample(makeModel());
  std::mt19937 generator(3);
  for (const system::Node& node : built.system.nodes()) {
    if (node.count == 0) continue;
    const math::Vec6<double> dq = makeRandomTwist(generator, 0.6);
    const math::Frame<double> end = system::retract(node, node.start, dq.data());
    const math::Mat6<double> T = system::calcTangent(node, dq.data());
    const math::Mat6<double> A = system::calcMap(node, end);
    for (int c = 0; c < node.count; ++c) {
      const auto turned = [&](double h) {
        const math::Vec6<double> near = dq + h * math::Vec6<double>::Unit(c);
        return math::logSE3<double>(
            math::relative(end, system::retract(node, node.start, near.data())));
      };
      const auto slope = [&](double h) -> VectorXd { return (turned(h) - turned(-h)) / (2.0 * h); };
      const VectorXd expected = extrapolated(slope(kStep), slope(0.5 * kStep));
      const VectorXd is = A.leftCols(node.count) * T.col(c).head(node.count);
      EXPECT_LT((is - expected).norm(), kDifferences) << node.name << " " << c;
    }
  }
}

// Every sample of the registry is also assembled.
TEST(NodeMaps, HaveExactSystemTangentsInAllSamples) {
  for (const system::TypeEntry& entry : fullRegistry().entries()) {
    for (const std::string& text : entry.samples) {
      SCOPED_TRACE(entry.section + " " + entry.type);
      const BuiltSample built = buildSample(text);
      if (built.system.unknowns() > 60) continue;
      expectExactTangents(built.system, 4);
    }
  }
}

}  // namespace
}  // namespace flexloop::test
