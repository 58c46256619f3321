#include "control/blocks/block_probe.hpp"

#include <algorithm>

#include "control/boxes/slope_search.hpp"

namespace flexloop::control {

BlockProbe::BlockProbe(const BlockSet& set, int element, const system::State& state)
    : block_(set.block(element)), time_(state.time), y_(set.outputs(element)) {
  const BlockSize size = block_.size();
  for (int k = 0; k < size.inputs; ++k) {
    inputs_.push_back(set.sign(element, k) * state.value[set.input(element, k).value]);
  }
  const auto memory = state.history.begin() + set.historyOffset(element);
  if (size.memory > 0) startMemory_.assign(memory, memory + size.memory);
  if (size.hasRecord) startRecord_ = state.records[set.record(element)];
  x_.resize(size.states);
  dx_.resize(size.states);
  restart();
}

void BlockProbe::restart() {
  memory_ = startMemory_;
  record_ = startRecord_;
}

const std::vector<double>& BlockProbe::call(double t, std::span<const double> u) {
  const BlockPorts<double> ports{t, x_, u, memory_.data(), &record_, dx_, y_};
  const BlockMemory memory{memory_.data(), &record_};
  if (block_.clock() < 0) {
    block_.remember(ports, memory);
  } else {
    block_.sample(ports, memory);
    block_.updateSample(ports, memory);
    block_.calc(ports);
  }
  return y_;
}

double BlockProbe::findSize(int input, double h) {
  constexpr int kBefore = 3, kAfter = 4;  // calls before and after the step of the input
  const std::size_t outputs = y_.size();
  std::vector<double> u = inputs_;
  const auto respond = [&](double value, std::span<double> results) {
    restart();
    u[input] = inputs_[input];
    for (int k = 1; k <= kBefore; ++k) call(time_ + k * h, u);
    u[input] = value;
    for (int k = 0; k < kAfter; ++k) {
      const std::vector<double>& y = call(time_ + (kBefore + 1 + k) * h, u);
      std::copy(y.begin(), y.end(), results.begin() + static_cast<std::ptrdiff_t>(k * outputs));
    }
  };
  return calcSlopes(inputs_[input], kAfter * outputs, respond).size;
}

}  // namespace flexloop::control
