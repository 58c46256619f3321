// The entries of a pencil by their logarithms, from which its units are found (pencil_scaling.hpp).
#pragma once

#include <Eigen/Core>

namespace flexloop::linalg {

struct PencilEntry {
  int row, column;
  float size;   // log2 of its modulus
  float power;  // of s
  float weight = 1.0F;
};

// log2 of R, S and ρ of (18.6)
struct PencilUnits {
  Eigen::VectorXd rows, columns;
  double rate = 0.0;

  double sizeOf(const PencilEntry& entry) const {
    return entry.size + entry.power * rate + rows[entry.row] + columns[entry.column];
  }
};

}  // namespace flexloop::linalg
