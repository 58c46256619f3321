#include "control/sources/source_maker.hpp"

#include <string>
#include <utility>

#include "system/parameter_makers.hpp"

namespace flexloop::control {

void addSource(const system::Item& item, system::Builder& builder,
               std::unique_ptr<TimeFunction> function) {
  const system::UnknownIndex signal = builder.defineSignal(
      item.name(), item.name() + ": function of time", function->at(0.0).value);
  for (const double time : function->breaks()) builder.addBreak(time);
  for (const system::Clock& times : function->periodicBreaks()) builder.addBreaks(times);
  builder.elementSet<SourceSet>().add(item.name(), signal, std::move(function));
}

system::Parameter signalValue(const char* name, const char* doc) {
  return anyUnit(system::number(name, base::kDimensionless, doc));
}

std::string sourceSample(const std::string& block) {
  return R"(flexloop: 1
nodes: {cart: {position: [0.2, -0.4, 1.1], free: [x, z]}}
bodies: {cart: {node: cart, mass: 1.5}}
loads: {push: {node: cart, force: [2, 1, -3], signal: source}}
blocks:
  source: )" +
         block + "\n";
}

}  // namespace flexloop::control
