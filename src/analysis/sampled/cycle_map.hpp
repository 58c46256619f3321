// The machine between samples and its sampled controllers at their instants, as one linear map over a cycle of all
// clocks (docs/theory/25_delays_and_samples.md):
//
//     z = (x, m),    z⁺ = Ψ z                                                                    (25.10)
//
// with the states x of the machine and all that blocks and delays remember, m.
#pragma once

#include <optional>

#include <Eigen/Core>

#include "analysis/linear/linear_model.hpp"
#include "analysis/sampled/sampled_map.hpp"
#include "base/result.hpp"

namespace flexloop::analysis {

struct CycleMap {
  std::optional<base::Failure> failure;
  double period = 0.0;  // of all clocks together [s]
  // Ψ = first · rest. What the first instant does not ask for, such as the old outputs of its blocks, is in neither
  // (25.14): `rest` goes from just after this instant to just before that of the next cycle.
  Eigen::MatrixXd first, rest;
  int dropped = 0;           // multipliers of zero that are left out by this
  Eigen::MatrixXd unknowns;  // of the pencil, by z just after the first instant
  Eigen::MatrixXd A;         // of the machine alone
  int settled = 0;  // its states that are left out, since they are gone at the next instant

  int states() const { return static_cast<int>(A.rows()); }
};

CycleMap makeCycleMap(const Sampling& sampling, const SampledMap& map);
// Of a machine that is not condensed. The linear model is that of the closed loop about the state, with the outputs of
// black boxes among the blocks held.
CycleMap makeCycleMap(const SampledBlocks& blocks, const system::System& system,
                      const LinearModel& linear, const system::State& state);

}  // namespace flexloop::analysis
