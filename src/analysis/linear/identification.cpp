#include "analysis/linear/identification.hpp"

#include <algorithm>

namespace flexloop::analysis {
namespace {

using control::BlockSet;
using control::Gains;

double periodOf(const model::Model& model, const BlockPlace& place) {
  const int clock = place.set->block(place.element).clock();
  return clock < 0 ? 0.0 : model.system().clocks()[clock].period;
}

double stepOf(const model::Model& model) {
  return model.time() ? model.time()->step : kUsualStep;
}

std::string inputName(const model::Model& model, const BlockPlace& place, int k) {
  const std::string name = model.signalName(place.set->input(place.element, k));
  return place.set->sign(place.element, k) < 0.0 ? "-" + name : name;
}

// The input whose rate this one is; -1: none.
int findRateOf(const std::vector<std::string>& names, int rate) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[rate] == names[i] + ".rate") return static_cast<int>(i);
  }
  return -1;
}

// (23.7): s u in place of the rate.
void addRate(const Gains& ofRate, Gains& gains) {
  for (int power = -control::kMostIntegrals; power < control::kMostDerivatives; ++power) {
    gains[power + 1] += ofRate[power];
  }
  gains.residual = std::max(gains.residual, ofRate.residual);
}

}  // namespace

std::vector<std::string> blockNames(const system::System& system) {
  std::vector<std::string> names;
  for (const auto& set : system.sets()) {
    if (dynamic_cast<const BlockSet*>(set.get()) == nullptr) continue;
    for (int e = 0; e < set->size(); ++e) names.push_back(set->name(e));
  }
  return names;
}

BlockPlace findBlock(const system::System& system, const std::string& name) {
  for (const auto& set : system.sets()) {
    const auto* blocks = dynamic_cast<const BlockSet*>(set.get());
    for (int e = 0; blocks != nullptr && e < blocks->size(); ++e) {
      if (blocks->name(e) == name) return {blocks, e};
    }
  }
  return {};
}

control::BlockGains identifyGains(const model::Model& model, const BlockPlace& place,
                                  const system::State& state, control::GainSettings settings) {
  settings.step = stepOf(model);
  return control::identifyGains(*place.set, place.element, state, settings, periodOf(model, place));
}

control::BoxRealization realizeBox(const model::Model& model, const BlockPlace& place,
                                   const system::State& state, control::GainSettings settings) {
  settings.step = stepOf(model);
  return control::realizeBox(*place.set, place.element, state, settings, periodOf(model, place));
}

std::optional<control::BoxRealization> realizeSamples(const model::Model& model,
                                                      const BlockPlace& place,
                                                      const system::State& state) {
  control::BoxRealization box =
      control::realizeSamples(*place.set, place.element, state, periodOf(model, place));
  // What a box with fewer digits leaves unexplained is mostly its rounding, and its twins show what that does to modes.
  const double tolerance = box.twins.empty() ? control::kGainTolerance : control::kRoundedTolerance;
  if (!(box.residual <= tolerance)) return std::nullopt;
  return box;
}

Identification identify(const model::Model& model, const BlockPlace& place,
                        const system::State& state, const control::GainSettings& settings) {
  const BlockSet& set = *place.set;
  const control::Block& block = set.block(place.element);
  control::BlockGains found = identifyGains(model, place, state, settings);
  Identification result;
  result.failure = found.failure;
  result.isPerturbed = block.isBox() || block.clock() >= 0;
  result.step = block.clock() >= 0 ? periodOf(model, place) : stepOf(model);
  if (result.failure) return result;
  std::vector<std::string> names;
  for (int i = 0; i < found.inputs; ++i) names.push_back(inputName(model, place, i));
  for (int o = 0; o < found.outputs; ++o) {
    Gains* row = &found.pairs[o * found.inputs];
    std::vector<bool> isMerged(names.size(), false);
    for (int i = 0; i < found.inputs && !block.isBox(); ++i) {
      const int origin = findRateOf(names, i);
      if (origin < 0) continue;
      addRate(row[i], row[origin]);
      isMerged[i] = true;
    }
    for (int i = 0; i < found.inputs; ++i) {
      if (isMerged[i]) continue;
      result.pairs.push_back({names[i], model.signalName(set.output(place.element, o)), row[i]});
      result.residual = std::max(result.residual, row[i].residual);
    }
  }
  return result;
}

}  // namespace flexloop::analysis
