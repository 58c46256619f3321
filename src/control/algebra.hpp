// Blocks without states (docs/theory/13_algebra_and_sources.md).
#pragma once

#include <utility>

#include "control/block.hpp"

namespace flexloop::control {

//     (13.1)  y = Σ u_i; the signs of the inputs are in the wiring
class Sum final : public BlockOf<Sum> {
 public:
  explicit Sum(int inputs) : inputs_(inputs) {}
  BlockSize size() const override { return {.inputs = inputs_}; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    S sum = S(0.0);
    for (const S& u : p.u) sum = sum + u;
    p.y[0] = sum;
  }

 private:
  int inputs_;
};

//     (13.2)  y = K u with a matrix K, or a number
class Gain final : public BlockOf<Gain> {
 public:
  explicit Gain(Eigen::MatrixXd K) : K_(std::move(K)) {}
  BlockSize size() const override {
    return {.inputs = static_cast<int>(K_.cols()), .outputs = static_cast<int>(K_.rows())};
  }
  bool uses(int row, int column) const override { return K_(row, column) != 0.0; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    for (int i = 0; i < K_.rows(); ++i) {
      S sum = S(0.0);
      for (int j = 0; j < K_.cols(); ++j) sum = sum + K_(i, j) * p.u[j];
      p.y[i] = sum;
    }
  }

 private:
  Eigen::MatrixXd K_;
};

}  // namespace flexloop::control
