#include "api/study_source.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <thread>

#include "base/diagnostics.hpp"
#include "base/nearest_word.hpp"
#include "base/text_format.hpp"

namespace flexloop::api {
namespace {

using study::Setting;

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw base::InputError({}, what, hint);
}

bool isPath(const std::string& name) {
  return name.find('.') != std::string::npos;
}

Setting findParameter(const model::Model& model, const std::string& name, const char* option) {
  std::vector<std::string> known;
  for (const auto& [other, value] : model.description().parameters) {
    if (other == name) return {name, value};
    known.push_back(other);
  }
  const std::optional<std::string> nearest = base::findNearestWord(name, known);
  refuse(std::string(option) + ": there is no parameter '" + name + "'",
         nearest ? "did you mean '" + *nearest + "'?"
                 : "a value of the model is given by its path, for example springs.k1.stiffness");
}

const system::Value* findEntry(const system::ValueMap& map, std::string_view key) {
  for (const system::NamedValue& entry : map) {
    if (entry.name == key) return &entry.value;
  }
  return nullptr;
}

// What `section.name.key` or a key inside of it has; null if it is not there.
const system::Value* findValue(const system::Item& item, std::string_view keys) {
  const std::size_t dot = keys.find('.');
  const system::Value* value = item.find(keys.substr(0, dot));
  while (dot != std::string_view::npos && value != nullptr) {
    keys.remove_prefix(keys.find('.') + 1);
    const auto* map = std::get_if<system::ValueMap>(&value->data);
    value = map != nullptr ? findEntry(*map, keys.substr(0, keys.find('.'))) : nullptr;
    if (keys.find('.') == std::string_view::npos) break;
  }
  return value;
}

Setting findAtPath(const model::Model& model, const std::string& path, const char* option) {
  const std::string start = std::string(option) + ": ";
  const std::size_t first = path.find('.');
  for (const system::Item& item : model.description().items) {
    const std::string head = item.section() + "." + item.name() + ".";
    if (path.substr(0, first) != item.section() || !path.starts_with(head)) continue;
    const system::Value* value = findValue(item, std::string_view(path).substr(head.size()));
    if (value == nullptr) continue;
    if (const double* number = std::get_if<double>(&value->data)) return {path, *number};
    refuse(start + "'" + path + "' is not a single number",
           "make the number a parameter of the model, and write '= name' in its place");
  }
  refuse(start + "the model has no value '" + path + "'", "for example springs.k1.stiffness");
}

}  // namespace

ModelSource withSettings(ModelSource source, const study::Settings& settings) {
  for (const Setting& setting : settings) {
    std::vector<std::string>& target =
        isPath(setting.name) ? source.overrides.values : source.overrides.parameters;
    target.push_back(setting.name + "=" + base::numberText(setting.value));
  }
  return source;
}

study::ModelMaker makeModelMaker(const ModelSource& source) {
  return [&source](const study::Settings& settings) {
    return loadModel(withSettings(source, settings));
  };
}

int readThreads(const std::optional<int>& jobs, const model::Model& model) {
  if (jobs && *jobs < 1) refuse("--jobs must be at least 1", "");
  for (const system::Item& item : model.description().items) {
    // Blocks of one process may share the memory of their library.
    if (item.facts().isBox && !item.boolean("isolate", true)) return 1;
  }
  return jobs.value_or(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

Setting findSetting(const model::Model& model, const std::string& name, const char* option) {
  return isPath(name) ? findAtPath(model, name, option) : findParameter(model, name, option);
}

study::Settings findSettings(const model::Model& model, const std::vector<std::string>& paths) {
  study::Settings settings;
  for (const auto& [name, value] : model.description().parameters) {
    settings.push_back({name, value});
  }
  for (const std::string& path : paths) {
    const study::Setting setting = findSetting(model, path, "--of");
    if (isPath(path)) settings.push_back(setting);  // parameters are in the list
  }
  return settings;
}

}  // namespace flexloop::api
