#include "model/build.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "control/sampled/sample_order.hpp"
#include "control/sources/external_inputs.hpp"
#include "model/analysis_types.hpp"
#include "model/formula_units.hpp"
#include "model/model_with_inputs.hpp"
#include "model/output_finder.hpp"
#include "model/sensor_signals.hpp"
#include "model/start/drive_check.hpp"
#include "model/start/joint_start.hpp"
#include "solve/prepared_machine.hpp"
#include "system/builder.hpp"
#include "system/gathering.hpp"

namespace flexloop::model {
namespace {

using system::Item;
using system::Value;

// What others refer to comes first. Sections that are not listed come before the last two.
constexpr std::array<std::string_view, 9> kFirst{
    "materials", "sections", "nodes", "beams", "parts", "bodies", "blocks", "joints", "springs"};
constexpr std::array<std::string_view, 2> kLast{"actuators", "sensors"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::vector<std::string> sectionOrder(const system::Registry& registry) {
  std::vector<std::string> order(kFirst.begin(), kFirst.end());
  for (const std::string& section : registry.sections()) {
    if (!contains(kFirst, section) && !contains(kLast, section)) order.push_back(section);
  }
  order.insert(order.end(), kLast.begin(), kLast.end());
  return order;
}

// Collects the points `beam@fraction` of a value; what is no such point is not for us to judge.
void addPointReferences(const Value& value, system::Builder& builder) {
  if (const std::string* name = std::get_if<std::string>(&value.data)) {
    const std::optional<system::NodeName> node = system::parseNodeName(*name);
    if (node && node->fraction) builder.addPointReference(node->owner, *node->fraction);
  } else if (const auto* list = std::get_if<system::ValueList>(&value.data)) {
    for (const Value& entry : *list) addPointReferences(entry, builder);
  } else if (const auto* map = std::get_if<system::ValueMap>(&value.data)) {
    for (const auto& [key, entry] : *map) addPointReferences(entry, builder);
  }
}

class ModelMaker {
 public:
  ModelMaker(Description description, const system::Registry& registry, bool isAsDrawn,
             std::vector<std::string> inputs = {})
      : description_(std::move(description)),
        registry_(registry),
        isAsDrawn_(isAsDrawn),
        inputs_(std::move(inputs)),
        builder_(diagnostics_, &registry) {}

  Model make() {
    diagnostics_.add(description_.warnings);
    setFacts();
    declareItems();
    builder_.setGravity(description_.gravity);
    builder_.setFormulation(system::findFormulation(description_.formulation));
    for (const std::string& section : sectionOrder(registry_)) {
      makeSection(section);
      // What refers to a wrong node, beam or part would only repeat its mistake.
      if (section == "nodes" || section == "beams" || section == "parts") raiseIfAny();
    }
    makeOutputSensors();
    // A block that was not made would be missed by all who use its signal.
    raiseIfAny();
    wantSignals();
    connectSensors(builder_);
    raiseIfAny();
    for (const auto& [name, signal] : description_.signalNames) {
      builder_.addSignalName(name, signal);
    }
    addExternalInputs();
    return finish();
  }

 private:
  void wantSignals() {
    for (const std::string& name : description_.wantedSignals) {
      const bool isFurtherName =
          std::any_of(description_.signalNames.begin(), description_.signalNames.end(),
                      [&](const auto& pair) { return pair.first == name; });
      if (!isFurtherName) builder_.signal(name, {});
    }
  }

  void addExternalInputs() {
    for (const std::string& name : inputs_) {
      builder_.elementSet<control::ExternalInputs>().add(name, builder_.findSignal(name), builder_);
    }
  }

  // Of items that were made and not read.
  void setFacts() {
    const auto set = [&](Item& item) {
      const system::TypeEntry* type = registry_.find(item.section(), item.type());
      if (type != nullptr) item.setFacts(type->facts);
    };
    for (Item& item : description_.items) set(item);
    for (OutputRequest& output : description_.outputs) {
      if (Item* item = std::get_if<Item>(&output.what)) set(*item);
    }
  }

  void declareItems() {
    for (const Item& item : description_.items) declare(item);
    for (const OutputRequest& output : description_.outputs) {
      if (const Item* item = std::get_if<Item>(&output.what)) declare(*item);
    }
  }

  void declare(const Item& item) {
    builder_.declare(item);
    const system::TypeEntry* type = registry_.find(item.section(), item.type());
    if (type == nullptr) return;
    for (const system::Parameter& parameter : type->parameters) {
      const Value* value = item.find(parameter.name);
      if (value != nullptr) addPointReferences(*value, builder_);
    }
  }

  // What refers to others of its own section, as a gear to hinges, follows them.
  void makeSection(const std::string& section) {
    for (const bool refers : {false, true}) {
      for (const Item& item : description_.items) {
        if (item.section() == section && refersToOwnSection(item) == refers) makeItem(item);
      }
    }
  }

  bool refersToOwnSection(const Item& item) const {
    const system::TypeEntry* type = registry_.find(item.section(), item.type());
    return type != nullptr &&
           std::any_of(type->parameters.begin(), type->parameters.end(),
                       [&](const auto& parameter) { return parameter.refersTo == item.section(); });
  }

  void makeOutputSensors() {
    for (const OutputRequest& output : description_.outputs) {
      if (const Item* item = std::get_if<Item>(&output.what)) makeItem(*item);
    }
  }

  void makeItem(const Item& item) {
    const system::TypeEntry* type = registry_.find(item.section(), item.type());
    if (type != nullptr && type->make) type->make(item, builder_);
  }

  void orderSamples() {
    if (builder_.system().clocks().empty()) return;
    const std::vector<std::string> circle =
        control::orderSamples(builder_.system(), builder_.elementSet<control::BlockSet>());
    if (!circle.empty()) reportCircle(circle);
  }

  void reportCircle(const std::vector<std::string>& names) {
    const Item* item = builder_.findItem("blocks", names.front());
    std::string list;
    bool hasBox = false;
    for (const std::string& name : names) {
      list += (list.empty() ? "'" : ", '") + name + "'";
      const Item* block = builder_.findItem("blocks", name);
      hasBox = hasBox || (block != nullptr && block->facts().isBox);
    }
    builder_.error(item != nullptr ? item->place() : base::Place{},
                   "sampled blocks wait for each other at the same instant: " + list,
                   std::string("put a unit_delay into the loop") +
                       (hasBox ? ", or give an FMU in it 'feedthrough: false'" : ""));
  }

  // Without damping, constraints on positions alone let forces of joints grow out of round-off.
  void checkDamping(const Item& item, const TimeSettings& time, const system::System& system) {
    const auto& kinds = system.kinds();
    const bool hasJoints =
        std::find(kinds.begin(), kinds.end(), system::Kind::kMultiplier) != kinds.end();
    const bool isIndex3 = time.constraints == solve::ConstraintForm::kIndex3;
    if (!hasJoints || !isIndex3 || !time.scheme.motion.hasNoLag()) return;
    diagnostics_.addError(item.placeOf("constraints"),
                          "analysis.time: with index3 and no numerical damping (rho: 1), joint "
                          "forces grow without bound",
                          "omit 'constraints', which selects index2, or use a rho below 1");
  }

  void raiseIfAny() const {
    if (diagnostics_.hasErrors()) throw base::InputError(diagnostics_);
  }

  // Joints may have moved to their starts what comes and goes.
  static void listNear(ModelParts& parts) {
    const auto gatherings = system::findGatherings(*parts.system);
    if (gatherings.empty()) return;
    const solve::MachineLoan machine = parts.machines->borrow();
    const system::Assembler& assembler = machine->assembler();
    const system::Motion& motion = machine->assembler().calcMotion(parts.start);
    for (std::size_t s = parts.system->sets().size(); s < assembler.sets().size(); ++s) {
      const auto* memory = dynamic_cast<const system::Remembering*>(assembler.sets()[s]);
      if (memory != nullptr) memory->updateHistory(motion, parts.start);
    }
    system::renewLists(gatherings, motion, 0.0, parts.start);
  }

  Model finish() {
    orderSamples();
    checkDrives(description_, registry_, diagnostics_);
    raiseIfAny();
    ModelParts parts;
    parts.system = std::make_unique<const system::System>(builder_.finish(parts.measures));
    parts.machines = std::make_unique<solve::MachinePool>(*parts.system);
    parts.start = isAsDrawn_ ? parts.system->start()
                             : moveToJointStarts(description_, registry_, builder_, *parts.machines,
                                                 diagnostics_);
    listNear(parts);
    OutputFinder finder(builder_, parts.measures, diagnostics_);
    parts.outputs = finder.find(description_);
    checkFormulaUnits(
        description_, registry_, [&](const std::string& signal) { return finder.unitOf(signal); },
        diagnostics_);
    if (const Item* item = findAnalysis(description_, kTimeAnalysis)) {
      parts.time = readTimeSettings(*item, parts.system->nodes().size() - 1, diagnostics_);
      checkDamping(*item, *parts.time, *parts.system);
    }
    if (const Item* item = findAnalysis(description_, kModeAnalysis)) {
      parts.modes = readModeSettings(*item);
    }
    raiseIfAny();
    for (const std::string& name : builder_.signalNames()) {
      parts.signals.emplace_back(name, builder_.findSignal(name));
    }
    parts.isConservative =
        std::none_of(description_.items.begin(), description_.items.end(), [&](const Item& item) {
          const system::TypeEntry* type = registry_.find(item.section(), item.type());
          return type != nullptr && system::changesEnergy(*type, item);
        });
    parts.warnings = diagnostics_;
    parts.description = std::move(description_);
    return Model(std::move(parts));
  }

  Description description_;
  const system::Registry& registry_;
  const bool isAsDrawn_;
  const std::vector<std::string> inputs_;  // from outside
  base::Diagnostics diagnostics_;
  system::Builder builder_;
};

}  // namespace

Model buildModel(Description description, const system::Registry& registry) {
  return ModelMaker(std::move(description), registry, false).make();
}

Model buildModelWithInputs(Description description, const system::Registry& registry,
                           const std::vector<std::string>& inputs) {
  return ModelMaker(std::move(description), registry, false, inputs).make();
}

Model buildAsDrawn(Description description, const system::Registry& registry) {
  return ModelMaker(std::move(description), registry, true).make();
}

}  // namespace flexloop::model
