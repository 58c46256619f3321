#include "base/json.hpp"
#include "mechanics/parts/part_layout.hpp"
#include "view/scene/scene_parts.hpp"

namespace flexloop::view {

// Their points, triangles and shapes are pieces of data of their own.
Json makeFlexibleParts(const SceneSource& source) {
  Json parts = Json::array();
  for (const mechanics::PartLayout& part : mechanics::findParts(source.model.system())) {
    Json nodes = Json::array();
    for (const system::NodeIndex node : part.place.nodes) nodes.push_back(node.value);
    const mechanics::PartSurface& surface = part.recovery->surface;
    const int sides = surface.stress.rows() == 0 ? 0 : surface.stressBelow.rows() == 0 ? 1 : 2;
    parts.push_back({{"name", part.name},
                     {"nodes", std::move(nodes)},
                     {"mass", part.matrices->mass},
                     {"points", surface.points.size()},
                     {"coordinates", part.coordinates()},
                     {"firstCoordinate", part.firstCoordinate},
                     {"modes", part.matrices->modes},
                     {"sides", sides}});
  }
  return parts;
}

}  // namespace flexloop::view
