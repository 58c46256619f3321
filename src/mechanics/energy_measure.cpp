// Sensor `energy`: kinetic and potential energy and their sum, of the whole machine or of a part of it.
// It can be recorded; as a signal it would couple one equation with the whole machine.
#include <algorithm>
#include <array>
#include <optional>

#include "mechanics/beam_maker.hpp"
#include "mechanics/measure_makers.hpp"
#include "mechanics/sample_models.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;

namespace {

using Attachment = Builder::Attachment;

constexpr std::array<const char*, 3> kComponents{"kinetic", "potential", "total"};

class EnergyMeasure final : public system::Measure {
 public:
  // Of elements, and of all elements of sets. The component is an index of kComponents, or all.
  EnergyMeasure(std::vector<Attachment> parts, std::vector<const system::ElementSet*> sets,
                std::optional<int> component)
      : parts_(std::move(parts)), sets_(std::move(sets)), component_(component) {}

  std::vector<std::string> components() const override {
    if (component_) return {""};
    return {kComponents.begin(), kComponents.end()};
  }

  void calcValue(const system::Motion& motion, double* value) const override {
    system::Energy sum;
    const auto add = [&](const system::ElementSet& set, int first, int last) {
      for (int e = first; e < last; ++e) sum += set.energy(motion, motion.environment, e);
    };
    for (const Attachment& part : parts_) add(*part.set, part.element, part.element + part.count);
    for (const system::ElementSet* set : sets_) add(*set, 0, set->size());
    const std::array<double, 3> all{sum.kinetic, sum.potential, sum.total()};
    if (component_) {
      *value = all[*component_];
    } else {
      std::copy(all.begin(), all.end(), value);
    }
  }

  // What changes the energy is not known to the elements that have it.
  bool hasRate() const override { return false; }
  void calcRate(const system::Motion&, double* rate) const override {
    std::fill(rate, rate + components().size(), 0.0);
  }
  bool addSignal(const system::SignalRequest&, Builder&) const override { return false; }

 private:
  std::vector<Attachment> parts_;
  std::vector<const system::ElementSet*> sets_;
  std::optional<int> component_;
};

std::vector<const system::ElementSet*> findSetsWithEnergy(const Builder& builder) {
  std::vector<const system::ElementSet*> sets;
  for (const auto& set : builder.system().sets()) {
    if (set->hasEnergy()) sets.push_back(set.get());
  }
  return sets;
}

void makeEnergy(const Item& item, Builder& builder) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kOwners{
      {{"body", "bodies"}, {"beam", "beams"}, {"spring", "springs"}}};
  std::vector<Attachment> parts;
  int owners = 0;
  for (const auto& [key, section] : kOwners) {
    if (!item.has(key)) continue;
    if (++owners > 1) {
      return failSensor(builder, item, key, "only one of 'body', 'beam' and 'spring' can be given",
                        "without any, the energy of the whole machine is measured");
    }
    for (const std::string_view part : {std::string_view(), kInertiaPart}) {
      const auto* found = builder.findAttachment(section, item.text(key) + std::string(part));
      if (found != nullptr) parts.push_back(*found);
    }
  }
  std::optional<int> component;
  if (item.has("component")) {
    const auto* found = std::find(kComponents.begin(), kComponents.end(), item.text("component"));
    component = static_cast<int>(found - kComponents.begin());
  }
  std::vector<const system::ElementSet*> sets;
  if (owners == 0) sets = findSetsWithEnergy(builder);
  builder.addMeasure(item.name(),
                     std::make_unique<EnergyMeasure>(std::move(parts), std::move(sets), component));
}

constexpr const char* kSample = R"(
materials: {plastic: {E: 2 GPa, nu: 0.35, rho: 1100}}
sections: {strip: {type: rectangle, width: 30 mm, height: 12 mm}}
beams:
  arm: {from: A, to: B, elements: 2, section: strip, material: plastic, y_axis: [0, 0, 1]}
  leg: {from: A, to: B, elements: 1, order: 2, section: strip, material: plastic, y_axis: [0, 0, 1]}
springs: {s: {type: distance, between: [ground, A], at: [1, 1, 1], stiffness: 40}}
sensors:
  all: {measure: energy}
  e1: {measure: energy, body: second, component: kinetic}
  e2: {measure: energy, beam: arm}
  e3: {measure: energy, beam: leg, component: total}
  e4: {measure: energy, spring: s, component: potential}
)";

}  // namespace

void registerEnergyMeasure(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "sensors",
       .type = "energy",
       .doc = "Kinetic and potential energy and their sum, of the machine or of a part of it, with "
              "the potential of gravity. It can be recorded, but is no signal.",
       .parameters = {thing("body", "bodies", "of this body"),
                      thing("beam", "beams", "of this beam"),
                      thing("spring", "springs", "of this spring"),
                      withNote(choice("component", {kComponents.begin(), kComponents.end()},
                                      "only this one of the three"),
                               "all three")},
       .make = makeEnergy,
       .samples = {twoBodies() + kSample}});
}

}  // namespace flexloop::mechanics
