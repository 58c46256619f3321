// Diagrams: what their uses become. What a user is told about wrong ones is in model_errors_test.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "language/model_reader.hpp"
#include "support/sample_registry.hpp"

namespace flexloop::language {
namespace {

using model::Description;
using system::Item;
using testing::sampleModel;
using testing::sampleRegistry;
using Names = std::vector<std::string>;

Description readText(const std::string& text, const Overrides& overrides = {}) {
  return readModelText("flexloop: 1\n" + text, "model.yaml", sampleRegistry(), overrides);
}

const Item& blockOf(const Description& model, const std::string& name) {
  for (const Item& item : model.items) {
    if (item.section() == "blocks" && item.name() == name) return item;
  }
  throw std::runtime_error("no block " + name);
}

std::string signalOf(const Description& model, const std::string& name) {
  for (const auto& [further, signal] : model.signalNames) {
    if (further == name) return signal;
  }
  return {};
}

constexpr const char* kServo = R"(
nodes: {A: [0, 0, 0]}
sensors:
  theta1: {measure: position, node: A, direction: [1, 0, 0]}
  theta2: {measure: position, node: A, direction: [0, 1, 0]}
diagrams:
  servo:
    inputs: [angle, reference]
    outputs: {torque: limited}
    parameters: {kp: 10, kd: 1, top: = 2*kp}
    blocks:
      error:   {type: sum, inputs: [reference, -angle]}
      law:     {type: pid, input: error, kp: = kp, kd: = kd, filter: 1 ms}
      limited: {type: saturation, input: law, lower: = -top, upper: = top}
blocks:
  ref: {type: step}
  axis1: {type: servo, inputs: {angle: theta1, reference: ref}, parameters: {kp: 20}}
  axis2: {type: servo, inputs: {angle: theta2, reference: 0}}
)";

TEST(DiagramTest, AUseBecomesBlocksWithItsName) {
  const Description model = readText(kServo);
  Names names;
  for (const Item& item : model.items) {
    if (item.section() == "blocks") names.push_back(item.name());
  }
  EXPECT_EQ(names, (Names{"ref", "axis1.error", "axis1.law", "axis1.limited", "axis2.error",
                          "axis2.law", "axis2.limited"}));
  EXPECT_EQ(blockOf(model, "axis1.error").type(), "sum");
  EXPECT_EQ(blockOf(model, "axis1.error").names("inputs"), (Names{"ref", "-theta1"}));
  EXPECT_EQ(blockOf(model, "axis1.law").text("input"), "axis1.error");
  EXPECT_EQ(blockOf(model, "axis1.law").number("filter"), 0.001);
  EXPECT_EQ(blockOf(model, "axis1.law").number("reference"), 0.0);  // a default of the type
  EXPECT_EQ(blockOf(model, "axis1.limited").text("input"), "axis1.law");
  EXPECT_EQ(blockOf(model, "axis2.error").names("inputs"), (Names{"0", "-theta2"}));
  EXPECT_EQ(blockOf(model, "axis2.law").text("input"), "axis2.error");
}

TEST(DiagramTest, EachUseHasItsOwnParameters) {
  const Description model = readText(kServo);
  EXPECT_EQ(blockOf(model, "axis1.law").number("kp"), 20.0);
  EXPECT_EQ(blockOf(model, "axis1.law").number("kd"), 1.0);
  EXPECT_EQ(blockOf(model, "axis1.limited").number("lower"), -40.0);  // the default = 2*kp
  EXPECT_EQ(blockOf(model, "axis2.law").number("kp"), 10.0);
  EXPECT_EQ(blockOf(model, "axis2.limited").number("upper"), 20.0);
}

TEST(DiagramTest, BlocksKnowTheirPlaceInTheDefinition) {
  const Description model = readText(kServo);
  for (const char* name : {"axis1.law", "axis2.law"}) {
    EXPECT_EQ(base::toText(blockOf(model, name).place()), "model.yaml:14:7");
    EXPECT_EQ(base::toText(blockOf(model, name).placeOf("input")), "model.yaml:14:35");
  }
}

TEST(DiagramTest, PortsAreOtherNamesOfSignalsInside) {
  const Description model = readText(std::string(kServo) + R"(  all:
    {type: sum, inputs: [axis1, -axis1.torque, axis2.torque]}
  square: {type: formula, value: axis1^2 + 2*axis2.torque}
loads: {l: {node: A, signal: axis2}}
actuators: {}
outputs: [axis1, axis1.torque, axis1.error, axis1.limited]
)");
  EXPECT_EQ(blockOf(model, "all").names("inputs"),
            (Names{"axis1.limited", "-axis1.limited", "axis2.limited"}));
  EXPECT_EQ(blockOf(model, "square").text("value"), "axis1.limited^2 + 2*axis2.limited");
  for (const Item& item : model.items) {
    if (item.section() != "loads") continue;
    EXPECT_EQ(item.text("signal"), "axis2.limited");
  }
  EXPECT_EQ(std::get<std::string>(model.outputs[1].what), "axis1.torque");
  EXPECT_EQ(signalOf(model, "axis1"), "axis1.limited");
  EXPECT_EQ(signalOf(model, "axis2.torque"), "axis2.limited");
  EXPECT_EQ(signalOf(model, "axis1.error"), "");  // that is its name
}

TEST(DiagramTest, SignsMultiplyAndNumbersAreConverted) {
  const Description model = readText(R"(
parameters: {g: 3}
nodes: {A: [0, 0, 0]}
sensors: {x: {measure: position, node: A, direction: [1, 0, 0]}}
diagrams:
  d:
    inputs: [u]
    outputs: [s]
    blocks:
      s: {type: sum, inputs: [u, -u, u.rate, -u.rate]}
      f: {type: formula, value: u^2 - u.rate + t}
      g: {type: formula, value: e*u}
  plain: {inputs: [u], outputs: [s], blocks: {s: {type: sum, inputs: [u, -u]}}}
  holder: {inputs: [v], outputs: {y: in}, blocks: {in: {type: d, inputs: {u: -v}}}}
blocks:
  box: {type: library, path: p, inputs: [x], outputs: [torque, alarm]}
  plus: {type: d, inputs: {u: x}}
  minus: {type: d, inputs: {u: -x}}
  port: {type: plain, inputs: {u: -box.alarm}}
  number: {type: d, inputs: {u: 30 mm}}
  formula: {type: d, inputs: {u: = -2*g}}
  twice: {type: holder, inputs: {v: -x}}
  third: {type: holder, inputs: {v: 5}}
  e: {type: step}
  euler: {type: formula, value: e + pi}
)");
  EXPECT_EQ(blockOf(model, "plus.s").names("inputs"), (Names{"x", "-x", "x.rate", "-x.rate"}));
  EXPECT_EQ(blockOf(model, "minus.s").names("inputs"), (Names{"-x", "x", "-x.rate", "x.rate"}));
  EXPECT_EQ(blockOf(model, "number.s").names("inputs"), (Names{"0.03", "-0.03", "0", "-0"}));
  EXPECT_EQ(blockOf(model, "formula.s").names("inputs")[1], "6");
  EXPECT_EQ(blockOf(model, "twice.in.s").names("inputs")[0], "x");
  EXPECT_EQ(blockOf(model, "third.in.s").names("inputs")[0], "-5");
  EXPECT_EQ(blockOf(model, "plus.f").text("value"), "x^2 - x.rate + t");
  EXPECT_EQ(blockOf(model, "minus.f").text("value"), "(-x)^2 - (-x.rate) + t");
  EXPECT_EQ(blockOf(model, "number.f").text("value"), "(0.03)^2 - (0) + t");
  EXPECT_EQ(blockOf(model, "minus.g").text("value"), "(2.718281828459045)*(-x)");
  EXPECT_EQ(blockOf(model, "euler").text("value"), "e + pi");
  EXPECT_EQ(blockOf(model, "port.s").names("inputs"), (Names{"-box.alarm", "box.alarm"}));
}

TEST(DiagramTest, DiagramsUseDiagrams) {
  const Description model = readText(R"(
parameters: {stiff: 7}
diagrams:
  robot:
    inputs: [a, b]
    outputs: {left: one.torque, right: two, alarm: box.alarm}
    parameters: {kp: = stiff, ratio: 2}
    blocks:
      one: {type: servo, inputs: {angle: a, reference: 1}, parameters: {gain: = kp}}
      two: {type: servo, inputs: {angle: b, reference: one}, parameters: {gain: = kp*ratio}}
      box: {type: library, path: p, inputs: [one.torque, two], outputs: [torque, alarm]}
  servo:
    inputs: [angle, reference]
    outputs: {torque: law}
    parameters: {gain: }
    blocks: {law: {type: pid, input: angle, reference: reference, kp: = gain}}
blocks:
  ref: {type: step}
  first: {type: robot, inputs: {a: ref, b: second.left}}
  second: {type: robot, inputs: {a: first.right, b: -3}, parameters: {kp: 1}}
  end: {type: sum, inputs: [first.left, second.alarm]}
outputs: [first.left, first.one.torque, first.one, first.two.law, first.alarm]
)");
  EXPECT_EQ(blockOf(model, "first.one.law").number("kp"), 7.0);
  EXPECT_EQ(blockOf(model, "first.two.law").number("kp"), 14.0);
  EXPECT_EQ(blockOf(model, "second.two.law").number("kp"), 2.0);
  EXPECT_EQ(blockOf(model, "first.one.law").text("input"), "ref");
  EXPECT_EQ(blockOf(model, "first.one.law").number("reference"), 1.0);
  EXPECT_EQ(blockOf(model, "first.two.law").text("input"), "second.one.law");
  EXPECT_EQ(blockOf(model, "first.two.law").text("reference"), "first.one.law");
  EXPECT_EQ(blockOf(model, "second.one.law").text("input"), "first.two.law");
  EXPECT_EQ(blockOf(model, "second.two.law").number("input"), -3.0);
  EXPECT_EQ(blockOf(model, "first.box").names("inputs"), (Names{"first.one.law", "first.two.law"}));
  EXPECT_EQ(blockOf(model, "end").names("inputs"), (Names{"first.one.law", "second.box.alarm"}));
  EXPECT_EQ(signalOf(model, "first.left"), "first.one.law");
  EXPECT_EQ(signalOf(model, "first.one.torque"), "first.one.law");
  EXPECT_EQ(signalOf(model, "first.one"), "first.one.law");
  EXPECT_EQ(signalOf(model, "first.alarm"), "first.box.alarm");
}

TEST(DiagramTest, AnOutputMayBeNamedLikeTheDiagramInside) {
  const Description model = readText(R"(
diagrams:
  source: {outputs: [s], blocks: {s: {type: step}}}
  outer: {outputs: [in], blocks: {in: {type: source}}}
blocks:
  x: {type: outer}
  y: {type: sum, inputs: [x, x.in, x.in.rate]}
outputs: [x.in, x.in.s]
)");
  EXPECT_EQ(blockOf(model, "y").names("inputs"), (Names{"x.in.s", "x.in.s", "x.in.s.rate"}));
  EXPECT_EQ(signalOf(model, "x.in"), "x.in.s");
}

TEST(DiagramTest, TheNearestParameterCounts) {
  const Description model = readText(R"(
parameters: {a: 1, b: 2, s: 100, u: 200}
diagrams:
  d:
    inputs: [u]
    outputs: [s]
    parameters: {a: 10, c: = a + b, e: = d, d: 4}
    blocks:
      s: {type: pid, input: u, kp: = a, kd: = c}
      t: {type: pid, input: s, kp: = b, kd: = e + s}
      f: {type: formula, value: a*s + b*u + c}
blocks:
  x: {type: d, inputs: {u: 1}}
  y: {type: d, inputs: {u: y}, parameters: {b1: 0, a: = a + 2}}
)",
                                     {{},
                                      {"diagrams.d.parameters={a: 10, c: = a + b, e: = d, d: "
                                       "4, b1: 5}"}});
  EXPECT_EQ(blockOf(model, "x.s").number("kp"), 10.0);
  EXPECT_EQ(blockOf(model, "x.s").number("kd"), 12.0);
  EXPECT_EQ(blockOf(model, "x.t").number("kp"), 2.0);
  EXPECT_EQ(blockOf(model, "x.t").number("kd"), 104.0);  // only in formulas s is the block
  EXPECT_EQ(blockOf(model, "y.s").number("kp"), 3.0);    // the expression is of the model
  EXPECT_EQ(blockOf(model, "y.s").number("kd"), 5.0);
  EXPECT_EQ(blockOf(model, "x.f").text("value"), "(10)*x.s + (2)*(1) + (12)");
  EXPECT_EQ(blockOf(model, "y.f").text("value"), "(3)*y.s + (2)*y.s + (5)");
}

TEST(DiagramTest, SignalsInNestedMapsAreReplaced) {
  const Description model = readText(R"(
diagrams:
  d:
    inputs: [u]
    outputs: [f]
    blocks: {f: {type: formula, value: t, reset: {signal: u}}}
blocks:
  x: {type: d, inputs: {u: 2 kN}}
  y: {type: d, inputs: {u: x}}
)");
  EXPECT_EQ(blockOf(model, "x.f").child("reset").number("signal"), 2000.0);
  EXPECT_EQ(blockOf(model, "y.f").child("reset").text("signal"), "x.f");
}

TEST(DiagramTest, OverridesReachDefinitionsAndUses) {
  const Overrides overrides{
      {"kp=2"},
      {"diagrams.servo.parameters.kd=30", "blocks.axis1.parameters.kp=50",
       "blocks.axis2.inputs.reference=ref", "diagrams.servo.blocks.law.filter=5 ms",
       "diagrams.servo.blocks.more={type: sum, inputs: [error, = kp]}"}};
  const Description model = readText("parameters: {kp: 1}\n" + std::string(kServo), overrides);
  EXPECT_EQ(blockOf(model, "axis1.law").number("kp"), 50.0);
  EXPECT_EQ(blockOf(model, "axis1.law").number("kd"), 30.0);
  EXPECT_EQ(blockOf(model, "axis2.law").number("kp"), 10.0);  // hides that of the model
  EXPECT_EQ(blockOf(model, "axis2.law").number("kd"), 30.0);
  EXPECT_EQ(blockOf(model, "axis2.law").number("filter"), 0.005);
  EXPECT_EQ(blockOf(model, "axis2.error").names("inputs")[0], "ref");
  EXPECT_EQ(blockOf(model, "axis2.more").names("inputs"), (Names{"axis2.error", "10"}));
}

TEST(DiagramTest, UnusedOnesOfTheModelItselfAreWarnedOf) {
  EXPECT_TRUE(readText(kServo).warnings.empty());
  const Description model = readText(
      "diagrams:\n  used: {outputs: [s], blocks: {s: {type: step}}}\n"
      "  user: {outputs: [s], blocks: {s: {type: used}}}\n");
  ASSERT_EQ(model.warnings.warnings().size(), 1u);
  const base::Diagnostic& warning = model.warnings.warnings()[0];
  EXPECT_EQ(base::toText(warning.place), "model.yaml:4:3");
  EXPECT_EQ(warning.message, "diagrams.user: the diagram is not used");
}

TEST(DiagramTest, ALibraryOfDiagramsIsIncluded) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("flexloop_diagrams_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "library.yaml")
      << "diagrams:\n  lag: {inputs: [u], outputs: [y], blocks: {y: {type: pid, inptu: u}}}\n"
         "  more: {outputs: [y], blocks: {y: {type: step}}}\n";
  std::ofstream(folder / "main.yaml")
      << "flexloop: 1\ninclude: library.yaml\nblocks: {x: {type: lag, inputs: {u: 1}}}\n";
  const std::string path = (folder / "main.yaml").string();
  try {
    readModelFile(path, sampleRegistry());
    ADD_FAILURE();
  } catch (const base::InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              (folder / "library.yaml").string() +
                  ":2:60: error: blocks.x (diagram lag): y: unknown key 'inptu'\n"
                  "  hint: did you mean 'input'?\n");
  }
  const Description model =
      readModelFile(path, sampleRegistry(), {{}, {"diagrams.lag.blocks.y={type: pid, input: u}"}});
  EXPECT_EQ(blockOf(model, "x.y").number("input"), 1.0);
  EXPECT_TRUE(model.warnings.empty());
  std::filesystem::remove_all(folder);
}

// A diagram of `depth` levels, each of which uses the next one.
std::string makeNested(int depth) {
  std::string text = "diagrams:\n  d0: {outputs: [s], blocks: {s: {type: step}}}\n";
  for (int i = 1; i < depth; ++i) {
    text += "  d" + std::to_string(i) + ": {outputs: [s], blocks: {s: {type: d" +
            std::to_string(i - 1) + "}}}\n";
  }
  return text + "blocks: {x: {type: d" + std::to_string(depth - 1) + "}}\n";
}

TEST(DiagramTest, NestingHasALimit) {
  EXPECT_EQ(readText(makeNested(50)).items.size(), 1u);
  for (const int depth : {51, 2000}) {
    try {
      readText(makeNested(depth));
      ADD_FAILURE();
    } catch (const base::InputError& error) {
      EXPECT_EQ(error.diagnostics().errors().size(), 1u) << error.what();
      EXPECT_EQ(error.diagnostics().errors()[0].message,
                "diagrams.d50: diagrams are nested more than 50 levels deep");
    }
  }
}

TEST(DiagramTest, ManyUsesAreExpandedAtOnce) {
  std::string text =
      "parameters: {g: 2}\ndiagrams:\n  d:\n    inputs: [a, b]\n"
      "    outputs: {y: b39}\n    parameters: {k: 1, m: = 2*k + g}\n    blocks:\n";
  for (int i = 0; i < 40; ++i) {
    const std::string before = i > 0 ? "b" + std::to_string(i - 1) : "a";
    text += "      b" + std::to_string(i) + ": {type: pid, input: " + before +
            ", reference: b, kp: = m*2, kd: = k/3, filter: 1 ms}\n";
  }
  text += "blocks:\n";
  for (int i = 0; i < 250; ++i) {
    text += "  u" + std::to_string(i) + ": {type: d, inputs: {a: u" +
            std::to_string((i + 1) % 250) + ", b: 0}, parameters: {k: " + std::to_string(i) +
            "}}\n";
  }
  const auto start = std::chrono::steady_clock::now();
  const Description model = readText(text);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(model.items.size(), 10000u);
  EXPECT_EQ(blockOf(model, "u7.b0").text("input"), "u8.b39");
  EXPECT_EQ(blockOf(model, "u7.b0").number("kp"), 32.0);
  EXPECT_LT(elapsed.count(), 2.0);  // a twentieth of a second, but much slower with sanitizers
}

TEST(DiagramTest, TheModelThatDocumentsTheLanguageHasOne) {
  const Description model = readModelText(sampleModel(), "model.yaml", sampleRegistry());
  EXPECT_EQ(blockOf(model, "square").text("value"), "axis1.limited^2 + theta1.rate");
  EXPECT_TRUE(model.warnings.empty());
}

}  // namespace
}  // namespace flexloop::language
