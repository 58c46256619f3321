#include <cmath>
#include <memory>
#include <optional>

#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/dynamics/dynamics_types.hpp"
#include "control/dynamics/pid.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::anyUnit;
using system::Builder;
using system::Item;
using system::number;
using system::Parameter;
using system::withDefault;
using system::withNote;

namespace {

// Parallel or standard form (14.14); nothing, after a message, if they are mixed.
std::optional<PidSettings> readGains(const Item& item, Builder& builder) {
  const bool isStandard = item.has("ti") || item.has("td");
  if (isStandard && (item.has("ki") || item.has("kd"))) {
    fail(builder, item, item.has("ki") ? "ki" : "kd",
         "'ki', 'kd' cannot be combined with 'ti', 'td'", "give kp, ki, kd or kp, ti, td");
    return std::nullopt;
  }
  if (isStandard && !item.has("kp")) {
    fail(builder, item, "kp", "'ti' and 'td' need 'kp'", "kp (1 + 1/(ti s) + td s)");
    return std::nullopt;
  }
  PidSettings s;
  s.kp = item.number("kp", 0.0);
  s.ki = item.has("ti") ? s.kp / item.number("ti") : item.number("ki", 0.0);
  s.kd = item.has("td") ? s.kp * item.number("td") : item.number("kd", 0.0);
  s.b = item.number("b");
  s.c = item.number("c");
  s.filter = item.number("filter", 0.0);
  if (!item.has("kp") && !item.has("ki") && !item.has("kd")) {
    fail(builder, item, "kp", "no gain is given", "give kp, ki, kd or kp, ti, td");
    return std::nullopt;
  }
  return s;
}

bool isNumber(const Item& item, const char* key) {
  return std::holds_alternative<double>(item.at(key).data);
}

// The sensor that a signal or one of its components comes from.
const Item* findSensor(const std::string& name, const Builder& builder) {
  if (const Item* sensor = builder.findItem("sensors", name)) return sensor;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || name.substr(dot) == ".rate") return nullptr;
  return builder.findItem("sensors", name.substr(0, dot));
}

// Appends the exact rate of the signal at `key`; false, after a message, if there is none.
bool addRate(const Item& item, const char* key, Builder& builder, std::vector<BlockInput>& inputs) {
  const std::string name = item.names(key).front();
  const Item* sensor = findSensor(name, builder);
  const Item* block = builder.findItem("blocks", name);
  const auto hasRate = [](const Item* of) {
    return of != nullptr && of->fact(&system::TypeFacts::hasRate);
  };
  if (hasRate(sensor) || (hasRate(block) && std::string(key) == "reference")) {
    inputs.push_back(inputOf(name + ".rate", item.placeOf(key), builder));
    return true;
  }
  const std::string why =
      sensor == nullptr ? "is not a sensor" : "is a sensor without an exact rate";
  fail(builder, item, key, "the derivative term needs the rate of '" + name + "', which " + why,
       std::string("give the derivative a filter, such as 'filter: 1 ms'") +
           (std::string(key) == "reference" ? ", or exclude the reference from it with 'c: 0'"
                                            : ""));
  return false;
}

std::optional<PidLimits> readLimits(const Item& item, const PidSettings& s, Builder& builder) {
  const std::optional<Range> range = readRange(item, builder);
  if (!range) return std::nullopt;
  PidLimits limits{*range, 0.0};
  const bool tracks = item.text("anti_windup") == "back_calculation";
  if (item.has("tracking_time") && !tracks) {
    fail(builder, item, "tracking_time", "'tracking_time' needs 'anti_windup: back_calculation'");
    return std::nullopt;
  }
  if (!tracks || s.ki == 0.0) return limits;
  const double ti = std::abs(s.kp / s.ki), td = s.kp != 0.0 ? std::abs(s.kd / s.kp) : 0.0;
  limits.trackingTime = item.number("tracking_time", td > 0.0 ? std::sqrt(ti * td) : ti);
  if (limits.trackingTime > 0.0) return limits;
  fail(builder, item, "anti_windup", "without 'kp', back-calculation needs 'tracking_time'");
  return std::nullopt;
}

void makePid(const Item& item, Builder& builder) {
  std::optional<PidSettings> s = readGains(item, builder);
  if (!s) return;
  std::vector<BlockInput> inputs = inputsOf(item, "input", builder);
  inputs.push_back(inputsOf(item, "reference", builder).front());
  const bool isExact = s->kd != 0.0 && s->filter == 0.0;
  s->usesRate = isExact && !isNumber(item, "input");
  s->usesReferenceRate = isExact && s->c != 0.0 && !isNumber(item, "reference");
  if (s->usesRate && !addRate(item, "input", builder, inputs)) return;
  if (s->usesReferenceRate && !addRate(item, "reference", builder, inputs)) return;
  std::optional<PidLimits> limits;
  if (item.has("limits")) {
    limits = readLimits(item, *s, builder);
    if (!limits) return;
  } else if (item.has("tracking_time")) {
    return fail(builder, item, "tracking_time", "'tracking_time' needs 'limits'");
  }
  const bool isFiltered = s->kd != 0.0 && !isExact;
  BlockStart start{.states = {item.number("initial")}};
  if (s->ki == 0.0) start.states.clear();
  if (limits || isFiltered) {
    addBlock(item, std::make_unique<Pid>(*s, limits ? &*limits : nullptr), inputs, builder, start);
  } else {
    addBlock(item, std::make_unique<LinearSystem>(makePidSystem(*s)), inputs, builder, start);
  }
}

Parameter gain(const char* name, const char* doc) {
  return withNote(anyUnit(number(name, base::kDimensionless, doc)), "0");
}

std::vector<Parameter> pidParameters() {
  return {
      required(system::signal("input", base::kDimensionless, "the measured signal")),
      withDefault(system::signal("reference", base::kDimensionless, "the setpoint"), "0"),
      gain("kp", "gain of the error"),
      gain("ki", "gain of its integral"),
      gain("kd", "gain of its derivative"),
      withNote(positive(number("ti", base::kTime, "instead of ki: ki = kp/ti")), "no integral"),
      withNote(notNegative(number("td", base::kTime, "instead of kd: kd = kp td")),
               "no derivative"),
      withDefault(number("b", base::kDimensionless, "weight of the reference in the first term"),
                  "1"),
      withDefault(number("c", base::kDimensionless, "weight of the reference in the derivative"),
                  "1"),
      withNote(
          positive(number("filter", base::kTime, "time constant T of the derivative s/(T s + 1)")),
          "the exact rate, for which the input must be a sensor"),
      withDefault(anyUnit(number("initial", base::kDimensionless,
                                 "contribution of the integral at the start")),
                  "0"),
      withNote(counted(anyUnit(system::numbers("limits", base::kDimensionless,
                                               "lowest and highest output")),
                       2),
               "none"),
      withDefault(
          system::choice("anti_windup", {"clamping", "back_calculation"},
                         "what keeps the integral from growing while the output is limited"),
          "clamping"),
      withNote(
          positive(number("tracking_time", base::kTime, "time constant of the back-calculation")),
          "√(ti td), or ti without a derivative")};
}

bool integratesFreely(const Item& item) {
  return !item.has("limits") && (item.number("ki", 0.0) != 0.0 || item.has("ti"));
}

}  // namespace

void registerPid(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "pid",
       .doc = "u = kp e + ki ∫e dt + kd de/dt with e = reference − input. The derivative is exact "
              "if the input is a sensor; for other signals, and if the reference jumps in a run, "
              "it needs a filter.",
       .parameters = pidParameters(),
       .make = makePid,
       .samples =
           {blockSample("  y: {type: pid, input: p, reference: 0.2, kp: 10, ki: 2, kd: 6}\n"),
            blockSample("  y: {type: pid, input: p, reference: q, kp: 4, ti: 0.5, td: 0.1, b: 0.7, "
                        "c: 0.5, limits: [-2, 5]}\n"),
            blockSample("  s: {type: sum, inputs: [p, q]}\n"
                        "  y: {type: pid, input: s, reference: p, kp: 3, ki: 2, kd: 0.5, "
                        "filter: 0.1, limits: [-1, 1], anti_windup: back_calculation}\n"),
            blockSample("  y: {type: pid, input: p, kp: 3, kd: 0.5, filter: 0.1}\n")},
       .facts = {.isController = true, .integratesFreely = integratesFreely}});
}

}  // namespace flexloop::control
