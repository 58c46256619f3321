#include "model/sensor_signals.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/nearest_word.hpp"
#include "control/sources/source.hpp"
#include "model/measure_name.hpp"
#include "system/sensor_set.hpp"

namespace flexloop::model {
namespace {

using system::Builder;

constexpr std::string_view kRate = ".rate";
constexpr std::size_t kMostListed = 20;  // names in a hint

// A block that could not be made has been reported; that its signals are missing is no news.
bool belongsToWrongBlock(const std::string& signal, Builder& builder) {
  const std::string owner = signal.substr(0, signal.find('.'));
  return builder.diagnostics().hasErrors() && builder.findItem("blocks", owner) != nullptr;
}

// Those that somebody gave: no rates, no numbers, each once.
std::string listOf(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [](const std::string& name) {
    return name.ends_with(kRate) || std::isalpha(static_cast<unsigned char>(name.front())) == 0;
  });
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostListed; ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.empty()) return "the model has none";
  return "known: " + text + (names.size() > kMostListed ? ", …" : "");
}

void reportUnknown(const Builder::OpenSignal& open, Builder& builder) {
  if (belongsToWrongBlock(open.name, builder)) return;
  if (open.name.ends_with(kRate)) {
    const std::string owner = open.name.substr(0, open.name.size() - kRate.size());
    if (findMeasure(builder.measures(), owner) || builder.findSignal(owner).value >= 0) {
      return builder.error(open.place, "'" + owner + "' has no exact rate",
                           "only functions of time and sensors have one, except accelerations and "
                           "joint forces; use a block of type derivative for a filtered rate");
    }
  }
  std::vector<std::string> known = measureNames(builder.measures());
  for (std::string& name : builder.signalNames()) known.push_back(std::move(name));
  const std::optional<std::string> nearest = base::findNearestWord(open.name, known);
  builder.error(open.place, "there is no signal named '" + open.name + "'",
                nearest ? "did you mean '" + *nearest + "'?" : listOf(std::move(known)));
}

// A function of time has a rate too.
bool connectSource(const Builder::OpenSignal& open, Builder& builder) {
  if (!open.name.ends_with(kRate)) return false;
  auto& sources = builder.elementSet<control::SourceSet>();
  const control::TimeFunction* function =
      sources.find(open.name.substr(0, open.name.size() - kRate.size()));
  if (function == nullptr) return false;
  auto rate = std::make_unique<control::RateOf>(*function);
  builder.defineSignal(open.name, open.name + ": rate of a function of time", rate->at(0.0).value);
  sources.add(open.name, open.unknown, std::move(rate));
  return true;
}

void connect(const Builder::OpenSignal& open, Builder& builder) {
  const std::optional<MeasureUse> use = findMeasure(builder.measures(), open.name);
  if (!use && connectSource(open, builder)) return;
  if (!use) return reportUnknown(open, builder);
  const std::vector<std::string> components = componentNames(use->sensor, *use->measure);
  if (use->component < 0 && components.size() > 1) {
    return builder.error(
        open.place, "'" + open.name + "' has several components",
        "use one of them, such as '" + components.front() + "', or give the sensor a direction");
  }
  builder.defineSignal(open.name, "sensor " + open.name);
  if (!use->measure->canBeSignal()) {
    return builder.error(open.place,
                         "'" + open.name + "' can be recorded but not used as a signal");
  }
  builder.elementSet<system::SensorSet>().add(
      {open.name, open.unknown, std::max(use->component, 0), use->rate}, *use->measure);
}

}  // namespace

void connectSensors(Builder& builder) {
  for (const Builder::OpenSignal& open : builder.openSignals()) connect(open, builder);
}

}  // namespace flexloop::model
