// Sensor `transmitted`: the torque or force with which a gear, rack or belt acts on the coordinate of its second joint, −Q of
// (35.2); of a gear pair the normal force (35.10).
#include "mechanics/gears/cam.hpp"
#include "mechanics/gears/gear.hpp"
#include "mechanics/gears/gear_mesh.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/elements.hpp"
#include "system/measure_of.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Environment;
using system::Item;
using system::Motion;

namespace {

// −k λ; the penalty of an augmented Lagrangian vanishes with the constraint.
class MultiplierMeasure final : public system::Measure {
 public:
  explicit MultiplierMeasure(system::UnknownIndex lambda) : Measure({""}), lambda_(lambda) {}

  bool hasRate() const override { return false; }
  std::vector<Term> terms() const override { return {{{}, {lambda_}}}; }
  void calc(const Motion& motion, const Environment& environment, bool, double* q) const override {
    *q = -environment.constraintScale * motion.value[lambda_.value];
  }
  void calcJets(const Motion& motion, const Environment& environment, const Term&,
                const system::JetSeeds& seeds, math::Jet* q) const override {
    *q = -environment.constraintScale *
         system::makeScalarJets({motion.value[lambda_.value], motion.rate[lambda_.value],
                                 motion.acceleration[lambda_.value]},
                                0, seeds)[0];
  }

 private:
  system::UnknownIndex lambda_;
};

template <class Second>
struct ToothMeasure {
  static constexpr int kNodes = 4, kScalars = 0, kComponents = 1, kHistory = kGearHistory<Second>;
  static constexpr bool kHasRate = false;

  template <class S>
  using Parameters = typename ToothSpring<Second>::template Parameters<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& p, const system::Local<S, 4, 0, kHistory>& u,
                   std::array<S, 1>& result) {
    const GearMotion<Second, S, P> motion(p.gear, u);
    result[0] = -ToothSpring<Second>::template calcForce<S, P>(p, motion, u);
  }
};

template <class Second>
bool addTooth(const Item& item, const Builder::Attachment& part, Builder& builder) {
  const auto* set = dynamic_cast<const system::Elements<ToothSpring<Second>>*>(part.set);
  if (set == nullptr) return false;
  std::array<system::NodeIndex, 4> nodes;
  for (int k = 0; k < 4; ++k) nodes[k] = set->node(part.element, k);
  builder.addMeasure(item.name(),
                     std::make_unique<system::MeasureOf<ToothMeasure<Second>>>(
                         nodes, std::array<system::UnknownIndex, 0>{},
                         set->historyOffset(part.element), set->parameters(part.element)));
  return true;
}

// The normal force of a mesh, negative on the other flank.
struct MeshMeasure {
  static constexpr int kNodes = 3, kScalars = 0, kComponents = 1, kHistory = GearMesh::kHistory;
  static constexpr bool kHasRate = false;

  template <class S>
  using Parameters = GearMesh::Parameters<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& p, const system::Local<S, 3, 0, kHistory>& u,
                   std::array<S, 1>& result) {
    const auto motion = GearMesh::calcMotion<S, P>(p, u);
    const auto flanks = GearMesh::calcFlanks<S, P>(p, motion);
    const auto forces = GearMesh::calcForces<S, P>(p, motion, flanks, u);
    result[0] = forces[0] - forces[1];
  }
};

bool addMesh(const Item& item, const Builder::Attachment& part, Builder& builder) {
  const auto* set = dynamic_cast<const system::Elements<GearMesh>*>(part.set);
  if (set == nullptr) return false;
  std::array<system::NodeIndex, 3> nodes;
  for (int k = 0; k < 3; ++k) nodes[k] = set->node(part.element, k);
  builder.addMeasure(item.name(),
                     std::make_unique<system::MeasureOf<MeshMeasure>>(
                         nodes, std::array<system::UnknownIndex, 0>{},
                         set->historyOffset(part.element), set->parameters(part.element)));
  return true;
}

// The force with which a cam presses on its follower.
template <class Second>
struct PressMeasure {
  static constexpr int kNodes = 4, kScalars = 0, kComponents = 1;
  static constexpr bool kHasRate = false;

  template <class S>
  using Parameters = typename CamPress<Second>::template Parameters<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& p, const system::Local<S, 4, 0>& u,
                   std::array<S, 1>& result) {
    const CamMotion<Second, S, P> motion(p.cam, u);
    result[0] = CamPress<Second>::template calcForce<S, P>(p, motion, u);
  }
};

template <class Second>
bool addPress(const Item& item, const Builder::Attachment& part, Builder& builder) {
  const auto* set = dynamic_cast<const system::Elements<CamPress<Second>>*>(part.set);
  if (set == nullptr) return false;
  std::array<system::NodeIndex, 4> nodes;
  for (int k = 0; k < 4; ++k) nodes[k] = set->node(part.element, k);
  builder.addMeasure(item.name(), std::make_unique<system::MeasureOf<PressMeasure<Second>>>(
                                      nodes, std::array<system::UnknownIndex, 0>{}, 0,
                                      set->parameters(part.element)));
  return true;
}

template <class Second>
bool addIdeal(const Item& item, const Builder::Attachment& part, Builder& builder) {
  const bool isGear =
      dynamic_cast<const system::Elements<GearConstraint<Second>>*>(part.set) != nullptr;
  const bool isCam =
      dynamic_cast<const system::Elements<CamConstraint<Second>>*>(part.set) != nullptr;
  if (!isGear && !isCam) return false;
  builder.addMeasure(item.name(),
                     std::make_unique<MultiplierMeasure>(part.set->scalar(part.element, 0)));
  return true;
}

void makeTransmitted(const Item& item, Builder& builder) {
  const Item* joint = findMade("joints", item.text("joint"), builder);
  if (joint == nullptr) return;
  const Builder::Attachment& part = *builder.findAttachment("joints", joint->name());
  if (addIdeal<RotationCoordinate>(item, part, builder) ||
      addIdeal<TranslationCoordinate>(item, part, builder) ||
      addTooth<RotationCoordinate>(item, part, builder) ||
      addTooth<TranslationCoordinate>(item, part, builder) || addMesh(item, part, builder) ||
      addPress<RotationCoordinate>(item, part, builder) ||
      addPress<TranslationCoordinate>(item, part, builder)) {
    return;
  }
  failSensor(builder, item, "joint", "a " + joint->type() + " transmits nothing between joints",
             "gears, racks, belts and cams do; of others, measure 'force' or 'torque'");
}

constexpr const char* kSample = R"(flexloop: 1
nodes: {A: [0, 0, 0], B: [0.3, 0, 0], C: [0.3, 0.1, 0]}
bodies:
  a: {node: A, mass: 1, inertia: [0.1, 0.1, 0.1]}
  b: {node: B, mass: 1, inertia: [0.1, 0.2, 0.1]}
  c: {node: C, mass: 1, inertia: [0.1, 0.2, 0.1]}
joints:
  h1: {type: hinge, between: [ground, A], axis: [0, 0, 1]}
  h2: {type: hinge, between: [ground, B], axis: [0, 1, 1]}
  s: {type: slider, between: [B, C], axis: [1, 0, 0]}
  g: {type: gear, between: [h1, h2], ratio: -2}
  k: {type: gear, between: [h1, h2], ratio: -2, stiffness: 30, damping: 2, backlash: 0.1}
  r: {type: rack, between: [h2, s], radius: 0.1}
  l: {type: rack, between: [h2, s], radius: 0.1, stiffness: 10}
sensors:
  t1: {measure: transmitted, joint: g}
  t2: {measure: transmitted, joint: k}
  t3: {measure: transmitted, joint: r}
  t4: {measure: transmitted, joint: l}
blocks: {y: {type: sum, inputs: [t1, -t2, t3, t4]}}
)";

}  // namespace

void registerTransmittedMeasure(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "sensors",
       .type = "transmitted",
       .doc = "Torque or force of a gear, rack, belt or cam on the coordinate of its second "
              "joint; on that of "
              "the first acts the opposite, times the ratio or the slope of the cam. Of a gear "
              "pair, the normal force of "
              "the teeth, "
              "negative on the other flank.",
       .parameters = {required(thing("joint", "joints", "the gear, rack, belt, cam or gear pair"))},
       .make = makeTransmitted,
       .samples = {kSample}});
}

}  // namespace flexloop::mechanics
