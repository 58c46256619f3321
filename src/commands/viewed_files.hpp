// What the user of `view` and `report` named: results with the models that made them, or models alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "view/data/result_source.hpp"
#include "view/data/session.hpp"
#include "view/scene/scene.hpp"

namespace flexloop::commands {

struct ViewedFile {
  std::string name;                          // for people
  std::shared_ptr<view::FileResult> result;  // null for a model that has not run
  api::ModelSource source;
  std::shared_ptr<const model::Model> model;  // null if it cannot be made again
  std::string whyNoModel;                     // then
  std::string note;                           // what is worth knowing of it
  bool hasStandIns = false;                   // black boxes of the model were not started
};

// Code of others runs where something is computed, not where someone looks.
enum class Boxes { kStart, kLeave };

// A folder means the result.h5 or the model.yaml in it. With `follows`, a model means the run that makes its
// result. Throws base::InputError, or std::runtime_error where a file cannot be read.
ViewedFile openViewed(const std::string& path, const language::Overrides& overrides, bool follows,
                      Boxes boxes = Boxes::kLeave);

// Whether the frames of the result, if it has any, are those of the nodes of the model.
bool fits(const model::Model& model, const view::ResultSource& result);

// The numbers of a model that may be changed.
std::vector<view::Changeable> listChangeables(const api::ModelSource& source,
                                              const model::Model& model);

// Of what was opened: why there is no model, and notes.
void printNotes(const std::vector<ViewedFile>& files, const Console& console);

// RESULT, -p, --set
void addViewedFiles(Call& call, std::vector<std::string>& files);
// Throws base::InputError where the program was built without it.
std::string_view requirePage();

// The session of all files: the first is the machine that is shown. `shown` are their results, or parts of them.
std::unique_ptr<view::Session> makeSession(
    const std::vector<ViewedFile>& files,
    const std::vector<std::shared_ptr<view::ResultSource>>& shown, view::SceneNotes notes);

// The modes with which the page starts; without any, but with the reason, where the model has none, is too large to
// wait for, or has black boxes that were not started.
view::ModeSet makeFirstModes(const std::string& id, const ViewedFile& file);

}  // namespace flexloop::commands
