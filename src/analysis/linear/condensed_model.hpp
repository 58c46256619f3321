// A large machine by few unknowns: all that constraints, signals and states touch stays as it is, and the freedoms
// between move as statics has it and by shapes of their own (docs/theory/25_delays_and_samples.md, section 25.9; Craig
// and Bampton 1968):
//
//     u = T û,    T = [ 1 0 ; Ψ Φ ],    Ψ = −K_oo⁻¹ K_oi,    (K_oo − ω² M_oo) Φ = 0              (25.23)
//
// and by the first moments of what these leave, (K_oo⁻¹ M_oo)ᵏ K_oo⁻¹ (M_oo Ψ + M_oi).
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear/linear_model.hpp"
#include "base/result.hpp"

namespace flexloop::analysis {

struct CondensedModel {
  std::optional<base::Failure> failure;
  LinearModel linear;     // of the unknowns that are left, those of shapes last
  std::vector<int> kept;  // unknowns of the whole pencil, the first ones of the condensed one
  int shapes = 0;
  double difference = 0.0;  // of responses from `inputs` to `outputs`, as condenseModel says

  // Unknowns of the whole pencil.
  Eigen::VectorXcd expand(const Eigen::VectorXcd& condensed) const;
  // By unknown of the whole pencil: that of the condensed one, or -1.
  std::vector<int> places(int size) const;

  std::vector<int> inner;   // the other unknowns of the whole pencil
  Eigen::MatrixXd columns;  // [Ψ Φ]
};

// Shapes are added until responses from equations `inputs` to unknowns `outputs` differ by less than 1e-8 up to the
// frequency [rad/s], or until there are `mostUnknowns`.
CondensedModel condenseModel(const LinearModel& linear, const system::System& system,
                             const std::vector<int>& inputs, const std::vector<int>& outputs,
                             double frequency, int mostUnknowns);

}  // namespace flexloop::analysis
