// A parameter-dependent linear model as a block: equations (38.1) and (38.2) with the parameter as the last of its inputs,
// so that its derivative by the parameter is in the tangent like those by the states.
#pragma once

#include <atomic>
#include <string>

#include "control/blocks/block.hpp"
#include "control/lpv/lpv_model.hpp"

namespace flexloop::control {

class LpvBlock final : public BlockOf<LpvBlock> {
 public:
  // Of one output there are two copies, NAME.OUTPUT and NAME. With `stops` a parameter outside of the range of the model is a fault.
  LpvBlock(std::string name, LpvModel model, bool stops);

  BlockSize size() const override;
  bool uses(int row, int column) const override;
  void calc(const BlockPorts<double>& ports) const override;
  std::optional<base::Failure> fault() const override;

  template <class S>
  void evaluate(const BlockPorts<S>& p) const;

 private:
  // Coefficients at a value of the parameter, with all derivatives that S has.
  template <class S>
  class Coefficients {
   public:
    Coefficients(const LpvBlock& block, const S& p) {
      const Axis::Weights w = block.axis_.at(math::valueOf(p));
      for (int k = 0; k < 4; ++k) {
        weights_[k] = math::lift(math::Jet1{w.value[k], w.first[k], w.second[k]}, p);
        const auto& from = k < 2 ? block.values_ : block.slopes_;
        rows_[k] = from.data() + from.cols() * (w.index + k % 2);
      }
      isCubic_ = block.model_.isCubic;
    }
    S operator[](int i) const {
      const S sum = weights_[0] * rows_[0][i] + weights_[1] * rows_[1][i];
      return isCubic_ ? sum + weights_[2] * rows_[2][i] + weights_[3] * rows_[3][i] : sum;
    }

   private:
    std::array<S, 4> weights_;
    std::array<const double*, 4> rows_;
    bool isCubic_;
  };

  bool isOutside(double p) const;

  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  std::string name_;
  LpvModel model_;
  Rows values_, slopes_;
  Axis axis_;
  bool stops_;
  int copies_;                        // of the outputs
  mutable std::atomic<double> last_;  // parameter of the last evaluation
};

template <class S>
void LpvBlock::evaluate(const BlockPorts<S>& p) const {
  const LpvLayout& at = model_.layout;
  const int q = at.pairs, r = at.others, n = at.states();
  const Coefficients<S> c(*this, p.u[at.inputs]);
  const auto addInputs = [&](int row) {
    S sum = S(0.0);
    for (int k = 0; k < at.inputs; ++k) sum = sum + c[at.input(row, k)] * p.u[k];
    return sum;
  };
  // K η = Ω (Ω η): the product in the middle is kept where the rates of η will be.
  if (model_.isRooted) {
    for (int i = 0; i < q; ++i) {
      S sum = S(0.0);
      for (int k = 0; k < q; ++k) sum = sum + c[at.stiffness(i, k)] * p.x[k];
      p.dx[i] = sum;
    }
  }
  for (int i = 0; i < q; ++i) {
    S sum = addInputs(q + i);
    for (int k = 0; k < q; ++k) {
      const S& stretched = model_.isRooted ? p.dx[k] : p.x[k];
      sum = sum - c[at.stiffness(i, k)] * stretched - c[at.damping(i, k)] * p.x[q + k];
    }
    p.dx[q + i] = sum;
  }
  for (int i = 0; i < q; ++i) p.dx[i] = p.x[q + i] + addInputs(i);
  for (int i = 0; i < r; ++i) {
    S sum = addInputs(2 * q + i);
    for (int k = 0; k < r; ++k) sum = sum + c[at.other(i, k)] * p.x[2 * q + k];
    p.dx[2 * q + i] = sum;
  }
  for (int i = 0; i < at.outputs; ++i) {
    S sum = S(0.0);
    for (int k = 0; k < n; ++k) sum = sum + c[at.output(i, k)] * p.x[k];
    for (int k = 0; k < at.inputs; ++k) sum = sum + c[at.direct(i, k)] * p.u[k];
    for (int copy = 0; copy < copies_; ++copy) p.y[i + copy * at.outputs] = sum;
  }
}

}  // namespace flexloop::control
