// Unknowns of the pencil by which motions are recognised: displacements of masses, then signals, then states of blocks.
// Signals have a meaning of their own; the units of block states are the block's affair.
#pragma once

#include <vector>

#include "analysis/linear/linear_model.hpp"

namespace flexloop::study {

struct ObservedRows {
  std::vector<int> all;
  Eigen::Index motions = 0,
               meaningful =
                   0;  // so many of the first are displacements; and displacements or signals
};
ObservedRows findObservedRows(const model::Model& model, const analysis::LinearModel& linear);

}  // namespace flexloop::study
