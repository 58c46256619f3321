#include <memory>
#include <utility>

#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/discontinuous/backlash.hpp"
#include "control/discontinuous/clutch.hpp"
#include "control/discontinuous/limits.hpp"
#include "control/discontinuous/quantizer.hpp"
#include "control/discontinuous/switches.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::anyUnit;
using system::Builder;
using system::choice;
using system::Item;
using system::Parameter;
using system::withDefault;
using system::withNote;

namespace {

bool isLocated(const Item& item) {
  return item.boolean("events", false);
}

// The inputs of several keys, in their order.
std::vector<BlockInput> inputsOfKeys(const Item& item, std::initializer_list<const char*> keys,
                                     Builder& builder) {
  std::vector<BlockInput> inputs;
  for (const char* key : keys) inputs.push_back(inputsOf(item, key, builder).front());
  return inputs;
}

void makeSaturation(const Item& item, Builder& builder) {
  const Range free;
  const Range range{item.number("lower", free.lower), item.number("upper", free.upper)};
  if (!item.has("lower") && !item.has("upper")) {
    return fail(builder, item, "upper", "at least one of 'lower' and 'upper' is needed");
  }
  if (!(range.lower < range.upper)) {
    return fail(builder, item, "lower", "'lower' is not below 'upper'");
  }
  addBlock(item, std::make_unique<Saturation>(range, isLocated(item)),
           inputsOf(item, "input", builder), builder);
}

void makeDeadZone(const Item& item, Builder& builder) {
  const bool hasEnds = item.has("lower") || item.has("upper");
  if (item.has("width") == hasEnds) {
    return fail(builder, item, "width", "either 'width', or 'lower' and 'upper', must be given",
                "'width: 2' is the same as 'lower: -1, upper: 1'");
  }
  if (hasEnds && !(item.has("lower") && item.has("upper"))) {
    return fail(builder, item, item.has("lower") ? "lower" : "upper",
                "'lower' and 'upper' must be given together");
  }
  const double half = 0.5 * item.number("width", 0.0);
  const Range range{item.number("lower", -half), item.number("upper", half)};
  if (range.lower > range.upper) {
    return fail(builder, item, "lower", "'lower' is above 'upper'");
  }
  addBlock(item, std::make_unique<DeadZone>(range, isLocated(item)),
           inputsOf(item, "input", builder), builder);
}

BlockStart notSet() {
  return {.memory = {Hysteresis::kNotSet}};
}

void makeRelay(const Item& item, Builder& builder) {
  const double onAbove = item.number("on_above"), offBelow = item.number("off_below", onAbove);
  if (offBelow > onAbove) {
    return fail(builder, item, "off_below", "'off_below' is above 'on_above'",
                "for a relay that is on at low inputs, swap 'on_value' and 'off_value'");
  }
  const Hysteresis hysteresis(onAbove, offBelow, item.text("initial") == "on");
  addBlock(item,
           std::make_unique<Relay>(hysteresis, item.number("on_value"), item.number("off_value"),
                                   isLocated(item)),
           inputsOf(item, "input", builder), builder, notSet());
}

void makeSwitch(const Item& item, Builder& builder) {
  const double threshold = item.number("threshold"), half = 0.5 * item.number("hysteresis");
  const Hysteresis hysteresis(threshold + half, threshold - half, false);
  addBlock(item, std::make_unique<Switch>(hysteresis, isLocated(item)),
           inputsOfKeys(item, {"control", "above", "below"}, builder), builder, notSet());
}

void makeComparison(const Item& item, Builder& builder) {
  using Relation = Comparison::Relation;
  const std::string& name = item.text("relation");
  const Relation relation = name == "greater" ? Relation::kGreater
                            : name == "less"  ? Relation::kLess
                                              : Relation::kEqual;
  const bool isEqual = relation == Relation::kEqual;
  if (isEqual != item.has("tolerance")) {
    return fail(builder, item, "tolerance",
                isEqual ? "'tolerance' is needed to compare signals for equality"
                        : "'tolerance' does not apply to 'relation: " + name + "'",
                isEqual ? "changing signals are never equal for any length of time; state how "
                          "close counts as equal"
                        : "");
  }
  const double half = 0.5 * item.number("hysteresis");
  const Hysteresis hysteresis(half, -half, isEqual);
  addBlock(item,
           std::make_unique<Comparison>(relation, item.number("tolerance", 0.0), hysteresis,
                                        isLocated(item)),
           inputsOfKeys(item, {"input", "to"}, builder), builder, notSet());
}

void makeLogic(const Item& item, Builder& builder) {
  using Operation = Logic::Operation;
  const std::string& name = item.text("operation");
  const std::vector<BlockInput> inputs = inputsOf(item, "inputs", builder);
  const int count = static_cast<int>(inputs.size());
  if (name == "not" ? count != 1 : count < 2) {
    return fail(builder, item, "inputs",
                name == "not" ? "'not' has one input, not " + std::to_string(count)
                              : "'" + name + "' needs two inputs or more");
  }
  const Operation operation = name == "xor"                   ? Operation::kXor
                              : name == "or" || name == "nor" ? Operation::kOr
                                                              : Operation::kAnd;
  const bool negated = name == "not" || name == "nand" || name == "nor";
  addBlock(item, std::make_unique<Logic>(operation, negated, count, isLocated(item)), inputs,
           builder, notSet());
}

void makeQuantizer(const Item& item, Builder& builder) {
  using Rounding = Quantizer::Rounding;
  const std::string& name = item.text("rounding");
  const Rounding rounding = name == "down"      ? Rounding::kDown
                            : name == "up"      ? Rounding::kUp
                            : name == "to_zero" ? Rounding::kToZero
                                                : Rounding::kNearest;
  const bool usesMean = item.text("slope") == "mean";
  addBlock(item,
           std::make_unique<Quantizer>(item.number("step"), rounding, isLocated(item), usesMean),
           inputsOf(item, "input", builder), builder);
}

void makeBacklash(const Item& item, Builder& builder) {
  addBlock(item, std::make_unique<Backlash>(item.number("width"), isLocated(item)),
           inputsOf(item, "input", builder), builder, {.memory = {item.number("initial")}});
}

void makeClutch(const Item& item, Builder& builder) {
  addBlock(
      item,
      std::make_unique<Clutch>(item.number("stiffness"), item.number("damping"), isLocated(item)),
      inputsOfKeys(item, {"rate", "capacity"}, builder), builder,
      {.states = {item.number("deflection")}});
}

Parameter number(const char* name, const char* doc) {
  return anyUnit(system::number(name, base::kDimensionless, doc));
}

Parameter signal(const char* name, const char* doc) {
  return required(system::signal(name, base::kDimensionless, doc));
}

Parameter events(const char* preset) {
  return withDefault(
      system::boolean("events",
                      "whether steps end exactly where the block switches to another branch"),
      preset);
}

Parameter hysteresis() {
  return withDefault(
      notNegative(
          number("hysteresis",
                 "width of the band around the threshold in which the previous output is kept")),
      "0");
}

using Make = void (*)(const Item&, Builder&);

void add(system::Registry& registry, const char* type, const char* doc,
         std::vector<Parameter> parameters, Make make, const std::vector<std::string>& blocks,
         const system::TypeFacts& facts = {}) {
  std::vector<std::string> samples;
  for (const std::string& block : blocks) samples.push_back(blockSample("  y: {" + block + "}\n"));
  registry.add({"blocks", type, doc, std::move(parameters), make, std::move(samples), facts});
}

void registerKinks(system::Registry& registry) {
  add(registry, "saturation", "Limits a signal to a range.",
      {signal("input", "the signal"),
       withNote(number("lower", "the smallest output"), "no lower limit"),
       withNote(number("upper", "the largest output"), "no upper limit"), events("false")},
      makeSaturation,
      {"type: saturation, input: p, lower: -0.3, upper: 0.5",
       "type: saturation, input: p, upper: 0.1",
       "type: saturation, input: p, lower: -0.3, upper: 0.5, events: true"},
      {.passesJumps = true,
       .limits = [](const Item& item) { return item.has("lower") && item.has("upper"); }});
  add(registry, "dead_zone",
      "A dead zone: the output is zero inside a range of the input and continues from zero outside "
      "it.",
      {signal("input", "the signal"),
       withNote(notNegative(number("width", "of a range around zero")), "from lower and upper"),
       withNote(number("lower", "the lower end of the range"), "from width"),
       withNote(number("upper", "the upper end of the range"), "from width"), events("false")},
      makeDeadZone,
      {"type: dead_zone, input: p, width: 0.4",
       "type: dead_zone, input: p, lower: -0.1, upper: 0.3, events: true"},
      {.passesJumps = true});
}

void registerSwitches(system::Registry& registry) {
  add(registry, "relay", "Two values with hysteresis: on above one input, off below another.",
      {signal("input", "the signal"),
       required(number("on_above", "the input above which the relay turns on")),
       withNote(number("off_below", "the input below which it turns off"), "on_above"),
       withDefault(number("on_value", "the output while it is on"), "1"),
       withDefault(number("off_value", "the output while it is off"), "0"),
       withDefault(
           choice("initial", {"off", "on"}, "its branch at the start, if both are possible"),
           "off"),
       events("true")},
      makeRelay,
      {"type: relay, input: p, on_above: 0.2, off_below: -0.1, on_value: 3, off_value: -2",
       "type: relay, input: p, on_above: 0.2, initial: on, events: false"},
      {.jumps = true});
  add(registry, "switch", "One of two signals, chosen by a third.",
      {signal("control", "the signal that chooses"),
       withDefault(number("threshold", "of the control"), "0.5"),
       signal("above", "the output while the control is above the threshold"),
       signal("below", "the output while it is not"), hysteresis(), events("true")},
      makeSwitch,
      {"type: switch, control: p, above: q, below: p.rate",
       "type: switch, control: q, threshold: 0.1, hysteresis: 0.05, above: p, below: 0.3, events: "
       "false"});
  add(registry, "comparison",
      "1 while a signal is greater or less than another or equal to it; else 0.",
      {signal("input", "the signal"), signal("to", "the signal or number to compare it with"),
       required(
           choice("relation", {"greater", "less", "equal"}, "relation of the input to the other")),
       withNote(positive(number("tolerance", "the difference up to which signals are equal")),
                "needed by equal"),
       hysteresis(), events("true")},
      makeComparison,
      {"type: comparison, input: p, to: q, relation: greater",
       "type: comparison, input: p, to: 0.1, relation: less, hysteresis: 0.02",
       "type: comparison, input: p, to: q, relation: equal, tolerance: 0.2, events: false"},
      {.jumps = true});
  add(registry, "logic",
      "1 while an operation on signals is true, else 0; a signal is true above 0.5.",
      {required(system::signals("inputs", "the signals")),
       required(choice(
           "operation", {"and", "or", "not", "xor", "nand", "nor"},
           "the operation; xor of several signals is true if an odd number of them are true")),
       events("true")},
      makeLogic,
      {"type: logic, inputs: [p, q], operation: and", "type: logic, inputs: [p, q], operation: nor",
       "type: logic, inputs: [p, q, 1], operation: xor",
       "type: logic, inputs: [p], operation: not, events: false"},
      {.jumps = true});
  add(registry, "quantizer", "A signal rounded to multiples of a step, as by an encoder.",
      {signal("input", "the signal"),
       required(positive(number("step", "distance between two levels"))),
       withDefault(choice("rounding", {"nearest", "down", "up", "to_zero"}, "the direction"),
                   "nearest"),
       withDefault(choice("slope", {"mean", "zero"},
                          "slope used in linear analyses: mean, 1, for a signal that moves over "
                          "many steps; or zero, within one step"),
                   "mean"),
       events("true")},
      makeQuantizer,
      {"type: quantizer, input: p, step: 0.1",
       "type: quantizer, input: p, step: 0.1, rounding: down",
       "type: quantizer, input: p, step: 0.1, rounding: up, events: false",
       "type: quantizer, input: p, step: 0.1, rounding: to_zero, slope: zero"},
      {.jumps = true});
}

void registerFriction(system::Registry& registry) {
  add(registry, "backlash",
      "Play: the output stays constant until the input has crossed the play and pushes it.",
      {signal("input", "the signal of the driving part"),
       required(positive(number("width", "width of the play"))),
       withDefault(number("initial", "output at the start, as far as the play allows it"), "0"),
       events("true")},
      makeBacklash,
      {"type: backlash, input: p, width: 0.2",
       "type: backlash, input: p, width: 0.2, initial: 0.3, "
       "events: false"});
  add(registry, "clutch",
      "The torque of a clutch or brake on its joint or pair of bodies: it holds with a spring and "
      "damper up to its capacity, and slips beyond it.",
      {signal("rate", "relative rate of the two sides; the torque opposes it"),
       signal("capacity", "the largest torque; zero or less: open"),
       required(positive(number("stiffness", "while it holds, torque per angle"))),
       required(positive(number("damping", "while it holds, torque per rate"))),
       withDefault(number("deflection", "of the spring at the start"), "0"), events("true")},
      makeClutch,
      {"type: clutch, rate: p.rate, capacity: 0.8, stiffness: 40, damping: 0.3",
       "type: clutch, rate: p.rate, capacity: q, stiffness: 2, damping: 0.3, deflection: 0.1, "
       "events: false"});
}

}  // namespace

void registerDiscontinuities(system::Registry& registry) {
  registerKinks(registry);
  registerSwitches(registry);
  registerFriction(registry);
}

}  // namespace flexloop::control
