#include <limits>
#include <utility>

#include "control/blocks/block_maker.hpp"
#include "control/sources/excitations.hpp"
#include "control/sources/source_maker.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;
using system::number;
using system::Parameter;
using system::withDefault;

namespace {

void makeChirp(const Item& item, Builder& builder) {
  const bool isLogarithmic = item.text("sweep") == "logarithmic";
  const Chirp::Frequencies frequencies{
      item.number("from"), item.number("to"),
      isLogarithmic ? Chirp::Sweep::kLogarithmic : Chirp::Sweep::kLinear};
  if (isLogarithmic && !(frequencies.from > 0.0 && frequencies.to > 0.0)) {
    return fail(builder, item, frequencies.from > 0.0 ? "to" : "from",
                "a logarithmic sweep cannot start or end at a frequency of zero",
                "give both a positive frequency, or write 'sweep: linear'");
  }
  addSource(item, builder,
            std::make_unique<Chirp>(
                Chirp::Wave{item.number("amplitude"), item.number("offset"), item.number("phase")},
                frequencies, item.number("start"), item.number("duration")));
}

void makePulse(const Item& item, Builder& builder) {
  if (item.has("width") == item.has("duty")) {
    return fail(builder, item, "duty",
                "either 'width' (seconds) or 'duty' (fraction of the period) is needed");
  }
  const double period = item.number("period");
  const double width = item.has("width") ? item.number("width") : item.number("duty") * period;
  if (!(width > 0.0 && width < period)) {
    return fail(builder, item, item.has("width") ? "width" : "duty",
                "the pulse must be longer than zero and shorter than its period");
  }
  addSource(item, builder,
            std::make_unique<Pulse>(item.number("start"), period, width,
                                    Pulse::Levels{item.number("low"), item.number("high")}));
}

void makeNoise(const Item& item, Builder& builder) {
  const bool isUniform = item.text("distribution") == "uniform";
  const Noise::Numbers numbers{
      isUniform ? Noise::Distribution::kUniform : Noise::Distribution::kGaussian,
      item.number("mean"), item.number("deviation"),
      static_cast<std::uint64_t>(item.integer("seed"))};
  addSource(item, builder,
            std::make_unique<Noise>(
                numbers, item.number("period"),
                item.text("shape") == "hold" ? Noise::Shape::kHold : Noise::Shape::kLinear));
}

void registerChirp(system::Registry& registry) {
  const auto frequency = [](const char* name, const char* doc) {
    return required(notNegative(number(name, base::kFrequency, doc)));
  };
  registry.add(
      {.section = "blocks",
       .type = "chirp",
       .doc = "A sine whose frequency sweeps from one value to another; constant before and after.",
       .parameters =
           {frequency("from", "frequency at the start"), frequency("to", "frequency at the end"),
            required(positive(number("duration", base::kTime, "how long it lasts"))),
            withDefault(
                system::choice("sweep", {"linear", "logarithmic"},
                               "how the frequency changes: linearly or logarithmically with time"),
                "linear"),
            withDefault(signalValue("amplitude", "amplitude"), "1"),
            withDefault(number("start", base::kTime, "time of its start"), "0"),
            withDefault(number("phase", base::kAngle, "phase of the sine at the start"), "0"),
            withDefault(signalValue("offset", "mean value, also before and after"), "0")},
       .make = makeChirp,
       .samples = {sourceSample("{type: chirp, from: 0.5 Hz, to: 3 Hz, duration: 20, amplitude: 2, "
                                "phase: 20 deg, offset: 0.3}"),
                   sourceSample("{type: chirp, from: 0.5 Hz, to: 3 Hz, duration: 20, sweep: "
                                "logarithmic}")},
       .facts = {.hasRate = true}});
}

void registerPulse(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "pulse",
       .doc = "An endless train of rectangular pulses. Time steps end at every edge.",
       .parameters =
           {required(
                positive(number("period", base::kTime, "time from one rising edge to the next"))),
            number("width", base::kTime, "how long it is high in each period"),
            number("duty", base::kDimensionless,
                   "fraction of the period during which it is high, instead of the width"),
            withDefault(signalValue("high", "value during a pulse"), "1"),
            withDefault(signalValue("low", "value between pulses and before the first"), "0"),
            withDefault(number("start", base::kTime, "time of the first rising edge"), "0")},
       .make = makePulse,
       .samples = {sourceSample(
                       "{type: pulse, period: 0.4, width: 0.1, high: 2, low: -1, start: 0.05}"),
                   sourceSample("{type: pulse, period: 0.4, duty: 30 %}")},
       .facts = {.hasRate = true, .jumps = true}});
}

void registerNoise(system::Registry& registry) {
  Parameter seed =
      number("seed", base::kDimensionless, "seed of the sequence: equal seeds give equal noise");
  seed.shape = system::Shape::kInteger;
  registry.add(
      {.section = "blocks",
       .type = "noise",
       .doc = "Random numbers at regular intervals, joined by straight lines or held. They depend "
              "only on the seed and the time, not on the time step. At low frequencies the "
              "one-sided power spectral density is 2 · deviation² · period; it falls to half of "
              "that at 0.32 (linear) or 0.44 (hold) divided by the period.",
       .parameters =
           {required(positive(number("period", base::kTime, "time from one number to the next"))),
            withDefault(notNegative(signalValue("deviation", "standard deviation of the numbers")),
                        "1"),
            withDefault(signalValue("mean", "mean value"), "0"),
            withDefault(system::choice("distribution", {"gaussian", "uniform"},
                                       "distribution of the numbers; uniform ones lie within √3 "
                                       "deviations of the mean"),
                        "gaussian"),
            withDefault(system::choice("shape", {"linear", "hold"},
                                       "straight lines from number to number, or each "
                                       "held until the next"),
                        "linear"),
            withDefault(notNegative(std::move(seed)), "1")},
       .make = makeNoise,
       .samples = {sourceSample("{type: noise, period: 0.2, deviation: 0.5, mean: 0.1, seed: 7}"),
                   sourceSample("{type: noise, period: 0.2, distribution: uniform, shape: hold}")},
       .facts = {.hasRate = true}});
}

}  // namespace

void registerExcitations(system::Registry& registry) {
  registerChirp(registry);
  registerPulse(registry);
  registerNoise(registry);
}

}  // namespace flexloop::control
