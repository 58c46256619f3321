#include "mechanics/line.hpp"
#include "mechanics/spring_reaction.hpp"

namespace flexloop::mechanics {

bool addReactionOfLine(const system::Item& item, const ReactionPlan& plan,
                       system::Builder& builder) {
  return addSpringReaction<DistanceSpring>(item, plan, builder);
}

}  // namespace flexloop::mechanics
