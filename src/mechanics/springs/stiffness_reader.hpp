// Stiffnesses and dampings of springs that act in several directions.
#pragma once

#include <string>

#include <Eigen/Core>

#include "system/builder.hpp"
#include "system/item.hpp"

namespace flexloop::mechanics {

// Magnets, and springs that are preloaded sideways, push away from rest; a slip of the pen does too.
void noteNegative(const system::Item& item, bool isNegative, system::Builder& builder);

// The numbers under `key` as a diagonal, or the whole symmetric matrix under `key` followed by `_matrix`; reports what is wrong with it.
Eigen::MatrixXd readSymmetric(const system::Item& item, const std::string& key, int size,
                              system::Builder& builder);

}  // namespace flexloop::mechanics
