#include <memory>
#include <optional>

#include "base/nearest_word.hpp"
#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/dynamics/equations_block.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;
using system::Parameter;
using system::ValueMap;

namespace {

const ValueMap& mapOf(const Item& item, std::string_view key) {
  static const ValueMap none;
  return item.has(key) ? std::get<ValueMap>(item.at(key).data) : none;
}

const system::Value* findIn(const ValueMap& map, const std::string& name) {
  for (const auto& [key, value] : map) {
    if (key == name) return &value;
  }
  return nullptr;
}

class EquationsMaker {
 public:
  EquationsMaker(const Item& item, Builder& builder) : item_(item), builder_(builder) {}

  void make() {
    addStates();
    addInputs();
    const int states = static_cast<int>(start_.states.size());
    const int inputs = static_cast<int>(inputs_.size());
    if (states + inputs > EquationsBlock::kMostVariables) {
      return fail("inputs",
                  "the block has " + std::to_string(states + inputs) +
                      " states and inputs, but at most " +
                      std::to_string(EquationsBlock::kMostVariables) + " are allowed",
                  "split it into several blocks");
    }
    addDerivatives();
    std::vector<std::string> ports;
    for (const auto& [name, formula] : mapOf(item_, "outputs")) {
      addFormula("outputs", name, formula);
      ports.push_back(name);
    }
    if (ports.empty()) fail("outputs", "it has no outputs", "outputs: {y: = x}");
    if (isWrong_) return;
    addBlock(item_, std::make_unique<EquationsBlock>(std::move(formulas_), states, inputs), inputs_,
             builder_, start_, ports);
  }

 private:
  void fail(std::string_view key, const std::string& message, const std::string& hint = {}) {
    control::fail(builder_, item_, key, message, hint);
    isWrong_ = true;
  }

  void failAt(const base::Place& place, const std::string& message, const std::string& hint = {}) {
    builder_.error(place.file != nullptr ? place : item_.place(),
                   "blocks." + item_.name() + ": " + message, hint);
    isWrong_ = true;
  }

  void addStates() {
    for (const auto& [name, value] : mapOf(item_, "states")) {
      if (name == "t") {
        failAt(value.place, "'t' is the time and cannot be a state", "give the state another name");
      } else if (!math::isExpressionName(name)) {
        failAt(value.place, "'" + name + "' cannot be the name of a state",
               "a name consists of letters, digits and '_' and does not start with a digit");
      }
      names_.add(name);
      start_.states.push_back(std::get<double>(value.data));
      start_.stateNames.push_back(name);
    }
  }

  void addInputs() {
    if (!item_.has("inputs")) return;
    for (const auto& [name, signal] : item_.namedSignals("inputs")) {
      if (findIn(mapOf(item_, "states"), name) != nullptr) {
        fail("inputs", "'" + name + "' is the name of an input and of a state",
             "give the input another name: {a: " + signal + "}");
      }
      names_.add(name);
      inputs_.push_back(inputOf(signal, item_.placeOf("inputs"), builder_));
    }
  }

  void addDerivatives() {
    const ValueMap& states = mapOf(item_, "states");
    const ValueMap& derivatives = mapOf(item_, "derivatives");
    std::vector<std::string> known, meant;
    for (const auto& [name, value] : states) known.push_back(name);
    for (const auto& [name, formula] : derivatives) {
      if (findIn(states, name) != nullptr) continue;
      const std::optional<std::string> nearest = base::findNearestWord(name, known);
      if (nearest) meant.push_back(*nearest);
      failAt(formula.place, "'" + name + "' is not a state",
             nearest ? "did you mean '" + *nearest + "'?" : "add '" + name + ": 0' to 'states'");
    }
    for (const auto& [name, value] : states) {
      if (const system::Value* formula = findIn(derivatives, name)) {
        addFormula("derivatives", name, *formula);
      } else if (std::find(meant.begin(), meant.end(), name) == meant.end()) {
        failAt(value.place, "the state '" + name + "' has no derivative",
               "add '" + name + ": = ...' to 'derivatives'");
      }
    }
  }

  void addFormula(const char* key, const std::string& name, const system::Value& value) {
    auto formula = math::Expression::parse(std::get<std::string>(value.data), names_);
    if (formula) return formulas_.push_back(formula.value());
    const base::Failure& failure = formula.failure();
    const bool isUnknown = failure.message.starts_with("unknown name") && failure.hint.empty();
    failAt(value.place, std::string(key) + "." + name + ": " + failure.message,
           isUnknown ? "a formula may use t, the states, the inputs and the parameters of the model"
                     : failure.hint);
  }

  const Item& item_;
  Builder& builder_;
  math::NameIndex names_{"t"};
  std::vector<BlockInput> inputs_;
  BlockStart start_;
  std::vector<math::Expression> formulas_;
  bool isWrong_ = false;
};

void makeEquations(const Item& item, Builder& builder) {
  EquationsMaker(item, builder).make();
}

Parameter formulas(const char* name, const char* doc) {
  const Parameter each{.name = "formula",
                       .shape = system::Shape::kExpression,
                       .doc = "formula of t, the states and the inputs",
                       .choices = {"t"}};
  return system::byName(name, each, doc);
}

}  // namespace

void registerEquations(system::Registry& registry) {
  using namespace system;
  Parameter states =
      byName("states", anyUnit(number("start", base::kDimensionless, "its value at the start")),
             "states by name, with their values at the start");
  states.namesVariables = true;
  registry.add(
      {.section = "blocks",
       .type = "equations",
       .doc =
           "Equations of one's own: the derivatives of states and the outputs, as formulas of "
           "the time t, the states and the inputs. Outputs are NAME.PORT. Where a formula has no "
           "value, the simulation stops with a message that names the block. Time steps do not "
           "end at kinks and jumps of the formulas.",
       .parameters = {withNote(namedSignals("inputs", "the signals that the formulas use, by name"),
                               "none"),
                      withNote(std::move(states), "none: the outputs are formulas of the inputs"),
                      withNote(formulas("derivatives", "the time derivative of each state"),
                               "no states"),
                      required(formulas("outputs", "the outputs by name"))},
       .make = makeEquations,
       .samples = {blockSample(
           "  plant: {type: equations, inputs: {u: p, w: q.rate}, states: {x: 0.2, v: -0.1},\n"
           "          derivatives: {x: = v, v: = -4*x - v*abs(v) + u*cos(3*t)},\n"
           "          outputs: {a: = -4*x + x^2*u, b: = x*w + t}}\n"
           "  y: {type: sum, inputs: [plant.a, plant.b]}\n")},
       .facts = {.passesJumps = true}});
}

}  // namespace flexloop::control
