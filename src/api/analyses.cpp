#include "api/analyses.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/balance/steady_motion.hpp"
#include "analysis/sampled/sampled_response.hpp"

namespace flexloop::api {
namespace {

constexpr int kModesOfRange = 10;
constexpr double kDecade = 10.0;
constexpr double kSlowest = 1e-12;  // beside the fastest: beyond what rounding shows

// Where a slow loop crosses |L| = 1 it has slow roots, and these are in the range.
double lowestHz(const FrequencyRange& range) {
  return std::max(range.low, kSlowest * range.high);
}

bool isLoop(const analysis::PortNames& names) {
  const std::vector<std::string> only{names.cut};
  return !names.cut.empty() && names.inputs == only && names.outputs == only;
}

// Where nothing comes back to the signal, the loops are as they were, and margins are of no loop.
bool isCutIdle(const LinearMachine& machine, const std::vector<double>& frequenciesHz) {
  const std::string& cut = machine.ports().names.cut;
  if (cut.empty() || frequenciesHz.empty()) return false;
  const analysis::LinearPorts around =
      analysis::makePorts(machine.model(), machine.linear(), {{cut}, {cut}, cut});
  const analysis::FrequencyResponse response =
      analysis::calcResponse(around, {frequenciesHz[frequenciesHz.size() / 2]});
  return response.ok() && response.H.front()(0, 0) == 0.0;
}

Response calcContinuous(const LinearMachine& machine, const std::vector<double>& frequenciesHz,
                        const FrequencyRange& range) {
  const analysis::LinearPorts& ports = machine.ports();
  Response result{analysis::calcResponse(ports, frequenciesHz), std::nullopt, false};
  throwIfAny(result.response.failure);
  result.isCutIdle = isCutIdle(machine, frequenciesHz);
  if (isLoop(ports.names)) {
    result.loop = analysis::analyzeLoop(machine.model().system(), machine.linear(), ports,
                                        lowestHz(range), range.high);
  }
  return result;
}

Response calcSampled(const LinearMachine& machine, const std::vector<double>& frequenciesHz,
                     const FrequencyRange& range) {
  const analysis::PortNames& names = machine.ports().names;
  const auto make = [&](const analysis::PortNames& own) {
    return std::make_unique<analysis::SampledResponse>(machine.model(), machine.sampled(),
                                                       machine.linear(), machine.state(), own);
  };
  const auto sampled = make(names);
  throwIfAny(sampled->failure());
  Response result{analysis::calcSampledResponse(*sampled, frequenciesHz), std::nullopt, false};
  throwIfAny(result.response.failure);
  if (!isLoop(names) || frequenciesHz.empty()) return result;
  result.isCutIdle = result.response.H[frequenciesHz.size() / 2](0, 0) == 0.0;
  const auto closed = make({names.inputs, names.outputs, ""});
  throwIfAny(closed->failure());
  result.loop = analysis::analyzeSampledLoop(*sampled, *closed, lowestHz(range), range.high);
  return result;
}

}  // namespace

analysis::OperatingState findState(const model::Model& model, const model::OperatingPoint& about) {
  analysis::OperatingState found = analysis::findOperatingPoint(model, about);
  throwIfAny(found.failure);
  return found;
}

analysis::ModeResult findModes(const model::Model& model, const system::State& state,
                               const analysis::ModeOptions& options) {
  analysis::ModeResult result = analysis::findModes(model, state, options);
  throwIfAny(result.failure);
  return result;
}

analysis::EquilibriumResult findEquilibrium(const model::Model& model, Balance balance) {
  analysis::EquilibriumResult result = balance == Balance::kSteady
                                           ? analysis::findSteadyMotion(model)
                                           : analysis::findEquilibrium(model);
  throwIfAny(result.report.failure);
  return result;
}

analysis::Identification identify(const model::Model& model, const analysis::BlockPlace& place,
                                  const system::State& state,
                                  const control::GainSettings& settings) {
  analysis::Identification found = analysis::identify(model, place, state, settings);
  throwIfAny(found.failure);
  return found;
}

FrequencyRange findModeRange(const LinearMachine& machine) {
  analysis::ModeOptions options;
  options.count = kModesOfRange;
  const analysis::ModeResult modes = analysis::findModes(machine.model(), machine.state(), options);
  double low = HUGE_VAL, high = 0.0;
  for (const analysis::Mode& mode : modes.modes) {
    const double frequency = std::abs(mode.eigenvalue) / (2.0 * std::numbers::pi);
    if (frequency == 0.0 || !std::isfinite(frequency)) continue;  // at rest, or gone at once
    low = std::min(low, frequency);
    high = std::max(high, frequency);
  }
  if (high == 0.0) return {};
  return {low / kDecade, high * kDecade};
}

Response calcResponse(const LinearMachine& machine, const std::vector<double>& frequenciesHz,
                      const FrequencyRange& range) {
  return machine.sampled().elements.empty() ? calcContinuous(machine, frequenciesHz, range)
                                            : calcSampled(machine, frequenciesHz, range);
}

analysis::StateSpaceResult makeStateSpace(const LinearMachine& machine, bool isMinimal) {
  analysis::StateSpaceOptions options;
  options.minimal = isMinimal;
  analysis::StateSpaceResult result =
      analysis::makeStateSpace(machine.model(), machine.linear(), machine.ports(), options);
  throwIfAny(result.failure);
  return result;
}

}  // namespace flexloop::api
