#include "control/blocks/record_check.hpp"

#include "control/blocks/block_set.hpp"
#include "control/boxes/continuous_box.hpp"
#include "control/boxes/fmu/co_simulation_box.hpp"
#include "control/boxes/fmu/exchange_box.hpp"
#include "control/boxes/sampled_box.hpp"
#include "control/dynamics/delay.hpp"

namespace flexloop::control {
namespace {

// Few blocks have a record.
bool isRecord(const Block& block, const std::vector<double>& record) {
  if (const auto* delay = dynamic_cast<const TransportDelay*>(&block))
    return delay->isRecord(record);
  if (const auto* box = dynamic_cast<const ContinuousBox*>(&block)) return box->isRecord(record);
  if (const auto* box = dynamic_cast<const SampledBox*>(&block)) return box->isRecord(record);
  if (const auto* box = dynamic_cast<const CoSimulationBox*>(&block)) return box->isRecord(record);
  if (const auto* box = dynamic_cast<const ExchangeBox*>(&block)) return box->isRecord(record);
  return false;
}

}  // namespace

std::string findStrangeRecord(const system::System& system, const system::State& state) {
  const BlockSet* blocks = findBlocks(system);
  if (blocks == nullptr) return {};
  for (int element = 0; element < blocks->size(); ++element) {
    const int record = blocks->record(element);
    if (record >= 0 && !isRecord(blocks->block(element), state.records[record])) {
      return blocks->name(element);
    }
  }
  return {};
}

}  // namespace flexloop::control
