// The block diagram: who gives which signal, and who reads it.
#include <algorithm>
#include <variant>

#include "base/json.hpp"
#include "control/blocks/block_set.hpp"
#include "view/scene/scene_parts.hpp"

namespace flexloop::view {
namespace {

using system::Item;

// Signals of a sensor have its name, alone or with a component or `.rate` behind it.
bool isSignalOf(const std::string& signal, const std::string& owner) {
  return signal == owner || (signal.starts_with(owner) && signal[owner.size()] == '.');
}

class DiagramMaker {
 public:
  explicit DiagramMaker(const SceneSource& source) : source_(source) {}

  Json make() {
    addSensors();
    addBlocks();
    addReaders("loads", "signal", "load");
    addReaders("joints", "drive", "drive");
    return {{"blocks", std::move(blocks_)}, {"wires", std::move(wires_)}};
  }

 private:
  void add(const std::string& name, const std::string& type, const char* kind, Json outputs,
           std::string_view symbol = {}) {
    blocks_.push_back({{"name", name},
                       {"type", type},
                       {"symbol", symbol},
                       {"kind", kind},
                       {"outputs", std::move(outputs)}});
  }

  void addSensors() {
    forEachItem(source_.model, "sensors", [&](const Item& item) {
      Json outputs = Json::array();
      for (const auto& [name, unknown] : source_.model.signals()) {
        if (isSignalOf(name, item.name())) outputs.push_back(name);
      }
      if (!outputs.empty()) add(item.name(), item.type(), "sensor", std::move(outputs));
    });
  }

  // Sources have no inputs and are no blocks of the set.
  void addBlocks() {
    const control::BlockSet* set = control::findBlocks(source_.model.system());
    for (const char* section : {"blocks", "actuators"}) {
      forEachItem(source_.model, section, [&](const Item& item) {
        const bool isActuator = item.section() == "actuators";
        Json outputs = Json::array();
        int element = -1;
        for (int e = 0; set != nullptr && e < set->size(); ++e) {
          if (set->name(e) == item.name()) element = e;
        }
        if (element >= 0) {
          outputs = addWires(*set, element);
        } else if (source_.model.findSignal(item.name())) {
          outputs.push_back(item.name());
        }
        add(item.name(), item.type(), isActuator ? "actuator" : "block", std::move(outputs),
            item.facts().symbol);
      });
    }
  }

  Json addWires(const control::BlockSet& set, int element) {
    Json outputs = Json::array();
    for (int k = 0; k < set.outputs(element); ++k) {
      outputs.push_back(source_.model.signalName(set.output(element, k)));
    }
    for (int k = 0; k < set.inputs(element); ++k) {
      addWire(source_.model.signalName(set.input(element, k)), set.name(element),
              set.sign(element, k));
    }
    return outputs;
  }

  // A number that is a signal comes from nowhere.
  void addWire(const std::string& signal, const std::string& reader, double sign) {
    const bool isNumber = signal.find_first_not_of("0123456789.+-e") == std::string::npos;
    if (signal.empty() || isNumber) return;
    wires_.push_back({{"from", signal}, {"to", reader}, {"sign", sign < 0.0 ? -1 : 1}});
  }

  void addReaders(const char* section, const char* key, const char* type) {
    forEachItem(source_.model, section, [&](const Item& item) {
      const system::Value* value = item.find(key);
      const auto* signal = value != nullptr ? std::get_if<std::string>(&value->data) : nullptr;
      if (signal == nullptr) return;
      const std::string name = item.section() + "." + item.name();  // blocks may have the same name
      add(name, type, "actuator", Json::array());
      addWire(*signal, name, 1.0);
    });
  }

  const SceneSource& source_;
  Json blocks_ = Json::array(), wires_ = Json::array();
};

}  // namespace

Json makeDiagram(const SceneSource& source) {
  return DiagramMaker(source).make();
}

}  // namespace flexloop::view
