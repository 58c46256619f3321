#include "mechanics/sensors/reaction_measure.hpp"

#include "mechanics/sensors/reaction_sensor.hpp"

namespace flexloop::mechanics {

using math::Taylor2;
using math::Vec3;

void ReactionMeasure::setDirection(const Vec3<double>& direction) {
  direction_ = direction;
  projected_ = true;
}

std::vector<std::string> ReactionMeasure::components() const {
  if (projected_) return {""};
  return {"x", "y", "z"};
}

void ReactionMeasure::store(const Vec3<double>& v, double* to) const {
  if (projected_) {
    *to = direction_.dot(v);
  } else {
    for (int i = 0; i < 3; ++i) to[i] = v[i];
  }
}

void ReactionMeasure::calcValue(const system::Motion& motion, double* value) const {
  store(reaction_.calc(motion, motion.environment), value);
}

void ReactionMeasure::calcRate(const system::Motion& motion, double* rate) const {
  const Vec3<Taylor2> g = reaction_.calcAlong(motion, motion.environment);
  store({g[0].first, g[1].first, g[2].first}, rate);
}

bool ReactionMeasure::addSignal(const system::SignalRequest& request,
                                system::Builder& builder) const {
  if (request.rate || !reaction_.canBeSignal()) return false;
  const Vec3<double> direction =
      projected_ ? direction_ : Vec3<double>(Vec3<double>::Unit(request.component));
  builder.elementSet<ReactionSensorSet>().add(request.name, reaction_, direction, request.unknown);
  return true;
}

}  // namespace flexloop::mechanics
