// A staircase (docs/theory/15_discontinuous_blocks.md, section 4).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "control/blocks/block.hpp"

namespace flexloop::control {

//     (15.10)  y = k Δ, with the level k in the memory while u is on its tread
class Quantizer final : public BlockOf<Quantizer> {
 public:
  enum class Rounding : std::uint8_t { kNearest, kDown, kUp, kToZero };

  // `usesMean`: linear analyses take the mean slope, 1, in place of that of a tread, 0.
  Quantizer(double step, Rounding rounding, bool located, bool usesMean = true)
      : step_(step), rounding_(rounding), located_(located), usesMean_(usesMean) {}
  BlockSize size() const override { return {.memory = kMemory}; }
  // The output changes with the level only, and that after all sampled blocks have acted.
  bool jumpsWithInputs() const override { return false; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    if (p.memory[kIsSet] > kSet) {
      p.y[0] = p.u[0] + meanOffset();
    } else {
      p.y[0] = S(step_ * (isSet(p.memory) ? p.memory[kLevel] : levelOf(math::valueOf(p.u[0]))));
    }
  }

  int indicators() const override { return 2; }
  bool isLocated() const override { return located_; }
  void calcIndicators(const BlockPorts<double>& ports, double* values) const override {
    const double level = ports.memory[kLevel];
    values[0] = isSet(ports.memory) ? ports.u[0] - lowerEnd(level) : -1.0;
    values[1] = isSet(ports.memory) ? upperEnd(level) - ports.u[0] : -1.0;
  }
  void beginRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    switchBranches(ports, memory);
  }
  void settleAtRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    if (ports.memory[kIsSet] <= kSet) switchBranches(ports, memory);
  }
  void endRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    if (ports.memory[kIsSet] <= kSet) return;
    memory.memory[kLevel] = levelOf(ports.u[0]);
    memory.memory[kIsSet] = kSet;
  }
  double meanSlope() const override { return usesMean_ ? 1.0 : 0.0; }
  void takeMeanLine(BlockMemory memory) const override { memory.memory[kIsSet] = kMean; }
  void switchBranches(const BlockPorts<double>& ports, BlockMemory memory) const override {
    const double u = ports.u[0], level = ports.memory[kLevel];
    double next = levelOf(u);
    if (isSet(ports.memory)) {
      if (u >= lowerEnd(level) && u <= upperEnd(level)) return;
      // The quotient u/Δ may round back to the level that has just ended.
      next = u > upperEnd(level) ? std::max(next, level + 1.0) : std::min(next, level - 1.0);
    }
    memory.memory[kLevel] = next;
    memory.memory[kIsSet] = kSet;
  }

 private:
  enum Slot : std::uint8_t { kLevel, kIsSet, kMemory };
  // Of kIsSet: the level is in the memory, or the output is on the line through the middle of the treads.
  static constexpr double kSet = 1.0, kMean = 2.0;

  static bool isSet(const double* memory) { return memory[kIsSet] > 0.5; }

  // How far the middle of a tread is from its own value.
  double meanOffset() const {
    if (rounding_ == Rounding::kDown) return -0.5 * step_;
    return rounding_ == Rounding::kUp ? 0.5 * step_ : 0.0;
  }

  double levelOf(double u) const {
    const double quotient = u / step_;
    switch (rounding_) {
      case Rounding::kDown:
        return std::floor(quotient);
      case Rounding::kUp:
        return std::ceil(quotient);
      case Rounding::kToZero:
        return std::trunc(quotient);
      case Rounding::kNearest:
        break;
    }
    return std::round(quotient);
  }

  // The tread of a level, in steps from its own value.
  double lowerEnd(double level) const {
    switch (rounding_) {
      case Rounding::kDown:
        return step_ * level;
      case Rounding::kUp:
        return step_ * (level - 1.0);
      case Rounding::kToZero:
        return step_ * (level > 0.0 ? level : level - 1.0);
      case Rounding::kNearest:
        break;
    }
    return step_ * (level - 0.5);
  }
  double upperEnd(double level) const {
    switch (rounding_) {
      case Rounding::kDown:
        return step_ * (level + 1.0);
      case Rounding::kUp:
        return step_ * level;
      case Rounding::kToZero:
        return step_ * (level < 0.0 ? level : level + 1.0);
      case Rounding::kNearest:
        break;
    }
    return step_ * (level + 0.5);
  }

  double step_;
  Rounding rounding_;
  bool located_, usesMean_;
};

}  // namespace flexloop::control
