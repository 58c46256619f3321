// Sensor `energy`: kinetic and potential energy and their sum, of the whole machine or of a part of it.
#include <algorithm>
#include <array>
#include <optional>

#include "mechanics/beams/beam_maker.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;

namespace {

using Attachment = Builder::Attachment;

constexpr std::array<const char*, 3> kComponents{"kinetic", "potential", "total"};
constexpr std::array<system::Energy, 3> kWeights{{{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}}};

// What an energy that is a signal has besides the shares of elements: r = y.
struct SignalAlone {
  static constexpr const char* kType = "sensor";
  static constexpr int kNodes = 0, kScalars = 1;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    S factor = S(1.0);
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 0, 1>& u,
                          const system::Environment&, system::Residual<S, 0, 1>& r) {
    r.scalar[0] += p.factor * u.value[0];
  }
};

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
    store(calcSum(&system::ElementSet::energy, motion), value);
  }
  void calcRate(const system::Motion& motion, double* rate) const override {
    store(calcSum(&system::ElementSet::energyRate, motion), rate);
  }

  bool addSignal(const system::SignalRequest& request, Builder& builder) const override {
    const system::EnergySignal signal{request.name, request.unknown,
                                      kWeights[component_.value_or(request.component)],
                                      request.rate};
    builder.elements<SignalAlone>().add(request.name, {}, {request.unknown}, {});
    forEachPart([&](const system::ElementSet& set, int first, int count) {
      builder.addSet(set.makeEnergyShares(signal, first, count));
    });
    return true;
  }

 private:
  template <class Use>
  void forEachPart(Use use) const {
    for (const Attachment& part : parts_) use(*part.set, part.element, part.count);
    for (const system::ElementSet* set : sets_) use(*set, 0, set->size());
  }

  using Summand = system::Energy (system::ElementSet::*)(const system::Motion&,
                                                         const system::Environment&, int) const;
  system::Energy calcSum(Summand summand, const system::Motion& motion) const {
    system::Energy sum;
    forEachPart([&](const system::ElementSet& set, int first, int count) {
      for (int e = first; e < first + count; ++e) {
        sum += (set.*summand)(motion, motion.environment, e);
      }
    });
    return sum;
  }

  void store(const system::Energy& sum, double* to) const {
    const std::array<double, 3> all{sum.kinetic, sum.potential, sum.total()};
    if (component_) {
      *to = all[*component_];
    } else {
      std::copy(all.begin(), all.end(), to);
    }
  }

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

// One of each type of element that has an energy, and lumped inertia of beams.
constexpr const char* kSignalSample = R"(
materials: {plastic: {E: 2 GPa, nu: 0.35, rho: 1100}}
sections: {strip: {type: rectangle, width: 30 mm, height: 12 mm}}
beams:
  arm: {from: A, to: B, elements: 2, section: strip, material: plastic, y_axis: [0, 0, 1]}
  leg: {from: A, to: B, elements: 1, order: 2, section: strip, material: plastic, y_axis: [0, 0, 1]}
  rib: {from: A, to: B, elements: 1, order: 3, section: strip, material: plastic, y_axis: [0, 0, 1]}
joints: {h: {type: cylindrical, between: [ground, A], at: [1, 1, 1], axis: [1, 2, 1]}}
springs:
  s: {type: distance, between: [ground, A], at: [1, 1, 1], stiffness: 40}
  b: {type: bushing, between: [A, B], stiffness: [50, 60, 70, 5, 6, 7]}
  k: {type: linear, between: [ground, B], direction: [1, 2, 2], stiffness: 30}
  t: {type: torsional, between: [A, B], axis: [1, 2, 2], stiffness: 3}
sensors:
  all: {measure: energy}
  e1: {measure: energy, body: second, component: kinetic}
  e2: {measure: energy, beam: arm}
)";

}  // namespace

void registerEnergyMeasure(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "sensors",
       .type = "energy",
       .doc = "Kinetic and potential energy and their sum, of the machine or of a part of it, with "
              "the potential of gravity. As a signal, the energy of the machine makes one equation "
              "with "
              "all of its unknowns.",
       .parameters = {thing("body", "bodies", "of this body"),
                      thing("beam", "beams", "of this beam"),
                      thing("spring", "springs", "of this spring"),
                      withNote(choice("component", {kComponents.begin(), kComponents.end()},
                                      "only this one of the three"),
                               "all three")},
       .make = makeEnergy,
       .samples = {twoBodies() + kSample,
                   twoBodies() + kSignalSample +
                       readByBlock(
                           "all.total, all.kinetic.rate, all.potential.rate, e1, e2.total")},
       .facts = {.unit = "J", .hasRate = true}});
}

}  // namespace flexloop::mechanics
