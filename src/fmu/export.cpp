#include "fmu/export.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "analysis/linear/instant_response.hpp"
#include "api/driven_model.hpp"
#include "api/registry.hpp"
#include "base/diagnostics.hpp"
#include "base/file_text.hpp"
#include "base/text_format.hpp"
#include "base/units.hpp"
#include "files/sha256.hpp"
#include "files/zip_writer.hpp"
#include "fmu/model_description.hpp"
#include "fmu/model_exchange.hpp"
#include "fmu/parameters.hpp"
#include "view/scene/mesh_sources.hpp"

namespace flexloop::fmu {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw base::InputError({}, what, hint);
}

void checkNames(const std::vector<std::string>& names, const char* option) {
  if (names.empty() && std::string_view(option) == "--to") {
    refuse("no output is given", "add '--to SIGNAL'");
  }
  std::set<std::string> known;
  for (const std::string& name : names) {
    if (!known.insert(name).second) {
      refuse(std::string(option) + ": '" + name + "' is given twice", "remove one of them");
    }
  }
}

// Those in which items name files that are read when the model is made: blocks, and tyres.
constexpr std::array<std::string_view, 2> kWithFiles{"blocks", "contacts"};

// Files that are read by their paths when the model is made: they go where they are beside the model.
std::vector<TakenFile> listOtherFiles(const model::Model& model, const model::SourceFiles& files) {
  std::vector<TakenFile> others;
  for (const system::Item& item : model.description().items) {
    if (std::find(kWithFiles.begin(), kWithFiles.end(), item.section()) == kWithFiles.end())
      continue;
    for (const char* key : {"path", "parameters_file", "file"}) {
      const system::Value* value = item.find(key);
      const auto* text = value != nullptr ? std::get_if<std::string>(&value->data) : nullptr;
      if (text == nullptr) continue;
      const base::Place& place = value->place;
      const std::string from = place.file != nullptr ? *place.file : std::string();
      const std::string name = files.nameFrom(from, *text);
      if (fs::path(name).is_absolute() || name.starts_with("..")) {
        throw base::InputError(
            place,
            item.section() + "." + item.name() + "." + key + ": '" + *text +
                "' is not below the folder of the model, so an FMU cannot take it along",
            "copy it beside the model and name it by a relative path");
      }
      const std::string path = (fs::path(from).parent_path() / *text).string();
      if (std::none_of(others.begin(), others.end(),
                       [&](const TakenFile& known) { return known.name == name; })) {
        others.push_back({name, path});
      }
    }
  }
  return others;
}

std::string nameModel(const std::string& file) {
  const fs::path path = fs::absolute(file).lexically_normal();
  const std::string stem = path.stem().string();
  return stem == "model" && path.has_parent_path() ? path.parent_path().filename().string() : stem;
}

// A name for C, as the standard asks.
std::string makeIdentifier(const std::string& name) {
  std::string identifier;
  for (const char c : name) {
    const auto code = static_cast<unsigned char>(c);
    identifier += code < 128 && std::isalnum(code) != 0 ? c : '_';
  }
  const bool isName =
      !identifier.empty() && std::isdigit(static_cast<unsigned char>(identifier[0])) == 0;
  return isName ? identifier : "model_" + identifier;
}

class Exporter {
 public:
  explicit Exporter(const ExportRequest& request)
      : request_(request),
        source_(
            api::withFiles(request.model, api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored))),
        model_(load()) {}

  ExportReport write() {
    checkTime();
    others_ = listOtherFiles(model_, *source_.files);
    const std::string runtime = readRuntime();
    fillTaken();
    fillDescription();
    nameToken();
    writeArchive(runtime);
    return report();
  }

 private:
  model::Model load() const {
    checkNames(request_.inputs, "--from");
    checkNames(request_.outputs, "--to");
    return api::loadDrivenModel(source_, request_.inputs, request_.outputs);
  }

  void checkTime() const {
    if (request_.kind == Kind::kModelExchange || model_.time()) return;
    throw base::InputError(
        {std::make_shared<const std::string>(model_.description().file), 0, 0},
        "the model has no 'analysis: time', which has the scheme and the step of a co-simulation",
        "add 'analysis: {time: {end: 2, step: 1 ms}}'");
  }

  static std::string readRuntime() {
    constexpr std::size_t kLargest = std::size_t{1} << 30;
    base::Result<std::string> bytes = base::readFileText(findRuntime(), kLargest);
    if (!bytes) throw std::runtime_error(bytes.failure().message);
    return bytes.value();
  }

  void fillTaken() {
    model::SourceFiles files = *source_.files;
    view::addParts(model_, files);
    taken_.source = source_;
    taken_.source.files = std::make_shared<const model::SourceFiles>(std::move(files));
    taken_.kind = request_.kind;
    taken_.inputs = request_.inputs;
    taken_.outputs = request_.outputs;
    if (request_.kind == Kind::kModelExchange) {
      ExchangeStates states = listExchangeStates(model_);
      taken_.states = std::move(states.names);
      description_.coordinates = states.coordinates;
      taken_.indicators = countIndicators(model_);
    }
    parameters_ = findParameters(source_, model_, taken_.inputs, taken_.outputs);
    taken_.parameters = parameters_.all;
  }

  void fillDescription() {
    description_.version = request_.version;
    description_.name = nameModel(request_.model.file);
    description_.identifier = makeIdentifier(description_.name);
    description_.title = model_.description().title;
    description_.program = request_.program;
    description_.taken = &taken_;
    description_.counts = {taken_.inputs.size(), taken_.outputs.size(), taken_.parameters.size(),
                           taken_.states.size(), taken_.indicators};
    if (model_.time()) {
      description_.end = model_.time()->end;
      description_.step = model_.time()->step;
    }
    fillVariables();
    description_.directPaths =
        analysis::findInstantPaths(model_, findSignals(taken_.inputs), findSignals(taken_.outputs));
  }

  std::vector<system::UnknownIndex> findSignals(const std::vector<std::string>& names) const {
    std::vector<system::UnknownIndex> signals;
    for (const std::string& name : names) signals.push_back(model_.findSignal(name).value());
    return signals;
  }

  // Outputs keep the names of their signals; what has the same name as another variable gets its role added.
  void fillVariables() {
    std::vector<Variable>& all = description_.variables;
    all.push_back({.role = Role::kTime,
                   .name = "time",
                   .description = "time",
                   .unit = "s",
                   .dimension = base::kTime});
    std::set<std::string> outputs(taken_.outputs.begin(), taken_.outputs.end()), used{"time"};
    used.insert(outputs.begin(), outputs.end());
    const auto nameOnce = [&](const std::string& name, const char* role) {
      std::string own = used.contains(name) ? name + role : name;
      while (!used.insert(own).second) own += "_";
      return own;
    };
    for (std::size_t k = 0; k < taken_.inputs.size(); ++k) {
      all.push_back({.role = Role::kInput,
                     .index = k,
                     .name = nameOnce(taken_.inputs[k], ".input"),
                     .description = "added to " + taken_.inputs[k],
                     .start = 0.0});
      setUnit(taken_.inputs[k], all.back());
    }
    for (std::size_t k = 0; k < taken_.outputs.size(); ++k) {
      const std::string& name = taken_.outputs[k];
      all.push_back(
          {.role = Role::kOutput, .index = k, .name = name == "time" ? "time.output" : name});
      setUnit(name, all.back());
    }
    for (std::size_t k = 0; k < taken_.parameters.size(); ++k) {
      const TakenParameter& parameter = taken_.parameters[k];
      all.push_back(
          {.role = Role::kParameter, .index = k, .name = nameOnce(parameter.name, ".parameter")});
      if (!parameter.isCalculated) all.back().start = parameter.value;
      if (!parameters_.units[k].unit.empty()) {
        all.back().unit = parameters_.units[k].unit;
        all.back().dimension = parameters_.units[k].dimension;
      }
    }
    for (std::size_t k = 0; k < taken_.states.size(); ++k) {
      all.push_back(
          {.role = Role::kState, .index = k, .name = nameOnce(taken_.states[k], ".state")});
    }
    for (std::size_t k = 0; k < taken_.states.size(); ++k) {
      const std::size_t first = all.size() - taken_.states.size();
      all.push_back(
          {.role = Role::kDerivative, .index = k, .name = "der(" + all[first].name + ")"});
    }
    for (std::size_t k = 0; k < taken_.indicators; ++k) {
      all.push_back({.role = Role::kIndicator,
                     .index = k,
                     .name = nameOnce("indicator " + std::to_string(k + 1), "_")});
    }
  }

  // Of a signal that the model records; inputs are recorded where they are outputs too.
  void setUnit(const std::string& signal, Variable& variable) const {
    const auto& names = model_.outputs().names();
    const auto found = std::find(names.begin(), names.end(), signal);
    if (found == names.end()) return;
    variable.unit = model_.outputs().units()[static_cast<std::size_t>(found - names.begin())];
    if (variable.unit.empty()) return;
    if (const auto unit = base::parseUnit(variable.unit)) {
      variable.dimension = unit.value().dimension;
    } else {
      variable.unit.clear();
    }
  }

  // Of everything that the FMU is, so that the same model has the same token.
  void nameToken() {
    files::Sha256 sum;
    sum.add(writeModelDescription(description_));
    writeTakenModel(taken_, others_, [&](const std::string& name, std::string_view bytes) {
      sum.add(name);
      sum.add(bytes);
    });
    const std::string digits = sum.finish();
    taken_.token = "{" + digits.substr(0, 8) + "-" + digits.substr(8, 4) + "-" +
                   digits.substr(12, 4) + "-" + digits.substr(16, 4) + "-" + digits.substr(20, 12) +
                   "}";
  }

  void writeArchive(const std::string& runtime) const {
    files::ZipWriter archive(request_.file);
    archive.add("modelDescription.xml", writeModelDescription(description_));
    const char* platform = request_.version == 2 ? "linux64" : "x86_64-linux";
    archive.add(std::string("binaries/") + platform + "/" + description_.identifier + ".so",
                runtime);
    writeTakenModel(taken_, others_, [&](const std::string& name, std::string_view bytes) {
      archive.add("resources/" + name, bytes);
    });
    archive.close();
  }

  ExportReport report() const {
    ExportReport report;
    report.parameters = taken_.parameters.size();
    report.tunable = static_cast<std::size_t>(
        std::count_if(taken_.parameters.begin(), taken_.parameters.end(),
                      [](const TakenParameter& one) { return one.isTunable; }));
    report.states = description_.counts.states;
    for (const TakenFile& file : others_) report.taken.push_back(file.name);
    report.title = model_.description().title;
    report.warnings = model_.warnings();
    if (request_.kind == Kind::kModelExchange) addRate(report);
    return report;
  }

  // Where the step of the model is far beyond what explicit methods can do.
  void addRate(ExportReport& report) const {
    constexpr double kLimitOfStability =
        2.8;  // of Runge and Kutta's method of order four, times one over the rate
    report.fastestRate = findFastestRate(model_);
    if (!model_.time() || !(report.fastestRate * model_.time()->step > kLimitOfStability)) return;
    report.warnings.addWarning(
        {std::make_shared<const std::string>(model_.description().file), 0, 0},
        "the equations are stiff: their fastest root is " +
            base::numberText(roundedRate(report.fastestRate)) + " 1/s",
        "the host needs an implicit solver, best one that asks for directional derivatives; "
        "'--kind cs' brings the solver along");
  }

  static double roundedRate(double rate) {
    const double unit = std::pow(10.0, std::floor(std::log10(rate)) - 1.0);
    return unit * std::round(rate / unit);
  }

  const ExportRequest& request_;
  const api::ModelSource source_;
  const model::Model model_;
  TakenModel taken_;
  ModelParameters parameters_;
  ModelDescription description_;
  std::vector<TakenFile> others_;
};

}  // namespace

ExportReport exportModel(const ExportRequest& request) {
  return Exporter(request).write();
}

}  // namespace flexloop::fmu
