#include "api/linear_request.hpp"

#include <algorithm>
#include <ostream>
#include <utility>
#include <variant>

#include "analysis/massless_findings.hpp"
#include "analysis/operating_point.hpp"
#include "analysis/sampled_blocks.hpp"
#include "analysis/turning_note.hpp"
#include "api/load.hpp"
#include "api/mode_options.hpp"
#include "api/registry.hpp"
#include "base/nearest_word.hpp"
#include "model/build.hpp"

namespace flexloop::api {
namespace {

using model::OperatingPoint;
using system::Item;

bool isSignalSection(const std::string& section) {
  return section == "sensors" || section == "blocks" || section == "actuators";
}

// A load is scaled by a number; so that it can be an input, a constant of its own name scales it.
void giveSignal(Item& load, model::Description& description) {
  double factor = 1.0;
  for (system::NamedValue& entry : load.values()) {
    if (entry.name != "signal") continue;
    if (const auto* signal = std::get_if<std::string>(&entry.value.data)) {
      throw base::InputError(load.place(),
                             "loads." + load.name() + " has the signal '" + *signal + "'",
                             "name that signal as the input");
    }
    factor = std::get<double>(entry.value.data);
  }
  std::erase_if(load.values(), [](const auto& entry) { return entry.name == "signal"; });
  load.values().push_back({"signal", {load.place(), load.name()}});
  Item source("blocks", load.name(), "constant", load.place(), {{"value", {load.place(), factor}}});
  description.items.push_back(std::move(source));
}

// Takes those names that are loads out of the list.
void giveSignals(model::Description& description, std::vector<std::string>& names) {
  std::erase_if(names, [&](const std::string& name) {
    const auto isNamed = [&](const Item& item) { return item.name() == name; };
    const auto load =
        std::find_if(description.items.begin(), description.items.end(),
                     [&](const Item& item) { return item.section() == "loads" && isNamed(item); });
    if (load == description.items.end()) return false;
    const bool isSignal = std::any_of(
        description.items.begin(), description.items.end(),
        [&](const Item& item) { return isSignalSection(item.section()) && isNamed(item); });
    if (isSignal) return false;
    giveSignal(*load, description);
    return true;
  });
}

// The builder knows the nearest signal, but not that a load can be an input.
void suggestLoads(const model::Description& description, const std::vector<std::string>& names) {
  std::vector<std::string> known, loads;
  for (const Item& item : description.items) {
    if (isSignalSection(item.section())) known.push_back(item.name());
    if (item.section() == "loads") loads.push_back(item.name());
  }
  for (const std::string& name : names) {
    if (name.find('.') != std::string::npos || base::findNearestWord(name, known)) continue;
    const std::optional<std::string> nearest = base::findNearestWord(name, loads);
    if (!nearest) continue;
    throw base::InputError({}, "there is no signal or load named '" + name + "'",
                           "did you mean '" + *nearest + "'?");
  }
}

}  // namespace

model::Model loadLinearModel(const LinearRequest& request, const std::vector<std::string>& names) {
  const system::Registry registry = makeRegistry();
  model::Description description = readDescription(request.model, registry);
  std::vector<std::string> wanted = names;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  giveSignals(description, wanted);
  suggestLoads(description, wanted);
  description.wantedSignals = std::move(wanted);
  return model::buildModel(std::move(description), registry);
}

LinearCommand::LinearCommand(const LinearRequest& request, const analysis::PortNames& names,
                             const Console& console)
    : request_(request), names_(names), console_(console), model_([&] {
        std::vector<std::string> all = names.inputs;
        all.insert(all.end(), names.outputs.begin(), names.outputs.end());
        if (!names.cut.empty()) all.push_back(names.cut);
        return loadLinearModel(request, all);
      }()) {}

Outcome tellOutcome(const LinearOutcome& end, const Console& console) {
  if (!end.ok()) tellFailure(console, end.trouble, end.hint);
  return end.outcome;
}

void LinearCommand::checkOperatingPoint() const {
  (void)readOperatingPoint(request_.at, request_.about, model_);
}

LinearOutcome LinearCommand::linearize(bool hasSamples) {
  if (!console_.quiet) model_.warnings().print(*console_.errors);
  const OperatingPoint point = readOperatingPoint(request_.at, request_.about, model_);
  analysis::OperatingState found = analysis::findOperatingPoint(model_, point);
  if (const base::Diagnostics cause = analysis::explainMasslessMotions(model_); cause.hasErrors()) {
    throw base::InputError(cause);
  }
  if (!found.ok) return {Outcome::kNumericsFailed, found.trouble, found.hint};
  warnOf(found.notes, console_);
  state_ = std::move(found.state);
  sampled_ = analysis::findSampledBlocks(model_, state_);
  if (!hasSamples) warnOfSamples();
  system::Assembler assembler(model_.system());
  linear_ = analysis::linearize(model_, assembler, state_, {}, sampled_.boxElements());
  linear_.warnings.insert(linear_.warnings.end(), sampled_.warnings.begin(),
                          sampled_.warnings.end());
  for (const std::string& warning : linear_.warnings) {
    if (!console_.quiet) *console_.errors << "warning: " << warning << '\n';
  }
  warnOfAxes();
  ports_ = analysis::makePorts(model_, linear_, names_);
  return {};
}

void LinearCommand::warnOfSamples() const {
  if (sampled_.elements.empty()) return;
  warn("sampled blocks have no equations in continuous time: here they hold their outputs",
       "A, B, C and D are those of the machine without what they feed back; `flexloop frf` and "
       "`flexloop modes` treat them exactly");
}

// As `modes` does.
void LinearCommand::warnOfAxes() const {
  if (console_.quiet || linear_.turning.speed == 0.0) return;
  const analysis::ModeResult modes = analysis::findModes(model_, state_, {});
  const std::string note =
      analysis::describeTurning(linear_.turning, modes.modes, "linear equations");
  if (!note.empty()) *console_.errors << "warning: " << note << '\n';
}

std::string LinearCommand::title() const {
  const model::Description& description = model_.description();
  return description.title.empty() ? description.file : description.title;
}

void LinearCommand::warn(const std::string& what, const std::string& hint) const {
  if (!console_.quiet) *console_.errors << "warning: " << what << "\n  hint: " << hint << '\n';
}

void LinearCommand::tell(const std::vector<std::string>& lines) const {
  if (console_.quiet) return;
  for (const std::string& line : lines) *console_.text << line << '\n';
}

}  // namespace flexloop::api
