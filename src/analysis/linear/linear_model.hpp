// The machine with its controllers, linearised about a state (docs/theory/18_eigenproblem.md):
//
//     P(s) = K + s C + s² M,    δrate = sδ + v̂δ,   δacceleration = s²δ + s v̂δ + ŵδ             (18.1)
//
// with the velocity v of every node, so that spinning structures get their right modes (turning_axes.hpp); pure delays add their
// e^{−sτ} (docs/theory/25_delays_and_samples.md). Views of it leave
// something out, as other tools do: the controllers, the freedoms that actuators move, the flexibility.
#pragma once

#include <string>
#include <vector>

#include "analysis/linear/turning_axes.hpp"
#include "linalg/roots/delay_pencil.hpp"
#include "linalg/roots/quadratic_pencil.hpp"
#include "model/model.hpp"

namespace flexloop::analysis {

enum class LoopView {
  kClosed,  // everything acts
  kOpen,    // signals and states stay as they are: forces of actuators are constant
  kLocked,  // and the freedoms on which actuators act are held
};

enum class BodyView { kFlexible, kRigid };

struct LinearView {
  LoopView loop = LoopView::kClosed;
  BodyView bodies = BodyView::kFlexible;
};

struct LinearModel {
  linalg::QuadraticPencil pencil;
  linalg::DelayTerms delays;  // what P(s) has beside the pencil
  // Increments of the system's unknowns = expansion · unknowns of the pencil.
  linalg::SparseMatrix expansion;
  // By unknown of the pencil, the system's unknown that it represents; -1: a view or a black box added it.
  std::vector<int> unknowns;
  std::vector<int> groups;            // that are best eliminated together, as in makeSparseSolver
  std::vector<std::string> warnings;  // about black boxes, kinks and staircases
  Turning turning;

  std::string equationName(const system::System& system, int equation) const;
};

// P(s) with its delays; the pattern does not depend on s.
linalg::SparseMatrixC evaluate(const LinearModel& model, std::complex<double> s);

// Constraints that depend on others are left out of the pencil; black boxes take part with their gains
// (see box_model.hpp), but those of `held`, elements of the set of blocks, hold their outputs.
LinearModel linearize(const model::Model& model, const system::State& state,
                      const LinearView& view = {}, const std::vector<int>& held = {});

}  // namespace flexloop::analysis
