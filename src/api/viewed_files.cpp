#include "api/viewed_files.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "analysis/operating_point.hpp"
#include "api/load.hpp"
#include "api/mode_options.hpp"
#include "api/registry.hpp"
#include "base/diagnostics.hpp"
#include "control/block_types.hpp"
#include "io/file_text.hpp"
#include "io/output_file.hpp"
#include "io/record_file.hpp"
#include "model/build.hpp"
#include "view/changeables.hpp"

namespace flexloop::api {
namespace {

namespace fs = std::filesystem;

constexpr int kMostUnknowns = 3000;  // whose modes are found before the page shows anything

bool existsAny(const std::string& result) {
  return fs::exists(result) || fs::exists(io::partialName(result));
}

std::string findInFolder(const std::string& folder) {
  std::string result = (fs::path(folder) / "result.h5").string();
  if (existsAny(result)) return result;
  std::string model = (fs::path(folder) / "model.yaml").string();
  if (fs::exists(model)) return model;
  throw base::InputError({},
                         "the folder '" + folder + "' holds neither a result.h5 nor a model.yaml",
                         "'flexloop run MODEL' makes a result in out/<model>");
}

// `<path>.partial` is the file <path> of a run that goes on or was ended.
std::string withoutPartial(std::string path) {
  const std::string ending = io::partialName("");
  if (path.ends_with(ending)) path.resize(path.size() - ending.size());
  return path;
}

bool isResult(const std::string& path) {
  if (!fs::exists(path) && fs::exists(io::partialName(path))) return true;
  switch (io::findRecordKind(path)) {
    case io::RecordKind::kResult:
      return true;
    case io::RecordKind::kModel:
      return false;
    default:
      throw base::InputError({}, "the file '" + path + "' holds a table, but no machine",
                             "name the result.h5 of the run, or the model");
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

// The options of the command line, one per line, as api::run wrote them.
io::Overrides readSettings(const std::string& settings) {
  io::Overrides overrides;
  std::istringstream lines(settings);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("-p ")) overrides.parameters.push_back(line.substr(3));
    if (line.starts_with("--set ")) overrides.values.push_back(line.substr(6));
  }
  return overrides;
}

void addOverrides(const io::Overrides& more, io::Overrides& overrides) {
  overrides.parameters.insert(overrides.parameters.end(), more.parameters.begin(),
                              more.parameters.end());
  overrides.values.insert(overrides.values.end(), more.values.begin(), more.values.end());
}

bool hasBoxes(const model::Description& description) {
  return std::any_of(description.items.begin(), description.items.end(), [](const auto& item) {
    return item.section() == "blocks" && control::isBoxType(item.type());
  });
}

void makeModel(Boxes boxes, ViewedFile& file) {
  const system::Registry registry =
      boxes == Boxes::kStart ? makeRegistry() : makeRegistryWithoutBoxes(BoxFiles::kIgnored);
  model::Description description = readDescription(file.source, registry);
  file.hasStandIns = boxes == Boxes::kLeave && hasBoxes(description);
  file.model =
      std::make_shared<const model::Model>(model::buildModel(std::move(description), registry));
}

// A result is worth seeing even if its model is gone.
void makeModelAgain(const std::string& path, const io::Overrides& overrides, Boxes boxes,
                    ViewedFile& file) {
  const io::ResultHead& head = file.result->head();
  file.source.file = findModelFile(head.modelFile, path);
  file.source.text = head.modelText;
  file.source.overrides = readSettings(head.settings);
  addOverrides(overrides, file.source.overrides);
  try {
    makeModel(boxes, file);
  } catch (const base::InputError& error) {
    if (!overrides.parameters.empty() || !overrides.values.empty()) throw;
    const base::Diagnostic& first = error.diagnostics().errors().front();
    file.trouble = "The model of " + file.name + " (" + head.modelFile +
                   ") cannot be made again, so nothing can be computed anew: " + first.message +
                   ".";
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

ViewedFile openViewed(const std::string& path, const io::Overrides& overrides, bool follows,
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
  file.source = {found, overrides, std::nullopt};
  makeModel(boxes, file);
  if (const auto text = io::readFileText(found)) file.source.text = text.value();
  return file;
}

std::vector<view::Changeable> listChangeables(const ModelSource& source,
                                              const model::Model& model) {
  const system::Registry registry = makeRegistry();
  io::ErrorList errors;
  io::RawModel raw = source.text ? io::readRawText(*source.text, source.file, registry, errors)
                                 : io::readRawFile(source.file, registry, errors);
  io::applyOverrides(source.overrides, registry, raw, errors);
  return view::listChangeables(model, raw, registry);
}

std::unique_ptr<view::Session> makeSession(
    const std::vector<ViewedFile>& files,
    const std::vector<std::shared_ptr<view::ResultSource>>& shown, view::SceneNotes notes) {
  const ViewedFile& first = files.front();
  notes.text = first.source.text.value_or("");
  for (const ViewedFile& file : files) {
    notes.notice += (notes.notice.empty() || file.trouble.empty() ? "" : " ") + file.trouble;
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
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (shown[i] != nullptr) session->addResult({files[i].name, shown[i], files[i].model}, true);
  }
  return session;
}

view::ModeSet makeFirstModes(const std::string& id, const ViewedFile& file) {
  const model::Model& model = *file.model;
  if (file.hasStandIns) {
    return makeNoModes(
        id, model, "the model has black boxes, whose code runs when you ask for modes or a run");
  }
  if (model.system().unknowns() > kMostUnknowns) {
    return makeNoModes(id, model,
                       "the model is large, so its modes are found when you ask for them");
  }
  const ModesRequest asked;
  const analysis::OperatingState point =
      analysis::findOperatingPoint(model, readOperatingPoint(asked.at, asked.about, model));
  if (!point.ok) return makeNoModes(id, model, point.trouble);
  const analysis::ModeResult result =
      analysis::findModes(model, point.state, readModeOptions(asked, model));
  if (!result.ok) return makeNoModes(id, model, result.trouble);
  if (result.modes.empty())
    return makeNoModes(id, model, "there are no modes: nothing that moves has mass");
  return view::makeModeSet(id, model, point.state, result,
                           {asked.method, asked.loop, asked.bodies, point.state.time});
}

}  // namespace flexloop::api
