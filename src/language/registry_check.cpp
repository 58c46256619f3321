#include "language/registry_check.hpp"

#include <algorithm>
#include <stdexcept>

#include "language/model_reader.hpp"
#include "language/values/value_reader.hpp"

namespace flexloop::language {
namespace {

using system::Parameter;
using system::Registry;
using system::Shape;
using system::TypeEntry;

bool usesType(const model::Description& model, const TypeEntry& entry) {
  const auto is = [&](const system::Item& item) {
    return item.section() == entry.section && item.type() == entry.type;
  };
  return std::any_of(model.items.begin(), model.items.end(), is) ||
         std::any_of(model.outputs.begin(), model.outputs.end(), [&](const auto& output) {
           const auto* item = std::get_if<system::Item>(&output.what);
           return item != nullptr && is(*item);
         });
}

class Checker {
 public:
  explicit Checker(const Registry& registry) : registry_(registry) {}

  std::vector<std::string> run() {
    for (const TypeEntry& entry : registry_.entries()) {
      const std::string name =
          entry.type.empty() ? entry.section : entry.section + "." + entry.type;
      if (entry.doc.empty()) report(name, "has no documentation");
      checkParameters(entry.parameters, name);
      checkSamples(entry, name);
    }
    return mistakes_;
  }

 private:
  void report(const std::string& name, const std::string& what) {
    mistakes_.push_back(name + " " + what);
  }

  void checkParameters(const std::vector<Parameter>& parameters, const std::string& owner) {
    for (const Parameter& parameter : parameters) {
      const std::string name = owner + "." + parameter.name;
      if (parameter.doc.empty()) report(name, "has no documentation");
      const bool chooses = parameter.shape == Shape::kChoice || parameter.shape == Shape::kChoices;
      if (chooses && parameter.choices.empty()) report(name, "has no choices");
      const bool refers = parameter.shape == Shape::kName || parameter.shape == Shape::kNames;
      if (refers && !registry_.hasSection(parameter.refersTo)) {
        report(name, "refers to the unknown section '" + parameter.refersTo + "'");
      }
      if (parameter.shape == Shape::kVector && parameter.placing == system::Placing::kUnstated) {
        report(name,
               "does not say whether it is a point or a direction in ground axes, or neither");
      }
      if (parameter.required && !parameter.defaultText.empty()) {
        report(name, "is required and has a default");
      }
      checkDefault(parameter, name);
      checkParameters(parameter.fields, name);
    }
  }

  void checkDefault(const Parameter& parameter, const std::string& name) {
    if (parameter.defaultText.empty()) return;
    try {
      ErrorList errors;
      const ParameterTable table;
      ValueReader(table, errors)
          .read(parseYaml(parameter.defaultText, nullptr, errors, false), parameter, {name, ""});
      errors.raiseIfAny();
    } catch (const base::InputError& error) {
      report(name, std::string("has a wrong default: ") + error.what());
    }
  }

  void checkSamples(const TypeEntry& entry, const std::string& name) {
    if (entry.samples.empty()) report(name, "has no sample");
    for (const std::string& sample : entry.samples) {
      try {
        if (!usesType(readModelText(sample, "sample", registry_), entry)) {
          report(name, "is not used by its sample");
        }
      } catch (const base::InputError& error) {
        report(name, std::string("has a wrong sample: ") + error.what());
      } catch (const std::logic_error& error) {
        report(name, std::string("has a sample that needs a wrong default: ") + error.what());
      }
    }
  }

  const Registry& registry_;
  std::vector<std::string> mistakes_;
};

}  // namespace

std::vector<std::string> findRegistryMistakes(const Registry& registry) {
  return Checker(registry).run();
}

}  // namespace flexloop::language
