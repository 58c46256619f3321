// Models whose parameter moves: terms with its rate beside equations that are integrated here, beside the convective terms of a
// beam that is drawn through its clamp, and beside those of a load that travels along a beam.
#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>

#include "control/lpv/lpv_file.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::ProgramResult;

std::string readText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Columns of numbers below a line of names.
MatrixXd readTable(const std::string& text) {
  std::istringstream lines(text);
  std::string line, field;
  std::getline(lines, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(lines, line)) {
    rows.emplace_back();
    for (std::istringstream row(line); std::getline(row, field, ',');) {
      rows.back().push_back(std::stod(field));
    }
  }
  MatrixXd table(std::ssize(rows), rows.empty() ? 0 : std::ssize(rows[0]));
  for (Eigen::Index i = 0; i < table.rows(); ++i) {
    table.row(i) = Eigen::Map<const Eigen::RowVectorXd>(rows[i].data(), table.cols());
  }
  return table;
}

class LpvRates : public ::testing::Test {
 protected:
  ProgramResult run(std::vector<std::string> words) {
    words.emplace_back("--quiet");
    return testing::runProgram(words, folder_.file(""));
  }

  MatrixXd simulate(std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--csv", "-"});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    return readTable(result.out);
  }

  void make(const std::string& model, const std::vector<std::string>& words, const char* file) {
    std::vector<std::string> all{"lpv", model, "-o", file};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult made = run(all);
    ASSERT_EQ(made.exitCode, 0) << made.errors;
  }

  void expectRefused(const std::string& block, const std::string& part) {
    folder_.write("refused.yaml",
                  "flexloop: 1\nnodes: {n: {position: [0, 0, 0], free: [x]}}\nbodies: {n: {node: "
                  "n, mass: 1}}\n"
                  "blocks:\n  way: {type: polynomial, distance: 10, duration: 1}\n"
                  "  sum: {type: sum, inputs: [way, 30]}\n  y: " +
                      block + "\noutputs: [sum]\n");
    const ProgramResult result = run({"check", "refused.yaml"});
    EXPECT_EQ(result.exitCode, 2) << block;
    EXPECT_NE(result.errors.find(part), std::string::npos) << result.errors;
  }

  testing::TemporaryFolder folder_;
};

// M(p) q'' + C(p) q' + K(p) q = (f, 0): a wall of 100 N/m and a damper beside it, and a link of k and 0.01 k between masses 1 and m.
double integrate(const std::function<double(double)>& k, const std::function<double(double)>& m,
                 double damper) {
  constexpr double kEnd = 1.0;
  const auto rate = [&](double t, const VectorXd& x) {
    const double stretch = x[1] - x[0], speed = x[3] - x[2];
    const double link = k(t) * (stretch + 0.01 * speed);
    VectorXd dx(4);
    dx << x[2], x[3], 1.0 - 100.0 * x[0] - damper * x[2] + link, -link / m(t);
    return dx;
  };
  const int steps = 20'000;
  const double h = kEnd / steps;
  VectorXd x = VectorXd::Zero(4);
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const VectorXd a = rate(t, x), b = rate(t + h / 2, x + h / 2 * a),
                   c = rate(t + h / 2, x + h / 2 * b), d = rate(t + h, x + h * c);
    x += h / 6 * (a + 2.0 * b + 2.0 * c + d);
  }
  return x[1];
}

constexpr const char* kTwoMasses = R"(flexloop: 1
nodes: {n: {position: [0, 0, 0], free: [x]}}
bodies: {n: {node: n, mass: 1}}
blocks:
  way: {type: polynomial, distance: 50, duration: 1}
  less: {type: polynomial, distance: -1.5, duration: 1}
  k: {type: sum, inputs: [way, 25]}
  m: {type: sum, inputs: [less, 3]}
  y: {type: lpv, file: m.lpv, inputs: [1], parameters: {k: k, m: m}, while_moving: rate_terms,
      parameter_rates: {m: less.rate, k: way.rate}}
outputs: [y]
analysis: {time: {end: 1, step: 0.2 ms}}
)";

// A spring that stiffens and a load that becomes lighter within a second, which is half a period: all four states are in the
// model, so that with the rates of both parameters nothing is missing. Where the damping is not in proportion to the stiffness,
// displacements that belong to rates are, which is a tenth of what the frozen model lacks.
TEST_F(LpvRates, AreWhatTheFrozenModelLacks) {
  folder_.write("two.yaml", readText(test::inProject("tests/fixtures/lpv/two_masses.yaml")));
  folder_.write("moving.yaml", kTwoMasses);
  const auto way = [](double t) { return t * t * t * (10.0 - 15.0 * t + 6.0 * t * t); };
  struct Case {
    double damper, share;
  };
  for (const Case& c : {Case{1.0, 1e-4}, Case{0.3, 6e-3}}) {
    make("two.yaml",
         {"-p", "k=25:75:9", "-p", "m=1.5:3:9", "--set",
          "springs.wall.damping=" + std::to_string(c.damper), "--from", "push", "--to", "x",
          "--order", "4"},
         "m.lpv");
    const double exact = integrate([&](double t) { return 25.0 + 50.0 * way(t); },
                                   [&](double t) { return 3.0 - 1.5 * way(t); }, c.damper);
    const MatrixXd rates = simulate({"moving.yaml"});
    const MatrixXd frozen =
        simulate({"moving.yaml", "--set",
                  "blocks.y={type: lpv, file: m.lpv, inputs: [1], parameters: {k: k, m: m}}"});
    EXPECT_NEAR(rates(rates.rows() - 1, 1), exact, c.share * std::abs(exact)) << c.damper;
    EXPECT_GT(std::abs(frozen(frozen.rows() - 1, 1) - exact), 4e-2 * std::abs(exact)) << c.damper;
  }
}

// The pick-and-place machine with a fine mesh of a Bernoulli beam.
std::vector<std::string> fineBeam() {
  return {"-p",      "length=0.33:0.53:9",
          "-p",      "beta=1e-7",
          "-p",      "n=16",
          "--set",   "sections.tube.GAz=1e11",
          "--set",   "sections.tube.rhoJ=[1e-8, 1e-8, 1e-8]",
          "--from",  "force",
          "--to",    "x_motor",
          "x_tip",   "a_tip",
          "--order", "10",
          "--range", "1:1000"};
}

// Of the motions one by one: in states that are turned by Q it is Qᵀ (G Q + Q').
MatrixXd calcModalTerms(const control::LpvModel& model, double at) {
  constexpr double kStep = 1e-5;
  const int q = model.layout.pairs;
  const auto shapesAt = [&](double value) {
    const MatrixXd K = -control::evaluate(model, value).A.block(q, 0, q, q);
    return linalg::findSymmetricEigensystem(0.5 * (K + K.transpose()))->vectors;
  };
  const MatrixXd Q = shapesAt(at);
  const auto beside = [&](double value) {
    MatrixXd other = shapesAt(value);
    for (Eigen::Index i = 0; i < q; ++i) {
      if (other.col(i).dot(Q.col(i)) < 0.0) other.col(i) *= -1.0;
    }
    return other;
  };
  const double up = std::min(at + kStep, model.axes[0].points.back()),
               down = std::max(at - kStep, model.axes[0].points.front());
  const MatrixXd dQ = (beside(up) - beside(down)) / (up - down);
  EXPECT_EQ(model.layout.rates, 1);
  const MatrixXd N = control::evaluateRateTerms(model, {at})[0];
  return Q.transpose() * (dQ - N.topLeftCorner(q, q) * Q);
}

// g_ik = <φ_i, ∂φ_k/∂l> at fixed matter, from the jumps of the transcendental shapes at the clamp.
TEST_F(LpvRates, SlowConvectiveTermsOfADrawnBeam) {
  make(test::inProject("models/pick_and_place/model.yaml"), fineBeam(), "gripper.lpv");
  const auto read = control::readLpv(folder_.file("gripper.lpv"));
  ASSERT_TRUE(read);
  struct Row {
    double length, g12, g13, g23;
  };
  for (const Row& row :
       {Row{0.33, 2.5872914, 0.79008478, 0.31880848}, Row{0.38, 1.7407015, 0.65512036, 0.88994926},
        Row{0.43, 1.3374768, 0.34533002, 8.6257313}, Row{0.455, 1.2170441, 0.055631473, 16.262997},
        Row{0.5, 0.91397786, 0.41409665, 3.1871217}, Row{0.53, 0.80977972, 0.39076632, 0.352241}}) {
    const MatrixXd g = calcModalTerms(read.value(), row.length);
    const double most = std::max(row.g12, row.g23);
    EXPECT_NEAR(std::abs(g(1, 2)), row.g12, 0.02 * most) << row.length;
    EXPECT_NEAR(std::abs(g(1, 3)), row.g13, 0.02 * most) << row.length;
    EXPECT_NEAR(std::abs(g(2, 3)), row.g23, 0.02 * most) << row.length;
    EXPECT_LT((g + g.transpose()).cwiseAbs().maxCoeff(), 0.02 * most) << row.length;
  }
}

// A load of 2 kg at a place of a beam of 3 kg that is pinned at both ends, by sines: the beam stays where it is while the load
// travels along, so that M(p) = μ/2 + m s sᵀ with s_i = sin(iπp), and G = Φᵀ (μ/2 Φ_p + m s (sᵀ Φ)_p).
MatrixXd calcTravellingTerms(double p) {
  constexpr int kSines = 60;
  constexpr double kDensity = 3.0, kLoad = 2.0, kStiffness = 500.0, kStep = 1e-5;
  const auto sinesAt = [&](double x) {
    VectorXd s(kSines);
    for (int i = 0; i < kSines; ++i) s[i] = std::sin((i + 1) * std::numbers::pi * x);
    return s;
  };
  // Shapes of K^-½ M K^-½, whose largest eigenvalues are those of the slowest motions.
  VectorXd soft(kSines);
  for (int i = 0; i < kSines; ++i)
    soft[i] = 1.0 / (std::sqrt(0.5 * kStiffness) * std::pow((i + 1) * std::numbers::pi, 2));
  const auto shapesAt = [&](double x) {
    const VectorXd s = sinesAt(x);
    const MatrixXd M =
        0.5 * kDensity * MatrixXd::Identity(kSines, kSines) + kLoad * s * s.transpose();
    const auto system = linalg::findSymmetricEigensystem(soft.asDiagonal() * M * soft.asDiagonal());
    MatrixXd shapes(kSines, 3);
    for (int k = 0; k < 3; ++k) {
      const int from = kSines - 1 - k;
      shapes.col(k) =
          soft.asDiagonal() * system->vectors.col(from) / std::sqrt(system->values[from]);
    }
    return shapes;
  };
  const MatrixXd Phi = shapesAt(p);
  const auto beside = [&](double x) {
    MatrixXd shapes = shapesAt(x);
    for (int k = 0; k < 3; ++k) {
      if (shapes.col(k).dot(Phi.col(k)) < 0.0) shapes.col(k) *= -1.0;
    }
    return shapes;
  };
  const MatrixXd up = beside(p + kStep), down = beside(p - kStep);
  const Eigen::RowVectorXd load =
      (sinesAt(p + kStep).transpose() * up - sinesAt(p - kStep).transpose() * down) / (2.0 * kStep);
  return Phi.transpose() *
         (0.5 * kDensity * (up - down) / (2.0 * kStep) + kLoad * sinesAt(p) * load);
}

TEST_F(LpvRates, SlowLoadTravelsAndItsBeamStays) {
  folder_.write("beam.yaml", R"(flexloop: 1
parameters: {p: 0.4}
sections: {bar: {type: stiffness, EA: 1e8, GAy: 1e9, GAz: 1e9, GJ: 500, EIy: 500, EIz: 500, rhoA: 3, rhoJ: [1e-8, 1e-8, 1e-8]}}
nodes:
  left: {position: [0, 0, 0], free: [ry]}
  load: {position: [= p, 0, 0], free: [z, ry]}
  right: {position: [1, 0, 0], free: [ry]}
bodies: {load: {node: load, mass: 2}}
beams:
  first: {from: left, to: load, elements: 8, section: bar, y_axis: [0, 1, 0], damping: 1e-6}
  second: {from: load, to: right, elements: 8, section: bar, y_axis: [0, 1, 0], damping: 1e-6}
sensors: {z: {measure: displacement, node: load, direction: [0, 0, 1]}}
loads: {push: {node: load, force: [0, 0, 1]}}
)");
  make("beam.yaml", {"-p", "p=0.3:0.6:13", "--from", "push", "--to", "z", "--order", "6"},
       "beam.lpv");
  const auto read = control::readLpv(folder_.file("beam.lpv"));
  ASSERT_TRUE(read);
  for (const double p : {0.35, 0.4, 0.5}) {
    const MatrixXd g = calcModalTerms(read.value(), p), exact = calcTravellingTerms(p);
    const double most = exact.cwiseAbs().maxCoeff();
    EXPECT_LT((exact + exact.transpose()).cwiseAbs().maxCoeff(), 1e-4 * most);
    for (int i = 0; i < 3; ++i) {
      for (int k = i + 1; k < 3; ++k)
        EXPECT_NEAR(std::abs(g(i, k)), std::abs(exact(i, k)), 0.02 * most) << p;
    }
  }
}

TEST_F(LpvRates, WhatHasNone) {
  folder_.write("two.yaml", readText(test::inProject("tests/fixtures/lpv/two_masses.yaml")));
  make("two.yaml", {"-p", "k=20:80:4", "--from", "push", "--to", "x", "--order", "4"}, "k.lpv");
  make("two.yaml",
       {"-p", "k=20:80:4", "--from", "push", "--to", "x", "--order", "4", "--form", "affine"},
       "affine.lpv");
  folder_.write("arm.yaml", R"(flexloop: 1
parameters: {angle: 0}
nodes: {tip: {position: [1, 0, 0], rotation: {axis: [0, 0, 1], angle: = angle}, free: [x, y]}}
bodies: {tip: {node: tip, mass: 1}}
springs:
  along: {type: linear, between: [ground, tip], direction: [1, 0, 0], stiffness: 100, damping: 0.1}
  across: {type: linear, between: [ground, tip], direction: [0, 1, 0], stiffness: 300, damping: 0.3}
sensors: {x: {measure: displacement, node: tip, direction: [1, 1, 0]}}
loads: {push: {node: tip, force: [1, 1, 0]}}
)");
  make("arm.yaml", {"-p", "angle=0.2:1:4", "--from", "push", "--to", "x", "--order", "4"},
       "arm.lpv");
  const std::string end = ", inputs: [1], parameter: sum, while_moving: rate_terms";
  expectRefused("{type: lpv, file: arm.lpv" + end + ", parameter_rate: way.rate}",
                "node 'tip' turns with 'angle'");
  expectRefused("{type: lpv, file: affine.lpv" + end + ", parameter_rate: way.rate}",
                "its poles and zeros are affine");
  expectRefused("{type: lpv, file: k.lpv" + end + "}", "need the rate of 'sum'");
  expectRefused("{type: lpv, file: k.lpv" + end + ", parameter_rates: {q: way.rate}}",
                "has no parameter 'q'");
  expectRefused("{type: lpv, file: k.lpv, inputs: [1], parameter: sum, parameter_rate: way.rate}",
                "needs 'while_moving: rate_terms'");
}

}  // namespace
}  // namespace flexloop
