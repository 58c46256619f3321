// What `modes`, `equilibrium`, `frf` and `linearize` say where a model or an option does not suit them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/box_file.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop {
namespace {

using testing::ProgramResult;

// A mass on a spring with a force that follows `input`; further sections stand in front.
std::string massWith(const std::string& sections, const std::string& input,
                     const std::string& body = "bodies: {m: {node: A, mass: 2}}\n") {
  return sections + "nodes: {A: {position: [0, 0, 0], free: [x]}}\n" + body +
         "springs: {k: {type: linear, between: [ground, A], direction: [1, 0, 0], stiffness: "
         "100}}\n"
         "actuators: {f: {type: force, node: A, direction: [1, 0, 0], " +
         input + "}}\n";
}

// Two masses and a spring between them that float along x.
const char* const kFloating =
    "parameters: {k: 100}\n"
    "nodes: {A: {position: [0, 0, 0], free: [x]}, B: {position: [1, 0, 0], free: [x]}}\n"
    "bodies: {a: {node: A, mass: 1}, b: {node: B, mass: 2}}\n"
    "springs: {s: {type: linear, between: [A, B], direction: [1, 0, 0], stiffness: = k}}\n"
    "sensors: {p: {measure: displacement, node: A, direction: [1, 0, 0]},\n"
    "  v: {measure: velocity, node: B, direction: [1, 0, 0]}}\n"
    "blocks: {brake: {type: gain, input: v, gain: -1}}\n"
    "actuators: {motor: {type: force, node: A, direction: [1, 0, 0], input: brake}}\n"
    "analysis: {time: {end: 1, step: 0.01}}\n";

class LinearCommands : public ::testing::Test {
 protected:
  ProgramResult run(const std::string& model, std::vector<std::string> words) {
    folder_.write("m.yaml", "flexloop: 1\n" + model);
    words.insert(words.begin() + 1, "m.yaml");
    return testing::runProgram(words, folder_.file(""));
  }

  void expectErrors(const std::string& model, const std::vector<std::string>& words, int exitCode,
                    const std::string& errors) {
    const ProgramResult result = run(model, words);
    EXPECT_EQ(result.exitCode, exitCode) << result.out;
    EXPECT_EQ(result.errors, errors);
  }

  void expectRefused(const std::vector<std::string>& words, const std::string& errors) {
    expectErrors(kFloating, words, 2, errors);
  }

  testing::TemporaryFolder folder_;
};

void expectPart(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// Of a large machine only the slowest poles are known, which does not make it stable.
TEST_F(LinearCommands, DoNotCallALoopStableWhosePolesAreNotAllKnown) {
  std::string nodes = "nodes: {", bodies = "bodies: {", springs = "springs: {";
  for (int i = 0; i < 250; ++i) {
    const std::string n = std::to_string(i),
                      before = i > 0 ? "n" + std::to_string(i - 1) : "ground";
    const std::string comma = i > 0 ? ", " : "";
    nodes += comma + "n" + n + ": {position: [" + n + ", 0, 0], free: [x]}";
    bodies += comma + "b" + n + ": {node: n" + n + ", mass: 1}";
    springs += comma + "s" + n + ": {type: linear, between: [" + before + ", n" + n +
               "], direction: [1, 0, 0], stiffness: 100, damping: 1}";
  }
  const auto makeModel = [&](const std::string& measure, const std::string& law) {
    return nodes + "}\n" + bodies + "}\n" + springs + "}\nsensors: {v: {measure: " + measure +
           ", node: n249, direction: [1, 0, 0]}}\nblocks: {law: {" + law +
           ", input: v}}\n"
           "actuators: {motor: {type: force, node: n249, direction: [1, 0, 0], input: law}}\n";
  };
  const std::vector<std::string> command{"frf", "--cut", "motor", "--json", "frf.json"};
  // The power of this loop is negative at all frequencies of the chain and above: energy tells nothing.
  const ProgramResult result =
      run(makeModel("displacement",
                    "type: transfer_function, numerator: [-6], denominator: [0.001, 1]"),
          command);
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  expectPart(
      result.out,
      "no pole of the closed loop is unstable up to 0.7804 Hz, nor near some higher frequencies");
  const std::string json = testing::readWhole(folder_.file("frf.json"));
  expectPart(json, "\"stable\": null");
  expectPart(json, "\"all_poles_counted\": false");
  EXPECT_EQ(json.find("\"phase_margin\": null"), std::string::npos) << "margins are those of L";
  // A damper is known to be stable, although not all poles are found.
  const ProgramResult damper = run(makeModel("velocity", "type: gain, gain: -1"), command);
  EXPECT_EQ(damper.exitCode, 0) << damper.errors;
  expectPart(testing::readWhole(folder_.file("frf.json")), "\"stable\": true");
}

// The controller holds the cart at 100·0.1/150 m, sampled or not.
TEST_F(LinearCommands, SettleSampledControllersInAnEquilibrium) {
  const std::string model =
      "nodes: {a: {position: [0, 0, 0], free: [x]}}\nbodies: {a: {node: a, mass: 2}}\n"
      "springs: {s: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 50}}\n"
      "sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}}\n"
      "actuators: {u: {type: force, node: a, direction: [1, 0, 0], input: ctl}}\n"
      "outputs: [x]\n";
  const std::string sampled =
      model +
      "blocks: {ctl: {type: discrete_pid, input: x, reference: 0.1, kp: 100, sample: 0.01}}\n";
  expectPart(run(sampled, {"equilibrium"}).out, "0.0666666667");
  expectPart(run(sampled, {"modes", "--about", "equilibrium"}).out, "modes about the equilibrium");
  expectPart(run(sampled, {"modes"}).out, "modes at 0 s");
  const ProgramResult continuous = run(
      model + "blocks: {ctl: {type: pid, input: x, reference: 0.1, kp: 100}}\n", {"equilibrium"});
  EXPECT_EQ(continuous.errors, "");
  expectPart(continuous.out, "0.0666666667");
}

// A pendulum upside down: (m l² + J) θ'' = m g l θ, s = ±√(9.81/1.01) = ±3.116548.
TEST_F(LinearCommands, TellThatAnEquilibriumIsUnstable) {
  const std::string model =
      "gravity: [0, 0, -9.81]\nnodes: {A: [0, 0, 1]}\n"
      "bodies: {bob: {node: A, mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
      "joints: {hinge: {type: hinge, between: [ground, A], at: [0, 0, 0], axis: [0, 1, 0]}}\n";
  const std::string grows =
      "mode 2 is unstable: without oscillation it grows as exp(3.1165 t), doubling in 0.222 s\n";
  expectPart(run(model, {"modes", "--about", "equilibrium"}).out, "  " + grows);
  const ProgramResult found = run(model, {"equilibrium"});
  EXPECT_EQ(found.exitCode, 0);
  expectPart(found.errors, "warning: the machine would not remain in this equilibrium: " + grows);
  const ProgramResult hanging =
      run("gravity: [0, 0, 9.81]\n" + model.substr(model.find("nodes")), {"equilibrium"});
  EXPECT_EQ(hanging.exitCode, 0);
  EXPECT_EQ(hanging.errors, "");
}

TEST_F(LinearCommands, TellWhatNothingDetermines) {
  const std::string loop =
      "blocks: {a: {type: gain, input: b, gain: 1}, b: {type: gain, input: a, gain: 1}}\n";
  const std::string noSolution =
      "error: at the start: the algebraic loop of 'a' and 'b' has no unique solution\n  hint: is "
      "the gain around the loop exactly one? Change a gain, or put a lag or a delay into it\n";
  expectErrors(massWith(loop, "input: a"), {"modes"}, 3, noSolution);
  expectErrors(massWith(loop, "input: a"), {"frf", "--from", "f", "--to", "a"}, 3, noSolution);
  expectErrors(massWith(loop, "input: a"), {"linearize", "--from", "f", "--to", "a"}, 3,
               noSolution);
  expectErrors(
      massWith("sensors: {a: {measure: acceleration, node: A, direction: [1, 0, 0]}}\n",
               "input: a, gain: 2"),
      {"modes"}, 3,
      "error: at the start: the accelerations are not determined: nothing determines the signal "
      "f\n  hint: does feedback of an acceleration or a force cancel a mass? Change its gain\n");
}

TEST_F(LinearCommands, TellWhereAPencilIsSingular) {
  const std::string hint =
      "  hint: is there a freedom without mass, stiffness and damping, or feedback that cancels "
      "them exactly? Give it a mass, remove it from its node with 'free', or change a gain\n";
  const std::string start =
      "error: the linear equations of the machine are singular at every frequency: the equation ";
  expectErrors(
      "nodes: {A: {position: [0, 0, 0], free: [x]}, B: {position: [1, 0, 0], free: [y]}}\n"
      "bodies: {m: {node: A, mass: 1}}\n",
      {"modes"}, 3,
      "m.yaml:2:46: error: nodes.B: the node has no mass, and nothing else determines its motion "
      "(B y)\n  hint: attach a body to it, connect it to one, or remove the freedoms with "
      "'free'\n");
  // Any equation of the loop may be the one that is left over.
  expectErrors(massWith("sensors: {p: {measure: displacement, node: A, direction: [1, 0, 0]}}\n",
                        "input: p, gain: 100", ""),
               {"modes"}, 3, start + "'f' is not independent of the others\n" + hint);
}

// L = −3 e^{−3s}/(s (s² + 5s + 30)) crosses one at ω |30 − ω² + 5iω| = 3, in scipy: brentq(lambda w: w*abs(30-w*w+5j*w)-3, .05, .2)
// = 0.1000195; there it lags by 90° + 3ω + atan2(5ω, 30 − ω²).
TEST_F(LinearCommands, FindCrossoversFarBelowTheMachine) {
  const ProgramResult result =
      run("nodes: {a: {position: [0, 0, 0], free: [x]}}\n"
          "bodies: {a: {node: a, mass: 1}}\n"
          "springs: {k: {type: linear, between: [ground, a], direction: [1, 0, 0], stiffness: 30, "
          "damping: 5}}\n"
          "sensors: {x: {measure: displacement, node: a, direction: [1, 0, 0]}}\n"
          "blocks: {u: {type: pid, input: x, kp: 0, ki: 3},\n"
          "  d: {type: transport_delay, input: u, delay: 3}}\n"
          "actuators: {m: {type: force, node: a, direction: [1, 0, 0], input: d}}\n",
          {"frf", "--cut", "d"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  expectPart(result.out, "phase margin         71.8526 deg at 0.01591859 Hz");
}

TEST_F(LinearCommands, TellThatAMachineFloats) {
  const ProgramResult modes = run(kFloating, {"modes", "--loop", "open", "--count", "50"});
  EXPECT_EQ(modes.exitCode, 0);
  expectPart(modes.out, "  these are all 2 modes of the model\n");
  expectPart(modes.out, "  1 rigid-body mode: the machine is free to move\n");
  // Nothing pushes it, so that it rests anywhere; the brake at A drives the masses against each other: its roots are +0.166543 ± 12.2508i, −0.333087 and 0.
  const ProgramResult rest = run(kFloating, {"equilibrium"});
  EXPECT_EQ(rest.exitCode, 0);
  expectPart(rest.errors,
             "warning: nothing holds the motion of A x, motion of B x, and nothing drives it: the "
             "machine is in equilibrium at any value of it\n");
  expectPart(rest.errors, "at 1.9498 Hz it grows as exp(0.16654 t)");
  expectErrors(std::string(kFloating) + "loads: {f: {node: B, force: [1, 0, 0]}}\n",
               {"equilibrium"}, 3,
               "error: nothing holds the machine as a whole, and the loads push it along [1, 0, "
               "0]: there is no equilibrium\n  hint: hold it with a joint, a spring or a "
               "controller; 'flexloop run' shows how it moves\n");
  const ProgramResult integral =
      run(massWith("sensors: {p: {measure: displacement, node: A, direction: [1, 0, 0]}}\n"
                   "blocks: {sum: {type: integrator, input: p}, none: {type: gain, input: sum, "
                   "gain: 0}}\n",
                   "input: none"),
          {"modes", "--count", "1"});
  // The integral does not use up what is asked for.
  expectPart(integral.out, "these are all 2 modes of the model");
  expectPart(integral.out, "zero roots without motion: 1, integrals");
}

TEST_F(LinearCommands, RefuseOptionsOfModes) {
  expectRefused({"modes", "--count", "0"},
                "error: --count must be at least 1, not 0\n  hint: if the model has fewer modes "
                "than requested, all are listed\n");
  expectRefused({"modes", "--count", "many"},
                "error: --count: 'many' is not a whole number, or too large\n"
                "  hint: see 'flexloop modes --help'\n");
  for (const char* wrong : {"-1", "nan", "inf"}) {
    expectRefused({"modes", "--near", wrong},
                  std::string("error: --near must be a frequency of 0 Hz or more, not ") + wrong +
                      "\n  hint: a pair of roots is listed once, by its positive frequency\n");
  }
  expectRefused({"modes", "--at", "5"},
                "error: --at: 5 s is after the end of the simulation, 1 s\n"
                "  hint: '--set analysis.time.end=5' makes it longer\n");
  expectRefused({"modes", "--at", "-1"},
                "error: --at: a simulation has no state at -1 s\n  hint: it starts at 0 s\n");
  expectRefused({"modes", "--at", "soon"},
                "error: --at: 'soon' is not a number\n  hint: see 'flexloop modes --help'\n");
  expectRefused({"modes", "--every", "0"},
                "error: --every must be positive, not 0\n  hint: it is the interval between two "
                "lists of modes\n");
  expectRefused({"modes", "--every", "2"},
                "error: --every: 2 s is longer than the simulation, which ends at 1 s\n  hint: use "
                "a shorter interval\n");
  expectErrors(
      std::string(kFloating).replace(std::string(kFloating).rfind("}}"), 2,
                                     "}, modes: {about: {time: 3}}}"),
      {"modes"}, 2,
      "m.yaml:10:40: error: analysis.modes.about: 3 s is after the end of the simulation, 1 s\n"
      "  hint: '--set analysis.time.end=3' makes it longer\n");
}

TEST_F(LinearCommands, RefuseOptionsThatExcludeEachOther) {
  expectRefused({"modes", "--every", "0.5", "--compare"},
                "error: --every cannot be combined with --compare\n"
                "  hint: use --at TIME with --compare\n");
  expectRefused({"modes", "--every", "0.5", "--at", "1"},
                "error: --every covers the whole simulation; it cannot be combined with --at or "
                "--about\n  hint: omit one of them\n");
  expectRefused({"modes", "--compare", "--mac", "x.json"},
                "error: --compare cannot be combined with --mac\n  hint: run them separately\n");
  expectRefused({"modes", "--every", "0.5", "--of", "springs.s.stiffness"},
                "error: --every cannot be combined with sensitivities\n"
                "  hint: run them separately\n");
  expectRefused(
      {"frf", "--cut", "motor", "--range", "1:2", "--frequencies", "1"},
      "error: --range cannot be combined with --frequencies\n  hint: give only one of them\n");
}

TEST_F(LinearCommands, RefuseWhatSensitivitiesAndShapesCannotUse) {
  const std::string path =
      "  hint: a value of the model is given by its path, for example springs.k1.stiffness\n";
  expectRefused({"modes", "--of", "mass"}, "error: --of: there is no parameter 'mass'\n" + path);
  expectRefused({"modes", "--of", "springs.s.stifness"},
                "error: --of: the model has no value 'springs.s.stifness'\n"
                "  hint: for example springs.k1.stiffness\n");
  expectRefused({"modes", "--sensitivity", "0"},
                "error: --sensitivity must be at least 1, not 0\n  hint: it is the number of "
                "parameters listed for each mode\n");
  const std::string takes = "  hint: give a file written by `flexloop modes --json FILE`\n";
  folder_.write("no.json", "{");
  expectRefused({"modes", "--mac", "no.json"}, "error: --mac: 'no.json' has no modes\n" + takes);
  folder_.write(
      "other.json",
      R"({"modes": [{"shape": {"nodes": {"C": {"displacement": [[1,0],[0,0],[0,0]]}}}}]})");
  expectRefused({"modes", "--mac", "other.json"},
                "error: --mac: 'other.json' has no node in common with this model\n" + takes);
}

TEST_F(LinearCommands, RefuseEffectiveMatricesOfOtherControllers) {
  const std::string speed = "sensors: {v: {measure: velocity, node: A, direction: [1, 0, 0]}}\n";
  const ProgramResult lag =
      run(massWith(speed + "blocks: {lag: {type: transfer_function, input: v, "
                           "numerator: [1], denominator: [0.1, 1]}}\n",
                   "input: lag"),
          {"modes", "--matrices", "-"});
  EXPECT_EQ(lag.exitCode, 2);
  expectPart(lag.errors, "error: the loop of 'f' is not PID-like: 'lag state' has dynamics");
  const std::string held = massWith(
      speed + "blocks: {held: {type: zero_order_hold, input: v, sample: 1 ms}}\n", "input: held");
  expectErrors(held, {"modes", "--matrices", "-"}, 2,
               "error: --matrices: a sampled controller has no effective matrices\n  hint: omit "
               "'--matrices'; the modes do not need them\n");
}

TEST_F(LinearCommands, RefuseFrequenciesAndSignals) {
  const auto frf = [](const std::vector<std::string>& words) {
    std::vector<std::string> all{"frf", "--from", "motor", "--to", "p"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  };
  expectRefused(frf({"--range", "10:1"}),
                "error: --range '10:1' ends below its start\n  hint: write '--range 1:10'\n");
  expectRefused(
      frf({"--range", "0:10"}),
      "error: --range must start above 0 Hz\n  hint: with '--linear' it may start at 0\n");
  expectRefused(frf({"--range", "1:1"}),
                "error: --range '1:1' is empty\n  hint: '--frequencies 1' gives one frequency\n");
  expectRefused(frf({"--frequencies", "-1"}),
                "error: --frequencies: -1 is not a frequency of 0 Hz or more\n  hint: in Hz, as in "
                "'--frequencies 0.3,0.9'\n");
  expectErrors(kFloating, frf({"--frequencies", "0"}), 3,
               "error: at 0 Hz the equations of the machine are singular: its response is not "
               "finite\n  hint: is this an undamped resonance, or a machine that is free to move "
               "near zero frequency? Choose other frequencies, or add damping\n");
  for (const char* option : {"--from", "--to", "--cut"}) {
    std::vector<std::string> words{"frf", "--from", "motor", "--to", "p", option, "moter"};
    if (option == std::string("--cut")) words = {"frf", option, "moter"};
    expectRefused(words,
                  "error: there is no signal named 'moter'\n  hint: did you mean 'motor'?\n");
  }
  expectRefused({"linearize", "--from", "motor", "--to", "temperature"},
                "error: there is no signal named 'temperature'\n"
                "  hint: known: brake, motor, p, v\n");
}

TEST_F(LinearCommands, WarnOfACutThatOpensNothing) {
  const ProgramResult result = run(kFloating, {"frf", "--cut", "p"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(result.errors,
            "warning: --cut: 'p' is not part of a loop: nothing that it affects feeds back to it\n "
            " hint: cut at a signal of the loop, such as an actuator or the block that it reads\n");
  expectPart(result.out, "from p to p: the response is zero\n");
  EXPECT_EQ(run(kFloating, {"frf", "--cut", "motor"}).errors, "");
}

TEST_F(LinearCommands, TellThatABoxCannotBePerturbed) {
  const ProgramResult result =
      run(massWith("sensors: {p: {measure: displacement, node: A, direction: [1, 0, 0]}}\n"
                   "blocks: {box: {type: library, path: " +
                       testing::boxFile("cubic") +
                       ", inputs: [p, p], outputs: [a, b], sample: 1 ms}}\n",
                   "input: box.a"),
          {"modes"});
  EXPECT_EQ(result.exitCode, 0);
  expectPart(result.errors,
             "warning: black box 'box' cannot be perturbed: it has no block_save and "
             "block_restore; the linear model holds its outputs constant\n  hint: export both from "
             "the library, or write the controller as blocks\n");
}

// A title must not claim that an equilibrium is the state at a time.
TEST_F(LinearCommands, TitlesNameTheOperatingPoint) {
  const std::string model = massWith("gravity: [9.81, 0, 0]\n", "input: 0");
  const std::vector<std::vector<std::string>> commands{
      {"frf", "--from", "f", "--to", "f", "--frequencies", "1"},
      {"linearize", "--from", "f", "--to", "f"}};
  for (std::vector<std::string> words : commands) {
    expectPart(run(model, words).out, " at 0 s\n");
    words.insert(words.end(), {"--about", "equilibrium"});
    expectPart(run(model, words).out, " about the equilibrium\n");
  }
}

}  // namespace
}  // namespace flexloop
