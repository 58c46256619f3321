// The maker of the frictions on a coordinate, compiled once for each: element sets are expensive to compile.
#pragma once

#include "mechanics/friction/friction.hpp"
#include "mechanics/friction/friction_set.hpp"
#include "mechanics/joints/joint_makers.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

template <class Coordinate>
struct FrictionWords {
  static constexpr const char* kCoordinate = Coordinate::kTurns ? "rotation" : "translation";
  static constexpr const char* kForce = Coordinate::kTurns ? "torque" : "force";
};

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

template <class Coordinate>
system::UnknownIndex addFrictionForce(const system::Item& joint, system::Builder& builder) {
  using W = FrictionWords<Coordinate>;
  return builder.addScalar(system::Kind::kSignal, joint.name() + " friction " + W::kForce,
                           joint.name() + ": friction of the " + W::kCoordinate);
}

template <class Coordinate, int Reactions>
system::Builder::Attachment addDry(const system::Item& joint, const FrictionChoice& choice,
                                   const Connection& c, system::Builder& builder) {
  auto& set = builder.elementSet<FrictionSet<Coordinate, Reactions>>();
  using W = FrictionWords<Coordinate>;
  std::array<system::UnknownIndex, 2 + Reactions> scalars;
  scalars[0] = addFrictionForce<Coordinate>(joint, builder);
  scalars[1] = addMultiplier(builder, joint.name(), std::string("sticking ") + W::kForce,
                             std::string("sticking ") + W::kCoordinate);
  // The multipliers of positions come first among those of a joint.
  const auto* rows = builder.findAttachment("joints", joint.name());
  for (int i = 0; i < Reactions; ++i) scalars[2 + i] = rows->set->scalar(rows->element, i);
  Thread<double> thread;
  if (const double pitch = pitchOf(joint); Coordinate::kTurns && pitch != 0.0) {
    thread = {1.0, 1.0 / pitch};
  }
  const int history = builder.addHistory(kFrictionSlots);
  return {&set,
          set.add(joint.name(), c.nodes, scalars, {c.frames, thread, makeLaw(choice)}, history)};
}

template <class Coordinate>
system::Builder::Attachment addBristles(const system::Item& joint, const FrictionChoice& choice,
                                        const Connection& c, system::Builder& builder) {
  auto& set = builder.elements<LugreFriction<Coordinate>>();
  const system::UnknownIndex force = addFrictionForce<Coordinate>(joint, builder);
  const system::UnknownIndex bend = builder.addScalar(
      system::Kind::kState, joint.name() + " bristles", joint.name() + ": bristles");
  return {&set,
          set.add(joint.name(), c.nodes, {force, bend},
                  {c.frames, makeLaw(choice), choice.bristleStiffness, choice.bristleDamping})};
}

template <class Coordinate>
void addFriction(const system::Item& joint, const system::Item& options, const Connection& c,
                 system::Builder& builder) {
  const auto choice = readFriction(joint, options, Coordinate::kTurns, builder);
  if (!choice) return;
  const std::string part =
      joint.name() + "/" + FrictionWords<Coordinate>::kCoordinate + " friction";
  if (choice->bristleStiffness > 0.0) {
    return builder.attach("joints", part, addBristles<Coordinate>(joint, *choice, c, builder));
  }
  // Nothing but a damper.
  if (choice->held == 0.0) {
    const SpringLaw damper{0.0, choice->viscous, 0.0};
    if (damper.damping == 0.0) return;
    return builder.attach(
        "joints", part,
        addCoordinateSpring<Coordinate>("joints", joint.name(), c, damper, builder));
  }
  if (!choice->isFromReaction) {
    return builder.attach("joints", part, addDry<Coordinate, 0>(joint, *choice, c, builder));
  }
  // Along its axis a joint that moves there has no force.
  if (joint.facts().hasTranslation) {
    return builder.attach("joints", part, addDry<Coordinate, 2>(joint, *choice, c, builder));
  }
  if constexpr (Coordinate::kTurns) {
    builder.attach("joints", part, addDry<Coordinate, 3>(joint, *choice, c, builder));
  }
}

}  // namespace flexloop::mechanics
