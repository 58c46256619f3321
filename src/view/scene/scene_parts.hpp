// The parts of scene.json, one function each.
#pragma once

#include <vector>

#include "mechanics/beams/beam_layout.hpp"
#include "model/model.hpp"
#include "model/source_files.hpp"
#include "view/data/json_vectors.hpp"

namespace flexloop::view {

// Diagonal of the box around all nodes but ground; 1 where it is a point.
double calcSize(const std::vector<math::Frame<double>>& frames);
// The same with the surfaces of parts, undeformed, where the model has any.
double calcSize(const model::Model& model, std::vector<math::Frame<double>> frames);

// What the parts are made from.
struct SceneSource {
  // Without files, meshes are read from disk.
  explicit SceneSource(const model::Model& whole, const model::SourceFiles* kept = nullptr)
      : model(whole),
        files(kept),
        beams(mechanics::findBeams(whole.system())),
        frames(whole.system().start().frames),
        size(calcSize(whole, frames)) {}

  const system::Item* findItem(const std::string& section, const std::string& name) const;
  // The index of a node by the name that the model uses; -1 if there is none.
  int findNode(const std::string& name) const {
    return model.system().nodeNames().find(name).value;
  }
  const math::Vec3<double>& position(int node) const { return frames[node].x; }

  const model::Model& model;
  const model::SourceFiles* files;
  std::vector<mechanics::BeamLayout> beams;
  const std::vector<math::Frame<double>>& frames;  // at the start
  double size;                                     // diagonal of the machine
  mutable std::vector<std::string> problems{};     // what could not be drawn as it should be
};

Json makeBeams(const SceneSource& source);
Json makeBodies(const SceneSource& source);
Json makeFlexibleParts(const SceneSource& source);
Json makeJoints(const SceneSource& source);
Json makeSprings(const SceneSource& source);
Json makeSensors(const SceneSource& source);
Json makeActuators(const SceneSource& source);
Json makeLoads(const SceneSource& source);
Json makeDiagram(const SceneSource& source);

// Nodes that an item names by `node`, `between`, `joint` or `beam`, as the contract has them.
void addPlace(const SceneSource& source, const system::Item& item, Json& entry);

// Calls `use` for the items of a section, with those that `outputs:` describes.
template <class Use>
void forEachItem(const model::Model& model, std::string_view section, const Use& use) {
  for (const system::Item& item : model.description().items) {
    if (item.section() == section) use(item);
  }
  for (const model::OutputRequest& output : model.description().outputs) {
    const auto* item = std::get_if<system::Item>(&output.what);
    if (item != nullptr && item->section() == section) use(*item);
  }
}

}  // namespace flexloop::view
