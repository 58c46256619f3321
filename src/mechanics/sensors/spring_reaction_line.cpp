#include "mechanics/sensors/spring_reaction.hpp"
#include "mechanics/springs/line.hpp"

namespace flexloop::mechanics {

bool addReactionOfLine(const system::Item& item, const ReactionPlan& plan,
                       system::Builder& builder) {
  return addSpringReaction<DistanceSpring>(item, plan, builder);
}

}  // namespace flexloop::mechanics
