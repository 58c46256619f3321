#include "view/data/mode_set.hpp"

#include "analysis/modes/node_shape.hpp"
#include "base/json.hpp"
#include "math/quaternion.hpp"
#include "reports/mode_json.hpp"
#include "view/data/json_vectors.hpp"
#include "view/data/part_shapes.hpp"

namespace flexloop::view {
namespace {

void addParts(const Eigen::Vector3cd& v, bool imaginary, std::vector<float>& numbers) {
  for (int i = 0; i < 3; ++i) {
    numbers.push_back(static_cast<float>(imaginary ? v[i].imag() : v[i].real()));
  }
}

void addShape(const system::System& system, const system::State& state,
              const Eigen::VectorXcd& shape, std::vector<float>& numbers) {
  for (std::size_t n = 0; n < system.nodes().size(); ++n) {
    const analysis::NodeShape node = analysis::calcNodeShape(system, state, shape, n);
    for (const bool imaginary : {false, true}) {
      addParts(node.displacement, imaginary, numbers);
      addParts(node.rotation, imaginary, numbers);
    }
  }
}

}  // namespace

ModeSet makeModeSet(const std::string& id, const model::Model& model, const system::State& state,
                    const analysis::ModeResult& result, const reports::ModeHead& head) {
  const reports::ModeDescriptions descriptions =
      analysis::describeModes(model, state, result.modes, true);
  const PartShapes parts(model);
  ModeSet set;
  const std::vector<double> start = parts.calcCoordinates(state);
  set.parts.assign(start.begin(), start.end());
  Json json{{"set", id},         {"loop", head.loop}, {"bodies", head.bodies},
            {"time", head.time}, {"frames", true},    {"modes", Json::array()}};
  for (std::size_t i = 0; i < result.modes.size(); ++i) {
    Json entry = reports::makeModeJson(result.modes[i]);
    if (i < descriptions.size()) reports::addModeDescription(descriptions[i], entry);
    json["modes"].push_back(std::move(entry));
    addShape(model.system(), state, result.modes[i].shape, set.shapes);
    for (const auto& z : parts.calcShape(model.system(), state, result.modes[i].shape)) {
      set.parts.push_back(static_cast<float>(z.real()));
      set.parts.push_back(static_cast<float>(z.imag()));
    }
  }
  json["warnings"] = result.notes;
  set.json = json.dump();
  for (const math::Frame<double>& frame : state.frames) {
    for (int i = 0; i < 3; ++i) set.frames.push_back(static_cast<float>(frame.x[i]));
    for (const double entry : math::calcQuaternion(frame.R)) {
      set.frames.push_back(static_cast<float>(entry));
    }
  }
  return set;
}

}  // namespace flexloop::view
