#include "fmu/taken_model.hpp"

#include <filesystem>
#include <memory>

#include "api/registry.hpp"
#include "base/diagnostics.hpp"
#include "base/file_text.hpp"
#include "base/json.hpp"
#include "language/source_reader.hpp"

namespace flexloop::fmu {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kIndex = "flexloop.json";
constexpr int kFormat = 1;
constexpr std::size_t kLargestFile = std::size_t{4} << 30;  // reduced parts are large

std::string readOrThrow(const std::string& path) {
  base::Result<std::string> text = base::readFileText(path, kLargestFile);
  if (!text) throw base::InputError({}, text.failure().message, text.failure().hint);
  return text.value();
}

Json describe(const TakenModel& taken) {
  Json index;
  index["format"] = kFormat;
  index["kind"] = taken.kind == Kind::kCoSimulation ? "cs" : "me";
  index["token"] = taken.token;
  index["inputs"] = taken.inputs;
  index["outputs"] = taken.outputs;
  index["states"] = taken.states;
  index["indicators"] = taken.indicators;
  index["parameters"] = Json::array();
  for (const TakenParameter& one : taken.parameters) {
    index["parameters"].push_back({{"name", one.name},
                                   {"value", one.value},
                                   {"tunable", one.isTunable},
                                   {"calculated", one.isCalculated}});
  }
  index["overrides"] = {{"parameters", taken.source.overrides.parameters},
                        {"values", taken.source.overrides.values}};
  index["files"] = Json::array();
  for (const model::SourceFile& file : taken.source.files->files) {
    index["files"].push_back({{"name", file.name}, {"repeated", file.isRepeated}});
  }
  return index;
}

TakenModel readIndex(const Json& index) {
  if (index.at("format") != kFormat) throw std::runtime_error("it is of another version");
  TakenModel taken;
  taken.kind = index.at("kind") == "cs" ? Kind::kCoSimulation : Kind::kModelExchange;
  index.at("token").get_to(taken.token);
  index.at("inputs").get_to(taken.inputs);
  index.at("outputs").get_to(taken.outputs);
  index.at("states").get_to(taken.states);
  index.at("indicators").get_to(taken.indicators);
  for (const Json& one : index.at("parameters")) {
    taken.parameters.push_back(
        {one.at("name"), one.at("value"), one.at("tunable"), one.at("calculated")});
  }
  index.at("overrides").at("parameters").get_to(taken.source.overrides.parameters);
  index.at("overrides").at("values").get_to(taken.source.overrides.values);
  return taken;
}

}  // namespace

void writeTakenModel(const TakenModel& taken, const std::vector<TakenFile>& others,
                     const std::function<void(const std::string&, std::string_view)>& write) {
  write(kIndex, describe(taken).dump(1) + "\n");
  const std::vector<model::SourceFile>& files = taken.source.files->files;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (!files[k].isRepeated) write("files/" + std::to_string(k), files[k].text);
  }
  for (const TakenFile& file : others) write("model/" + file.name, readOrThrow(file.path));
}

TakenModel readTakenModel(const std::string& folder) {
  const fs::path place(folder);
  TakenModel taken;
  model::SourceFiles stored;
  stored.isStored = true;
  try {
    const Json index = Json::parse(readOrThrow((place / kIndex).string()));
    taken = readIndex(index);
    for (const Json& file : index.at("files")) {
      const std::string text =
          file.at("repeated").get<bool>()
              ? std::string()
              : readOrThrow((place / "files" / std::to_string(stored.files.size())).string());
      stored.files.push_back({file.at("name"), {}, text, file.at("repeated")});
    }
    if (stored.files.empty()) throw std::runtime_error("it has no model");
    if (taken.kind == Kind::kCoSimulation && !(taken.states.empty() && taken.indicators == 0)) {
      throw std::runtime_error("it has states, which belong to model exchange");
    }
  } catch (const base::InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw base::InputError({},
                           "the resources of the FMU cannot be read: " + (place / kIndex).string() +
                               ": " + error.what(),
                           "unpack the FMU again, or export it again");
  }
  taken.source.file = (place / "model" / fs::path(stored.files.front().name).filename()).string();
  const system::Registry registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
  taken.source.files = std::make_shared<const model::SourceFiles>(
      language::placeSourceFiles(stored, taken.source.file, registry));
  return taken;
}

}  // namespace flexloop::fmu
