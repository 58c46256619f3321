#include "analysis/time/late_start.hpp"

#include <cmath>

#include "base/text_format.hpp"
#include "control/blocks/block_set.hpp"
#include "control/boxes/fmu/exchange_box.hpp"
#include "control/dynamics/delay.hpp"

namespace flexloop::analysis {
namespace {

// One that has been initialised at time zero already, when the model was read.
const std::string* findEarlyBox(const system::System& system) {
  const control::BlockSet* blocks = control::findBlocks(system);
  for (int e = 0; blocks != nullptr && e < blocks->size(); ++e) {
    if (dynamic_cast<const control::ExchangeBox*>(&blocks->block(e)) != nullptr) {
      return &blocks->name(e);
    }
  }
  return nullptr;
}

}  // namespace

std::optional<base::Failure> describeNoLateStart(const model::Model& model, double time) {
  if (time == 0.0) return {};
  const std::string what = base::formatText("the model cannot start at %g s: ", time);
  if (!(time > 0.0) || !std::isfinite(time)) {
    return base::Failure{what + "its clocks begin at zero", "start at zero or later"};
  }
  const auto kind = model.time() ? model.time()->start : model::OperatingPoint::Kind::kInitial;
  if (kind != model::OperatingPoint::Kind::kInitial) {
    return base::Failure{what + "its rest is that of time zero",
                         "start at zero, or export it without 'start' under 'analysis: time'"};
  }
  if (const std::string* name = findEarlyBox(model.system())) {
    return base::Failure{what + "the FMU '" + *name + "' in it was initialised at zero",
                         "start at zero, or take the FMU in it for co-simulation"};
  }
  return {};
}

void beginAt(const system::System& system, double time, system::State& start) {
  start.time = time;
  const control::BlockSet* blocks = control::findBlocks(system);
  for (int e = 0; blocks != nullptr && e < blocks->size(); ++e) {
    if (dynamic_cast<const control::TransportDelay*>(&blocks->block(e)) == nullptr) continue;
    control::TransportDelay::beginAt(time, blocks->memory(e, start));
  }
}

}  // namespace flexloop::analysis
