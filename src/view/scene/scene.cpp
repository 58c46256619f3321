#include "view/scene/scene.hpp"

#include <algorithm>
#include <set>

#include "analysis/check/model_check.hpp"
#include "base/json.hpp"
#include "mechanics/parts/part_layout.hpp"
#include "view/scene/scene_parts.hpp"

namespace flexloop::view {
namespace {

Json makeNodes(const SceneSource& source) {
  std::set<std::string> named{system::kGroundName};
  forEachItem(source.model, "nodes", [&](const auto& item) { named.insert(item.name()); });
  Json nodes = Json::array();
  for (std::size_t i = 0; i < source.frames.size(); ++i) {
    const std::string& name = source.model.system().nodes()[i].name;
    nodes.push_back({{"name", name},
                     {"position", toJson(source.frames[i].x)},
                     {"rotation", toJson(source.frames[i].R)},
                     {"inner", !named.contains(name)}});
  }
  return nodes;
}

int countKind(const system::System& system, system::Kind kind) {
  return static_cast<int>(std::count(system.kinds().begin(), system.kinds().end(), kind));
}

Json makeCounts(const SceneSource& source) {
  const model::Model& model = source.model;
  const system::System& system = model.system();
  Json counts = Json::array();
  const auto add = [&](const char* name, Json value) {
    counts.push_back({{"name", name}, {"value", std::move(value)}});
  };
  for (const char* section : {"bodies", "beams", "parts", "joints", "springs", "loads", "sensors",
                              "blocks", "actuators"}) {
    if (model.countItems(section) > 0) add(section, model.countItems(section));
  }
  add("nodes", system.nodes().size() - 1);
  add("degrees of freedom", countKind(system, system::Kind::kMotion));
  add("constraints", countKind(system, system::Kind::kMultiplier));
  add("controller states", countKind(system, system::Kind::kState));
  add("signals", countKind(system, system::Kind::kSignal));
  add("mass [kg]", analysis::calcMassProperties(system, system.start()).mass);
  return counts;
}

Json makeParameters(const std::vector<Changeable>& changeables) {
  Json parameters = Json::array();
  for (const Changeable& entry : changeables) {
    parameters.push_back({{"path", entry.path},
                          {"label", entry.label},
                          {"value", entry.value},
                          {"unit", entry.unit},
                          {"group", entry.group}});
  }
  return parameters;
}

Json makeHead(const std::string& title, const std::string& file, const SceneNotes& notes) {
  return {{"title", title},
          {"file", file},
          {"version", notes.version},
          {"live", notes.isLive},
          {"notice", notes.notice}};
}

// The text of a file need not be UTF-8; JSON must be.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

double calcSize(const std::vector<math::Frame<double>>& frames) {
  math::Vec3<double> low = math::Vec3<double>::Zero(), high = low;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    low = i == 1 ? frames[i].x : math::Vec3<double>(low.cwiseMin(frames[i].x));
    high = i == 1 ? frames[i].x : math::Vec3<double>(high.cwiseMax(frames[i].x));
  }
  const double diagonal = (high - low).norm();
  return diagonal > 0.0 ? diagonal : 1.0;
}

double calcSize(const model::Model& model, std::vector<math::Frame<double>> frames) {
  for (const mechanics::PartLayout& part : mechanics::findParts(model.system())) {
    const math::Frame<double> first = frames[part.place.nodes[0].value];
    for (const Eigen::Vector3d& point : part.recovery->surface.points) {
      frames.push_back({first.R, first.x + first.R * point});
    }
  }
  return calcSize(frames);
}

const system::Item* SceneSource::findItem(const std::string& section,
                                          const std::string& name) const {
  for (const system::Item& item : model.description().items) {
    if (item.section() == section && item.name() == name) return &item;
  }
  return nullptr;
}

std::string makeScene(const model::Model& model, const SceneNotes& notes) {
  const SceneSource source(model, notes.files);
  const model::Description& description = model.description();
  Json scene = makeHead(description.title, description.file, notes);
  scene["gravity"] = toJson(math::Vec3<double>(description.gravity));
  scene["size"] = source.size;
  scene["nodes"] = makeNodes(source);
  scene["beams"] = makeBeams(source);
  scene["bodies"] = makeBodies(source);
  scene["parts"] = makeFlexibleParts(source);
  scene["joints"] = makeJoints(source);
  scene["springs"] = makeSprings(source);
  scene["sensors"] = makeSensors(source);
  scene["actuators"] = makeActuators(source);
  scene["loads"] = makeLoads(source);
  scene["parameters"] = makeParameters(notes.changeables);
  scene["diagram"] = makeDiagram(source);
  scene["counts"] = makeCounts(source);
  scene["text"] = notes.text;
  std::string notice = notes.notice;
  for (const std::string& problem : source.problems)
    notice += (notice.empty() ? "" : " ") + problem;
  scene["notice"] = notice;
  return dump(scene);
}

std::string makeScene(const results::ResultHead& head, const std::vector<float>& frames,
                      const SceneNotes& notes) {
  constexpr std::size_t kNumbers = 7;
  std::vector<math::Frame<double>> places{math::Frame<double>::identity()};
  Json nodes = Json::array();
  for (std::size_t i = 0; i * kNumbers < frames.size(); ++i) {
    const float* f = frames.data() + kNumbers * i;
    nodes.push_back({{"name", i == 0 ? system::kGroundName : head.nodes[i - 1]},
                     {"position", {f[0], f[1], f[2]}},
                     {"rotation", {f[3], f[4], f[5], f[6]}},
                     {"inner", false}});
    if (i > 0) places.push_back({math::Mat3<double>::Identity(), {f[0], f[1], f[2]}});
  }
  Json scene = makeHead(head.title, head.modelFile, notes);
  scene["gravity"] = {0.0, 0.0, 0.0};
  scene["size"] = calcSize(places);
  scene["nodes"] = std::move(nodes);
  for (const char* part : {"beams", "bodies", "parts", "joints", "springs", "sensors", "actuators",
                           "loads", "parameters"}) {
    scene[part] = Json::array();
  }
  scene["diagram"] = {{"blocks", Json::array()}, {"wires", Json::array()}};
  scene["counts"] = Json::array({{{"name", "nodes"}, {"value", places.size() - 1}}});
  scene["text"] = notes.text;
  return dump(scene);
}

}  // namespace flexloop::view
