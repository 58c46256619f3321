// The machine as the page draws it: `scene.json` of viewer/README.md.
#pragma once

#include <string>
#include <vector>

#include "model/model.hpp"
#include "model/source_files.hpp"
#include "results/result_writer.hpp"
#include "system/registry.hpp"

namespace flexloop::view {

// A number of the model that may be changed.
struct Changeable {
  std::string path;   // a parameter's name, or as after --set
  std::string label;  // for people
  double value = 0.0;
  std::string unit;   // SI; empty where it is not known
  std::string group;  // parameters, or the section
};

struct SceneNotes {
  std::string version;  // of the program
  bool isLive = false;  // questions are answered
  std::string text;     // of the model file
  std::string notice;   // what the user should know; may be empty
  std::vector<Changeable> changeables;
  const model::SourceFiles* files = nullptr;  // with the meshes; null: those on disk
};

std::string makeScene(const model::Model& model, const SceneNotes& notes);

// Of a result whose model cannot be made again: nodes alone, at their frames of the first record.
std::string makeScene(const results::ResultHead& head, const std::vector<float>& frames,
                      const SceneNotes& notes);

}  // namespace flexloop::view
