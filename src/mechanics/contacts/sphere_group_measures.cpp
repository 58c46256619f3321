#include "mechanics/contacts/sphere_group_measures.hpp"

#include <algorithm>
#include <limits>

#include "mechanics/contacts/contact_types.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/sensors/measure_makers.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/jet_view.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using math::Jet;
using math::Vec3;
using system::Builder;
using system::Environment;
using system::Item;
using system::Motion;

namespace {

class GroupMeasure : public system::Measure {
 public:
  GroupMeasure(const SphereGroups& groups, int index, std::vector<std::string> names)
      : Measure(std::move(names)), groups_(groups), index_(index) {}

  bool hasRate() const override { return false; }
  bool canBeSignal() const override { return false; }
  std::vector<Term> terms() const override { return {{}}; }
  void calcJets(const Motion& motion, const Environment& environment, const Term&,
                const system::JetSeeds&, Jet* q) const override {
    std::array<double, kMostComponents> values{};
    calc(motion, environment, false, values.data());
    for (int i = 0; i < size(); ++i) q[i] = Jet(values[i]);
  }

 protected:
  const SphereGroup& group() const { return groups_.group(index_); }
  std::array<SphereGroups::Forces, 2> gather(const Motion& motion) const {
    return groups_.gatherGroup(motion.records[group().record], index_);
  }

 private:
  const SphereGroups& groups_;
  int index_;
};

// The force of one element on its first node, in axes of that node.
Vec3<double> forceOnFirst(const system::ElementSet& set, const Motion& motion,
                          const Environment& environment, int element) {
  Eigen::VectorXd residual;
  set.calcResidual(motion, environment, element, residual);
  return -residual.head<3>();
}

class SumMeasure final : public GroupMeasure {
 public:
  SumMeasure(const SphereGroups& groups, int index, GroupQuantity quantity)
      : GroupMeasure(groups, index, {""}), quantity_(quantity) {}

  void calc(const Motion& motion, const Environment& environment, bool, double* q) const override {
    double deepest = -std::numeric_limits<double>::infinity(), sum = 0.0;
    int touching = 0, sticking = 0;
    for (const SphereGroups::Forces& forces : gather(motion)) {
      const auto* depths = dynamic_cast<const system::Touching*>(forces.normal.get());
      const auto* grips = dynamic_cast<const system::Gripping*>(forces.friction.get());
      const system::ElementSet* acting =
          quantity_ == GroupQuantity::kFriction ? forces.friction.get() : forces.normal.get();
      for (int e = 0; e < forces.normal->size(); ++e) {
        const double depth = depths->depth(motion, e);
        deepest = std::max(deepest, depth);
        if (!(depth > 0.0)) continue;
        ++touching;
        if (grips != nullptr && grips->sticks(motion, e)) ++sticking;
        if (acting != nullptr) sum += forceOnFirst(*acting, motion, environment, e).norm();
      }
    }
    switch (quantity_) {
      case GroupQuantity::kDepth:
        q[0] = deepest;
        return;
      case GroupQuantity::kSticking:
        q[0] = touching > 0 && sticking == touching ? 1.0 : 0.0;
        return;
      default:
        q[0] = sum;
    }
  }

 private:
  GroupQuantity quantity_;
};

// On the node of a plane, or of all planes, in ground axes.
class WallForceMeasure final : public GroupMeasure {
 public:
  WallForceMeasure(const SphereGroups& groups, int index, int wall)
      : GroupMeasure(groups, index, {"x", "y", "z"}), wall_(wall) {}

  void calc(const Motion& motion, const Environment& environment, bool, double* q) const override {
    const std::vector<double>& record = motion.records[group().record];
    const SphereList list(group(), record);
    const SphereGroups::Forces forces = std::move(gather(motion)[1]);
    Vec3<double> sum = Vec3<double>::Zero();
    int element = 0;
    for (int pair = 0; pair < list.size(); ++pair) {
      if (!list.isOnWall(pair)) continue;
      const int e = element++;
      if (wall_ >= 0 && list.second(pair) - group().spheres() != wall_) continue;
      const math::Mat3<double>& R = motion.nodes[forces.normal->node(e, 0).value].frame.R;
      sum += R * forceOnFirst(*forces.normal, motion, environment, e);
      if (forces.friction == nullptr) continue;
      sum += R * forceOnFirst(*forces.friction, motion, environment, e);
    }
    for (int k = 0; k < 3; ++k) q[k] = sum[k];
  }

 private:
  int wall_;
};

void makeWallForce(const Item& item, Builder& builder) {
  const Item* contact = findMade("contacts", item.text("contact"), builder);
  if (contact == nullptr) return;
  const auto& found = *builder.findAttachment("contacts", contact->name());
  const auto* groups = dynamic_cast<const SphereGroups*>(found.set);
  if (groups == nullptr) {
    return failSensor(builder, item, "contact",
                      "the contact '" + contact->name() + "' has no walls",
                      "contacts of type spheres have; measure the 'force' of others");
  }
  int wall = -1;
  if (item.has("wall")) {
    const auto& walls = groups->group(found.element).walls;
    const auto named = std::find_if(walls.begin(), walls.end(), [&](const SphereWall& w) {
      return w.name == item.text("wall");
    });
    if (named == walls.end()) {
      return failSensor(
          builder, item, "wall",
          "the contact '" + contact->name() + "' has no wall '" + item.text("wall") + "'",
          "give one of the names under its 'walls'");
    }
    wall = static_cast<int>(named - walls.begin());
  }
  auto measure = std::make_unique<WallForceMeasure>(*groups, found.element, wall);
  if (item.has("direction")) measure->setDirection(item.vector("direction").normalized());
  builder.addMeasure(item.name(), std::move(measure));
}

}  // namespace

std::unique_ptr<system::Measure> makeGroupMeasure(const Builder& builder,
                                                  const std::string& contact,
                                                  GroupQuantity quantity) {
  const auto* found = builder.findAttachment("contacts", contact);
  const auto* groups = found != nullptr ? dynamic_cast<const SphereGroups*>(found->set) : nullptr;
  if (groups == nullptr) return nullptr;
  return std::make_unique<SumMeasure>(*groups, found->element, quantity);
}

void registerGroupMeasures(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "sensors",
       .type = "wall_force",
       .doc = "Force of a group of spheres on one of its walls or on all of them, in "
              "ground axes. It is recorded, but is no signal.",
       .parameters = {required(thing("contact", "contacts", "the contact of type spheres")),
                      withNote(text("wall", "name of the wall"), "all walls together"),
                      withNote(nonZero(groundDirection(
                                   vector("direction", base::kDimensionless,
                                          "only the component along this direction"))),
                               "all three components")},
       .make = makeWallForce,
       .samples = {twoBodies() + R"(contacts:
  pile: {type: spheres, nodes: [A, B], radius: 0.4, walls: {floor: {at: [0, 0, -0.3], normal: [0, 0.2, 1]}},
         stiffness: 40, damping: 0.05, friction: 0.3}
sensors:
  floor: {measure: wall_force, contact: pile, wall: floor}
  all: {measure: wall_force, contact: pile, direction: [0, 0, 1]}
  deep: {measure: penetration, contact: pile}
  pressing: {measure: normal_force, contact: pile}
  rubbing: {measure: friction_force, contact: pile}
  stuck: {measure: sticking, contact: pile}
)"},
       .facts = {.unit = "N", .arrow = TypeFacts::Arrow::kStraight}});
}

}  // namespace flexloop::mechanics
