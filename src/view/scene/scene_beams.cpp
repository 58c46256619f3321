
#include "base/json.hpp"
#include "view/scene/scene_parts.hpp"
#include "view/scene/section_outline.hpp"

namespace flexloop::view {

Json makeBeams(const SceneSource& source) {
  Json beams = Json::array();
  int firstSegment = 0;
  for (const mechanics::BeamLayout& beam : source.beams) {
    Json nodes = Json::array(), axes = Json::array();
    for (std::size_t i = 0; i < beam.nodes.size(); ++i) {
      nodes.push_back(beam.nodes[i].value);
      axes.push_back(toJson(beam.axes[i]));
    }
    Json entry{{"name", beam.name}, {"nodes", std::move(nodes)}, {"axes", std::move(axes)}};
    const system::Item* item = source.findItem("beams", beam.name);
    const std::string sectionName = item != nullptr ? item->text("section") : std::string();
    const system::Item* section = source.findItem("sections", sectionName);
    entry["section"] = {{"name", sectionName},
                        {"type", section != nullptr ? section->type() : std::string()},
                        {"outlines", Json::array()}};
    if (section != nullptr) entry["section"]["outlines"] = makeOutline(*section).outlines;
    entry["material"] = item != nullptr && item->has("material") ? item->text("material") : "";
    entry["length"] = beam.length;
    entry["firstSegment"] = firstSegment;
    firstSegment += beam.segments();
    beams.push_back(std::move(entry));
  }
  return beams;
}

}  // namespace flexloop::view
