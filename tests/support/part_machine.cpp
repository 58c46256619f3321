#include "support/part_machine.hpp"

#include <memory>
#include <vector>

#include "language/model_reader.hpp"
#include "mechanics/parts/reduced_bodies.hpp"
#include "model/build.hpp"
#include "support/built_sample.hpp"
#include "system/builder.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::test {
namespace {

using system::Builder;
using system::Item;

void makePart(const Item& item, Builder& builder, const PartList& parts) {
  const mechanics::ReducedModel& model = parts.at(item.text("part"));
  mechanics::PartPlace place;
  for (const std::string& node : item.names("nodes")) place.nodes.push_back(builder.findNode(node));
  std::vector<double> start;
  if (item.has("modes")) start = item.numbers("modes");
  start.resize(model.modes(), 0.0);
  for (int j = 0; j < model.modes(); ++j) {
    const std::string name = item.name() + " mode " + std::to_string(j + 1);
    place.modes.push_back(
        builder.addScalar(system::Kind::kMotion, name, name + " balance", start[j]));
  }
  auto& set = builder.elementSet<mechanics::ReducedBodies>();
  builder.attach(
      "springs", item.name(),
      {&set, set.add(item.name(), place, std::make_shared<mechanics::ReducedMatrices>(model))});
}

}  // namespace

model::Model buildWithParts(const std::string& text, const PartList& parts) {
  system::Registry registry;
  for (const system::TypeEntry& entry : fullRegistry().entries()) registry.add(entry);
  system::Parameter nodes{.name = "nodes", .shape = system::Shape::kNodes, .doc = "interfaces"};
  nodes.required = true;
  registry.add(
      {.section = "springs",
       .type = "hand_part",
       .doc = "A part of the list.",
       .parameters = {nodes, system::required(system::text("part", "its name")),
                      system::anyUnit(system::numbers("modes", {}, "at the start"))},
       .make = [parts](const Item& item, Builder& builder) { makePart(item, builder, parts); },
       .samples = {}});
  return model::buildModel(language::readModelText("flexloop: 1\n" + text, sampleFile(), registry),
                           registry);
}

}  // namespace flexloop::test
