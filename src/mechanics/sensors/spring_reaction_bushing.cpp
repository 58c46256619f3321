#include "mechanics/sensors/spring_reaction.hpp"
#include "mechanics/springs/bushing.hpp"

namespace flexloop::mechanics {

bool addReactionOfBushing(const system::Item& item, const ReactionPlan& plan,
                          system::Builder& builder) {
  return addSpringReaction<Bushing>(item, plan, builder);
}

}  // namespace flexloop::mechanics
