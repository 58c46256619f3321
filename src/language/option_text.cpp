#include "language/option_text.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "language/parameter_table.hpp"
#include "language/values/value_reader.hpp"

namespace flexloop::language {
namespace {

std::string replaced(std::string text, char old, char now) {
  std::replace(text.begin(), text.end(), old, now);
  return text;
}

}  // namespace

std::vector<OptionHelp> describeOptions(const std::vector<system::Parameter>& parameters) {
  std::vector<OptionHelp> options;
  for (const system::Parameter& parameter : parameters) {
    const std::string& text = parameter.defaultText;
    options.push_back({replaced(parameter.name, '_', '-'),
                       parameter.doc + (text.empty() ? "" : " (" + text + ")")});
  }
  return options;
}

RawEntry parseOption(const OptionText& option, ErrorList& errors) {
  const auto origin = std::make_shared<const std::string>("--" + option.name + " " + option.text);
  const base::Place place{origin, 0, 0};
  RawNode value = parseYaml(option.text, origin, errors, false);
  value.place = place;
  return {replaced(option.name, '-', '_'), place, std::move(value)};
}

void addOption(RawEntry entry, RawMap& map, ErrorList& errors) {
  if (findEntry(map, entry.key) != nullptr) {
    errors.add(entry.place, entry.key + ": is given twice", "remove one of them");
  } else {
    map.push_back(std::move(entry));
  }
}

system::Item readOptions(const std::vector<OptionText>& options,
                         const std::vector<system::Parameter>& parameters, const char* type) {
  ErrorList errors;
  RawMap map;
  for (const OptionText& option : options) addOption(parseOption(option, errors), map, errors);
  const ParameterTable none;
  system::ValueMap values = ValueReader(none, errors).readMap(map, parameters, "", {});
  errors.raiseIfAny();
  return {"", type, "", {}, std::move(values)};
}

}  // namespace flexloop::language
