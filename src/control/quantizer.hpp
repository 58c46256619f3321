// A staircase (docs/theory/15_discontinuous_blocks.md, section 4).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "control/block.hpp"

namespace flexloop::control {

//     (15.10)  y = k Δ, with the level k in the memory while u is on its tread
class Quantizer final : public BlockOf<Quantizer> {
 public:
  enum class Rounding : std::uint8_t { kNearest, kDown, kUp, kToZero };

  Quantizer(double step, Rounding rounding, bool located)
      : step_(step), rounding_(rounding), located_(located) {}
  BlockSize size() const override { return {.memory = kMemory}; }
  bool uses(int, int) const override { return false; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = S(step_ * (isSet(p.memory) ? p.memory[kLevel] : levelOf(math::valueOf(p.u[0]))));
  }

  int indicators() const override { return 2; }
  bool isLocated() const override { return located_; }
  void calcIndicators(const BlockPorts<double>& ports, double* values) const override {
    const double level = ports.memory[kLevel];
    values[0] = isSet(ports.memory) ? ports.u[0] - lowerEnd(level) : -1.0;
    values[1] = isSet(ports.memory) ? upperEnd(level) - ports.u[0] : -1.0;
  }
  void switchModes(const BlockPorts<double>& ports, BlockMemory memory) const override {
    const double u = ports.u[0], level = ports.memory[kLevel];
    double next = levelOf(u);
    if (isSet(ports.memory)) {
      if (u >= lowerEnd(level) && u <= upperEnd(level)) return;
      // The quotient u/Δ may round back to the level that has just ended.
      next = u > upperEnd(level) ? std::max(next, level + 1.0) : std::min(next, level - 1.0);
    }
    memory.memory[kLevel] = next;
    memory.memory[kIsSet] = 1.0;
  }

 private:
  enum Slot : std::uint8_t { kLevel, kIsSet, kMemory };

  static bool isSet(const double* memory) { return memory[kIsSet] > 0.5; }

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
  bool located_;
};

}  // namespace flexloop::control
