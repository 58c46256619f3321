#include "random/maker.hpp"

namespace flexloop::random {

Item Maker::newBlock(const std::string& type) {
  Item item{"blocks", newName("b"), {}, {}};
  item.with("type", type);
  return item;
}

Signal Maker::finish(Item item, Dimension dimension, double size) {
  const std::string name = item.name;
  machine_.items.push_back(std::move(item));
  machine_.outputs.push_back({name, "signal", dimension, false, ""});
  return {name, dimension, size};
}

// All but tables and expressions have a value at the start that is easily told; the first value of a table is that too.
Signal Maker::addSource(Dimension d, double size) {
  note(Trait::kTimed);
  if (isStiff()) return addSmoothStart(d, size);
  const double end = machine_.end, offset = dice_.uniform(-0.5, 0.5) * size;
  const Number amplitude{dice_.uniform(0.3, 1.0) * size, d};
  const Number start{dice_.uniform(0.05, 0.6) * end, kTime};
  const auto at = [&](double v) { return Number{v, d}; };
  switch (dice_.below(11)) {
    case 0: {
      note(Trait::kJumps);
      Item item = newBlock("step");
      item.with("at", start).with("from", at(offset)).with("to", at(offset + amplitude.value));
      item.atStart = at(offset);
      return finish(item, d, size);
    }
    case 1: {
      Item item = newBlock("ramp");
      item.with("start", start)
          .with("slope", Number{amplitude.value / end, d / kTime})
          .with("offset", at(offset));
      item.atStart = at(offset);
      return finish(item, d, size);
    }
    case 2: {
      Item item = newBlock("sine");
      const double phase = dice_.uniform(-2.0, 2.0);
      item.with("amplitude", amplitude).with("omega", Number{dice_.uniform(5.0, 30.0), kRate});
      item.with("phase", phase).with("offset", at(offset));
      item.atStart = at(offset + amplitude.value * std::sin(phase));
      return finish(item, d, size);
    }
    case 3: {
      List times, values;
      double t = 0.0, first = 0.0;
      for (int i = 0; i < 5; ++i, t += dice_.uniform(0.05, 0.3) * end) {
        const double value = dice_.uniform(-1.0, 1.0) * size;
        if (i == 0) first = value;
        times.emplace_back(Number{t, kTime});
        values.emplace_back(at(value));
      }
      Item item = newBlock("table");
      item.with("time", times).with("value", values);
      if (dice_.chance(0.4)) item.with("smooth", "true");
      item.atStart = at(first);
      return finish(item, d, size);
    }
    case 4: {
      Item item = newBlock("chirp");
      item.with("from", Number{dice_.uniform(0.5, 2.0), kRate})
          .with("to", Number{dice_.uniform(2.0, 6.0), kRate});
      item.with("duration", Number{0.7 * end, kTime})
          .with("amplitude", amplitude)
          .with("offset", at(offset));
      item.atStart = at(offset);
      return finish(item, d, size);
    }
    case 5: {
      note(Trait::kJumps);
      Item item = newBlock("pulse");
      item.with("period", Number{dice_.uniform(0.15, 0.4) * end, kTime})
          .with("duty", dice_.uniform(0.05, 0.9));
      item.with("high", amplitude).with("start", start);
      item.atStart = at(0.0);
      return finish(item, d, size);
    }
    case 6: {
      const bool isHeld = dice_.chance(0.4);
      if (isHeld) note(Trait::kJumps);
      Item item = newBlock("noise");
      item.with("period", Number{dice_.uniform(0.1, 0.3) * end, kTime})
          .with("deviation", Number{0.5 * size, d});
      item.with("shape", isHeld ? "hold" : "linear")
          .with("seed", std::to_string(dice_.below(1000)));
      item.atStart = at(0.0);
      return finish(item, d, size);
    }
    case 7: {
      Item item = newBlock("expression");
      const double rate = dice_.uniform(3.0, 15.0);
      Item clock = newBlock("ramp");
      clock.with("slope", Number{rate, kRate});
      clock.atStart = Number{0.0};
      const std::string name = finish(clock, kNone, rate * end).name;
      Item unit = newBlock("gain");
      item.with("value", "\"= sin(x)*exp(-0.3*x)\"").with("inputs", Map{{"x", name}});
      const Signal wave = finish(item, kNone, 1.0);
      unit.with("input", wave.name).with("gain", amplitude);
      return finish(unit, d, size);
    }
    default:
      return addSmoothStart(d, size);
  }
}

Signal Maker::addSmoothStart(Dimension d, double size) {
  note(Trait::kTimed);
  const double end = machine_.end;
  const Number distance{dice_.sign() * dice_.uniform(0.3, 1.0) * size, d};
  const Number start{dice_.uniform(0.05, 0.3) * end, kTime};
  const double duration = dice_.uniform(0.4, 1.0) * end;
  const double v = 2.0 * std::abs(distance.value) / duration;
  Item item{"blocks", "", {}, {}};
  switch (isStiff() ? 0 : dice_.below(4)) {
    case 1:
      item = newBlock("trapezoid");
      item.with("distance", distance)
          .with("velocity", Number{v, d / kTime})
          .with("acceleration", Number{4.0 * v / duration, d / kTime / kTime})
          .with("start", start);
      break;
    case 2:
      item = newBlock("s_curve");
      item.with("distance", distance)
          .with("velocity", Number{v, d / kTime})
          .with("acceleration", Number{8.0 * v / duration, d / kTime / kTime})
          .with("jerk", Number{64.0 * v / duration / duration, d / kTime / kTime / kTime})
          .with("start", start);
      break;
    case 3:
      item = newBlock("sine");
      item.with("amplitude", distance).with("omega", Number{dice_.uniform(4.0, 12.0), kRate});
      break;
    default:
      item = newBlock("polynomial");
      item.with("distance", distance)
          .with("duration", Number{duration, kTime})
          .with("start", start);
      item.with("order", isStiff() || dice_.chance(0.5) ? "7" : "5");
  }
  item.atStart = Number{0.0, d};
  return finish(item, d, size);
}

}  // namespace flexloop::random
