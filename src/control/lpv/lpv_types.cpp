#include <cmath>
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
      values_(model_.values),
      slopes_(model_.slopes),
      axis_(model_.points, model_.isCubic, Axis::Extrapolation::kHold),
      stops_(stops),
      copies_(model_.layout.outputs == 1 ? 2 : 1),
      last_(model_.points.front()) {}

BlockSize LpvBlock::size() const {
  return {.inputs = model_.layout.inputs + 1,
          .states = model_.layout.states(),
          .outputs = copies_ * model_.layout.outputs};
}

// A coefficient that is zero at all points is none.
bool LpvBlock::uses(int row, int column) const {
  const LpvLayout& at = model_.layout;
  const int q = at.pairs, n = at.states();
  const bool isParameter = column == n + at.inputs;
  if (row < n && isParameter) return true;
  const auto has = [&](int i) {
    return !values_.col(i).isZero(0.0) || !slopes_.col(i).isZero(0.0);
  };
  if (row >= n) {
    const int output = (row - n) % at.outputs;
    if (isParameter) return true;
    return has(column < n ? at.output(output, column) : at.direct(output, column - n));
  }
  if (column >= n) return has(at.input(row, column - n));
  if (row < q) return column == q + row;
  if (row < 2 * q) return column < 2 * q;
  return column >= 2 * q && has(at.other(row - 2 * q, column - 2 * q));
}

void LpvBlock::calc(const BlockPorts<double>& ports) const {
  last_.store(ports.u[model_.layout.inputs], std::memory_order_relaxed);
  evaluate<double>(ports);
}

bool LpvBlock::isOutside(double p) const {
  constexpr double kRounding = 1e-9;  // of the range: a parameter that ends exactly there
  const double first = model_.points.front(), end = model_.points.back();
  const double margin = kRounding * (end - first);
  return !(p >= first - margin && p <= end + margin);
}

std::optional<base::Failure> LpvBlock::fault() const {
  const double p = last_.load(std::memory_order_relaxed);
  if (!stops_ || !isOutside(p)) return std::nullopt;
  return base::numericalFailure("blocks." + name_ + ": the parameter '" + model_.parameter +
                                    "' is " + base::numberText(p) + ", outside of the range from " +
                                    base::numberText(model_.points.front()) + " to " +
                                    base::numberText(model_.points.back()) + " of its model",
                                "make the model for a wider range, or write 'outside: clamp'");
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
  inputs.push_back(inputsOf(item, "parameter", builder).at(0));
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
       .doc = "A linear model whose matrices depend on a parameter, made by `flexloop lpv`: x' = "
              "A(p) x + B(p) u, y = C(p) x + D(p) u. The outputs are NAME.OUTPUT with the names "
              "that the model was made with; a single output is NAME, too.",
       .parameters =
           {required(text("file", "the model, relative to this file")),
            required(signals("inputs", "the signals u, in the order in which the model has them")),
            required(signal("parameter", base::kDimensionless, "the signal p")),
            withDefault(choice("outside", {"stop", "clamp"},
                               "if p leaves the range of the model: the run stops, or the model "
                               "at the end of the range is used"),
                        "stop"),
            withNote(anyUnit(numbers("x0", base::kDimensionless, "states at the start")), "zero")},
       .make = makeLpv,
       .samples = {
           blockSample("  y: {type: lpv, file: ./lpv/two_masses.lpv, inputs: [p], "
                       "parameter: q, outside: clamp}\n"),
           blockSample("  m: {type: lpv, file: ./lpv/lag.lpv, inputs: [p, -q], parameter: "
                       "q, outside: clamp}\n  y: {type: sum, inputs: [m.fast, m.slow]}\n")}});
}

}  // namespace flexloop::control
