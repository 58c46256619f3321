#include "model/analysis_types.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "solve/time/scheme_choice.hpp"
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
constexpr double kCheapFrames = 200e6;  // bytes
constexpr const char* kSample = R"(flexloop: 1
gravity: [0, 0, -9.81]
nodes: {ball: {position: [0, 0, 0], free: [z]}}
bodies: {ball: {node: ball, mass: 1}}
sensors: {height: {measure: position, node: ball, direction: [0, 0, 1]}}
analysis:
  time: {end: 1, step: 10 ms, rho: 0.9, record: {every: 2}}
  modes: {count: 3, about: initial}
  equilibrium: {find: loaded}
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

Parameter choiceOrNumbers(std::string name, const std::vector<std::string>& words, std::string doc,
                          std::vector<Parameter> numbers) {
  Parameter parameter = choice(std::move(name), words, std::move(doc));
  for (Parameter& entry : numbers) entry.required = true;
  parameter.fields = std::move(numbers);
  return withDefault(std::move(parameter), words.front());
}

Parameter makeMotionScheme() {
  return choiceOrNumbers("motion", solve::motionSchemeNames(),
                         "method for motions: ch (Chung & Hulbert), hht (Hilber, Hughes & Taylor), "
                         "newmark or jwh, with parameters from `rho`; or the parameters themselves",
                         {pureNumber("alpha_m", "weight of the old acceleration, below 1"),
                          pureNumber("alpha_f", "weight of the old forces, below 1"),
                          positive(pureNumber("beta", "Newmark's beta")),
                          positive(pureNumber("gamma", "Newmark's gamma"))});
}

Parameter makeStateScheme() {
  return choiceOrNumbers(
      "state", solve::stateSchemeNames(),
      "method for the states of controllers: jwh (Jansen, Whiting & Hulbert) or ch, with "
      "parameters from `rho`; or the parameters themselves",
      {pureNumber("delta_m", "weight of the old algorithmic rate, below 1"),
       pureNumber("delta_f", "weight of the old rate, below 1"),
       positive(pureNumber("theta", "weight of the new algorithmic rate in the new value"))});
}

Parameter makeScheme() {
  Parameter scheme =
      choice("scheme", solve::motionSchemeNames(), "method for motions, or for motions and states");
  scheme.fields = {makeMotionScheme(), makeStateScheme()};
  return withDefault(std::move(scheme), "ch");
}

// Without a word about them they are recorded where that costs little.
Parameter makeFrames() {
  Parameter frames =
      boolean("frames", "record the position and rotation of every node as well, for `view`");
  frames.defaultText.clear();
  return withNote(std::move(frames), "true if it takes less than 200 MB");
}

Parameter makeRecord() {
  return withNote(map("record",
                      {withDefault(count("every", "every n-th step", 1e9), "1"),
                       withNote(positive(number("interval", base::kTime, "time between records")),
                                "by `every`"),
                       makeFrames()},
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
          "the Newton iteration of each step"),
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
      withDefault(within(pureNumber("rho",
                                    "spectral radius at infinite frequency: 1 for no numerical "
                                    "damping, 0 to damp high frequencies within one step"),
                         0.0, 1.0),
                  "0.8"),
      makeScheme(),
      makeNewton(),
      withDefault(
          choice(
              "constraints", {"index2", "index3"},
              "index2: positions and velocities satisfy the constraints; index3: positions only"),
          "index2"),
      makeAugmentation(),
      boolean("adaptive", "adapt the step to the error; `step` is then only the first"),
      withDefault(
          positive(pureNumber("tolerance",
                              "allowed error of one adaptive step, relative to how far the machine "
                              "has moved so far (at most its size, or a radian), to the relative "
                              "motion of its nodes, and to the largest values of block states")),
          "1e-6"),
      withNote(positive(number("min_step", base::kTime, "shortest adaptive step")), "step / 1000"),
      withNote(positive(number("max_step", base::kTime, "longest adaptive step")), "end / 10"),
      makeRecord(),
      withDefault(
          choice("start", {"initial", "equilibrium", "steady"},
                 "initial: as given by nodes and joints; equilibrium: at rest under gravity and "
                 "preload, with controllers settled; steady: the same for a rotating machine"),
          "initial"),
  };
}

std::vector<Parameter> modesParameters() {
  Parameter about = choice("about", {"initial", "equilibrium", "steady"}, "the operating point");
  about.fields = {required(number("time", base::kTime, "time of the state in a simulation"))};
  return {withDefault(count("count", "number of modes", 1e6), "10"),
          withDefault(std::move(about), "initial")};
}

std::vector<Parameter> equilibriumParameters() {
  return {withDefault(
      choice(
          "find", {"loaded", "first", "stable"},
          "loaded: the equilibrium reached by slowly growing loads, or beyond limit points the "
          "first stable one; first: the first with the full load, stable or not; stable: as "
          "loaded, but if that is unstable, the stable one to which the machine moves from there"),
      "loaded")};
}

double rhoOf(const Item& item) {
  return item.number("rho");
}

bool holdsNumbers(const Item& item, std::string_view key) {
  return std::holds_alternative<system::ValueMap>(item.at(key).data);
}

// The scheme by its name, or a report at `key`.
template <class Scheme>
Scheme schemeOf(const base::Result<Scheme>& made, const Item& item, std::string_view key,
                base::Diagnostics& diagnostics) {
  if (made) return made.value();
  diagnostics.addError(item.placeOf(key), "analysis.time: " + made.failure().message,
                       made.failure().hint);
  return {};
}

void checkWeights(double first, double second, const Item& item, const char* names,
                  base::Diagnostics& diagnostics) {
  if (first < 1.0 && second < 1.0) return;
  diagnostics.addError(item.place(),
                       std::string("analysis.time.scheme: ") + names + " must be below 1",
                       "at 1 the new value drops out of the scheme");
}

solve::MotionScheme readMotionScheme(const Item& item, std::string_view key, double rho,
                                     base::Diagnostics& diagnostics) {
  if (!holdsNumbers(item, key)) {
    return schemeOf(solve::makeMotionScheme(item.text(key), rho), item, key, diagnostics);
  }
  const Item given = item.child(key);
  const solve::MotionScheme scheme{given.number("alpha_m"), given.number("alpha_f"),
                                   given.number("beta"), given.number("gamma")};
  checkWeights(scheme.alphaM, scheme.alphaF, given, "alpha_m and alpha_f", diagnostics);
  return scheme;
}

solve::StateScheme readStateScheme(const Item& item, double rho, base::Diagnostics& diagnostics) {
  if (!holdsNumbers(item, "state")) {
    return schemeOf(solve::makeStateScheme(item.text("state"), rho), item, "state", diagnostics);
  }
  const Item given = item.child("state");
  const solve::StateScheme scheme{given.number("delta_m"), given.number("delta_f"),
                                  given.number("theta")};
  checkWeights(scheme.deltaM, scheme.deltaF, given, "delta_m and delta_f", diagnostics);
  return scheme;
}

solve::Scheme readScheme(const Item& item, base::Diagnostics& diagnostics) {
  const double rho = rhoOf(item);
  if (!holdsNumbers(item, "scheme")) {
    return {readMotionScheme(item, "scheme", rho, diagnostics),
            solve::makeJansenWhitingHulbert(rho)};
  }
  const Item both = item.child("scheme");
  return {readMotionScheme(both, "motion", rho, diagnostics),
          readStateScheme(both, rho, diagnostics)};
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

OperatingPoint::Kind readBalance(const std::string& word) {
  if (word == "equilibrium") return OperatingPoint::Kind::kEquilibrium;
  return word == "steady" ? OperatingPoint::Kind::kSteady : OperatingPoint::Kind::kInitial;
}

// Estimated: steps that follow the error may be more or fewer.
bool areFramesCheap(const TimeSettings& settings, std::size_t nodes) {
  constexpr double kBytes = 7.0 * sizeof(double);  // of one node
  const RecordSettings& record = settings.record;
  const double interval = record.interval > 0.0 ? record.interval : record.every * settings.step;
  return settings.end / interval * static_cast<double>(nodes) * kBytes <= kCheapFrames;
}

}  // namespace

const Item* findAnalysis(const Description& description, std::string_view kind) {
  const auto found = std::find_if(
      description.items.begin(), description.items.end(),
      [&](const Item& item) { return item.section() == "analysis" && item.type() == kind; });
  return found != description.items.end() ? &*found : nullptr;
}

void registerAnalyses(system::Registry& registry) {
  registry.add({.section = "analysis",
                .type = kTimeAnalysis,
                .doc = "Simulation in time from the start.",
                .parameters = timeParameters(),
                .make = {},
                .samples = {kSample}});
  registry.add({.section = "analysis",
                .type = kModeAnalysis,
                .doc = "Modes and stability of the machine with its controllers.",
                .parameters = modesParameters(),
                .make = {},
                .samples = {kSample}});
  registry.add({.section = "analysis",
                .type = kEquilibriumAnalysis,
                .doc = "Which equilibrium is found, wherever one is needed.",
                .parameters = equilibriumParameters(),
                .make = {},
                .samples = {kSample}});
}

TimeSettings readTimeSettings(const Item& item, std::size_t nodes, base::Diagnostics& diagnostics) {
  TimeSettings settings;
  settings.end = item.number("end");
  settings.step = item.number("step");
  settings.scheme = readScheme(item, diagnostics);
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
  settings.start = readBalance(item.text("start"));
  if (item.has("record")) {
    const Item record = item.child("record");
    settings.record.every = record.integer("every");
    settings.record.interval = record.number("interval", 0.0);
  }
  const bool isSaid = item.has("record") && item.child("record").has("frames");
  settings.record.frames =
      isSaid ? item.child("record").boolean("frames", false) : areFramesCheap(settings, nodes);
  if (settings.end / settings.step > kMostSteps) {
    diagnostics.addError(item.placeOf("step"),
                         "analysis.time: the step is too small for the end time",
                         "at most 1e9 steps are allowed");
  }
  return settings;
}

ModeSettings readModeSettings(const Item& item) {
  ModeSettings settings;
  settings.count = item.integer("count");
  if (holdsNumbers(item, "about")) {
    settings.about = {OperatingPoint::Kind::kTime, item.child("about").number("time")};
  } else {
    settings.about.kind = readBalance(item.text("about"));
  }
  return settings;
}

}  // namespace flexloop::model
