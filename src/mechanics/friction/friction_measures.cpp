// Sensors of the friction on a coordinate: its force, and whether it sticks.
#include <memory>

#include "math/jet.hpp"
#include "mechanics/friction/coordinate_friction.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/jet_view.hpp"
#include "system/parameter_makers.hpp"
#include "system/switching.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;

namespace {

// f + λ of (32.3), (32.4), which acts against the coordinate.
class FrictionForceMeasure final : public system::Measure {
 public:
  FrictionForceMeasure(system::UnknownIndex sliding, std::optional<system::UnknownIndex> sticking)
      : Measure({""}), sliding_(sliding), sticking_(sticking) {}

  bool hasRate() const override { return false; }
  std::vector<Term> terms() const override {
    if (!sticking_) return {{{}, {sliding_}}};
    return {{{}, {sliding_, *sticking_}}};
  }
  void calc(const system::Motion& motion, const system::Environment& environment, bool,
            double* q) const override {
    *q = motion.value[sliding_.value];
    if (sticking_) *q += environment.constraintScale * motion.value[sticking_->value];
  }
  void calcJets(const system::Motion& motion, const system::Environment& environment, const Term&,
                const system::JetSeeds& seeds, math::Jet* q) const override {
    *q = makeJet(motion, sliding_, 0, seeds);
    if (sticking_) *q += environment.constraintScale * makeJet(motion, *sticking_, 1, seeds);
  }

 private:
  static math::Jet makeJet(const system::Motion& motion, system::UnknownIndex u, int freedom,
                           const system::JetSeeds& seeds) {
    const int i = u.value;
    return system::makeScalarJets({motion.value[i], motion.rate[i], motion.acceleration[i]},
                                  freedom, seeds)[0];
  }

  system::UnknownIndex sliding_;
  std::optional<system::UnknownIndex> sticking_;
};

// 1 while it sticks, else 0.
class SticksMeasure final : public system::Measure {
 public:
  explicit SticksMeasure(system::Switch friction) : Measure({""}), friction_(friction) {}

  bool hasRate() const override { return false; }
  std::vector<Term> terms() const override { return {Term{}}; }
  void calc(const system::Motion& motion, const system::Environment& environment, bool,
            double* q) const override {
    *q = friction_.set->read(friction_.index, motion, environment).isClosed ? 1.0 : 0.0;
  }
  void calcJets(const system::Motion& motion, const system::Environment& environment, const Term&,
                const system::JetSeeds&, math::Jet* q) const override {
    double value = 0.0;
    calc(motion, environment, false, &value);
    *q = math::Jet(value);
  }

 private:
  system::Switch friction_;
};

// The friction of the joint, on the coordinate that the sensor names, or on the one that has any.
const Builder::Attachment* findFriction(const Item& item, Builder& builder) {
  const std::string joint = item.text("joint");
  if (findMade("joints", joint, builder) == nullptr) return nullptr;
  const Builder::Attachment* found = nullptr;
  for (const char* coordinate : {"rotation", "translation"}) {
    if (item.has("coordinate") && item.text("coordinate") != coordinate) continue;
    const auto* friction = builder.findAttachment("joints", joint + "/" + coordinate + " friction");
    if (friction != nullptr && found == nullptr) found = friction;
  }
  if (found == nullptr) {
    failSensor(builder, item, "joint", "the joint '" + joint + "' has no friction",
               "give it 'friction: {…}'");
  }
  return found;
}

void makeForce(const Item& item, Builder& builder) {
  const Builder::Attachment* friction = findFriction(item, builder);
  if (friction == nullptr) return;
  const system::ElementSet& set = *friction->set;
  const int e = friction->element;
  if (set.scalars(e) == 0) {
    return failSensor(builder, item, "joint",
                      "this friction is a damper without a force of its own",
                      "measure the rate of the joint");
  }
  std::optional<system::UnknownIndex> sticking;
  if (dynamic_cast<const system::Switching*>(&set) != nullptr) sticking = set.scalar(e, 1);
  builder.addMeasure(item.name(),
                     std::make_unique<FrictionForceMeasure>(set.scalar(e, 0), sticking));
}

void makeSticks(const Item& item, Builder& builder) {
  const Builder::Attachment* friction = findFriction(item, builder);
  if (friction == nullptr) return;
  const auto* set = dynamic_cast<const system::Switching*>(friction->set);
  if (set == nullptr) {
    return failSensor(builder, item, "joint", "this friction never sticks",
                      "measure the friction of a joint without 'lugre'");
  }
  builder.addMeasure(item.name(),
                     std::make_unique<SticksMeasure>(system::Switch{set, friction->element}));
}

constexpr const char* kSample = R"(
joints:
  h: {type: hinge, between: [A, B], at: [0.5, 0.1, 0.2], axis: [0.3, 1, -0.2], friction: {torque: 0.3}}
  c: {type: cylindrical, between: [ground, A], axis: [1, 0.5, 2],
      translation: {friction: {coefficient: 0.1, static_coefficient: 0.2}}}
sensors:
  f1: {measure: friction, joint: h}
  f2: {measure: friction, joint: c, coordinate: translation}
  s1: {measure: sticks, joint: h}
)";

}  // namespace

void registerFrictionMeasures(system::Registry& registry) {
  using namespace system;
  const Parameter joint = required(thing("joint", "joints", "the joint"));
  using Arrow = TypeFacts::Arrow;
  registry.add({.section = "sensors",
                .type = "friction",
                .doc = "Force or torque of the friction on the coordinate of a joint; positive "
                       "where it acts against a positive rate.",
                .parameters = {joint, coordinateParameter()},
                .make = makeForce,
                .samples = {twoBodies() + kSample + readByBlock("f1, f2")},
                .facts = {.arrow = Arrow::kRound}});
  registry.add({.section = "sensors",
                .type = "sticks",
                .doc = "1 while the friction of a joint sticks, 0 while it slips.",
                .parameters = {joint, coordinateParameter()},
                .make = makeSticks,
                .samples = {twoBodies() + kSample + readByBlock("s1")},
                .facts = {.arrow = Arrow::kRound}});
}

}  // namespace flexloop::mechanics
