#include "mechanics/friction/friction_maker.hpp"
#include "mechanics/guides/guide.hpp"
#include "mechanics/guides/guide_place.hpp"
#include "mechanics/guides/guide_pressure.hpp"
#include "mechanics/guides/scalar_coordinate.hpp"

namespace flexloop::mechanics {

using system::Builder;
using system::Item;
using system::UnknownIndex;

namespace {

// N of (36.7), to which the piece on which the node is gives its value.
template <class Guide>
bool addPressure(const Item& joint, const PlaceInMachine<AlongGuide>& at, UnknownIndex N,
                 Builder& builder) {
  const Builder::Attachment& part = *builder.findAttachment("joints", joint.name());
  const auto* guide = dynamic_cast<const system::Elements<Guide>*>(part.set);
  if (guide == nullptr) return false;
  auto& set = builder.elements<GuidePressure>();
  for (int e = part.element; e < part.element + part.count; ++e) {
    const std::array nodes{guide->node(e, 1), guide->node(e, 2), guide->node(e, 3)};
    const std::array scalars{guide->scalar(e, 0), guide->scalar(e, 1), guide->scalar(e, 2), N,
                             at.own[0]};
    set.add(joint.name(), nodes, scalars, {guide->parameters(e).piece});
  }
  return true;
}

Builder::Attachment addFromReaction(const Item& joint, const FrictionChoice& choice,
                                    const PlaceInMachine<AlongGuide>& at, Builder& builder) {
  const UnknownIndex N =
      builder.addScalar(system::Kind::kSignal, joint.name() + " force across the beam",
                        joint.name() + ": force across the beam");
  if (!addPressure<BeamGuide<false>>(joint, at, N, builder)) {
    addPressure<BeamGuide<true>>(joint, at, N, builder);
  }
  return addDry<AlongGuide, SignalLoad>(joint.name(), at, makeLaw(choice), {N}, builder);
}

}  // namespace

void addGuideFriction(const Item& joint, const PlaceInMachine<AlongGuide>& at, Builder& builder) {
  const auto choice = readFriction(joint, joint, false, builder);
  if (!choice) return;
  const std::string part = joint.name() + "/translation friction";
  if (choice->isOnlyDamper()) {
    if (choice->viscous == 0.0) return;
    auto& set = builder.elements<ScalarSpring>();
    const int element = set.add(joint.name(), {}, {at.own[0]}, {0.0, choice->viscous, 0.0});
    return builder.attach("joints", part, {&set, element});
  }
  const auto made = addFrictionOf<AlongGuide>(joint.name(), *choice, at, builder);
  builder.attach("joints", part, made ? *made : addFromReaction(joint, *choice, at, builder));
}

}  // namespace flexloop::mechanics
