// Sensor `energy`: kinetic and potential energy and their sum, of the whole machine or of a part of it.
#include <algorithm>
#include <array>
#include <optional>

#include "mechanics/beams/beam_maker.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "system/element_roles.hpp"
#include "system/gathering.hpp"
#include "system/jet_view.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;

namespace {

using system::Environment;
using system::Motion;

constexpr std::array<const char*, 3> kComponents{"kinetic", "potential", "total"};

class EnergyMeasure final : public system::Measure {
 public:
  // Elements of a set; all of them, those that come later too, without a count.
  struct Part {
    const system::ElementSet* set;
    const system::StoredEnergy* energy;
    int first = 0;
    std::optional<int> count;

    int size() const { return count.value_or(set->size()); }
  };

  explicit EnergyMeasure(std::vector<Part> parts)
      : Measure({kComponents.begin(), kComponents.end()}), parts_(std::move(parts)) {}

  // One by element. What has no energy at all is one term that depends on nothing.
  std::vector<Term> terms() const override {
    std::vector<Term> terms;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      for (int e = part.first; e < part.first + part.size(); ++e) {
        Term& term = terms.emplace_back(Term{{}, {}, static_cast<int>(p), e});
        for (int k = 0; k < part.set->nodes(e); ++k) term.nodes.push_back(part.set->node(e, k));
        for (int k = 0; k < part.set->scalars(e); ++k) {
          term.scalars.push_back(part.set->scalar(e, k));
        }
      }
    }
    if (terms.empty()) terms.push_back({{}, {}, kNothing, 0});
    return terms;
  }

  // What comes and goes has energy but no terms.
  bool canBeSignal() const override {
    return std::none_of(parts_.begin(), parts_.end(), [](const Part& part) {
      return dynamic_cast<const system::Gathering*>(part.set) != nullptr;
    });
  }

  void calc(const Motion& motion, const Environment& environment, bool rate,
            double* q) const override {
    const auto sum =
        rate ? &system::StoredEnergy::sumEnergyRates : &system::StoredEnergy::sumEnergies;
    system::Energy energy;
    for (const Part& part : parts_) {
      energy += (part.energy->*sum)(motion, environment, part.first, part.size());
    }
    store(energy, q);
  }

  void calcJets(const Motion& motion, const Environment& environment, const Term& term,
                const system::JetSeeds& seeds, math::Jet* q) const override {
    using Energy = system::EnergyOf<math::Jet>;
    store(term.part == kNothing
              ? Energy()
              : parts_[term.part].energy->energyJet(motion, environment, term.element, seeds),
          q);
  }

  // Energies of large machines are long rows.
  void subtractGradient(const Motion& motion, const Environment& environment, const Term& term,
                        const std::vector<double>& w, bool rate,
                        system::Tangents& tangents) const override {
    if (term.part == kNothing) return;
    if (rate) {
      return Measure::subtractGradient(motion, environment, term, w, rate, tangents);
    }
    parts_[term.part].energy->subtractEnergyGradient(motion, environment, term.element,
                                                     {w[0] + w[2], w[1] + w[2]}, tangents);
  }

 private:
  static constexpr int kNothing = -1;

  template <class S>
  static void store(const system::EnergyOf<S>& energy, S* q) {
    q[0] = energy.kinetic;
    q[1] = energy.potential;
    q[2] = energy.total();
  }

  std::vector<Part> parts_;
};

std::vector<EnergyMeasure::Part> findSetsWithEnergy(const Builder& builder) {
  std::vector<EnergyMeasure::Part> parts;
  for (const auto& set : builder.system().sets()) {
    const auto* energy = dynamic_cast<const system::StoredEnergy*>(set.get());
    if (energy != nullptr) parts.push_back({set.get(), energy, 0, {}});
  }
  return parts;
}

void makeEnergy(const Item& item, Builder& builder) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kOwners{
      {{"body", "bodies"}, {"beam", "beams"}, {"spring", "springs"}}};
  std::vector<EnergyMeasure::Part> parts;
  int owners = 0;
  for (const auto& [key, section] : kOwners) {
    if (!item.has(key)) continue;
    if (++owners > 1) {
      return failSensor(builder, item, key, "'body', 'beam' and 'spring' cannot be combined",
                        "without them, the energy of the whole machine is measured");
    }
    for (const std::string_view part : {std::string_view(), kInertiaPart}) {
      const auto* found = builder.findAttachment(section, item.text(key) + std::string(part));
      if (found == nullptr) continue;
      const auto* energy = dynamic_cast<const system::StoredEnergy*>(found->set);
      if (energy != nullptr) parts.push_back({found->set, energy, found->element, found->count});
    }
  }
  if (owners == 0) parts = findSetsWithEnergy(builder);
  auto measure = std::make_unique<EnergyMeasure>(std::move(parts));
  if (item.has("component")) {
    const auto* found = std::find(kComponents.begin(), kComponents.end(), item.text("component"));
    measure->setComponent(static_cast<int>(found - kComponents.begin()));
  }
  builder.addMeasure(item.name(), std::move(measure));
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
       .doc = "Kinetic and potential energy and their sum, of the machine or of a part of it, "
              "including the potential of gravity. Used as a signal, the energy of the machine "
              "adds one equation that contains all unknowns.",
       .parameters = {thing("body", "bodies", "of this body"),
                      thing("beam", "beams", "of this beam"),
                      thing("spring", "springs", "of this spring"),
                      withNote(choice("component", {kComponents.begin(), kComponents.end()},
                                      "measure only this one of the three"),
                               "all three")},
       .make = makeEnergy,
       .samples = {twoBodies() + kSample,
                   twoBodies() + kSignalSample +
                       readByBlock(
                           "all.total, all.kinetic.rate, all.potential.rate, e1, e2.total")},
       .facts = {.unit = "J", .hasRate = true}});
}

}  // namespace flexloop::mechanics
