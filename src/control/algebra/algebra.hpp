// Blocks without states (docs/theory/13_algebra_and_sources.md, section 13.1).
#pragma once

#include <utility>

#include "control/blocks/block.hpp"
#include "math/expressions/expression_functions.hpp"

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

//     (13.3)  y = Π u_i; the signs of the inputs are in the wiring
class Product final : public BlockOf<Product> {
 public:
  explicit Product(int inputs) : inputs_(inputs) {}
  BlockSize size() const override { return {.inputs = inputs_}; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    S product = S(1.0);
    for (const S& u : p.u) product = product * u;
    p.y[0] = product;
  }

 private:
  int inputs_;
};

//     (13.4)  y = u_1 / u_2, which is no number where u_2 = 0: then a step fails
class Ratio final : public BlockOf<Ratio> {
 public:
  BlockSize size() const override { return {.inputs = 2}; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = p.u[0] / p.u[1];
  }
};

//     (13.5)  y = f(u) with a function that is known with its derivatives
class Elementary final : public BlockOf<Elementary> {
 public:
  explicit Elementary(math::Function1 function) : function_(function) {}
  BlockSize size() const override { return {}; }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = math::lift(function_(math::valueOf(p.u[0])), p.u[0]);
  }

 private:
  math::Function1 function_;
};

}  // namespace flexloop::control
