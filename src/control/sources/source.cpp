#include "control/sources/source.hpp"

#include <algorithm>
#include <utility>

namespace flexloop::control {

using system::Environment;
using system::Motion;

int SourceSet::add(std::string name, system::UnknownIndex signal,
                   std::unique_ptr<TimeFunction> function) {
  sources_.push_back({std::move(name), signal, std::move(function)});
  return size() - 1;
}

const TimeFunction* SourceSet::find(const std::string& name) const {
  const auto found = std::find_if(sources_.begin(), sources_.end(),
                                  [&](const Source& source) { return source.name == name; });
  return found != sources_.end() ? found->function.get() : nullptr;
}

void SourceSet::addResidual(const Motion& motion, const Environment&,
                            system::ResidualSums& sums) const {
  for (const Source& source : sources_) {
    const int row = source.signal.value;
    sums.scalars[row] += motion.value[row] - source.function->at(motion.time).value;
  }
}

void SourceSet::calcResidual(const Motion& motion, const Environment&, int element,
                             Eigen::VectorXd& local) const {
  const Source& source = sources_[element];
  local.resize(1);
  local[0] = motion.value[source.signal.value] - source.function->at(motion.time).value;
}

void SourceSet::calcTangents(const Motion&, const Environment&, int,
                             system::Tangents& tangents) const {
  tangents.K.setOnes(1, 1);
  tangents.C.setZero(1, 1);
  tangents.M.setZero(1, 1);
}

void SourceSet::addTimeDerivatives(const Motion& motion, const Environment&,
                                   system::TimeDerivatives& derivatives) const {
  for (const Source& source : sources_) {
    const int row = source.signal.value;
    const math::Taylor2 f = source.function->at(motion.time);
    derivatives.first[row] += motion.rate[row] - f.first;
    derivatives.second[row] += motion.acceleration[row] - f.second;
  }
}

}  // namespace flexloop::control
