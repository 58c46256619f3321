// A formula of signals and of the time,
//
//     (13.6)  y = f(t, u_1 … u_n)
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "control/blocks/block.hpp"
#include "math/expressions/expression.hpp"

namespace flexloop::control {

class FormulaBlock final : public BlockOf<FormulaBlock> {
 public:
  static constexpr int kMostInputs = 32;

  // The expression was parsed with the names `t` and then those of the inputs.
  FormulaBlock(math::Expression expression, int inputs)
      : expression_(std::move(expression)), inputs_(inputs) {}
  BlockSize size() const override { return {.inputs = inputs_}; }
  bool uses(int, int column) const override { return expression_.uses(column + 1); }
  bool isFormulaOfTime() const override { return expression_.uses(0); }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    std::array<S, kMostInputs + 1> values;
    values[0] = p.t;
    std::copy(p.u.begin(), p.u.end(), values.begin() + 1);
    p.y[0] = expression_.evaluate<S>(std::span<const S>(values.data(), p.u.size() + 1));
  }

 private:
  math::Expression expression_;
  int inputs_;
};

}  // namespace flexloop::control
