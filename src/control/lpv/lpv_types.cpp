#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/text_format.hpp"
#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/lpv/lpv_block.hpp"
#include "control/lpv/lpv_file.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

LpvBlock::LpvBlock(std::string name, LpvModel model, bool stops)
    : name_(std::move(name)),
      model_(std::move(model)),
      axes_(makeLookupAxes(model_)),
      stops_(stops),
      copies_(model_.layout.outputs == 1 ? 2 : 1) {
  for (int d = 0; d < model_.countParameters(); ++d) last_[d] = model_.axes[d].points.front();
}

BlockSize LpvBlock::size() const {
  return {.inputs = model_.layout.inputs + model_.countParameters(),
          .states = model_.layout.states(),
          .outputs = copies_ * model_.layout.outputs};
}

// A coefficient that is zero at all points is none.
bool LpvBlock::uses(int row, int column) const {
  const LpvLayout& at = model_.layout;
  const int q = at.pairs, n = at.states();
  const bool isParameter = column >= n + at.inputs;
  if (isParameter) return true;
  const auto has = [&](int i) {
    return std::any_of(model_.sets.begin(), model_.sets.end(),
                       [&](const LpvRows& set) { return !set.col(i).isZero(0.0); });
  };
  if (row >= n) {
    const int output = (row - n) % at.outputs;
    return has(column < n ? at.output(output, column) : at.direct(output, column - n));
  }
  if (column >= n) return has(at.input(row, column - n));
  if (row < q) return column == q + row;
  if (row < 2 * q) return column < 2 * q;
  return column >= 2 * q && has(at.other(row - 2 * q, column - 2 * q));
}

void LpvBlock::calc(const BlockPorts<double>& ports) const {
  for (int d = 0; d < model_.countParameters(); ++d) {
    last_[d].store(ports.u[model_.layout.inputs + d], std::memory_order_relaxed);
  }
  evaluate<double>(ports);
}

std::optional<base::Failure> LpvBlock::fault() const {
  constexpr double kRounding = 1e-9;  // of the range: a parameter that ends exactly there
  if (!stops_) return std::nullopt;
  for (int d = 0; d < model_.countParameters(); ++d) {
    const LpvAxis& axis = model_.axes[d];
    const double first = axis.points.front(), end = axis.points.back();
    const double p = last_[d].load(std::memory_order_relaxed);
    const double margin = kRounding * (end - first);
    if (p >= first - margin && p <= end + margin) continue;
    return base::numericalFailure("blocks." + name_ + ": the parameter '" + axis.name + "' is " +
                                      base::numberText(p) + ", outside of the range from " +
                                      base::numberText(first) + " to " + base::numberText(end) +
                                      " of its model",
                                  "make the model for a wider range, or write 'outside: clamp'");
  }
  return std::nullopt;
}

namespace {

using system::Builder;
using system::Item;

std::string resolveFile(const Item& item) {
  namespace fs = std::filesystem;
  const base::Place& place = item.placeOf("file");
  const fs::path folder = place.file != nullptr ? fs::path(*place.file).parent_path() : fs::path();
  return (folder / item.text("file")).string();
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Signals are meant to move; a number stays where it is.
void warnOfCompanion(const Item& item, const LpvModel& model, Builder& builder) {
  const std::string& text = item.names("parameter").at(0);
  if (!model.isCompanion || text.find_first_not_of("+-.0123456789eE") == std::string::npos) return;
  builder.diagnostics().addWarning(
      item.placeOf("parameter"),
      "blocks." + item.name() + ": this model has poles and zeros that are affine, and is wrong while '" +
          model.axes[0].name + "' moves, since the states mean something else at each value",
      "make it without '--form affine' for a parameter that moves");
}

// `parameter: signal`, or `parameters: {NAME: signal}` in any order.
bool addParameters(const Item& item, const LpvModel& model, Builder& builder,
                   std::vector<BlockInput>& inputs) {
  std::vector<std::string> names;
  for (const LpvAxis& axis : model.axes) names.push_back(axis.name);
  const std::string remedy = "it was made for: " + joined(names);
  const auto reject = [&](const char* key, const std::string& message) {
    fail(builder, item, key, message, remedy);
    return false;
  };
  if (item.has("parameter") == item.has("parameters")) {
    return reject(item.has("parameter") ? "parameters" : "type",
                  "a block of type 'lpv' needs either 'parameter' or 'parameters'");
  }
  if (item.has("parameter")) {
    if (names.size() != 1) {
      return reject("parameter", "the model has " + std::to_string(names.size()) +
                                     " parameters: write 'parameters: {NAME: signal}'");
    }
    inputs.push_back(inputsOf(item, "parameter", builder).at(0));
    warnOfCompanion(item, model, builder);
    return true;
  }
  const auto given = item.namedSignals("parameters");
  for (const auto& [name, signal] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return reject("parameters", "the model has no parameter '" + name + "'");
    }
  }
  for (const std::string& name : names) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const auto& pair) { return pair.first == name; });
    if (found == given.end()) {
      return reject("parameters", "'parameters' has no signal for '" + name + "'");
    }
    inputs.push_back(inputOf(found->second, item.placeOf("parameters"), builder));
  }
  return true;
}

void makeLpv(const Item& item, Builder& builder) {
  const base::Result<LpvModel> read = readLpv(resolveFile(item));
  if (!read) return fail(builder, item, "file", read.failure().message, read.failure().hint);
  const LpvModel& model = read.value();
  std::vector<BlockInput> inputs = inputsOf(item, "inputs", builder);
  if (inputs.size() != model.inputs.size()) {
    return fail(builder, item, "inputs",
                "'inputs' has " + std::to_string(inputs.size()) + " signals, but the model has " +
                    std::to_string(model.inputs.size()),
                "it was made for: " + joined(model.inputs));
  }
  if (!addParameters(item, model, builder, inputs)) return;
  BlockStart start;
  if (item.has("x0")) start.states = item.numbers("x0");
  if (item.has("x0") && static_cast<int>(start.states.size()) != model.layout.states()) {
    return fail(builder, item, "x0",
                "'x0' has " + std::to_string(start.states.size()) + " numbers, but the model has " +
                    std::to_string(model.layout.states()) + " states");
  }
  // The only output is the signal of the block, too.
  std::vector<std::string> ports = model.outputs;
  if (ports.size() == 1) ports.emplace_back();
  addBlock(item, std::make_unique<LpvBlock>(item.name(), model, item.text("outside") == "stop"),
           inputs, builder, start, ports);
}

}  // namespace

void registerLpv(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "blocks",
       .type = "lpv",
       .doc = "A linear model whose matrices depend on one to three parameters, made by `flexloop "
              "lpv`: x' = "
              "A(p) x + B(p) u, y = C(p) x + D(p) u. The outputs are NAME.OUTPUT with the names "
              "that the model was made with; a single output is NAME, too.",
       .parameters =
           {required(text("file", "the model, relative to this file")),
            required(signals("inputs", "the signals u, in the order in which the model has them")),
            withNote(anyUnit(signal("parameter", base::kDimensionless,
                                    "the signal p of a model with one parameter")),
                     "given by 'parameters'"),
            withNote(namedSignals("parameters", "the signals p, by the names of the parameters"),
                     "given by 'parameter'"),
            withDefault(choice("outside", {"stop", "clamp"},
                               "if p leaves the range of the model: the run stops, or the model "
                               "at the end of the range is used"),
                        "stop"),
            withNote(anyUnit(numbers("x0", base::kDimensionless, "states at the start")), "zero")},
       .make = makeLpv,
       .samples = {
           blockSample("  y: {type: lpv, file: ./lpv/two_masses.lpv, inputs: [p], "
                       "parameter: q, outside: clamp}\n"),
           blockSample("  y: {type: lpv, file: ./lpv/payloads.lpv, inputs: [p], parameters: {k: q, "
                       "m: p}, outside: clamp}\n"),
           blockSample("  m: {type: lpv, file: ./lpv/lag.lpv, inputs: [p, -q], parameter: "
                       "q, outside: clamp}\n  y: {type: sum, inputs: [m.fast, m.slow]}\n")}});
}

}  // namespace flexloop::control
