// Vectors without any structure that are the same in every run.
#pragma once

#include <random>

#include <Eigen/Core>

namespace flexloop::linalg {

// Entries between -1 and 1; another vector for another number.
inline Eigen::VectorXd makeFixedVector(int size, unsigned number) {
  std::mt19937 generator(number + 1);
  return Eigen::VectorXd::NullaryExpr(
      size, [&] { return static_cast<double>(generator()) * 0x1p-31 - 1.0; });
}

}  // namespace flexloop::linalg
