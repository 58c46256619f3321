#include "control/boxes/box_maker.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "control/blocks/clock_parameters.hpp"
#include "control/boxes/box_item.hpp"
#include "control/boxes/box_stand_in.hpp"
#include "control/boxes/continuous_box.hpp"
#include "control/boxes/discon/discon_maker.hpp"
#include "control/boxes/fmu/fmu_maker.hpp"
#include "control/boxes/nonlinear_box.hpp"
#include "control/boxes/sampled_box.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;

namespace {

using Kind = BoxSettings::Kind;

// The ports must differ, or a signal would have two owners.
bool checkPorts(const Item& item, const std::vector<std::string>& ports, Builder& builder) {
  std::set<std::string> seen;
  for (const std::string& port : ports) {
    const bool isName = !port.empty() && port.find_first_of(" .,:@-") == std::string::npos;
    if (!isName) {
      fail(builder, item, "outputs", "'" + port + "' cannot be the name of an output",
           "a name consists of letters, digits and '_'");
    } else if (!seen.insert(port).second) {
      fail(builder, item, "outputs", "the output '" + port + "' is given twice");
    } else {
      continue;
    }
    return false;
  }
  if (!ports.empty()) return true;
  fail(builder, item, "outputs", "the box has no outputs", "name at least one");
  return false;
}

// What the model says of a box, checked without its code.
struct BoxParts {
  std::vector<BlockInput> inputs;
  std::vector<std::string> ports;
  BlockStart start;
  BoxSettings settings;
};

// Whether a list, if it is there, has as many entries as it should.
bool checkLength(const Item& item, const char* key, std::size_t wanted, const char* ofWhat,
                 Builder& builder) {
  const std::size_t given = item.has(key) ? item.numbers(key).size() : wanted;
  if (given == wanted) return true;
  // In pieces: GCC 12 warns of a sum of texts here.
  std::string message = "'";
  message += key;
  message += "' has " + std::to_string(given) + " entries, but there are ";
  message += std::to_string(wanted) + " " + ofWhat;
  fail(builder, item, key, message);
  return false;
}

std::optional<BoxParts> readBox(const Item& item, Kind kind, Builder& builder) {
  BoxParts parts{inputsOf(item, "inputs", builder), item.names("outputs"), {}, {}};
  if (!checkPorts(item, parts.ports, builder)) return std::nullopt;
  const bool hasStates = kind == Kind::kNonlinear;
  parts.settings = {.name = item.name(),
                    .path = resolvePath(item),
                    .config = item.has("config") ? item.text("config") : "",
                    .kind = kind,
                    .inputs = static_cast<int>(parts.inputs.size()),
                    .outputs = static_cast<int>(parts.ports.size()),
                    .states = hasStates ? item.integer("states") : 0};
  readIsolation(item, parts.settings, builder);
  const auto states = static_cast<std::size_t>(parts.settings.states);
  if (hasStates && !checkLength(item, "x0", states, "states", builder)) return std::nullopt;
  if (hasStates && item.has("x0")) parts.start.states = item.numbers("x0");
  if (hasStates || !item.has("sample")) return parts;
  parts.settings.sample = item.number("sample");
  if (!checkLength(item, "initial", parts.ports.size(), "outputs", builder)) return std::nullopt;
  if (item.has("initial")) parts.start.memory = item.numbers("initial");
  parts.start.outputs = parts.start.memory;
  return parts;
}

void addBox(const Item& item, std::unique_ptr<Block> block, const BoxParts& parts,
            const BlockStart& start, Builder& builder) {
  addBox(item, std::move(block), parts.inputs, parts.ports, start, builder);
}

void addStandIn(const Item& item, const BoxParts& parts, Builder& builder) {
  const BlockSize size{.inputs = parts.settings.inputs,
                       .states = parts.settings.states,
                       .outputs = parts.settings.outputs};
  if (parts.settings.kind == Kind::kLibrary && item.has("sample")) {
    return addBox(
        item, std::make_unique<SampledStandIn>(clockOf(item, builder), size.inputs, size.outputs),
        parts, parts.start, builder);
  }
  const bool hasFeedthrough =
      parts.settings.kind == Kind::kLibrary || item.boolean("feedthrough", true);
  addBox(item, std::make_unique<BoxStandIn>(size, hasFeedthrough), parts, parts.start, builder);
}

// Only the states of a nonlinear box are counted.
Kind kindOf(const Item& item) {
  return item.has("states") ? Kind::kNonlinear : Kind::kLibrary;
}

}  // namespace

void makeLibrary(const Item& item, Builder& builder) {
  std::optional<BoxParts> parts = readBox(item, Kind::kLibrary, builder);
  if (!parts) return;
  std::optional<BoxRunner> runner = openBox(item, parts->settings, builder);
  if (!runner) return;
  std::vector<double> memory;
  if (runner->canRestore() && !runner->save(memory)) {
    return fail(builder, item, "path", runner->firstFault().message, runner->firstFault().hint);
  }
  BlockStart& start = parts->start;
  if (!item.has("sample")) {
    if (runner->canRestore()) start.record = ContinuousBox::makeRecord(memory);
    return addBox(item, std::make_unique<ContinuousBox>(std::move(*runner)), *parts, start,
                  builder);
  }
  start.record = memory;
  addBox(item, std::make_unique<SampledBox>(clockOf(item, builder), std::move(*runner)), *parts,
         start, builder);
}

void makeNonlinear(const Item& item, Builder& builder) {
  const std::optional<BoxParts> parts = readBox(item, Kind::kNonlinear, builder);
  if (!parts) return;
  std::optional<BoxRunner> runner = openBox(item, parts->settings, builder);
  if (!runner) return;
  addBox(item,
         std::make_unique<NonlinearBox>(std::move(*runner), item.boolean("feedthrough", true)),
         *parts, parts->start, builder);
}

void makeBoxStandIn(const Item& item, Builder& builder) {
  if (const auto parts = readBox(item, kindOf(item), builder)) addStandIn(item, *parts, builder);
}

void makeCheckedBoxStandIn(const Item& item, Builder& builder) {
  const auto parts = readBox(item, kindOf(item), builder);
  if (!parts) return;
  if (const auto failure = Box::check(parts->settings)) {
    return fail(builder, item, "path", failure->message, failure->hint);
  }
  addStandIn(item, *parts, builder);
}

BoxStandInMaker findStandIn(std::string_view type, bool isChecked) {
  static const std::map<std::string_view, BoxStandInMaker> others{{"fmu", makeFmuStandIn},
                                                                  {"discon", makeDisconStandIn}};
  const auto other = others.find(type);
  if (other != others.end()) return other->second;
  return isChecked ? makeCheckedBoxStandIn : makeBoxStandIn;
}

}  // namespace flexloop::control
