#include "mechanics/gears/gear_maker.hpp"

#include "mechanics/friction/tooth_friction.hpp"
#include "mechanics/gears/gear.hpp"
#include "mechanics/joints/joint_makers.hpp"
#include "system/elements.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::TypeFacts;
using system::UnknownIndex;

namespace {

const char* wordOf(bool turns) {
  return turns ? "rotation" : "translation";
}

// The name of a joint may be followed by the coordinate: `c1.rotation`.
struct CoordinateName {
  std::string joint;
  std::string coordinate;  // empty: not given
};

CoordinateName parse(const std::string& name, const Builder& builder) {
  const std::size_t dot = name.rfind('.');
  if (builder.findItem("joints", name) != nullptr || dot == std::string::npos) return {name, ""};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

std::optional<CoupledJoint> findCoupledJoint(const Item& item, const std::string& name, bool turns,
                                             Builder& builder) {
  const auto fail = [&](const std::string& message, const std::string& hint) {
    builder.error(item.placeOf("between"), "joints." + item.name() + ": " + message, hint);
    return std::nullopt;
  };
  const auto [joint, coordinate] = parse(name, builder);
  const Item* found = builder.findItem("joints", joint);
  if (found == nullptr) return std::nullopt;  // it has been reported
  const auto fact = turns ? &TypeFacts::hasRotation : &TypeFacts::hasTranslation;
  if (!(found->facts().*fact)) {
    const std::string is = "'" + joint + "' is a " + found->type() + " and has no ";
    return fail(is + wordOf(turns), builder.listTypes("joints", fact) + " have one");
  }
  if (!coordinate.empty() && coordinate != wordOf(turns)) {
    return fail("the " + std::string(wordOf(turns)) + " of '" + joint + "' is needed, not its " +
                    coordinate,
                "write '" + joint + "'");
  }
  if (findMade("joints", joint, builder) == nullptr) return std::nullopt;
  const auto connection = findJointConnection(*found, builder);
  if (!connection) return std::nullopt;
  return CoupledJoint{found, *connection};
}

// Room for what is remembered of the turns of joint 1, and of joint 2 if it turns.
template <class Second>
int addTurns(const GearPlan& plan, Builder& builder) {
  const int history = builder.addHistory(kGearHistory<Second>);
  const int count = Second::kTurns ? 2 : 1;
  for (int k = 0; k < count; ++k) {
    const auto& [joint, connection] = plan.joints[k];
    findTurns("joints", joint->name(), connection, builder)
        .copies.push_back(history + k * kTurnSlots);
  }
  return history;
}

}  // namespace

std::optional<std::array<CoupledJoint, 2>> findCoupledJoints(const Item& item, bool secondTurns,
                                                             Builder& builder) {
  const std::vector<std::string> names = item.names("between");
  if (names.size() != 2) {
    builder.error(
        item.placeOf("between"),
        "joints." + item.name() + ": expected two joints, found " + std::to_string(names.size()),
        "write [first, second], for example [hinge1, hinge2]");
    return std::nullopt;
  }
  const auto first = findCoupledJoint(item, names[0], true, builder);
  const auto second = findCoupledJoint(item, names[1], secondTurns, builder);
  if (!first || !second) return std::nullopt;
  if (first->item == second->item) {
    builder.error(item.placeOf("between"),
                  "joints." + item.name() + ": both are the joint '" + first->item->name() + "'",
                  "give two different joints");
    return std::nullopt;
  }
  return std::array{*first, *second};
}

MeshLosses readLosses(const Item& item, double (*makeBackward)(double)) {
  const double forward = item.number("efficiency", 1.0);
  const double backward = item.number("back_efficiency", makeBackward(forward));
  return {1.0 / forward - 1.0, 1.0 - backward};  // (41.2)
}

std::vector<system::Parameter> efficiencyParameters(const char* driver, const char* driven,
                                                    const char* defaultNote) {
  using namespace system;
  const auto share = [](Parameter parameter) {
    parameter.upper = 1.0;
    return changingEnergy(std::move(parameter));
  };
  const std::string from = driver, to = driven;
  return {withNote(share(positive(number("efficiency", base::kDimensionless,
                                         "share of the power that arrives where " + from +
                                             " drives; the rest is friction, which also holds at "
                                             "rest"))),
                   "1: no losses"),
          withNote(share(number("back_efficiency", base::kDimensionless,
                                "the same where " + to +
                                    " drives; zero or less: it cannot drive "
                                    "at all, the pair locks itself")),
                   defaultNote)};
}

// Teeth that yield, and the friction of theirs.
template <class Second>
void addTeeth(const Item& item, const GearPlan& plan, const std::array<system::NodeIndex, 4>& nodes,
              const typename ToothSpring<Second>::template Parameters<double>& teeth, int history,
              Builder& builder) {
  auto& set = builder.elements<ToothSpring<Second>>();
  builder.attach("joints", item.name(), {&set, set.add(item.name(), nodes, {}, teeth, history)});
  if (!plan.losses.areAny()) return;
  const char* word = Second::kTurns ? "tooth torque" : "tooth force";
  const UnknownIndex force =
      builder.addScalar(system::Kind::kSignal, item.name() + " " + word, item.name() + ": " + word);
  builder.elements<ToothForce<Second>>().add(item.name(), nodes, {force}, teeth, history);
  const CoupledJoint& first = plan.joints[0];
  addToothFriction(item, plan.losses, -plan.ratio, force, *first.item, first.connection, builder);
}

template <class Second>
void addGear(const Item& item, const GearPlan& plan, Builder& builder) {
  const auto& [first, second] = plan.joints;
  const std::array nodes{second.connection.nodes[0], second.connection.nodes[1],
                         first.connection.nodes[0], first.connection.nodes[1]};
  const GearFrames<double> frames{first.connection.frames, second.connection.frames, plan.ratio};
  const int history = addTurns<Second>(plan, builder);
  if (plan.stiffness) {
    return addTeeth<Second>(item, plan, nodes,
                            {frames, *plan.stiffness, plan.damping, 0.5 * plan.backlash}, history,
                            builder);
  }
  auto& set = builder.elements<GearConstraint<Second>>();
  const UnknownIndex lambda =
      addMultiplier(builder, item.name(), Second::kTurns ? "tooth torque" : "tooth force", "mesh");
  builder.attach("joints", item.name(),
                 {&set, set.add(item.name(), nodes, {lambda}, frames, history)});
  if (plan.losses.areAny()) {
    addMeshFriction(item, plan.losses, -plan.ratio, lambda, *first.item, first.connection, builder);
  }
}

template void addGear<RotationCoordinate>(const Item&, const GearPlan&, Builder&);
template void addGear<TranslationCoordinate>(const Item&, const GearPlan&, Builder&);

}  // namespace flexloop::mechanics
