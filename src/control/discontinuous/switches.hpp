// Blocks that are on or off (docs/theory/15_discontinuous_blocks.md, section 15.3).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "control/blocks/block.hpp"
#include "control/discontinuous/hysteresis.hpp"

namespace flexloop::control {

// A block that is on or off. B says what number is judged, as `double judge(u)` of the
// inputs of any scalar type.
template <class B>
class Toggling : public BlockOf<B> {
 public:
  Toggling(int inputs, const Hysteresis& hysteresis, bool located)
      : inputs_(inputs), hysteresis_(hysteresis), located_(located) {}
  BlockSize size() const override { return {.inputs = inputs_, .memory = 1}; }
  bool uses(int, int) const override { return false; }

  int indicators() const override { return 1; }
  bool isLocated() const override { return located_; }
  void calcIndicators(const BlockPorts<double>& ports, double* values) const override {
    *values = hysteresis_.indicator(*ports.memory, self().judge(ports.u));
  }
  void switchBranches(const BlockPorts<double>& ports, BlockMemory memory) const override {
    *memory.memory = hysteresis_.nextBranch(*ports.memory, self().judge(ports.u));
  }
  void beginRest(const BlockPorts<double>& ports, BlockMemory memory) const override {
    switchBranches(ports, memory);
  }

 protected:
  template <class S>
  bool isOn(const BlockPorts<S>& p) const {
    return hysteresis_.isOn(*p.memory, self().judge(p.u));
  }

 private:
  const B& self() const { return static_cast<const B&>(*this); }

  int inputs_;
  Hysteresis hysteresis_;
  bool located_;
};

//     (15.6)  y = on or off value
class Relay final : public Toggling<Relay> {
 public:
  Relay(const Hysteresis& hysteresis, double onValue, double offValue, bool located)
      : Toggling(1, hysteresis, located), onValue_(onValue), offValue_(offValue) {}

  template <class S>
  double judge(std::span<const S> u) const {
    return math::valueOf(u[0]);
  }
  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = S(isOn(p) ? onValue_ : offValue_);
  }

 private:
  double onValue_, offValue_;
};

//     (15.7)  y = u_1 while the control u_0 is high, else u_2
class Switch final : public Toggling<Switch> {
 public:
  Switch(const Hysteresis& hysteresis, bool located) : Toggling(3, hysteresis, located) {}
  bool uses(int, int column) const override { return column != 0; }

  template <class S>
  double judge(std::span<const S> u) const {
    return math::valueOf(u[0]);
  }
  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = isOn(p) ? p.u[1] : p.u[2];
  }
};

//     (15.8)  y = 1 while the margin is positive, else 0
class Comparison final : public Toggling<Comparison> {
 public:
  enum class Relation : std::uint8_t { kGreater, kLess, kEqual };

  Comparison(Relation relation, double tolerance, const Hysteresis& hysteresis, bool located)
      : Toggling(2, hysteresis, located), relation_(relation), tolerance_(tolerance) {}

  template <class S>
  double judge(std::span<const S> u) const {
    const double difference = math::valueOf(u[0]) - math::valueOf(u[1]);
    switch (relation_) {
      case Relation::kGreater:
        return difference;
      case Relation::kLess:
        return -difference;
      case Relation::kEqual:
        break;
    }
    return tolerance_ - std::abs(difference);
  }
  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = S(isOn(p) ? 1.0 : 0.0);
  }

 private:
  Relation relation_;
  double tolerance_;  // of equality
};

//     (15.9)  y = 1 while the operation on the truths u > ½ is true, else 0
class Logic final : public Toggling<Logic> {
 public:
  enum class Operation : std::uint8_t { kAnd, kOr, kXor };

  // With `negated`, nand, nor, or not of one input.
  Logic(Operation operation, bool negated, int inputs, bool located)
      : Toggling(inputs, Hysteresis(0.0, 0.0, false), located),
        operation_(operation),
        negated_(negated) {}

  template <class S>
  double judge(std::span<const S> u) const {
    double margin = truth(u[0]);
    for (std::size_t i = 1; i < u.size(); ++i) margin = combine(margin, truth(u[i]));
    return negated_ ? -margin : margin;
  }
  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = S(isOn(p) ? 1.0 : 0.0);
  }

 private:
  template <class S>
  static double truth(const S& u) {
    return math::valueOf(u) - 0.5;
  }
  double combine(double a, double b) const {
    switch (operation_) {
      case Operation::kAnd:
        return std::min(a, b);
      case Operation::kOr:
        return std::max(a, b);
      case Operation::kXor:
        break;
    }
    return std::max(std::min(a, -b), std::min(-a, b));
  }

  Operation operation_;
  bool negated_;
};

}  // namespace flexloop::control
