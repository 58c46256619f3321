#include <numbers>
#include <optional>

#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/dynamics/dynamics_types.hpp"
#include "control/dynamics/filters.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::anyUnit;
using system::Builder;
using system::Item;
using system::number;
using system::Parameter;
using system::withDefault;

namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr double kHighestOrder = 20.0;

// In rad/s; nothing, after a message, if it is not given once.
std::optional<double> readOmega(const Item& item, Builder& builder) {
  if (item.has("frequency") == item.has("omega")) {
    fail(builder, item, "omega", "either 'frequency' (Hz) or 'omega' (rad/s) is needed");
    return std::nullopt;
  }
  return item.has("omega") ? item.number("omega") : kTwoPi * item.number("frequency");
}

// Half the relative width: the damping ratio of the poles.
std::optional<double> readDamping(const Item& item, double omega, Builder& builder) {
  if (item.has("damping") == item.has("width")) {
    fail(builder, item, "width", "either 'width' (Hz) or 'damping' (a ratio) is needed",
         "the width is the distance between the two points at -3 dB; width = 2 damping frequency");
    return std::nullopt;
  }
  return item.has("damping") ? item.number("damping")
                             : kTwoPi * item.number("width") / (2.0 * omega);
}

void makeLeadLag(const Item& item, Builder& builder) {
  const double gain = item.number("gain");
  addSingleSystem(
      item, realizeTransferFunction({gain * item.number("lead"), gain}, {item.number("lag"), 1.0}),
      builder);
}

template <ZeroPoleGain (*make)(int, double)>
void makePass(const Item& item, Builder& builder) {
  const auto omega = readOmega(item, builder);
  if (!omega) return;
  addSingleSystem(item, realizeZeroPoleGain(make(item.integer("order"), *omega)), builder);
}

void makeBandPassBlock(const Item& item, Builder& builder) {
  const auto omega = readOmega(item, builder);
  if (!omega) return;
  const auto damping = readDamping(item, *omega, builder);
  if (!damping) return;
  const ZeroPoleGain filter = makeBandPass(item.integer("order"), *omega, 2.0 * *damping * *omega);
  addSingleSystem(item, realizeZeroPoleGain(filter), builder);
}

void makeNotchBlock(const Item& item, Builder& builder) {
  const auto omega = readOmega(item, builder);
  if (!omega) return;
  const auto damping = readDamping(item, *omega, builder);
  if (!damping) return;
  addSingleSystem(item, realizeZeroPoleGain(makeNotch(*omega, *damping, item.number("depth"))),
                  builder);
}

Parameter orderParameter(const char* doc) {
  Parameter order{.name = "order", .shape = system::Shape::kInteger, .doc = doc};
  order.lower = 1.0;
  order.upper = kHighestOrder;
  return withDefault(order, "1");
}

std::vector<Parameter> frequencyParameters(const char* doc) {
  return {inputParameter(), positive(number("frequency", base::kFrequency, doc)),
          positive(number("omega", base::kAngularVelocity, "the same in radians per second"))};
}

std::vector<Parameter> widthParameters() {
  return {positive(number("width", base::kFrequency, "distance between the two points at -3 dB")),
          positive(number("damping", base::kDimensionless,
                          "instead of the width: width/(2 frequency), the damping of the poles"))};
}

void registerPasses(system::Registry& registry) {
  const auto add = [&](const char* type, const char* doc, std::vector<Parameter> parameters,
                       void (*make)(const Item&, Builder&), std::vector<std::string> samples,
                       const system::TypeFacts& facts = {}) {
    registry.add({"blocks", type, doc, std::move(parameters), make, std::move(samples), facts});
  };
  add("low_pass", "A Butterworth low pass; of order 1 it is ω/(s + ω).",
      joined(frequencyParameters("where the gain is 1/√2"),
             {orderParameter("number of states"), initialOutputParameter()}),
      makePass<makeLowPass>,
      {blockSample("  y: {type: low_pass, input: p, frequency: 0.5 Hz, initial_output: 0.2}\n"),
       blockSample("  y: {type: low_pass, input: p, omega: 3, order: 5}\n")},
      {.passesIntegral = true});
  add("high_pass", "A Butterworth high pass; of order 1 it is s/(s + ω).",
      joined(frequencyParameters("where the gain is 1/√2"), {orderParameter("number of states")}),
      makePass<makeHighPass>,
      {blockSample("  y: {type: high_pass, input: p, frequency: 0.5 Hz}\n"),
       blockSample("  y: {type: high_pass, input: p, omega: 3, order: 4}\n")});
  add("band_pass", "A Butterworth band pass; of order 1 it is 2ζω s/(s² + 2ζω s + ω²).",
      joined(joined(frequencyParameters("centre: the geometric mean of the two points at -3 dB"),
                    widthParameters()),
             {orderParameter("order of each of the two edges; there are twice as many states")}),
      makeBandPassBlock,
      {blockSample("  y: {type: band_pass, input: p, frequency: 0.5 Hz, width: 0.2 Hz}\n"),
       blockSample("  y: {type: band_pass, input: p, omega: 3, damping: 1.2, order: 3}\n")});
}

}  // namespace

void registerFilters(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "lead_lag",
       .doc = "gain · (lead s + 1)/(lag s + 1).",
       .parameters =
           {inputParameter(),
            required(notNegative(number("lead", base::kTime, "time constant of the zero"))),
            required(positive(number("lag", base::kTime, "time constant of the pole"))),
            withDefault(anyUnit(number("gain", base::kDimensionless, "gain at low frequency")),
                        "1"),
            initialOutputParameter()},
       .make = makeLeadLag,
       .samples = {blockSample("  y: {type: lead_lag, input: p, lead: 0.3, lag: 0.1, gain: 2}\n")},
       .facts = {.passesIntegral = true}});
  registry.add(
      {.section = "blocks",
       .type = "notch",
       .doc = "(s² + depth · 2ζω s + ω²)/(s² + 2ζω s + ω²): blocks a narrow band.",
       .parameters = joined(
           joined(frequencyParameters("where the gain is least"), widthParameters()),
           {withDefault(
                notNegative(number("depth", base::kDimensionless, "gain at that frequency")), "0"),
            initialOutputParameter()}),
       .make = makeNotchBlock,
       .samples = {blockSample("  y: {type: notch, input: p, frequency: 0.5 Hz, width: 0.2 Hz}\n"),
                   blockSample(
                       "  y: {type: notch, input: p, omega: 3, damping: 1.4, depth: 0.1}\n")},
       .facts = {.passesIntegral = true}});
  registerPasses(registry);
}

}  // namespace flexloop::control
