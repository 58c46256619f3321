#include "support/expected_file.hpp"

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "base/diagnostics.hpp"
#include "base/file_text.hpp"
#include "language/error_list.hpp"
#include "language/yaml/yaml_tree.hpp"

namespace flexloop::test {
namespace {

using language::RawMap;
using language::RawNode;

[[noreturn]] void fail(const RawNode& node, const std::string& message) {
  throw base::InputError(node.place, message);
}

const RawMap& mapOf(const RawNode& node, std::initializer_list<std::string_view> known) {
  if (node.map() == nullptr) fail(node, "a map is expected");
  for (const language::RawEntry& entry : *node.map()) {
    bool found = false;
    for (const std::string_view key : known) found = found || key == entry.key;
    if (!found) fail(entry.value, "'" + entry.key + "' is not known here");
  }
  return *node.map();
}

const language::RawList& listOf(const RawNode& node) {
  if (node.list() == nullptr) fail(node, "a list is expected");
  return *node.list();
}

const std::string& textOf(const RawNode& node) {
  if (node.scalar() == nullptr) fail(node, "a word or a number is expected");
  return node.scalar()->text;
}

double numberOf(const RawNode& node) {
  const std::string& text = textOf(node);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') fail(node, "'" + text + "' is not a number");
  return value;
}

const RawNode* find(const RawMap& map, std::string_view key) {
  const language::RawEntry* entry = findEntry(map, key);
  return entry != nullptr ? &entry->value : nullptr;
}

const RawNode& get(const RawNode& node, std::string_view key) {
  const RawNode* found = find(*node.map(), key);
  if (found == nullptr) fail(node, "'" + std::string(key) + "' is missing");
  return *found;
}

double numberAt(const RawMap& map, std::string_view key, double otherwise) {
  const RawNode* found = find(map, key);
  return found != nullptr ? numberOf(*found) : otherwise;
}

Range readRange(const RawMap& map) {
  const Range all;
  return {numberAt(map, "from", all.from), numberAt(map, "to", all.to)};
}

Tolerance readTolerance(const RawNode& node) {
  const RawMap& map = *node.map();
  const Tolerance tolerance{numberAt(map, "tolerance", 0.0), numberAt(map, "relative", 0.0)};
  if (!(tolerance.of(1.0) > 0.0)) fail(node, "'tolerance' or 'relative' is missing");
  return tolerance;
}

Pick readPick(const RawMap& map) {
  const RawNode* of = find(map, "of");
  if (of == nullptr) return find(map, "at") != nullptr ? Pick::kAt : Pick::kOnly;
  const std::string& word = textOf(*of);
  if (word == "minimum") return Pick::kMinimum;
  if (word == "maximum") return Pick::kMaximum;
  if (word == "mean") return Pick::kMean;
  fail(*of, "'of' is minimum, maximum or mean");
}

ExpectedValue readCheck(const RawNode& node, bool isEquilibrium) {
  const RawMap& map =
      mapOf(node, {"output", "at", "of", "from", "to", "value", "tolerance", "relative"});
  ExpectedValue check{.output = textOf(get(node, "output")),
                      .pick = readPick(map),
                      .at = numberAt(map, "at", 0.0),
                      .range = readRange(map),
                      .value = numberOf(get(node, "value")),
                      .tolerance = readTolerance(node)};
  if (isEquilibrium != (check.pick == Pick::kOnly)) {
    fail(node, "a run has 'at' or 'of', an equilibrium neither");
  }
  return check;
}

ExpectedCurve readCurve(const RawNode& node) {
  const RawMap& map =
      mapOf(node, {"output", "file", "column", "from", "to", "tolerance", "relative"});
  return {.output = textOf(get(node, "output")),
          .file = textOf(get(node, "file")),
          .column = textOf(get(node, "column")),
          .range = readRange(map),
          .tolerance = readTolerance(node)};
}

std::complex<double> readRoot(const RawNode& node) {
  const language::RawList& parts = listOf(node);
  if (parts.size() != 2) fail(node, "a root is [real part, imaginary part]");
  return {numberOf(parts[0]), numberOf(parts[1])};
}

ExpectedRoots readRoots(const RawNode& node) {
  const RawMap& map =
      mapOf(node, {"output", "interval", "values", "from", "to", "tolerance", "relative"});
  ExpectedRoots roots{.output = textOf(get(node, "output")),
                      .interval = numberOf(get(node, "interval")),
                      .values = {},
                      .range = readRange(map),
                      .tolerance = readTolerance(node)};
  for (const RawNode& value : listOf(get(node, "values"))) roots.values.push_back(readRoot(value));
  return roots;
}

// The place of a word among those that are known; the first if there is none.
int choiceAt(const RawMap& map, std::string_view key,
             std::initializer_list<std::string_view> known) {
  const RawNode* node = find(map, key);
  if (node == nullptr) return 0;
  int place = 0;
  for (const std::string_view word : known) {
    if (word == textOf(*node)) return place;
    ++place;
  }
  fail(*node, "'" + textOf(*node) + "' is not known here");
}

ExpectedModes readModes(const RawNode& node) {
  const RawMap& map = mapOf(node, {"frequencies", "roots", "loop", "bodies", "about", "at", "count",
                                   "tolerance", "relative"});
  ExpectedModes modes;
  modes.tolerance = readTolerance(node);
  modes.options.count = static_cast<int>(numberAt(map, "count", 20));
  modes.options.view.loop =
      static_cast<analysis::LoopView>(choiceAt(map, "loop", {"closed", "open", "locked"}));
  modes.options.view.bodies =
      static_cast<analysis::BodyView>(choiceAt(map, "bodies", {"flexible", "rigid"}));
  modes.about.kind = static_cast<model::OperatingPoint::Kind>(
      choiceAt(map, "about", {"initial", "equilibrium", "steady"}));
  if (const RawNode* at = find(map, "at")) {
    modes.about = {model::OperatingPoint::Kind::kTime, numberOf(*at)};
  }
  if (const RawNode* list = find(map, "frequencies")) {
    for (const RawNode& value : listOf(*list)) modes.frequencies.push_back(numberOf(value));
  }
  if (const RawNode* list = find(map, "roots")) {
    for (const RawNode& value : listOf(*list)) modes.roots.push_back(readRoot(value));
  }
  if (modes.frequencies.empty() && modes.roots.empty()) fail(node, "nothing is compared");
  return modes;
}

language::Overrides readSettings(const RawNode& node) {
  const language::RawList& words = listOf(node);
  if (words.size() % 2 != 0) fail(node, "options and their values alternate");
  language::Overrides overrides;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& option = textOf(words[i]);
    const std::string& value = textOf(words[i + 1]);
    if (option == "-p") {
      overrides.parameters.push_back(value);
    } else if (option == "--set") {
      overrides.values.push_back(value);
    } else if (option == "--end" || option == "--step" || option == "--rho") {
      overrides.values.push_back("analysis.time." + option.substr(2) + "=" + value);
    } else {
      fail(words[i], "known are -p, --set, --end, --step and --rho");
    }
  }
  return overrides;
}

FreeRecord readFreeRecord(const RawNode& node) {
  const RawMap& map = mapOf(node, {"output", "interval", "from", "to", "roots", "weight"});
  return {.output = textOf(get(node, "output")),
          .interval = numberOf(get(node, "interval")),
          .range = readRange(map),
          .roots = static_cast<int>(numberOf(get(node, "roots"))),
          .weight = numberAt(map, "weight", 1e-3)};
}

ExpectedFreeResponse readFreeResponse(const RawNode& node) {
  const RawMap& map = mapOf(node, {"set", "records", "modes", "size"});
  ExpectedFreeResponse response;
  if (const RawNode* set = find(map, "set")) response.overrides = readSettings(*set);
  if (const RawNode* records = find(map, "records")) {
    for (const RawNode& entry : listOf(*records)) response.records.push_back(readFreeRecord(entry));
  }
  response.modes = static_cast<int>(numberAt(map, "modes", 0));
  response.size = numberAt(map, "size", 1e-6);
  if (response.records.empty() && response.modes == 0) fail(node, "nothing is compared");
  return response;
}

ExpectedCase readCase(const RawNode& node, bool isEquilibrium) {
  const RawMap& map = mapOf(node, {"set", "dissipation", "checks", "curves", "roots", "modes"});
  ExpectedCase result;
  if (const RawNode* set = find(map, "set")) result.overrides = readSettings(*set);
  if (const RawNode* share = find(map, "dissipation")) result.dissipation = numberOf(*share);
  if (const RawNode* checks = find(map, "checks")) {
    for (const RawNode& check : listOf(*checks)) {
      result.checks.push_back(readCheck(check, isEquilibrium));
    }
  }
  if (const RawNode* curves = find(map, "curves")) {
    for (const RawNode& curve : listOf(*curves)) result.curves.push_back(readCurve(curve));
  }
  if (const RawNode* roots = find(map, "roots")) {
    for (const RawNode& entry : listOf(*roots)) result.roots.push_back(readRoots(entry));
  }
  if (const RawNode* modes = find(map, "modes")) {
    for (const RawNode& entry : listOf(*modes)) result.modes.push_back(readModes(entry));
  }
  if (result.checks.empty() && result.curves.empty() && result.roots.empty() &&
      result.modes.empty()) {
    fail(node, "nothing is compared");
  }
  if (isEquilibrium && !result.curves.empty()) fail(node, "an equilibrium has no curves");
  return result;
}

}  // namespace

ExpectedFile readExpectedFile(const std::string& path) {
  const base::Result<std::string> text = base::readFileText(path);
  if (!text) throw base::InputError({}, path + ": " + text.failure().message);
  language::ErrorList errors;
  const RawNode root =
      language::parseYaml(text.value(), std::make_shared<const std::string>(path), errors);
  errors.raiseIfAny();
  const RawMap& map = mapOf(root, {"command", "slow", "cases", "free_responses"});
  const RawNode& command = get(root, "command");
  ExpectedFile file;
  file.isEquilibrium = textOf(command) == "equilibrium";
  file.hasRun = textOf(command) == "run";
  if (!file.isEquilibrium && !file.hasRun && textOf(command) != "modes") {
    fail(command, "run, equilibrium or modes");
  }
  if (const RawNode* slow = find(map, "slow")) file.isSlow = textOf(*slow) == "true";
  for (const RawNode& node : listOf(get(root, "cases"))) {
    file.cases.push_back(readCase(node, file.isEquilibrium));
  }
  if (file.cases.empty()) fail(root, "there is no case");
  if (const RawNode* responses = find(map, "free_responses")) {
    for (const RawNode& node : listOf(*responses)) {
      file.freeResponses.push_back(readFreeResponse(node));
    }
  }
  return file;
}

}  // namespace flexloop::test
