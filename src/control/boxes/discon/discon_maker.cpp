#include "control/boxes/discon/discon_maker.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "control/blocks/clock_parameters.hpp"
#include "control/boxes/box_item.hpp"
#include "control/boxes/box_stand_in.hpp"
#include "control/boxes/discon/discon_code.hpp"
#include "control/boxes/sampled_box.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;

namespace {

struct DisconParts {
  DisconPlan plan;
  std::vector<BlockInput> inputs;
  std::vector<std::string> ports;
  BoxSettings settings;
};

class Reader {
 public:
  Reader(const Item& item, Builder& builder) : item_(item), builder_(builder) {}

  std::optional<DisconParts> read() {
    parts_.plan.name = item_.name();
    parts_.plan.symbol = item_.text("symbol");
    parts_.plan.sample = item_.number("sample");
    readInputs();
    readOutputs();
    if (item_.has("parameters_file")) readParametersFile();
    parts_.settings.name = item_.name();
    parts_.settings.path = resolvePath(item_);
    parts_.settings.inputs = static_cast<int>(parts_.inputs.size());
    parts_.settings.outputs = static_cast<int>(parts_.ports.size());
    readIsolation(item_, parts_.settings, builder_);
    if (const auto failure = Box::check(parts_.settings))
      refuse("path", failure->message, failure->hint);
    std::error_code ignored;
    parts_.plan.library = std::filesystem::absolute(parts_.settings.path, ignored).string();
    return isRight_ ? std::optional(std::move(parts_)) : std::nullopt;
  }

 private:
  void refuse(std::string_view key, const std::string& message, const std::string& hint = {}) {
    fail(builder_, item_, key, message, hint);
    isRight_ = false;
  }
  void refuseUnknown(const base::Place& place, const char* what, const std::string& name,
                     const std::vector<DisconRecord>& known) {
    const auto nearest = base::findNearestWord(name, namesOf(known));
    builder_.error(place, fmt::format("blocks.{}: there is no {} '{}'", item_.name(), what, name),
                   nearest ? "did you mean '" + *nearest + "'?"
                           : "the reference lists all names; record_N is the record N");
    isRight_ = false;
  }

  void readInputs() {
    if (!item_.has("inputs")) return;
    for (const auto& [name, value] : std::get<system::ValueMap>(item_.at("inputs").data)) {
      const std::vector<int> records = findDisconRecords(disconInputs(), name);
      if (records.empty()) {
        refuseUnknown(value.place, "input", name, disconInputs());
        continue;
      }
      connect(name, value, records);
    }
  }

  // One signal for all blades, or one for each.
  void connect(const std::string& name, const system::Value& value,
               const std::vector<int>& records) {
    std::vector<std::string> signals;
    const auto add = [&](const system::Value& one) {
      if (const auto* text = std::get_if<std::string>(&one.data)) signals.push_back(*text);
      if (const auto* number = std::get_if<double>(&one.data)) {
        signals.push_back(fmt::format("{}", *number));
      }
    };
    if (const auto* list = std::get_if<system::ValueList>(&value.data)) {
      std::for_each(list->begin(), list->end(), add);
    } else {
      add(value);
    }
    const std::size_t count = signals.size();
    if (count == 0 || count > records.size()) {
      builder_.error(value.place,
                     fmt::format("blocks.{}.inputs: '{}' takes {} and not {} signals", item_.name(),
                                 name, records.size() == 1 ? "one" : "one to three", count));
      isRight_ = false;
      return;
    }
    if (records.size() > 1 && count > 1) parts_.plan.blades = static_cast<int>(count);
    for (std::size_t k = 0; k < (count == 1 ? records.size() : count); ++k) {
      if (!used_.insert(records[k]).second) {
        builder_.error(value.place, fmt::format("blocks.{}.inputs: record {} is set twice",
                                                item_.name(), records[k]));
        isRight_ = false;
        return;
      }
      parts_.plan.inputs.push_back(records[k]);
      parts_.inputs.push_back(inputOf(signals[count == 1 ? 0 : k], value.place, builder_));
    }
  }

  void readOutputs() {
    const std::vector<std::string> names =
        item_.has("outputs") ? item_.names("outputs") : namesOf(disconOutputs());
    std::set<std::string> seen;
    for (const std::string& name : names) {
      const std::vector<int> records = findDisconRecords(disconOutputs(), name);
      if (records.empty()) {
        refuseUnknown(item_.placeOf("outputs"), "output", name, disconOutputs());
      } else if (!seen.insert(name).second) {
        refuse("outputs", "the output '" + name + "' is given twice");
      } else {
        parts_.plan.outputs.push_back(records.front());
        parts_.ports.push_back(name);
      }
    }
    if (names.empty()) refuse("outputs", "the controller has no outputs", "name at least one");
  }

  void readParametersFile() {
    std::error_code ignored;
    const std::string path =
        std::filesystem::absolute(resolvePath(item_, "parameters_file"), ignored).string();
    if (!std::filesystem::is_regular_file(path, ignored)) {
      refuse("parameters_file", "there is no file '" + path + "'",
             "correct 'parameters_file'; it is relative to the file of the model");
    }
    parts_.plan.parametersFile = path;
  }

  const Item& item_;
  Builder& builder_;
  DisconParts parts_;
  std::set<int> used_;
  bool isRight_ = true;
};

}  // namespace

void makeDiscon(const Item& item, Builder& builder) {
  std::optional<DisconParts> parts = Reader(item, builder).read();
  if (!parts) return;
  parts->plan.isAlone = parts->settings.isolate;
  parts->settings.form = std::make_shared<DisconForm>(parts->plan);
  std::optional<BoxRunner> runner = openBox(item, parts->settings, builder);
  if (!runner) return;
  BlockStart start;
  if (!runner->save(start.record)) {
    return fail(builder, item, "path", runner->firstFault().message, runner->firstFault().hint);
  }
  const int clock = builder.addClock({parts->plan.sample, 0.0});
  addBox(item, std::make_unique<SampledBox>(clock, std::move(*runner)), parts->inputs, parts->ports,
         start, builder);
}

void makeDisconStandIn(const Item& item, Builder& builder) {
  const std::optional<DisconParts> parts = Reader(item, builder).read();
  if (!parts) return;
  const int clock = builder.addClock({parts->plan.sample, 0.0});
  addBox(item,
         std::make_unique<SampledStandIn>(clock, parts->settings.inputs, parts->settings.outputs),
         parts->inputs, parts->ports, {}, builder);
}

}  // namespace flexloop::control
