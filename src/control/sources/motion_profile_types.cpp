#include "control/blocks/block_maker.hpp"
#include "control/sources/motion_profiles.hpp"
#include "control/sources/source_maker.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;
using system::number;
using system::Parameter;
using system::withDefault;

namespace {

MoveLimits limitsOf(const Item& item) {
  return {item.number("velocity"), item.number("acceleration")};
}

void makeTrapezoidSource(const Item& item, Builder& builder) {
  addSource(
      item, builder,
      std::make_unique<PiecewiseMove>(makeTrapezoid(item.number("start"), item.number("from"),
                                                    item.number("distance"), limitsOf(item))));
}

void makeSCurveSource(const Item& item, Builder& builder) {
  addSource(item, builder,
            std::make_unique<PiecewiseMove>(makeSCurve(item.number("start"), item.number("from"),
                                                       item.number("distance"), limitsOf(item),
                                                       item.number("jerk"))));
}

void makePolynomialSource(const Item& item, Builder& builder) {
  const int order = item.integer("order");
  if (order != 3 && order != 5 && order != 7) {
    return fail(
        builder, item, "order", "the order is " + std::to_string(order),
        "it must be 3, 5 or 7: slope, also acceleration, also jerk are then zero at both ends");
  }
  addSource(
      item, builder,
      std::make_unique<PolynomialMove>(item.number("start"), item.number("from"),
                                       item.number("distance"), item.number("duration"), order));
}

// What all moves have, and what is special about one.
std::vector<Parameter> moveParameters(const std::vector<Parameter>& special) {
  const std::vector<Parameter> place{
      withDefault(number("start", base::kTime, "time at which the move starts"), "0"),
      withDefault(signalValue("from", "value before the move"), "0")};
  return system::joined(
      system::joined({required(signalValue("distance", "signed distance"))}, special), place);
}

Parameter limit(const char* name, const char* doc) {
  return required(positive(signalValue(name, doc)));
}

}  // namespace

void registerMotionProfiles(system::Registry& registry) {
  const Parameter velocity = limit("velocity", "largest velocity, positive");
  const Parameter acceleration = limit("acceleration", "largest acceleration, positive");
  registry.add({.section = "blocks",
                .type = "trapezoid",
                .doc = "The fastest move from rest to rest with limited velocity and acceleration: "
                       "its velocity is a trapezoid. It may drive a joint.",
                .parameters = moveParameters({velocity, acceleration}),
                .make = makeTrapezoidSource,
                .samples = {sourceSample("{type: trapezoid, distance: 1.2, velocity: 0.9, "
                                         "acceleration: 2, start: 0.1, from: 0.3}"),
                            sourceSample("{type: trapezoid, distance: -30 deg, velocity: 2 rad/s, "
                                         "acceleration: 1 rad/s^2}")},
                .facts = {.hasRate = true}});
  registry.add(
      {.section = "blocks",
       .type = "s_curve",
       .doc = "The fastest move from rest to rest with limited velocity, acceleration and jerk: "
              "its acceleration has no jumps. It may drive a joint.",
       .parameters =
           moveParameters({velocity, acceleration, limit("jerk", "largest jerk, positive")}),
       .make = makeSCurveSource,
       .samples = {sourceSample("{type: s_curve, distance: 1.2, velocity: 0.9, acceleration: 2, "
                                "jerk: 10, start: 0.1, from: 0.3}")},
       .facts = {.hasRate = true}});
  Parameter order = number("order", base::kDimensionless,
                           "3, 5 or 7: with zero slope, also zero acceleration, also zero jerk at "
                           "both ends");
  order.shape = system::Shape::kInteger;
  registry.add({.section = "blocks",
                .type = "polynomial",
                .doc = "A move from rest to rest in a given time by a polynomial. It may drive a "
                       "joint.",
                .parameters = moveParameters(
                    {required(positive(number("duration", base::kTime, "how long it takes"))),
                     withDefault(order, "5")}),
                .make = makePolynomialSource,
                .samples = {sourceSample("{type: polynomial, distance: -0.8, duration: 1.5, start: "
                                         "0.1, from: 0.3}"),
                            sourceSample("{type: polynomial, distance: 2, duration: 3, order: 3}"),
                            sourceSample("{type: polynomial, distance: 2, duration: 3, order: "
                                         "7}")},
                .facts = {.hasRate = true}});
}

}  // namespace flexloop::control
