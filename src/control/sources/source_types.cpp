#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>

#include "control/blocks/block_maker.hpp"
#include "control/sources/source_maker.hpp"
#include "control/sources/time_functions.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;
using system::number;
using system::numbers;
using system::Parameter;
using system::withDefault;
using system::withNote;

namespace {

void makeConstant(const Item& item, Builder& builder) {
  addSource(item, builder, std::make_unique<Constant>(item.number("value")));
}

void makeStep(const Item& item, Builder& builder) {
  addSource(item, builder,
            std::make_unique<Step>(item.number("at"), item.number("from"), item.number("to")));
}

void makeRamp(const Item& item, Builder& builder) {
  const double start = item.number("start"), slope = item.number("slope");
  const double offset = item.number("offset");
  double end = item.number("end", std::numeric_limits<double>::infinity());
  if (item.has("end") && item.has("limit")) {
    return fail(builder, item, "limit", "'end' and 'limit' cannot be combined",
                "the ramp stops either at a time or at a value");
  }
  if (item.has("limit")) {
    end = start + (item.number("limit") - offset) / slope;
    if (!(end >= start && std::isfinite(end))) {
      return fail(builder, item, "limit", "the ramp never reaches 'limit'",
                  "it starts at 'offset' and goes in the direction of 'slope'");
    }
  }
  if (end < start) return fail(builder, item, "end", "'end' is before 'start'");
  addSource(item, builder, std::make_unique<Ramp>(offset, slope, start, end));
}

void makeSine(const Item& item, Builder& builder) {
  if (item.has("frequency") == item.has("omega")) {
    return fail(builder, item, "omega", "either 'frequency' (Hz) or 'omega' (rad/s) is needed");
  }
  const double omega =
      item.has("omega") ? item.number("omega") : 2.0 * std::numbers::pi * item.number("frequency");
  addSource(item, builder,
            std::make_unique<Sine>(item.number("offset"), item.number("amplitude"), omega,
                                   item.number("phase")));
}

void makeTable(const Item& item, Builder& builder) {
  std::vector<double> times = item.numbers("time"), values = item.numbers("value");
  if (times.empty() || times.size() != values.size()) {
    return fail(builder, item, "value",
                "'time' has " + std::to_string(times.size()) + " entries, but 'value' has " +
                    std::to_string(values.size()),
                "give one value for each time");
  }
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] > times[i - 1]) continue;
    return fail(builder, item, "time",
                "the times do not increase at entry " + std::to_string(i + 1));
  }
  const auto shape = item.boolean("smooth", false) ? Table::Shape::kSmooth : Table::Shape::kLinear;
  addSource(item, builder, std::make_unique<Table>(std::move(times), std::move(values), shape));
}

}  // namespace

void registerSources(system::Registry& registry) {
  const auto add = [&](const char* type, const char* doc, std::vector<Parameter> parameters,
                       void (*make)(const Item&, Builder&), std::vector<std::string> samples,
                       const system::TypeFacts& facts = {.hasRate = true},
                       std::vector<std::string> fileColumns = {}) {
    registry.add({"blocks", type, doc, std::move(parameters), make, std::move(samples), facts,
                  false, false, std::move(fileColumns)});
  };
  add("constant", "A signal that does not change.", {required(signalValue("value", "its value"))},
      makeConstant, {sourceSample("{type: constant, value: 0.7}")},
      {.hasRate = true, .staysAway = [](const Item& item) { return item.number("value") != 0.0; }});
  add("step", "A signal that jumps once.",
      {withDefault(number("at", base::kTime, "time of the jump; it has the new value from then on"),
                   "0"),
       withDefault(signalValue("from", "value before"), "0"),
       withDefault(signalValue("to", "value after"), "1")},
      makeStep, {sourceSample("{type: step, at: 0.1, from: 0.2, to: 1.5}")},
      {.hasRate = true,
       .jumps =
           [](const Item& item) {
             return item.number("at") > 0.0 && item.number("from") != item.number("to");
           },
       .staysAway = [](const Item& item) { return item.number("to") != 0.0; }});
  add("ramp", "A signal that grows linearly from a start to an end.",
      {withDefault(number("start", base::kTime, "time at which it starts to grow"), "0"),
       required(signalValue("slope", "growth per second")),
       withDefault(signalValue("offset", "value before the start"), "0"),
       withNote(number("end", base::kTime, "time from which it stays constant"), "never"),
       withNote(signalValue("limit", "value at which it stays constant"), "none")},
      makeRamp,
      {sourceSample("{type: ramp, start: 0.1, slope: 3, offset: 0.5, end: 0.9}"),
       sourceSample("{type: ramp, slope: -2, limit: -0.5}")},
      {.hasRate = true, .staysAway = true});
  add("sine", "offset + amplitude · sin(2π · frequency · t + phase).",
      {withDefault(signalValue("amplitude", "amplitude"), "1"),
       number("frequency", base::kFrequency, "cycles per second"),
       number("omega", base::kAngularVelocity, "radians per second, instead of the frequency"),
       withDefault(number("phase", base::kAngle, "phase at time zero"), "0"),
       withDefault(signalValue("offset", "mean value"), "0")},
      makeSine,
      {sourceSample("{type: sine, amplitude: 2, frequency: 1.5 Hz, phase: 30 deg, offset: 0.3}"),
       sourceSample("{type: sine, omega: 7 rad/s}")});
  add("table",
      "Values at given times, constant before the first and after the last; `file` and `columns` "
      "take both from a file.",
      {required(numbers("time", base::kTime, "times, increasing")),
       required(anyUnit(numbers("value", base::kDimensionless, "values at these times"))),
       system::boolean("smooth",
                       "a natural cubic spline through the values instead of straight lines")},
      makeTable,
      {sourceSample("{type: table, time: [0.1, 0.4, 1, 1.5], value: [0, 1, 0.3, 0.8]}"),
       sourceSample(
           "{type: table, time: [0, 0.4, 1, 1.5], value: [0, 1, 0.3, 0.8], smooth: true}")},
      {.hasRate = true}, {"time", "value"});
  registerExcitations(registry);
  registerMotionProfiles(registry);
  registerExpressions(registry);
}

}  // namespace flexloop::control
