// Equations as a user writes them (docs/theory/14_dynamic_blocks.md, section 14.10),
//
//     (14.23)  x_i' = f_i(t, x, u),   y_k = h_k(t, x, u),
//
// each a formula of the time, of the states and of the inputs by name. Partial derivatives come from the formulas
// themselves (decision 3).
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "control/blocks/block.hpp"
#include "control/blocks/steep_states.hpp"
#include "math/expressions/expression.hpp"

namespace flexloop::control {

class EquationsBlock final : public BlockOf<EquationsBlock>, public SteepStates {
 public:
  static constexpr int kMostVariables = 128;  // states and inputs

  // The formulas were parsed with the names `t`, then those of the states, then those of the inputs; those of the
  // derivatives come first, one for each state.
  EquationsBlock(std::vector<math::Expression> formulas, int states, int inputs)
      : formulas_(std::move(formulas)), states_(states), inputs_(inputs) {}

  BlockSize size() const override {
    return {.inputs = inputs_,
            .states = states_,
            .outputs = static_cast<int>(formulas_.size()) - states_};
  }
  bool uses(int row, int column) const override { return formulas_[row].uses(column + 1); }
  bool isFormulaOfTime() const override {
    return states_ == 0 && std::any_of(formulas_.begin(), formulas_.end(),
                                       [](const math::Expression& f) { return f.uses(0); });
  }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    std::array<S, kMostVariables + 1> values;
    values[0] = p.t;
    std::copy(p.u.begin(), p.u.end(), std::copy(p.x.begin(), p.x.end(), values.begin() + 1));
    const std::span<const S> known(values.data(), p.x.size() + p.u.size() + 1);
    for (int i = 0; i < states_; ++i) p.dx[i] = formulas_[i].evaluate<S>(known);
    const int outputs = static_cast<int>(formulas_.size()) - states_;
    for (int k = 0; k < outputs; ++k) p.y[k] = formulas_[states_ + k].evaluate<S>(known);
  }

 private:
  std::vector<math::Expression> formulas_;
  int states_, inputs_;
};

}  // namespace flexloop::control
