// What controllers are to the motions of a machine, as matrices (docs/theory/21_effective_matrices.md).
// States and signals are eliminated from P(s); what is left of PID-like controllers is exactly
//
//     G(s) = G_ssee/s + G_pos + s G_vel + s² G_acc                                              (21.2)
//
// and together with the machine
//
//     M_eff = M + G_acc,   C_eff = C + G_vel,   K_eff = K + G_pos,   Q_eff = G_ssee .            (21.3)
//
// Constraints stay, by their multipliers.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/linear_model.hpp"
#include "base/result.hpp"

namespace flexloop::analysis {

// A linear model in which the motions and the states and signals of the controllers are separate:
// z_c = X(s) z_m.
class ControlSide {
 public:
  ControlSide(const system::System& system, const LinearModel& linear);

  const std::vector<int>& machine() const { return machine_; }  // motions and multipliers
  const std::vector<int>& control() const { return control_; }  // states and signals
  const std::vector<int>& read() const { return read_; }        // of the machine, by sensors
  const std::vector<int>& moved() const { return moved_; }      // of the machine, by actuators
  // Of the control side, those that act on the machine.
  const std::vector<int>& acting() const { return acting_; }

  // P(s) of the control side alone.
  const linalg::QuadraticPencil& inside() const { return inside_; }

  // X(s) for unit values of `read`, and G(s) from `read` to `moved`, one above the other; nothing where
  // the controllers have no solution.
  std::optional<Eigen::MatrixXcd> calcResponse(std::complex<double> s) const;
  // Fills in the states and signals of a vector of all unknowns; false at a root of the controllers.
  bool restore(std::complex<double> s, Eigen::VectorXcd& z) const;

 private:
  struct Block {
    linalg::SparseMatrix K, C, M;
    linalg::SparseMatrixC at(std::complex<double> s) const;
  };
  Block cut(const linalg::QuadraticPencil& pencil, const std::vector<int>& rows,
            const std::vector<int>& columns) const;
  std::optional<Eigen::MatrixXcd> solve(std::complex<double> s, Eigen::MatrixXcd rhs) const;

  std::vector<int> machine_, control_, read_, moved_, acting_;
  linalg::QuadraticPencil inside_;
  Block input_, output_;  // control rows by what is read; moved rows by control
};

struct EffectiveMatrices {
  std::optional<base::Failure> failure;
  std::vector<int> unknowns;        // of the linear model: motions and multipliers
  linalg::SparseMatrix M, C, K, Q;  // with the controllers
  linalg::SparseMatrix acceleration, velocity, position, integral;  // of the controllers alone
  std::string integrating;  // the first actuator with a part in Q; empty: Q is zero

  bool ok() const { return !failure; }
};

// Refuses controllers that are not PID-like by the name of their actuator.
[[nodiscard]] EffectiveMatrices makeEffectiveMatrices(const model::Model& model,
                                                      const LinearModel& linear,
                                                      const ControlSide& side);

// By row and column of the effective matrices; names of several motions of one rigid part are numbered.
std::vector<std::string> freedomNames(const system::System& system, const LinearModel& linear,
                                      const EffectiveMatrices& matrices);

// P(λ) with λ = s²: K_eff + λ M_eff.
LinearModel makeUndampedModel(const LinearModel& linear, const EffectiveMatrices& matrices);
// K_eff + s C_eff + s² M_eff, and Q_eff/s by one integral for each direction that controllers integrate,
// which adds no roots at zero.
LinearModel makeDampedModel(const LinearModel& linear, const EffectiveMatrices& matrices);

}  // namespace flexloop::analysis
