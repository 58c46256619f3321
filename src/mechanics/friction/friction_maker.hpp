// The maker of the frictions on a coordinate, compiled once for each place and load: element sets are expensive to compile.
#pragma once

#include "mechanics/friction/friction.hpp"
#include "mechanics/friction/friction_set.hpp"
#include "mechanics/joints/joint_makers.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

inline FrictionLaw<double> makeLaw(const FrictionChoice& choice) {
  const bool hasStribeck = choice.stribeckSpeed > 0.0;
  return {choice.kinetic,
          choice.held,
          choice.arm,
          hasStribeck ? 1.0 : 0.0,
          hasStribeck ? 1.0 / choice.stribeckSpeed : 0.0,
          choice.exponent,
          choice.exponent == 1.0 ? 1.0 : 0.0,
          choice.viscous};
}

template <class Place>
constexpr const char* forceWord() {
  return Place::kTurns ? "torque" : "force";
}

template <class Place>
system::UnknownIndex addFrictionForce(const std::string& joint, system::Builder& builder) {
  return builder.addScalar(system::Kind::kSignal, joint + " friction " + forceWord<Place>(),
                           joint + ": friction of the " + Place::kWord);
}

template <class Place, class Load>
system::Builder::Attachment addDry(const std::string& joint, const PlaceInMachine<Place>& at,
                                   const typename Load::template Law<double>& law,
                                   const std::array<system::UnknownIndex, Load::kScalars>& load,
                                   system::Builder& builder) {
  auto& set = builder.elementSet<FrictionSet<Place, Load>>();
  std::array<system::UnknownIndex, 2 + Load::kScalars> scalars;
  scalars[0] = addFrictionForce<Place>(joint, builder);
  scalars[1] = addMultiplier(builder, joint, std::string("sticking ") + forceWord<Place>(),
                             std::string("sticking ") + Place::kWord);
  for (int i = 0; i < Load::kScalars; ++i) scalars[2 + i] = load[i];
  const int history = builder.addHistory(kFrictionSlots);
  return {&set, set.add(joint, at.nodes, joinScalars(scalars, at), {at.place, law}, history)};
}

// What a joint presses with: the first of its multipliers, which are those of positions.
template <int Reactions>
std::array<system::UnknownIndex, Reactions> findReactions(const std::string& joint,
                                                          const system::Builder& builder) {
  const auto* rows = builder.findAttachment("joints", joint);
  std::array<system::UnknownIndex, Reactions> reactions;
  for (int i = 0; i < Reactions; ++i) reactions[i] = rows->set->scalar(rows->element, i);
  return reactions;
}

template <class Place>
system::Builder::Attachment addBristles(const std::string& joint, const FrictionChoice& choice,
                                        const PlaceInMachine<Place>& at, system::Builder& builder) {
  auto& set = builder.elements<LugreFriction<Place>>();
  const std::array scalars{
      addFrictionForce<Place>(joint, builder),
      builder.addScalar(system::Kind::kState, joint + " bristles", joint + ": bristles")};
  return {&set,
          set.add(joint, at.nodes, joinScalars(scalars, at),
                  {at.place, makeLaw(choice), choice.bristleStiffness, choice.bristleDamping})};
}

// What is the same for all places: bristles, a given level, a load that is a signal. Gives nothing where the load is the reaction of the joint.
template <class Place>
std::optional<system::Builder::Attachment> addFrictionOf(const std::string& joint,
                                                         const FrictionChoice& choice,
                                                         const PlaceInMachine<Place>& at,
                                                         system::Builder& builder) {
  if (choice.bristleStiffness > 0.0) return addBristles<Place>(joint, choice, at, builder);
  if (choice.load) {
    return addDry<Place, SignalLoad>(joint, at, makeLaw(choice), {*choice.load}, builder);
  }
  if (choice.isFromReaction && !choice.hasGivenLoad) return std::nullopt;
  return addDry<Place, GivenLevel>(joint, at, makeLaw(choice), {}, builder);
}

template <class Coordinate>
void addFriction(const system::Item& joint, const system::Item& options, const Connection& c,
                 system::Builder& builder) {
  using Place = OnJoint<Coordinate>;
  const auto choice = readFriction(joint, options, Coordinate::kTurns, builder);
  if (!choice) return;
  const std::string part = joint.name() + "/" + Place::kWord + " friction";
  if (choice->isOnlyDamper()) {
    const SpringLaw damper{0.0, choice->viscous, 0.0};
    if (damper.damping == 0.0) return;
    return builder.attach(
        "joints", part,
        addCoordinateSpring<Coordinate>("joints", joint.name(), c, damper, builder));
  }
  const PlaceInMachine<Place> at{c.nodes, {}, {c.frames, threadOf<Coordinate>(joint)}};
  if (const auto made = addFrictionOf<Place>(joint.name(), *choice, at, builder)) {
    return builder.attach("joints", part, *made);
  }
  // Along its axis a joint that moves there has no force.
  const auto addFromReaction = [&]<int kReactions>() {
    const auto reactions = findReactions<kReactions>(joint.name(), builder);
    builder.attach("joints", part,
                   addDry<Place, ReactionLoad<kReactions>>(joint.name(), at, makeLaw(*choice),
                                                           reactions, builder));
  };
  if (joint.facts().hasTranslation) return addFromReaction.template operator()<2>();
  if constexpr (Coordinate::kTurns) addFromReaction.template operator()<3>();
}

}  // namespace flexloop::mechanics
