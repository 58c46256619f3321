#include "mechanics/joints/joint_coordinate.hpp"
#include "mechanics/sensors/spring_reaction.hpp"

namespace flexloop::mechanics {

bool addReactionOfCoordinate(const system::Item& item, const ReactionPlan& plan,
                             system::Builder& builder) {
  return addSpringReaction<CoordinateSpring<TranslationCoordinate>>(item, plan, builder) ||
         addSpringReaction<CoordinateSpring<RotationCoordinate>>(item, plan, builder);
}

}  // namespace flexloop::mechanics
