// Linear systems with constant matrices (docs/theory/14_dynamic_blocks.md, section 14.1),
//
//     (14.1)  x' = A x + B u,   y = C x + D u
//
// The partial derivatives are these matrices, so they are copied, not computed.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "control/blocks/block.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::control {

using linalg::StateMatrices;

// [A B; C D] in one piece of memory, row by row.
class SystemRows {
 public:
  explicit SystemRows(const StateMatrices& system);

  int states() const { return states_; }
  int inputs() const { return inputs_; }
  int outputs() const { return rows() - states_; }
  int rows() const { return static_cast<int>(coefficients_.rows()); }
  double operator()(int row, int column) const { return coefficients_(row, column); }

  // Row times (x, u).
  template <class S>
  S product(int row, const S* x, const S* u) const {
    const double* a = coefficients_.data() + row * (states_ + inputs_);
    S sum = S(0.0);
    for (int i = 0; i < states_; ++i) sum = sum + a[i] * x[i];
    for (int i = 0; i < inputs_; ++i) sum = sum + a[states_ + i] * u[i];
    return sum;
  }

  const double* data() const { return coefficients_.data(); }
  void copyTo(Eigen::MatrixXd& J) const { J = coefficients_; }

 private:
  int states_, inputs_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> coefficients_;
};

inline SystemRows::SystemRows(const StateMatrices& system)
    : states_(system.countStates()),
      inputs_(system.countInputs()),
      coefficients_(system.countStates() + system.countOutputs(),
                    system.countStates() + system.countInputs()) {
  coefficients_.topLeftCorner(states_, states_) = system.A;
  coefficients_.topRightCorner(states_, inputs_) = system.B;
  coefficients_.bottomLeftCorner(outputs(), states_) = system.C;
  coefficients_.bottomRightCorner(outputs(), inputs_) = system.D;
}

class LinearSystem final : public BlockOf<LinearSystem> {
 public:
  explicit LinearSystem(const StateMatrices& system)
      : rows_(system), isFirstOrder_(rows_.states() == 1 && isSingle()) {}

  BlockSize size() const override {
    return {.inputs = rows_.inputs(), .states = rows_.states(), .outputs = rows_.outputs()};
  }
  bool uses(int row, int column) const override { return rows_(row, column) != 0.0; }
  void calcPartials(const BlockPorts<double>&, Eigen::MatrixXd& J) const override {
    rows_.copyTo(J);
  }

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    if (isFirstOrder_) return evaluateFirstOrder(p);
    const S *x = p.x.data(), *u = p.u.data();
    for (int i = 0; i < rows_.states(); ++i) p.dx[i] = rows_.product(i, x, u);
    for (int i = 0; i < rows_.outputs(); ++i) p.y[i] = rows_.product(rows_.states() + i, x, u);
  }

 private:
  bool isSingle() const { return rows_.inputs() == 1 && rows_.outputs() == 1; }

  template <class S>
  void evaluateFirstOrder(const BlockPorts<S>& p) const {
    const double* a = rows_.data();
    p.dx[0] = a[0] * p.x[0] + a[1] * p.u[0];
    p.y[0] = a[2] * p.x[0] + a[3] * p.u[0];
  }

  SystemRows rows_;
  bool isFirstOrder_;
};

}  // namespace flexloop::control
