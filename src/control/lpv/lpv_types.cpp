#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/text_format.hpp"
#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/lpv/lpv_block.hpp"
#include "control/lpv/lpv_file.hpp"
#include "control/lpv/sampled_lpv_block.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

LpvBlock::LpvBlock(std::string name, LpvModel model, bool stops, bool usesRates)
    : name_(std::move(name)),
      model_(std::move(model)),
      axes_(makeLookupAxes(model_)),
      stops_(stops),
      usesRates_(usesRates),
      copies_(model_.layout.outputs == 1 ? 2 : 1),
      last_(model_) {}

BlockSize LpvBlock::size() const {
  return {.inputs = model_.layout.inputs + (usesRates_ ? 2 : 1) * model_.countParameters(),
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
  if (row < q) return column == q + row || (usesRates_ && column < q);
  if (row < 2 * q) return column < 2 * q;
  return column >= 2 * q && has(at.other(row - 2 * q, column - 2 * q));
}

void LpvBlock::calc(const BlockPorts<double>& ports) const {
  last_.store(ports.u.data() + model_.layout.inputs);
  evaluate<double>(ports);
}

std::optional<base::Failure> LpvBlock::fault() const {
  return stops_ ? last_.findFault(name_) : std::nullopt;
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

bool isNumber(const std::string& text) {
  return text.find_first_not_of("+-.0123456789eE") == std::string::npos;
}

// Signals are meant to move; a number stays where it is.
void warnOfCompanion(const Item& item, const LpvModel& model, Builder& builder) {
  if (!model.isCompanion || isNumber(item.names("parameter").at(0))) return;
  builder.diagnostics().addWarning(
      item.placeOf("parameter"),
      "blocks." + item.name() +
          ": this model has poles and zeros that are affine, and is wrong while '" +
          model.axes[0].name + "' moves, since the states mean something else at each value",
      "make it without '--form affine' for a parameter that moves");
}

// What `one: signal` or `all: {NAME: signal}` gives, in the order of the parameters; nothing after a message.
std::optional<std::vector<std::string>> readSignals(const Item& item, const LpvModel& model,
                                                    const char* one, const char* all,
                                                    Builder& builder) {
  std::vector<std::string> names, texts;
  for (const LpvAxis& axis : model.axes) names.push_back(axis.name);
  const auto reject = [&](const char* key, const std::string& message) {
    fail(builder, item, key, message, "it was made for: " + joined(names));
    return std::nullopt;
  };
  if (item.has(one)) {
    if (names.size() == 1) return std::vector<std::string>{item.names(one).at(0)};
    return reject(one, "the model has " + std::to_string(names.size()) + " parameters: write '" +
                           all + ": {NAME: signal}'");
  }
  const auto given = item.namedSignals(all);
  for (const auto& [name, signal] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return reject(all, "the model has no parameter '" + name + "'");
    }
  }
  for (const std::string& name : names) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const auto& pair) { return pair.first == name; });
    if (found == given.end()) {
      return reject(all, std::string("'") + all + "' has no signal for '" + name + "'");
    }
    texts.push_back(found->second);
  }
  return texts;
}

// The exact rate of a signal, with its sign; a number has none, and other signals than sensors and functions of time none that
// is known.
std::optional<std::string> findRate(const std::string& text, const Builder& builder) {
  if (isNumber(text)) return "0";
  const bool isNegative = text.starts_with('-');
  const std::string name = text.substr(isNegative ? 1 : 0);
  for (const char* section : {"sensors", "blocks"}) {
    const Item* of = builder.findItem(section, name);
    if (of != nullptr && of->fact(&system::TypeFacts::hasRate)) {
      return (isNegative ? "-" : "") + name + ".rate";
    }
  }
  return std::nullopt;
}

// Those that are given, or those of the signals themselves.
bool addRates(const Item& item, const LpvModel& model, const std::vector<std::string>& signals,
              Builder& builder, std::vector<BlockInput>& inputs) {
  if (model.layout.rates == 0) {
    const std::string why = model.isCompanion        ? "its poles and zeros are affine"
                            : !model.noRates.empty() ? model.noRates
                                                     : "it was made without";
    fail(builder, item, "while_moving", "the model has no rate terms: " + why,
         "'while_moving: frozen' neglects them");
    return false;
  }
  std::optional<std::vector<std::string>> rates;
  if (item.has("parameter_rate") || item.has("parameter_rates")) {
    rates = readSignals(item, model, "parameter_rate", "parameter_rates", builder);
    if (!rates) return false;
  }
  for (std::size_t d = 0; d < signals.size(); ++d) {
    const auto rate = rates ? std::optional((*rates)[d]) : findRate(signals[d], builder);
    if (!rate) {
      fail(builder, item, "while_moving",
           "rate terms need the rate of '" + signals[d] +
               "', which is neither a sensor with an exact rate nor a function of time",
           "give the signal of the rate: 'parameter_rate: SIGNAL', or 'parameter_rates: {NAME: "
           "SIGNAL}'");
      return false;
    }
    const char* key = item.has("parameter_rate")    ? "parameter_rate"
                      : item.has("parameter_rates") ? "parameter_rates"
                                                    : "while_moving";
    inputs.push_back(inputOf(*rate, item.placeOf(key), builder));
  }
  return true;
}

// `parameter: signal`, or `parameters: {NAME: signal}` in any order, and their rates where they are wanted.
bool addParameters(const Item& item, const LpvModel& model, bool usesRates, Builder& builder,
                   std::vector<BlockInput>& inputs) {
  if (item.has("parameter") == item.has("parameters")) {
    std::vector<std::string> names;
    for (const LpvAxis& axis : model.axes) names.push_back(axis.name);
    fail(builder, item, item.has("parameter") ? "parameters" : "type",
         "a block of type 'lpv' needs either 'parameter' or 'parameters'",
         "it was made for: " + joined(names));
    return false;
  }
  const auto signals = readSignals(item, model, "parameter", "parameters", builder);
  if (!signals) return false;
  const char* key = item.has("parameter") ? "parameter" : "parameters";
  for (const std::string& signal : *signals) {
    inputs.push_back(inputOf(signal, item.placeOf(key), builder));
  }
  if (item.has("parameter")) warnOfCompanion(item, model, builder);
  if (usesRates) return addRates(item, model, *signals, builder, inputs);
  for (const char* rate : {"parameter_rate", "parameter_rates"}) {
    if (!item.has(rate)) continue;
    fail(builder, item, rate, std::string("'") + rate + "' needs 'while_moving: rate_terms'");
    return false;
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
  const bool usesRates = item.text("while_moving") == "rate_terms";
  if (!addParameters(item, model, usesRates, builder, inputs)) return;
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
  const bool stops = item.text("outside") == "stop";
  if (model.sample > 0.0) {
    start.memory.assign(ports.size(), 0.0);
    start.memory.insert(start.memory.end(), start.states.begin(), start.states.end());
    start.memory.resize(ports.size() + static_cast<std::size_t>(model.layout.states()), 0.0);
    start.states.clear();
    const int clock = builder.addClock({model.sample, item.number("offset", 0.0)});
    return addBlock(item, std::make_unique<SampledLpvBlock>(clock, item.name(), model, stops),
                    inputs, builder, start, ports);
  }
  if (item.has("offset")) {
    return fail(builder, item, "offset",
                "'offset' is for sampled models, and this one is continuous");
  }
  addBlock(item, std::make_unique<LpvBlock>(item.name(), model, stops, usesRates), inputs, builder,
           start, ports);
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
            withDefault(choice("while_moving", {"frozen", "rate_terms"},
                               "while p moves: the model of its present value, or also what the "
                               "rate of p does to the motions"),
                        "frozen"),
            withNote(anyUnit(signal("parameter_rate", base::kDimensionless,
                                    "the rate of p, for rate terms")),
                     "that of the signal itself, if it has one"),
            withNote(
                namedSignals("parameter_rates", "the rates of several parameters, by their names"),
                "those of the signals themselves, if they have some"),
            withNote(notNegative(number("offset", base::kTime,
                                        "of a sampled model: time of its first sample")),
                     "0"),
            withNote(anyUnit(numbers("x0", base::kDimensionless, "states at the start")), "zero")},
       .make = makeLpv,
       .samples = {
           blockSample("  y: {type: lpv, file: ./lpv/two_masses.lpv, inputs: [p], "
                       "parameter: q, outside: clamp}\n"),
           blockSample("  y: {type: lpv, file: ./lpv/moving_masses.lpv, inputs: [p], parameter: q, "
                       "outside: clamp, while_moving: rate_terms}\n"),
           blockSample("  y: {type: lpv, file: ./lpv/sampled.lpv, inputs: [p], parameter: q, "
                       "outside: clamp}\n"),
           blockSample("  y: {type: lpv, file: ./lpv/payloads.lpv, inputs: [p], parameters: {k: q, "
                       "m: p}, outside: clamp}\n"),
           blockSample("  m: {type: lpv, file: ./lpv/lag.lpv, inputs: [p, -q], parameter: "
                       "q, outside: clamp}\n  y: {type: sum, inputs: [m.fast, m.slow]}\n")}});
}

}  // namespace flexloop::control
