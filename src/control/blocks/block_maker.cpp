#include "control/blocks/block_maker.hpp"

#include <charconv>
#include <utility>

#include "control/sources/source.hpp"
#include "control/sources/time_functions.hpp"
#include "math/expressions/expression.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;
using system::Kind;
using system::UnknownIndex;

namespace {

double at(const std::vector<double>& values, int i) {
  return i < static_cast<int>(values.size()) ? values[i] : 0.0;
}

// A constant signal under the text of its number, made once.
UnknownIndex makeConstant(const std::string& text, double value, Builder& builder) {
  if (const UnknownIndex found = builder.findSignal(text); found.value >= 0) return found;
  const UnknownIndex signal = builder.defineSignal(text, text + ": constant", value);
  builder.elementSet<SourceSet>().add(text, signal, std::make_unique<Constant>(value));
  return signal;
}

std::vector<std::string> outputNames(const std::string& block, int outputs,
                                     const std::vector<std::string>& ports) {
  if (outputs == 1 && ports.empty()) return {block};
  std::vector<std::string> names;
  for (int k = 0; k < outputs; ++k) {
    const std::string port = ports.empty() ? std::to_string(k + 1) : ports[k];
    names.push_back(port.empty() ? block : block + "." + port);
  }
  return names;
}

}  // namespace

void fail(Builder& builder, const Item& item, std::string_view key, const std::string& message,
          const std::string& hint) {
  builder.error(item.has(key) ? item.placeOf(key) : item.place(),
                item.section() + "." + item.name() + ": " + message, hint);
}

BlockInput inputOf(const std::string& text, const base::Place& place, Builder& builder) {
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc() && end == text.data() + text.size()) {
    return {makeConstant(text, value, builder), 1.0};
  }
  if (text.starts_with('-')) return {builder.signal(text.substr(1), place), -1.0};
  return {builder.signal(text, place), 1.0};
}

std::vector<BlockInput> inputsOf(const Item& item, std::string_view key, Builder& builder) {
  std::vector<BlockInput> inputs;
  for (const std::string& name : item.names(key)) {
    inputs.push_back(inputOf(name, item.placeOf(key), builder));
  }
  return inputs;
}

std::optional<Range> readRange(const Item& item, Builder& builder) {
  if (!item.has("limits")) return std::nullopt;
  const std::vector<double> limits = item.numbers("limits");
  if (limits[0] < limits[1]) return Range{limits[0], limits[1]};
  fail(builder, item, "limits", "the lower limit is not below the upper one",
       "limits: [lower, upper]");
  return std::nullopt;
}

void addBlock(const Item& item, std::unique_ptr<Block> block, const std::vector<BlockInput>& inputs,
              Builder& builder, const BlockStart& start, const std::vector<std::string>& ports) {
  const BlockSize size = block->size();
  const std::string& name = item.name();
  BlockSet::Wiring wiring;
  wiring.inputs = inputs;
  for (int k = 0; k < size.states; ++k) {
    std::string state = size.states == 1 ? " state" : " state " + std::to_string(k + 1);
    if (!start.stateNames.empty()) state = " state " + start.stateNames[k];
    wiring.states.push_back(
        builder.addScalar(Kind::kState, name + state, name + state, at(start.states, k)));
  }
  const std::vector<std::string> names = outputNames(name, size.outputs, ports);
  for (int k = 0; k < size.outputs; ++k) {
    wiring.outputs.push_back(builder.defineSignal(names[k], names[k], at(start.outputs, k)));
  }
  if (size.memory > 0) {
    wiring.memory = builder.addHistory(size.memory);
    for (int k = 0; k < size.memory; ++k)
      builder.setHistory(wiring.memory + k, at(start.memory, k));
  }
  if (size.hasRecord) wiring.record = builder.addRecord(start.record);
  builder.elementSet<BlockSet>().add(name, std::move(block), wiring);
}

}  // namespace flexloop::control
