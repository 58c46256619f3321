#include "model/analysis_types.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "system/parameter_makers.hpp"

namespace flexloop::model {
namespace {

using system::boolean;
using system::choice;
using system::Item;
using system::map;
using system::number;
using system::Parameter;
using system::Shape;
using system::withDefault;
using system::withNote;

constexpr double kMostSteps = 1e9;
constexpr const char* kSample = R"(flexloop: 1
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 0], free: [z]}}
bodies: {ball: {node: ball, mass: 1}}
sensors: {height: {measure: position, node: ball, direction: [0, 0, 1]}}
analysis:
  time: {end: 1, step: 10 ms, rho: 0.9, record: {every: 2}}
  modes: {count: 3, about: initial}
)";

Parameter within(Parameter parameter, double lower, double upper) {
  parameter.lower = lower;
  parameter.upper = upper;
  return parameter;
}

Parameter pureNumber(std::string name, std::string doc) {
  return number(std::move(name), base::kDimensionless, std::move(doc));
}

Parameter count(std::string name, std::string doc, double most) {
  Parameter parameter = within(pureNumber(std::move(name), std::move(doc)), 1.0, most);
  parameter.shape = Shape::kInteger;
  return parameter;
}

Parameter makeScheme() {
  Parameter scheme = choice("scheme", {"ch", "hht", "newmark"},
                            "method for motion: ch (Chung & Hulbert), hht (Hilber, Hughes & "
                            "Taylor) and newmark follow from "
                            "`rho`; or the numbers of a generalized-alpha method");
  scheme.fields = {required(pureNumber("alpha_m", "weight of the old acceleration")),
                   required(pureNumber("alpha_f", "weight of the old forces")),
                   required(positive(pureNumber("beta", "Newmark's beta"))),
                   required(positive(pureNumber("gamma", "Newmark's gamma")))};
  return withDefault(std::move(scheme), "ch");
}

Parameter makeRecord() {
  return withNote(map("record",
                      {withDefault(count("every", "every n-th step", 1e9), "1"),
                       withNote(positive(number("interval", base::kTime, "time between records")),
                                "by `every`"),
                       boolean("frames", "also the position and rotation of every node")},
                      "what is recorded"),
                  "every step");
}

Parameter makeNewton() {
  return withNote(
      map("newton",
          {withDefault(positive(pureNumber(
                           "tolerance", "relative to the largest accelerations and forces seen")),
                       "1e-7"),
           withDefault(count("max_iterations", "iterations in one step", 1000), "20")},
          "the iteration in every step"),
      "tolerance 1e-7, at most 20 iterations");
}

Parameter makeAugmentation() {
  return withNote(
      map("augmentation",
          {withDefault(positive(pureNumber("scale", "factor of the multipliers")), "1"),
           withDefault(notNegative(pureNumber("penalty", "stiffness against gaps")), "0")},
          "augmented Lagrangian: constraint forces are scale·λ + penalty·gap"),
      "none");
}

std::vector<Parameter> timeParameters() {
  return {
      required(positive(number("end", base::kTime, "time at which the simulation ends"))),
      required(positive(number("step", base::kTime, "time step"))),
      withDefault(
          within(pureNumber("rho",
                            "spectral radius at infinite frequency: 1 damps nothing, 0 damps "
                            "high frequencies at once"),
                 0.0, 1.0),
          "0.8"),
      makeScheme(),
      withDefault(
          choice("state_scheme", {"jwh", "ch"},
                 "method for controller states: jwh (Jansen, Whiting & Hulbert) or ch (Chung & "
                 "Hulbert)"),
          "jwh"),
      makeNewton(),
      withDefault(
          choice("constraints", {"index3", "index2"},
                 "index3: positions satisfy the joints; index2: positions and velocities do"),
          "index3"),
      makeAugmentation(),
      boolean("adaptive", "the step follows the error, and `step` is only the first"),
      withDefault(positive(pureNumber("tolerance",
                                      "allowed error of one adaptive step, of positions in m and "
                                      "rotations in rad")),
                  "1e-6"),
      withNote(positive(number("min_step", base::kTime, "shortest adaptive step")), "step / 1000"),
      withNote(positive(number("max_step", base::kTime, "longest adaptive step")), "end / 10"),
      makeRecord(),
  };
}

std::vector<Parameter> modesParameters() {
  Parameter about = choice("about", {"initial", "equilibrium"}, "the state that is linearised");
  about.fields = {
      required(number("time", base::kTime, "time of the state, by simulation up to it"))};
  return {withDefault(count("count", "number of modes", 1e6), "10"),
          withDefault(std::move(about), "initial")};
}

double rhoOf(const Item& item) {
  return item.number("rho");
}

// Newmark with both roots at infinity equal to −rho: γ = (3 − rho)/(2(1 + rho)), β = (γ + ½)²/4.
solve::MotionScheme makeDampedNewmark(double rho) {
  const double gamma = 0.5 * (3.0 - rho) / (1.0 + rho);
  return solve::makeNewmark(0.25 * (gamma + 0.5) * (gamma + 0.5), gamma);
}

solve::MotionScheme readMotionScheme(const Item& item, base::Diagnostics& diagnostics) {
  const double rho = rhoOf(item);
  if (std::holds_alternative<system::ValueMap>(item.at("scheme").data)) {
    const Item given = item.child("scheme");
    solve::MotionScheme scheme{given.number("alpha_m"), given.number("alpha_f"),
                               given.number("beta"), given.number("gamma")};
    if (scheme.alphaM >= 1.0 || scheme.alphaF >= 1.0) {
      diagnostics.addError(item.placeOf("scheme"),
                           "analysis.time.scheme: alpha_m and alpha_f must be below 1");
    }
    return scheme;
  }
  const std::string& name = item.text("scheme");
  if (name == "newmark") return makeDampedNewmark(rho);
  if (name == "ch") return solve::makeChungHulbert(rho);
  if (rho < 0.5) {
    diagnostics.addError(item.placeOf("rho"),
                         "analysis.time: the scheme hht needs a rho of 0.5 to 1",
                         "the scheme ch takes a rho of 0 to 1");
  }
  return solve::makeHht((1.0 - rho) / (1.0 + rho));
}

AdaptiveSettings readAdaptive(const Item& item, base::Diagnostics& diagnostics) {
  AdaptiveSettings settings;
  settings.enabled = item.boolean("adaptive", false);
  settings.tolerance = item.number("tolerance");
  settings.minStep = item.number("min_step", 1e-3 * item.number("step"));
  settings.maxStep = item.number("max_step", 0.1 * item.number("end"));
  if (settings.minStep > settings.maxStep) {
    diagnostics.addError(item.placeOf("min_step"),
                         "analysis.time: min_step is larger than max_step");
  }
  return settings;
}

}  // namespace

void registerAnalyses(system::Registry& registry) {
  registry.add({.section = "analysis",
                .type = "time",
                .doc = "Simulation in time from the initial conditions.",
                .parameters = timeParameters(),
                .make = {},
                .samples = {kSample}});
  registry.add({.section = "analysis",
                .type = "modes",
                .doc = "Modes and stability of the machine with its controllers.",
                .parameters = modesParameters(),
                .make = {},
                .samples = {kSample}});
}

TimeSettings readTimeSettings(const Item& item, base::Diagnostics& diagnostics) {
  TimeSettings settings;
  settings.end = item.number("end");
  settings.step = item.number("step");
  settings.scheme.motion = readMotionScheme(item, diagnostics);
  settings.scheme.state = item.text("state_scheme") == "ch"
                              ? solve::makeStateChungHulbert(rhoOf(item))
                              : solve::makeJansenWhitingHulbert(rhoOf(item));
  if (item.has("newton")) {
    const Item newton = item.child("newton");
    settings.newtonTolerance = newton.number("tolerance");
    settings.maxIterations = newton.integer("max_iterations");
  }
  if (item.has("augmentation")) {
    const Item augmentation = item.child("augmentation");
    settings.constraintScale = augmentation.number("scale");
    settings.constraintPenalty = augmentation.number("penalty");
  }
  settings.constraints = item.text("constraints") == "index2"
                             ? solve::ConstraintForm::kStabilizedIndex2
                             : solve::ConstraintForm::kIndex3;
  settings.adaptive = readAdaptive(item, diagnostics);
  if (item.has("record")) {
    const Item record = item.child("record");
    settings.record.every = record.integer("every");
    settings.record.interval = record.number("interval", 0.0);
    settings.record.frames = record.boolean("frames", false);
  }
  if (settings.end / settings.step > kMostSteps) {
    diagnostics.addError(item.placeOf("step"), "analysis.time: the step is too small for the end",
                         "at most 1e9 steps are possible");
  }
  return settings;
}

}  // namespace flexloop::model
