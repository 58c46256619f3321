#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "support/message_matchers.hpp"
#include "support/model_run.hpp"
#include "system/assembler.hpp"

namespace flexloop::model {
namespace {

using test::says;

constexpr const char* kCart = R"(title: Cart on a spring
nodes:
  cart: {position: [2, 0, 0], free: [x], velocity: [0.5, 0, 0]}
bodies:
  cart: {node: cart, mass: 3}
springs:
  k: {type: linear, between: [ground, cart], direction: [1, 0, 0], stiffness: 12}
sensors:
  x: {measure: position, node: cart, direction: [1, 0, 0]}
  p: {measure: position, node: cart}
  a: {measure: acceleration, node: cart, direction: [1, 0, 0]}
blocks:
  ref: {type: sine, frequency: 2}
)";

// `blocks` are lines of the last section, `more` are further sections.
Model build(const std::string& more = {}, const std::string& blocks = {}) {
  return test::buildModel(kCart + blocks + more);
}

std::string errorsOf(const std::string& more) {
  return test::mistakesOf(kCart + more);
}

TEST(ModelBuild, RecordsEverySensorUnlessTold) {
  const Model model = build();
  EXPECT_EQ(model.outputs().names(), (std::vector<std::string>{"x", "p.x", "p.y", "p.z", "a"}));
  EXPECT_EQ(model.outputs().units(), (std::vector<std::string>{"m", "m", "m", "m", "m/s^2"}));
}

// The moments of [3 1; 1 3] are 2 and 4.
TEST(ModelBuild, TellsThePrincipalMomentsOfAnImpossibleInertia) {
  const std::string errors = test::mistakesOf(
      "nodes: {A: [0, 0, 0]}\nbodies: {a: {node: A, mass: 1, inertia: [3, 3, 1, 1, 0, 0]}}\n");
  EXPECT_TRUE(says(errors, "bodies.a: no body can have this inertia tensor"));
  EXPECT_TRUE(says(errors, "1, 2 and 4"));
}

TEST(ModelBuild, RecordsSensorsComponentsRatesSignalsAndInlineMeasures) {
  const Model model = build(
      "outputs: [p.x, x.rate, p.x.rate, p.rate, ref, {name: v, measure: velocity, node: cart}]\n");
  EXPECT_EQ(model.outputs().names(),
            (std::vector<std::string>{"p.x", "x.rate", "p.x.rate", "p.rate.x", "p.rate.y",
                                      "p.rate.z", "ref", "v.x", "v.y", "v.z"}));
  EXPECT_EQ(model.outputs().units()[1], "m/s");
  system::Assembler assembler(model.system());
  std::vector<double> values;
  model.outputs().calc(assembler.calcMotion(model.system().start()), values);
  EXPECT_EQ(values, (std::vector<double>{2.0, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0}));
}

TEST(ModelBuild, AnOutputThatIsNotThereIsAnErrorWithPlaceAndHint) {
  const std::string errors = errorsOf("outputs: [p.w]\n");
  EXPECT_TRUE(says(errors, "m.yaml:15:11: error:"));
  EXPECT_TRUE(says(errors, "'p.w'"));
  EXPECT_TRUE(says(errors, "did you mean"));
}

TEST(ModelBuild, WhatHasNoRateIsToldSo) {
  EXPECT_TRUE(says(errorsOf("outputs: [a.rate]\n"), "'a' has no exact rate"));
  EXPECT_TRUE(says(errorsOf("outputs: [ref.rate]\n"), "'ref' has no exact rate"));
}

TEST(ModelBuild, PointsOfBeamsBecomeNodes) {
  const Model model = build(R"(sections:
  s: {type: stiffness, EA: 1e6, GAy: 1e6, GAz: 1e6, GJ: 1e3, EIy: 1e3, EIz: 1e3, rhoA: 1, rhoJ: [2, 1, 1]}
beams:
  b: {from: ground, to: cart, elements: 4, section: s, y_axis: [0, 1, 0]}
outputs: [{name: q, measure: position, node: b@0.25}, {name: r, measure: position, node: b@0.3}]
)");
  system::Assembler assembler(model.system());
  std::vector<double> values;
  model.outputs().calc(assembler.calcMotion(model.system().start()), values);
  ASSERT_EQ(values.size(), 6u);
  EXPECT_NEAR(values[0], 0.5, 1e-12);
  EXPECT_NEAR(values[3], 0.6, 1e-12);
}

TEST(ModelBuild, EnergyIsKeptUnlessSomethingTakesOrGivesIt) {
  EXPECT_TRUE(build().isConservative());
  EXPECT_FALSE(build("loads: {f: {node: cart, force: [1, 0, 0]}}\n").isConservative());
  const auto damped = [](const char* damping) {
    return test::buildModel(std::string(kCart) + "loads: {}\n",
                            {{}, {std::string("springs.k.damping=") + damping}});
  };
  EXPECT_TRUE(damped("0").isConservative());
  EXPECT_FALSE(damped("0.1").isConservative());
}

TEST(ModelBuild, WarningsStayWithTheModel) {
  EXPECT_TRUE(build().warnings().empty());
  const Model model = build("loads: {f: {node: ground, force: [1, 0, 0]}}\n");
  EXPECT_EQ(model.warnings().warnings().size(), 1u);
}

TEST(ModelBuild, DiagramsAreBlocksByTheTimeAModelIsBuilt) {
  const Model model =
      build(R"(diagrams:
  wave:
    outputs: {y: source}
    parameters: {top: 1}
    blocks: {source: {type: constant, value: = 3*top}}
  none: {outputs: [s], blocks: {s: {type: step}}}
  pair: {outputs: {a: one, b: two.y}, blocks: {one: {type: wave}, two: {type: wave, parameters: {top: 4}}}}
loads: {push: {node: cart, force: [1, 0, 0], signal: couple.b}}
outputs: [single, single.y, single.source, couple.a, couple.b, couple.two, couple.two.source]
)",
            "  single: {type: wave, parameters: {top: 2}}\n  couple: {type: pair}\n");
  EXPECT_EQ(model.outputs().names(),
            (std::vector<std::string>{"single", "single.y", "single.source", "couple.a", "couple.b",
                                      "couple.two", "couple.two.source"}));
  system::Assembler assembler(model.system());
  std::vector<double> values;
  model.outputs().calc(assembler.calcMotion(model.system().start()), values);
  EXPECT_EQ(values, (std::vector<double>{6, 6, 6, 3, 12, 12, 12}));
  EXPECT_EQ(model.countItems("blocks"), 4);
  ASSERT_EQ(model.warnings().warnings().size(), 1u);
  EXPECT_EQ(model.warnings().warnings()[0].message, "diagrams.none: the diagram is not used");
}

TEST(ModelBuild, WithoutAnalysisThereAreNoTimeSettings) {
  EXPECT_FALSE(build().time());
}

TEST(ModelBuild, TimeSettingsHaveTheirDefaults) {
  const std::optional<TimeSettings> time = build("analysis: {time: {end: 2, step: 5 ms}}\n").time();
  ASSERT_TRUE(time);
  EXPECT_EQ(time->end, 2.0);
  EXPECT_EQ(time->step, 0.005);
  EXPECT_EQ(time->scheme.motion.beta, solve::makeChungHulbert(0.8).beta);
  EXPECT_EQ(time->scheme.state.theta, solve::makeJansenWhitingHulbert(0.8).theta);
  EXPECT_EQ(time->constraints, solve::ConstraintForm::kStabilizedIndex2);
  EXPECT_EQ(time->constraintScale, 1.0);
  EXPECT_EQ(time->constraintPenalty, 0.0);
  EXPECT_FALSE(time->adaptive.enabled);
  EXPECT_EQ(time->record.every, 1);
  EXPECT_TRUE(time->record.frames);
}

// 1e8 records with 56 bytes for each node.
TEST(ModelBuild, FramesAreRecordedWhereTheyCostLittle) {
  const auto framesOf = [](const std::string& time) {
    return build("analysis: {time: {" + time + "}}\n").time()->record.frames;
  };
  EXPECT_TRUE(framesOf("end: 1, step: 1 ms"));
  EXPECT_FALSE(framesOf("end: 1, step: 1e-8"));
  EXPECT_TRUE(framesOf("end: 1, step: 1e-8, record: {interval: 1 ms}"));
  EXPECT_TRUE(framesOf("end: 1, step: 1e-8, record: {frames: true}"));
  EXPECT_FALSE(framesOf("end: 1, step: 1 ms, record: {frames: false}"));
}

TEST(ModelBuild, TimeSettingsAreRead) {
  const std::optional<TimeSettings> time = build(R"(analysis:
  time:
    end: 2
    step: 5 ms
    rho: 0.6
    scheme: {motion: hht, state: ch}
    constraints: index3
    augmentation: {scale: 1e3, penalty: 10}
    newton: {tolerance: 1e-9, max_iterations: 7}
    adaptive: true
    tolerance: 1e-4
    max_step: 10 ms
    record: {interval: 0.1, frames: true}
)")
                                               .time();
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->scheme.motion.alphaF, 0.25, 1e-15);
  EXPECT_EQ(time->scheme.state.theta, solve::makeStateChungHulbert(0.6).theta);
  EXPECT_EQ(time->constraints, solve::ConstraintForm::kIndex3);
  EXPECT_EQ(time->constraintScale, 1e3);
  EXPECT_EQ(time->constraintPenalty, 10.0);
  EXPECT_EQ(time->newtonTolerance, 1e-9);
  EXPECT_EQ(time->maxIterations, 7);
  EXPECT_TRUE(time->adaptive.enabled);
  EXPECT_EQ(time->adaptive.tolerance, 1e-4);
  EXPECT_EQ(time->adaptive.maxStep, 0.01);
  EXPECT_EQ(time->record.interval, 0.1);
  EXPECT_TRUE(time->record.frames);
}

TEST(ModelBuild, NewmarkHasTheWantedRadiusAtInfinity) {
  const std::optional<TimeSettings> time =
      build("analysis: {time: {end: 2, step: 5 ms, rho: 0.7, scheme: newmark}}\n").time();
  const solve::MotionScheme& s = time->scheme.motion;
  // λ² − λ(2 − (γ+½)/β) + 1 − (γ−½)/β = 0 at infinite frequency has the double root −rho.
  EXPECT_NEAR(1.0 - (s.gamma - 0.5) / s.beta, 0.49, 1e-12);
  EXPECT_NEAR(2.0 - (s.gamma + 0.5) / s.beta, -1.4, 1e-12);
}

TEST(ModelBuild, SettingsThatCannotBeRightAreErrors) {
  const auto time = [](const std::string& text) {
    return errorsOf("analysis: {time: {end: 1, step: 1 ms, " + text + "}}\n");
  };
  EXPECT_TRUE(says(time("scheme: hht, rho: 0.3"), "hht needs a rho between 0.5 and 1"));
  EXPECT_TRUE(
      says(time("scheme: {motion: {alpha_m: 1, alpha_f: 0, beta: 0.3, gamma: 0.5}}"), "below 1"));
  EXPECT_TRUE(says(time("rho: 1.2"), "rho"));
  EXPECT_TRUE(says(time("min_step: 1, max_step: 0.5"), "min_step"));
  EXPECT_TRUE(says(errorsOf("analysis: {time: {end: 1, step: 1e-15}}\n"), "too small"));
  EXPECT_TRUE(says(errorsOf("analysis: {time: {end: 1, step: 0}}\n"), "positive"));
}

}  // namespace
}  // namespace flexloop::model
