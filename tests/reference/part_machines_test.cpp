// Machines with reduced parts, from the text of a model to modes and motion. The plate is that of the reference solution by
// 20-node bricks with the same mesh: 0.4 × 0.1 × 0.02 m, steel, 16 × 4 × 1 elements, each end face tied to a frame.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/balance/steady_motion.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "fem/matrices/part_matrices_file.hpp"
#include "fem/parts/part_study.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::test {
namespace {

std::string plate(const std::string& more) {
  return "materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
         "parts:\n"
         "  plate:\n"
         "    block: {size: [0.4, 0.1, 0.02], elements: [16, 4, 1]}\n"
         "    material: steel\n"
         "    interfaces: {root: {set: x0}, tip: {set: x1}}\n" +
         more;
}

const char* const kWeld = "joints: {base: {type: weld, between: [ground, plate.root]}}\n";

std::vector<double> frequenciesOf(const std::string& text, int count) {
  const model::Model model = buildModel(text);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, {});
  EXPECT_TRUE(point.ok()) << base::messageOf(point.failure);
  const analysis::ModeResult result = analysis::findModes(model, point.state, {.count = count});
  EXPECT_TRUE(result.ok()) << base::messageOf(result.failure);
  std::vector<double> frequencies;
  for (const analysis::Mode& mode : result.modes) {
    frequencies.push_back(std::abs(mode.eigenvalue.imag()) / (2.0 * M_PI));
  }
  std::sort(frequencies.begin(), frequencies.end());
  return frequencies;
}

void expectFrequencies(const std::vector<double>& found, const std::vector<double>& expected,
                       const std::vector<double>& errors) {
  ASSERT_GE(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i] / expected[i] - 1.0, errors[i], 0.02 * errors[i] + 1e-8) << i;
  }
}

// Full part with the root held: 106.196777, 502.028712, 658.400768 Hz. The errors of each set are those that the
// independent program found with the same set.
TEST(PartMachines, AHeldPlateHasTheErrorsOfItsModeSet) {
  const std::vector<double> full{106.196777, 502.028712, 658.400768};
  expectFrequencies(frequenciesOf(plate("    modes: 20\n") + kWeld, 3), full,
                    {1.93e-6, 4.21e-5, 5.64e-5});
  expectFrequencies(frequenciesOf(plate("    modes: 6\n    method: hintz_constraint\n") + kWeld, 3),
                    full, {2.42e-9, 7.65e-7, 1.26e-6});
  expectFrequencies(frequenciesOf(plate("    modes: 6\n    method: inertia_relief\n") + kWeld, 3),
                    full, {7.3e-10, 5.89e-7, 5.18e-7});
}

// Tip compliance of the full part with the root held: uz 1.48307181e-6 m/N, ry 2.79934196e-5 rad/(N m).
TEST(PartMachines, EquilibriumIsThatOfTheFullPart) {
  const model::Model model = buildModel(
      plate("    modes: 4\n") + kWeld +
      "loads: {push: {node: plate.tip, force: [0, 0, 1]}}\n"
      "outputs: [{name: w, measure: displacement, node: plate.tip, direction: [0, 0, 1]}]\n");
  const analysis::EquilibriumResult result = analysis::findEquilibrium(model);
  ASSERT_TRUE(result.report.ok()) << base::messageOf(result.report.failure);
  EXPECT_NEAR(result.outputs[0] / 1.48307181e-6, 1.0, 1e-6);
}

// `start` and `start_rate` of the joint that carries a part turn it as a rigid body, with what hangs on its tip.
TEST(PartMachines, AJointTurnsAPartToItsStart) {
  const ModelRun run = runModel(
      plate("    modes: 4\n    position: [0, -0.05, -0.01]\n") +
          "nodes: {load: [0.5, 0, 0]}\n"
          "bodies: {load: {node: load, mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
          "joints:\n"
          "  turn: {type: hinge, between: [ground, plate.root], axis: [0, 0, 1], start: 30 deg,\n"
          "         start_rate: 2}\n"
          "  carry: {type: weld, between: [plate.tip, load]}\n",
      "{name: tip, measure: position, node: plate.tip}, {name: load, measure: position, node: "
      "load},"
      "{name: speed, measure: velocity, node: load}",
      "end: 1 ms, step: 0.1 ms");
  EXPECT_NEAR(run.column("tip.x").front(), 0.4 * std::sqrt(0.75), 1e-12);
  EXPECT_NEAR(run.column("tip.y").front(), 0.2, 1e-12);
  EXPECT_NEAR(run.column("load.y").front(), 0.25, 1e-12);
  EXPECT_NEAR(run.column("speed.x").front(), -0.5, 1e-9);
  EXPECT_NEAR(run.column("speed.y").front(), std::sqrt(0.75), 1e-9);
  EXPECT_LT(run.report.start.positionChange, 1e-12);
}

// A crank of 0.1 m turned by 30°, and a slider that the plate leads as a rod of 0.4 m.
TEST(PartMachines, APartDoesNotBendWhileALoopIsClosed) {
  const ModelRun run = runModel(
      "nodes: {crank: [0, 0, 0], slide: [0.5, 0, 0]}\n"
      "bodies:\n"
      "  crank: {node: crank, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
      "  slide: {node: slide, mass: 1, inertia: [0.1, 0.1, 0.1]}\n" +
          plate("    modes: 4\n    position: [0.1, -0.05, -0.01]\n") +
          "joints:\n"
          "  turn: {type: hinge, between: [ground, crank], axis: [0, 0, 1], start: 30 deg}\n"
          "  pin: {type: hinge, between: [crank, plate.root], at: [0.1, 0, 0], axis: [0, 0, 1]}\n"
          "  bolt: {type: spherical, between: [plate.tip, slide]}\n"
          "  way: {type: slider, between: [ground, slide], axis: [1, 0, 0]}\n",
      "{name: x, measure: position, node: slide, direction: [1, 0, 0]}", "end: 1 ms, step: 0.1 ms");
  EXPECT_NEAR(run.column("x").front(), 0.1 * std::sqrt(0.75) + std::sqrt(0.16 - 0.0025), 1e-9);
}

// A plate that nothing holds falls freely, whatever it looks like and however it spins.
TEST(PartMachines, AFreePlateFallsAsItsCentreDoes) {
  const ModelRun run = runModel("gravity: [0, 0, -9.81]\n" +
                                    plate("    modes: 4\n    angular_velocity: [0, 0, 20]\n"
                                          "    velocity: [0, -4, 3]\n") +
                                    "sensors: {p: {measure: position, node: plate.root}}\n",
                                "p", "end: 1, step: 1 ms");
  // The centre starts 0.2 m along x and 0.05 m along y from the origin, at rest in the plane.
  const double angle = 20.0;
  EXPECT_NEAR(run.last("p.z"), 0.01 + 3.0 - 0.5 * 9.81, 1e-6);
  const double centreX = 0.2 - 20.0 * 0.05, centreY = 0.05 + (-4.0 + 20.0 * 0.2);
  EXPECT_NEAR(run.last("p.x"), centreX - 0.2 * std::cos(angle), 1e-3);
  EXPECT_NEAR(run.last("p.y"), centreY - 0.2 * std::sin(angle), 1e-3);
}

// A plate of 1 × 0.1 × 0.01 m, aluminium, that spins about its normal at the clamped end. Truth: the three-dimensional solid by
// spectral elements with linear prestress, flapping twice and in its plane. The mesh of 24 × 4 × 1 bricks alone is 0.4 % high.
TEST(PartMachines, ASpinningPlateIsStiffened) {
  struct Case {
    double speed;
    std::vector<double> frequencies;
  };
  for (const Case& c : {Case{0.0, {8.2861, 51.895, 81.819}}, Case{50.0, {11.9894, 55.717, 81.894}},
                        Case{100.0, {19.0372, 65.859, 82.117}}}) {
    const std::string speed = std::to_string(c.speed);
    const model::Model model = buildModel(
        "materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}\n"
        "parts:\n"
        "  blade:\n"
        "    block: {size: [1, 0.1, 0.01], elements: [24, 4, 1]}\n"
        "    material: alu\n"
        "    position: [0, -0.05, 0]\n"
        "    angular_velocity: [0, 0, " +
        speed +
        "]\n"
        "    interfaces: {root: {set: x0}}\n"
        "    modes: 24\n"
        "    stiffening: true\n"
        "joints: {hub: {type: hinge, between: [ground, blade.root], at: [0, 0, 0], axis: [0, 0, "
        "1], "
        "drive: turn}}\n"
        "blocks: {turn: {type: ramp, slope: " +
        speed + "}}\n");
    model::OperatingPoint about;
    about.kind = model::OperatingPoint::Kind::kSteady;
    const analysis::OperatingState point = analysis::findOperatingPoint(model, about);
    ASSERT_TRUE(point.ok()) << base::messageOf(point.failure);
    const analysis::ModeResult result = analysis::findModes(model, point.state, {.count = 3});
    ASSERT_TRUE(result.ok()) << base::messageOf(result.failure);
    ASSERT_EQ(result.modes.size(), 3U);
    for (int i = 0; i < 3; ++i) {
      const double hertz = result.modes[i].eigenvalue.imag() / (2.0 * M_PI);
      EXPECT_NEAR(hertz / c.frequencies[i], 1.0, 5e-3) << speed << " rad/s, mode " << i;
    }
  }
}

// An aluminium blade of 1 × 0.1 × 0.01 m on a driven hub at 50 rad/s: 2.7 kg at 0.5 m pull with m r ω², and at the free end there is no
// stress (3.4 MPa at the hub).
TEST(PartMachines, ASteadySpinCarriesTheCentrifugalForce) {
  for (const char* const stiffening : {"true", "false"}) {
    const model::Model model =
        buildModel(std::string("materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}\n"
                               "parts:\n"
                               "  blade:\n"
                               "    block: {size: [1, 0.1, 0.01], elements: [24, 4, 1]}\n"
                               "    material: alu\n"
                               "    position: [0, -0.05, 0]\n"
                               "    velocity: [2.5, 0, 0]\n"
                               "    angular_velocity: [0, 0, 50]\n"
                               "    interfaces: {root: {set: x0}}\n"
                               "    modes: 24\n"
                               "    recover: [x1]\n"
                               "    stiffening: ") +
                   stiffening +
                   "\njoints: {hub: {type: hinge, between: [ground, blade.root], at: [0, 0, 0], "
                   "axis: [0, 0, 1],"
                   " drive: turn}}\n"
                   "blocks: {turn: {type: ramp, slope: 50}}\n"
                   "sensors: {end: {measure: stress, part: blade, mesh_node: 49, component: xx}}\n"
                   "outputs: [end, {name: pull, measure: force, joint: hub, direction: [1, 0, 0]},"
                   " {name: side, measure: force, joint: hub, direction: [0, 1, 0]}]\n");
    const analysis::EquilibriumResult result = analysis::findSteadyMotion(model);
    ASSERT_TRUE(result.report.ok()) << base::messageOf(result.report.failure);
    EXPECT_LT(std::abs(result.outputs[0]), 1e3);
    EXPECT_NEAR(result.outputs[1] / (2.7 * 0.5 * 2500.0), -1.0, 1e-4);
    EXPECT_NEAR(result.outputs[2], 0.0, 1e-6);
  }
}

// On a free hinge the frame of the part has hardly any inertia of its own; what stiffens is the rotation of the part as a whole.
TEST(PartMachines, AStiffenedPendulumSwings) {
  const auto swing = [](const char* stiffening) {
    return runModel("gravity: [0, 0, -9.81]\n" +
                        plate("    modes: 30\n    position: [0, -0.05, -0.01]\n"
                              "    stiffening: " +
                              std::string(stiffening) + "\n") +
                        "joints: {turn: {type: hinge, between: [ground, plate.root],"
                        " axis: [0, 1, 0]}}\n",
                    "{name: p, measure: position, node: plate.tip}", "end: 1, step: 1 ms");
  };
  const ModelRun stiffened = swing("true"), plain = swing("false");
  EXPECT_NEAR(stiffened.last("p.x"), plain.last("p.x"), 1e-5);
  EXPECT_NEAR(stiffened.last("p.z"), plain.last("p.z"), 1e-5);
}

// The same plate through the matrices that the program writes for others.
TEST(PartMachines, MatricesGiveTheSamePart) {
  const testing::TemporaryFolder folder;
  fem::PartStudyRequest request;
  request.part.block = fem::BlockRequest{{0.4, 0.1, 0.02}, {16, 4, 1}};
  request.part.material = fem::MeshMaterial{.name = "steel", .E = 210e9, .nu = 0.3, .rho = 7850};
  request.modes = 0;
  const auto study = fem::studyPart(request);
  ASSERT_TRUE(study) << study.failure().message;
  const std::string path = folder.file("plate");
  ASSERT_FALSE(fem::writePartMatrices(path, study.value().mesh, study.value().system));
  const std::string text = "parts:\n  plate:\n    matrices: {K: " + path + ".K.mtx, M: " + path +
                           ".M.mtx, nodes: " + path +
                           ".nodes.csv}\n"
                           "    interfaces: {root: {set: x0}, tip: {set: x1}}\n    modes: 20\n";
  const std::vector<double> mesh = frequenciesOf(plate("    modes: 20\n") + kWeld, 6);
  const std::vector<double> matrices = frequenciesOf(text + kWeld, 6);
  ASSERT_EQ(mesh.size(), matrices.size());
  for (std::size_t i = 0; i < mesh.size(); ++i) EXPECT_NEAR(matrices[i] / mesh[i], 1.0, 1e-9) << i;
}

// a M + b K damps a mode of frequency ω by a/(2ω) + bω/2 of the critical damping.
TEST(PartMachines, HaveRayleighDamping) {
  const double a = 20.0, b = 1e-5;
  const model::Model model =
      buildModel(plate("    modes: 6\n    damping: {mass: 20, stiffness: 10 us}\n") + kWeld);
  const analysis::ModeResult result = analysis::findModes(model, model.start(), {.count = 4});
  ASSERT_EQ(result.modes.size(), 4U);
  for (const analysis::Mode& mode : result.modes) {
    const double omega = std::abs(mode.eigenvalue);
    EXPECT_NEAR(-mode.eigenvalue.real() / (0.5 * (a + b * omega * omega)), 1.0, 1e-8);
  }
}

// Deformation is assumed to be small: a cantilever that is pushed to w = 0.1 L turns by 0.15 rad at its end.
TEST(PartMachines, ALargeDeformationIsReported) {
  const auto notesOf = [](double force) {
    const model::Model model = buildModel(plate("    modes: 0\n") + kWeld +
                                          "loads: {push: {node: plate.tip, force: [0, 0, " +
                                          std::to_string(force) + "]}}\n");
    std::string text;
    for (const std::string& note : analysis::findEquilibrium(model).notes) text += note;
    return text;
  };
  const double ofTenth = 0.04 / 1.48307181e-6;
  EXPECT_EQ(notesOf(0.5 * ofTenth), "");
  EXPECT_NE(notesOf(1.5 * ofTenth).find("part 'plate' bends by about 0.2"), std::string::npos);
  // Of a blade with a single interface, only modes bend.
  const ModelRun run = runModel(
      "materials: {steel: {E: 210 GPa, nu: 0.3, rho: 7850}}\n"
      "parts: {blade: {block: {size: [0.4, 0.02, 0.002], elements: [8, 1, 1]}, material: steel, "
      "modes: 2, interfaces: {root: {set: x0}}}}\n"
      "blocks: {shake: {type: sine, amplitude: 0.05, frequency: 10.2}}\n"
      "joints: {way: {type: slider, between: [ground, blade.root], axis: [0, 0, 1], drive: "
      "shake}}\n",
      "{name: q, measure: position, node: blade.root}", "end: 0.4, step: 2 ms");
  std::string notes;
  for (const std::string& note : run.report.notes) notes += note;
  EXPECT_NE(notes.find("part 'blade' bends by about"), std::string::npos) << notes;
}

// Modes of the part with its interfaces held have the ratio that was asked for them, wherever the machine holds it.
TEST(PartMachines, TheDampingRatioMayBeThatOfHeldModes) {
  for (const auto& [held, welds] :
       {std::pair("root", std::string(kWeld)),
        std::pair("tip",
                  std::string("joints: {base: {type: weld, between: [ground, plate.tip]}}\n")),
        std::pair("tip, root",
                  std::string("joints: {base: {type: weld, between: [ground, plate.root]}, end: "
                              "{type: weld, between: [ground, plate.tip]}}\n"))}) {
    const model::Model model = buildModel(
        plate("    modes: 6\n    damping: {ratio: 0.02, held: [" + std::string(held) + "]}\n") +
        welds);
    const analysis::ModeResult result = analysis::findModes(model, model.start(), {.count = 4});
    ASSERT_EQ(result.modes.size(), 4U) << held;
    for (const analysis::Mode& mode : result.modes) {
      EXPECT_NEAR(-mode.eigenvalue.real() / std::abs(mode.eigenvalue), 0.02, 1e-9) << held;
    }
  }
}

// Nothing but damping by mass acts on a free plate: its velocities decay by exp(−a t), also that of its spin about the axis of
// the largest inertia.
TEST(PartMachines, DampingByMassSlowsRigidMotions) {
  const ModelRun run =
      runModel(plate("    modes: 4\n    damping: {mass: 5}\n"
                     "    velocity: [1, 2, 3]\n    angular_velocity: [0, 0, 4]\n"),
               "{name: v, measure: velocity, node: plate.root, direction: [0, 0, 1]},"
               "{name: w, measure: angular_velocity, node: plate.root}",
               "end: 0.2, step: 0.2 ms");
  EXPECT_NEAR(run.last("v") / (3.0 * std::exp(-1.0)), 1.0, 1e-6);
  EXPECT_NEAR(run.last("w.z") / (4.0 * std::exp(-1.0)), 1.0, 1e-5);
}

// A machine that is heavier by a power of two moves through the same numbers, in as many iterations.
TEST(PartMachines, HaveNoMassOfTheirOwn) {
  const auto run = [](double mass) {
    const std::string part =
        "{block: {size: [0.3, 0.03, 0.004], elements: [6, 1, 1]}, material: "
        "alu, modes: 4, interfaces: {root: {set: x0}, tip: {set: x1}}, "
        "position: ";
    return runModel("gravity: [0, 0, -9.81]\nmaterials: {alu: {E: " + std::to_string(70e9 * mass) +
                        ", nu: 0.33, rho: " + std::to_string(2700 * mass) +
                        "}}\nparts:\n  a: " + part + "[0, -0.015, -0.002]}\n  b: " + part +
                        "[0.3, -0.015, -0.002]}\njoints:\n"
                        "  h1: {type: hinge, between: [ground, a.root], axis: [0, 1, 0]}\n"
                        "  h2: {type: hinge, between: [a.tip, b.root], axis: [0, 1, 0]}\n",
                    "{name: tip, measure: position, node: b.tip}", "end: 50 ms, step: 0.5 ms");
  };
  const ModelRun light = run(1.0), heavy = run(1073741824.0);
  EXPECT_NEAR(heavy.last("tip.z"), light.last("tip.z"), 1e-11);
  EXPECT_EQ(heavy.report.iterations, light.report.iterations);
}

TEST(PartMachines, MoreModesThanThereAreIsAllOfThem) {
  const std::string small =
      "materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}\n"
      "parts: {arm: {block: {size: [0.1, 0.01, 0.01], elements: [2, 1, 1], "
      "shape: hex8}, material: alu, modes: 1000, "
      "interfaces: {root: {set: x0}, tip: {set: x1}}}}\n";
  EXPECT_EQ(buildModel(small).system().unknowns(), 12 + 12);
}

TEST(PartMachines, MistakesAreNamed) {
  const auto says = [](const std::string& text, const std::string& words) {
    return mistakesOf(text).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(plate("    modes: 3\n    up_to: 500 Hz\n"), "cannot be combined"));
  EXPECT_TRUE(says(plate("    accuracy: 1 %\n"), "needs 'up_to'"));
  EXPECT_TRUE(says("parts: {p: {mesh: none.msh, interfaces: {a: {set: x}}}}\n", "none.msh"));
  EXPECT_TRUE(
      says("parts: {p: {interfaces: {a: {set: x}}}}\n", "nothing says what it consists of"));
  EXPECT_TRUE(says(
      "parts: {p: {block: {size: [1, 1, 1], elements: [1, 1, 1]}, interfaces: {a: {set: x0}}}}\n",
      "material"));
  EXPECT_TRUE(
      says("materials: {m: {E: 1 GPa, nu: 0.3, rho: 1}}\n"
           "parts: {p: {block: {size: [1, 1, 1], elements: [1, 1, 1]}, material: m, "
           "interfaces: {a: {set: x9}}}}\n",
           "x9"));
  const auto block = [](const std::string& more) {
    return "materials: {m: {E: 1 GPa, nu: 0.3, rho: 1}}\n"
           "parts: {p: {block: {size: [2, 1, 1], elements: [2, 1, 1]}, material: m, " +
           more + "}}\n";
  };
  EXPECT_TRUE(says(block("interfaces: {a: {set: x0}}, thickness: {block: 2 mm}"), "no shells"));
  EXPECT_TRUE(says(block("interfaces: {a: {set: x0}}, damping: {ratio: 0.1, held: [b]}"),
                   "no interface is called 'b'"));
  EXPECT_TRUE(says(block("interfaces: {a: {set: block}}"),
                   "interface 'a' (set 'block') leads all nodes of the part"));
  EXPECT_TRUE(says(block("interfaces: {a: {set: x0}}, foreshortening: true"), "second interface"));
  EXPECT_TRUE(says(block("interfaces: {a: {mesh_node: 1, modes: 2}}"), "belong to a set"));
  for (const char* key : {"stiffening", "foreshortening"}) {
    EXPECT_TRUE(says("parts: {p: {matrices: {K: k.mtx, M: m.mtx, nodes: n.csv}, " +
                         std::string(key) + ": true, interfaces: {a: {set: x}, b: {set: y}}}}\n",
                     "'" + std::string(key) + "' needs a mesh"));
  }
  EXPECT_TRUE(says(block("interfaces: {a: {set: x0, spread: true}, b: {set: x0}}"),
                   "the motions of the interfaces 'a', 'b' depend on each other"));
  EXPECT_TRUE(says(block("interfaces: {a: {set: x0, spread: true}, b: {set: x0, spread: true}}"),
                   "the motions of the interfaces 'a', 'b' depend on each other"));
}

}  // namespace
}  // namespace flexloop::test
