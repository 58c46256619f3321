#include "commands/viewed_files.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "api/analyses.hpp"
#include "api/registry.hpp"
#include "base/diagnostics.hpp"
#include "base/file_text.hpp"
#include "commands/mode_options.hpp"
#include "files/output_file.hpp"
#include "language/source_reader.hpp"
#include "model/build.hpp"
#include "results/record_file.hpp"
#include "view/scene/changeables.hpp"
#include "view/server/page.hpp"

namespace flexloop::commands {
namespace {

namespace fs = std::filesystem;

constexpr int kMostUnknowns = 3000;  // whose modes are found before the page shows anything

bool existsAny(const std::string& result) {
  return fs::exists(result) || fs::exists(files::partialName(result));
}

std::string findInFolder(const std::string& folder) {
  std::string result = (fs::path(folder) / "result.h5").string();
  if (existsAny(result)) return result;
  std::string model = (fs::path(folder) / "model.yaml").string();
  if (fs::exists(model)) return model;
  throw base::InputError(
      {}, "the folder '" + folder + "' contains neither a result.h5 nor a model.yaml",
      "'flexloop run MODEL' writes a result to out/<model>");
}

// `<path>.partial` is the file <path> of a run that is in progress or was ended.
std::string withoutPartial(std::string path) {
  const std::string ending = files::partialName("");
  if (path.ends_with(ending)) path.resize(path.size() - ending.size());
  return path;
}

bool isResult(const std::string& path) {
  if (!fs::exists(path) && fs::exists(files::partialName(path))) return true;
  switch (results::findRecordKind(path)) {
    case results::RecordKind::kResult:
      return true;
    case results::RecordKind::kModel:
      return false;
    default:
      throw base::InputError({}, "the file '" + path + "' contains a table, but no machine",
                             "give the result.h5 of the run, or the model");
  }
}

std::string nameOf(const std::string& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  const std::string stem = whole.stem().string();
  const bool byFolder = stem == "result" || stem == "model";
  return byFolder ? whole.parent_path().filename().string() : stem;
}

// A result names its model as the user did then: relative to where the program was started, which is often some
// folder above the result.
std::string findModelFile(const std::string& name, const std::string& result) {
  if (fs::exists(name) || fs::path(name).is_absolute()) return name;
  for (fs::path folder = fs::absolute(result).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::exists(folder / name)) return (folder / name).string();
  }
  return name;
}

// The options of the command line, one per line, as `run` wrote them.
language::Overrides readSettings(const std::string& settings) {
  language::Overrides overrides;
  std::istringstream lines(settings);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("-p ")) overrides.parameters.push_back(line.substr(3));
    if (line.starts_with("--set ")) overrides.values.push_back(line.substr(6));
  }
  return overrides;
}

void addOverrides(const language::Overrides& more, language::Overrides& overrides) {
  overrides.parameters.insert(overrides.parameters.end(), more.parameters.begin(),
                              more.parameters.end());
  overrides.values.insert(overrides.values.end(), more.values.begin(), more.values.end());
}

bool hasAny(const language::Overrides& overrides) {
  return !overrides.parameters.empty() || !overrides.values.empty();
}

bool hasBoxes(const model::Description& description) {
  return std::any_of(description.items.begin(), description.items.end(),
                     [](const auto& item) { return item.facts().isBox; });
}

void makeModel(Boxes boxes, ViewedFile& file) {
  const system::Registry registry = api::useKeptParts(
      boxes == Boxes::kStart ? api::makeRegistry()
                             : api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored),
      file.source.files);
  file.model = std::make_shared<const model::Model>(
      model::buildModel(api::readDescription(file.source, registry), registry));
  file.hasStandIns = boxes == Boxes::kLeave && hasBoxes(file.model->description());
}

// A result of an earlier version kept the model itself; what it includes is read from disk.
model::SourceFiles readFilesOf(const view::FileResult& result, const std::string& modelFile) {
  const system::Registry registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
  if (const auto stored = result.readFiles()) {
    return language::placeSourceFiles(*stored, modelFile, registry);
  }
  return language::readSourceFiles(result.head().modelText, modelFile, registry);
}

// Names of files that are not what they were when the model ran.
std::string listChanged(const std::string& modelFile, const model::SourceFiles& sources) {
  std::string names;
  for (const model::SourceFile& source : sources.files) {
    const fs::path path = fs::path(modelFile).parent_path() / source.name;
    std::error_code error;
    if (source.isRepeated || !fs::is_regular_file(path, error)) continue;
    const auto text = base::readFileText(path.string());
    if (text && text.value() != source.text) names += (names.empty() ? "" : ", ") + source.name;
  }
  return names;
}

// A result is worth seeing even if its model is gone.
void makeModelAgain(const std::string& path, const language::Overrides& overrides, Boxes boxes,
                    ViewedFile& file) {
  const results::ResultHead& head = file.result->head();
  file.source.file = findModelFile(head.modelFile, path);
  file.source.overrides = readSettings(head.settings);
  addOverrides(overrides, file.source.overrides);
  try {
    file.source.files =
        std::make_shared<const model::SourceFiles>(readFilesOf(*file.result, file.source.file));
    const std::string changed = listChanged(file.source.file, *file.source.files);
    if (!changed.empty()) {
      file.note = "The model of " + file.name + " has changed since it ran (" + changed +
                  "); the model of the run is shown.";
    }
    makeModel(boxes, file);
    if (fits(*file.model, *file.result) || hasAny(overrides)) return;
    file.model = nullptr;
    file.whyNoModel = "The model of " + file.name + " (" + head.modelFile +
                      ") does not contain the recorded nodes.";
  } catch (const base::InputError& error) {
    if (hasAny(overrides)) throw;
    const base::Diagnostic& first = error.diagnostics().errors().front();
    file.whyNoModel = "The model of " + file.name + " (" + head.modelFile +
                      ") cannot be rebuilt, so nothing can be recomputed: " + first.message + ".";
  }
}

view::ModeSet makeNoModes(const std::string& id, const model::Model& model, std::string why) {
  const ModesRequest asked;
  const system::State& start = model.start();
  analysis::ModeResult none;
  none.notes.push_back(std::move(why));
  return view::makeModeSet(id, model, start, none,
                           {asked.method, asked.loop, asked.bodies, start.time});
}

}  // namespace

bool fits(const model::Model& model, const view::ResultSource& result) {
  const std::vector<system::Node>& nodes = model.system().nodes();
  const std::vector<std::string>& recorded = result.nodes();
  if (recorded.empty()) return true;
  return nodes.size() == recorded.size() + 1 &&
         std::equal(
             recorded.begin(), recorded.end(), nodes.begin() + 1,
             [](const std::string& name, const system::Node& node) { return name == node.name; });
}

ViewedFile openViewed(const std::string& path, const language::Overrides& overrides, bool follows,
                      Boxes boxes) {
  std::string found = withoutPartial(fs::is_directory(path) ? findInFolder(path) : path);
  if (follows && !isResult(found)) {
    found = (fs::path(defaultDirectory(found)) / "result.h5").string();
    if (!existsAny(found)) {
      throw base::InputError({}, "there is no run of '" + path + "' to follow yet",
                             "start it with 'flexloop run " + path + "'");
    }
  }
  ViewedFile file;
  file.name = nameOf(found);
  if (isResult(found)) {
    file.result = std::make_shared<view::FileResult>(found, follows);
    makeModelAgain(found, overrides, boxes, file);
    return file;
  }
  file.source = api::withFiles({found, overrides, nullptr},
                               api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored));
  makeModel(boxes, file);
  return file;
}

std::vector<view::Changeable> listChangeables(const api::ModelSource& source,
                                              const model::Model& model) {
  const system::Registry registry = api::makeRegistry();
  language::ErrorList errors;
  language::RawModel raw = language::readRawFiles(*source.files, source.file, registry, errors);
  language::applyOverrides(source.overrides, registry, raw, errors);
  return view::listChangeables(model, raw, registry);
}

void printNotes(const std::vector<ViewedFile>& files, const Console& console) {
  for (const ViewedFile& file : files) {
    if (!file.whyNoModel.empty()) *console.errors << "warning: " << file.whyNoModel << '\n';
    if (!file.note.empty() && !console.quiet) *console.errors << "note: " << file.note << '\n';
  }
}

void addViewedFiles(Call& call, std::vector<std::string>& files) {
  call.add({{"RESULT",
             "",
             "result.h5 of a run, a folder that contains one, or a model; several are compared",
             &files,
             {.isRequired = true}}});
  call.addOverrideOptions();
}

std::string_view requirePage() {
  if (view::pageText().empty()) {
    reject("this program was built without the viewer page",
           "run 'make packages' with access to the network, then 'make'");
  }
  return view::pageText();
}

std::unique_ptr<view::Session> makeSession(
    const std::vector<ViewedFile>& files,
    const std::vector<std::shared_ptr<view::ResultSource>>& shown, view::SceneNotes notes) {
  const ViewedFile& first = files.front();
  if (first.source.files != nullptr) notes.text = first.source.files->files.front().text;
  notes.files = first.source.files.get();
  for (const ViewedFile& file : files) {
    for (const std::string& text : {file.whyNoModel, file.note}) {
      notes.notice += (notes.notice.empty() || text.empty() ? "" : " ") + text;
    }
  }
  std::vector<std::string> nodes;
  std::string scene;
  if (first.model != nullptr) {
    notes.changeables = listChangeables(first.source, *first.model);
    scene = view::makeScene(*first.model, notes);
    for (const system::Node& node : first.model->system().nodes()) nodes.push_back(node.name);
    nodes.erase(nodes.begin());
  } else {
    const view::FileResult& result = *first.result;
    const bool hasFrames = !result.nodes().empty() && result.records() > 0;
    const std::vector<double> frames =
        hasFrames ? result.readFrames(0, 1) : std::vector<double>{0, 0, 0, 1, 0, 0, 0};
    scene = view::makeScene(result.head(), {frames.begin(), frames.end()}, notes);
    nodes = result.nodes();
  }
  auto session = std::make_unique<view::Session>(std::move(scene), std::move(nodes));
  session->setModel(first.model);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (shown[i] == nullptr) continue;
    const auto model =
        files[i].model != nullptr && fits(*files[i].model, *shown[i]) ? files[i].model : nullptr;
    session->addResult({files[i].name, shown[i], model}, true);
  }
  return session;
}

view::ModeSet makeFirstModes(const std::string& id, const ViewedFile& file) {
  const model::Model& model = *file.model;
  if (file.hasStandIns) {
    return makeNoModes(
        id, model,
        "the model has black boxes; their code runs only when you request modes or a run");
  }
  if (model.system().unknowns() > kMostUnknowns) {
    return makeNoModes(id, model, "the model is large; its modes are computed on request");
  }
  const ModesRequest asked;
  try {
    const analysis::OperatingState point =
        api::findState(model, readOperatingPoint(asked.at, asked.about, model));
    const analysis::ModeResult result =
        api::findModes(model, point.state, readModeOptions(asked, model));
    if (result.modes.empty())
      return makeNoModes(id, model, "there are no modes: nothing that can move has mass");
    return view::makeModeSet(id, model, point.state, result,
                             {asked.method, asked.loop, asked.bodies, point.state.time});
  } catch (const api::Failed& failed) {
    return makeNoModes(id, model, failed.what());
  }
}

}  // namespace flexloop::commands
