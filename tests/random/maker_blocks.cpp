#include "random/maker.hpp"

namespace flexloop::random {

Signal Maker::addFilter(const Signal& input) {
  const Dimension d = input.dimension;
  const auto use = [&](const std::string& type) {
    return newBlock(type).with("input", input.name);
  };
  const Number frequency{dice_.uniform(4.0, 15.0), kRate};
  switch (dice_.below(7)) {
    case 0:
      return finish(use("low_pass")
                        .with("frequency", frequency)
                        .with("order", std::to_string(dice_.between(1, 3))),
                    d, input.size);
    case 1:
      return finish(use("lead_lag").with("lead", time(0.01, 0.05)).with("lag", time(0.01, 0.05)), d,
                    input.size);
    case 2:
      return finish(
          use("notch").with("frequency", frequency).with("damping", 0.4).with("depth", 0.2), d,
          input.size);
    case 3: {
      const double T = dice_.logUniform(0.01, 0.05), zeta = dice_.uniform(0.4, 1.0);
      return finish(use("transfer_function")
                        .with("numerator", List{Number{0.3 * T, kTime}, 1.0})
                        .with("denominator", List{Number{T * T, kTime * kTime},
                                                  Number{2.0 * zeta * T, kTime}, 1.0}),
                    d, input.size);
    }
    case 4: {
      const double pole = dice_.uniform(15.0, 40.0), im = dice_.uniform(5.0, 20.0),
                   zero = dice_.uniform(20.0, 60.0);
      const double gain = (pole * pole + im * im) / zero;
      return finish(use("zero_pole_gain")
                        .with("zeros", listOf({-zero}, kRate))
                        .with("pole_pairs", List{listOf({-pole, im}, kRate)})
                        .with("gain", Number{gain, kRate}),
                    d, input.size);
    }
    case 5: {
      // What passes a band or only high frequencies is added to the signal, so that the loop keeps its stiffness.
      Item part = use(dice_.chance(0.5) ? "high_pass" : "band_pass").with("frequency", frequency);
      if (part.entries.front().value.data.index() == 2 &&
          std::get<Text>(part.entries.front().value.data).text == "band_pass") {
        part.with("damping", 0.5);
      }
      const Signal shaped = finish(part, d, input.size);
      return finish(newBlock("sum").with("inputs", namesOf({input.name, shaped.name})), d,
                    input.size);
    }
    default: {
      // An integral of the signal, and a filtered derivative, both with a time constant.
      Item slow = use(dice_.chance(0.5) ? "integrator" : "derivative");
      const bool isIntegral = std::get<Text>(slow.entries.front().value.data).text == "integrator";
      if (isIntegral) {
        slow.with("gain", Number{dice_.uniform(1.0, 5.0), kRate});
      } else {
        slow.with("filter", time(0.01, 0.05));
      }
      const Signal part = finish(slow, isIntegral ? d : d / kTime, input.size);
      const Signal share = finish(newBlock("gain")
                                      .with("input", part.name)
                                      .with("gain", isIntegral ? Number{0.5} : Number{0.01, kTime}),
                                  d, input.size);
      return finish(newBlock("sum").with("inputs", namesOf({input.name, share.name})), d,
                    input.size);
    }
  }
}

Signal Maker::addAlgebra(const Signal& input) {
  const Dimension d = input.dimension;
  const double size = input.size;
  // Functions know no units: their argument is a share of the size.
  const auto share = [&] {
    return finish(
        newBlock("gain").with("input", input.name).with("gain", Number{1.0 / size, kNone / d}),
        kNone, 1.0);
  };
  const auto back = [&](const Signal& signal) {
    return finish(newBlock("gain").with("input", signal.name).with("gain", Number{size, d}), d,
                  size);
  };
  switch (dice_.below(6)) {
    case 0: {
      const Signal part = share();
      return back(
          finish(newBlock("function")
                     .with("input", part.name)
                     .with("function", dice_.pick<std::string>({"sin", "tanh", "atan", "sinh"})),
                 kNone, 1.0));
    }
    case 1: {
      const Signal part = share();
      const Signal square = finish(
          newBlock("function").with("input", part.name).with("function", "square"), kNone, 1.0);
      const Signal cubic =
          finish(newBlock("product").with("inputs", namesOf({part.name, square.name})), kNone, 1.0);
      const Signal sum =
          finish(newBlock("sum").with("inputs", namesOf({part.name, cubic.name})), kNone, 1.0);
      return back(sum);
    }
    case 2: {
      const Signal part = share();
      const Signal below = finish(newBlock("expression")
                                      .with("value", "\"= 1 + 0.2*x^2\"")
                                      .with("inputs", Map{{"x", part.name}}),
                                  kNone, 1.2);
      return finish(newBlock("ratio").with("numerator", input.name).with("denominator", below.name),
                    d, size);
    }
    case 3: {
      Item item = newBlock("lookup").with("input", input.name);
      item.with("x", listOf({-2.0 * size, -size, -0.2 * size, 0.3 * size, size, 2.0 * size}, d));
      item.with("y",
                listOf({-1.5 * size, -size, -0.3 * size, 0.3 * size, 0.8 * size, 1.5 * size}, d));
      const int kind = dice_.below(3);
      if (kind == 0) note(Trait::kKinked);
      item.with("interpolation", kind == 0   ? "linear"
                                 : kind == 1 ? "spline"
                                             : "monotone")
          .with("extrapolate", "linear");
      return finish(item, d, size);
    }
    case 4: {
      const Signal part = share();
      Item item = newBlock("lookup2").with("inputs", namesOf({input.name, part.name}));
      item.with("x", listOf({-2.0 * size, 0.0, 2.0 * size}, d)).with("y", listOf({-2.0, 0.0, 2.0}));
      item.with("table", List{listOf({-2.2 * size, -2.0 * size, -1.9 * size}, d),
                              listOf({-0.1 * size, 0.0, 0.1 * size}, d),
                              listOf({1.8 * size, 2.0 * size, 2.3 * size}, d)});
      item.with("interpolation", "spline").with("extrapolate", "linear");
      return finish(item, d, size);
    }
    default:
      return finish(
          newBlock("gain").with("input", input.name).with("gain", dice_.uniform(0.5, 1.5)), d,
          size);
  }
}

Signal Maker::addLimit(const Signal& input) {
  const Dimension d = input.dimension;
  const double size = input.size;
  note(Trait::kKinked);
  const std::string events = dice_.chance(0.5) ? "true" : "false";
  if (events == "true") note(Trait::kEvents);
  switch (dice_.below(4)) {
    case 0:
      return finish(newBlock("saturation")
                        .with("input", input.name)
                        .with("lower", Number{-0.3 * size, d})
                        .with("upper", Number{0.2 * size, d})
                        .with("events", events),
                    d, 0.3 * size);
    case 1:
      return finish(newBlock("dead_zone")
                        .with("input", input.name)
                        .with("width", Number{0.2 * size, d})
                        .with("events", events),
                    d, size);
    case 2:
      note(Trait::kEvents);
      return finish(newBlock("rate_limiter")
                        .with("input", input.name)
                        .with("up", Number{3.0 * size, d / kTime})
                        .with("down", Number{2.0 * size, d / kTime})
                        .with("lag", time(0.01, 0.03)),
                    d, size);
    default: {
      note(Trait::kEvents);
      const Signal backlash = finish(
          newBlock("backlash").with("input", input.name).with("width", Number{0.1 * size, d}), d,
          size);
      return backlash;
    }
  }
}

// Signals that jump where others cross a level; the jump is a share of the signal, which stays beside it.
Signal Maker::addSwitching(const Signal& input) {
  const Dimension d = input.dimension;
  const double size = input.size, level = dice_.uniform(-0.2, 0.2) * size, band = 0.1 * size;
  note(Trait::kKinked);
  note(Trait::kEvents);
  note(Trait::kJumps);
  const auto beside = [&](const Signal& jump) {
    return finish(newBlock("sum").with("inputs", namesOf({input.name, jump.name})), d, size);
  };
  switch (dice_.below(4)) {
    case 0:
      return beside(finish(newBlock("relay")
                               .with("input", input.name)
                               .with("on_above", Number{level + band, d})
                               .with("off_below", Number{level - band, d})
                               .with("on_value", Number{0.2 * size, d})
                               .with("off_value", Number{-0.1 * size, d}),
                           d, 0.2 * size));
    case 1: {
      const Signal half =
          finish(newBlock("gain").with("input", input.name).with("gain", 0.7), d, size);
      return finish(newBlock("switch")
                        .with("control", input.name)
                        .with("threshold", Number{level, d})
                        .with("above", input.name)
                        .with("below", half.name)
                        .with("hysteresis", Number{band, d}),
                    d, size);
    }
    case 2: {
      const Signal on = finish(newBlock("comparison")
                                   .with("input", input.name)
                                   .with("to", Number{level, d})
                                   .with("relation", "greater")
                                   .with("hysteresis", Number{band, d}),
                               kNone, 1.0);
      const Signal off =
          finish(newBlock("logic").with("inputs", namesOf({on.name})).with("operation", "not"),
                 kNone, 1.0);
      return beside(
          finish(newBlock("gain").with("input", off.name).with("gain", Number{0.2 * size, d}), d,
                 0.2 * size));
    }
    default:
      return finish(
          newBlock("quantizer").with("input", input.name).with("step", Number{0.25 * size, d}), d,
          size);
  }
}

Signal Maker::addDelay(const Signal& input) {
  Item item = newBlock("transport_delay").with("input", input.name).with("delay", time(5e-3, 4e-2));
  if (dice_.chance(0.3)) {
    item.with("pade", std::to_string(dice_.between(1, 3)));
  } else {
    note(Trait::kDelayed);
  }
  return finish(item, input.dimension, input.size);
}

Signal Maker::addHold(const Signal& input) {
  note(Trait::kSampled);
  note(Trait::kJumps);
  const std::string type = dice_.pick<std::string>({"zero_order_hold", "hold", "unit_delay"});
  Item item = newBlock(type).with("input", input.name).with("sample", time(0.008, 0.02));
  if (dice_.chance(0.5)) item.with("offset", time(1e-3, 5e-3));
  Signal signal = finish(item, input.dimension, input.size);
  signal.isSampled = true;
  return signal;
}

}  // namespace flexloop::random
