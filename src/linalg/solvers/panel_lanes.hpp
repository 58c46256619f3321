// Lanes of numbers that panels are made of, and where blocks of four columns begin in their triangles.
#pragma once

#include <cstddef>
#include <cstring>

namespace flexloop::linalg {

constexpr int kPanelLanes = 4;
using Lanes [[gnu::vector_size(kPanelLanes * sizeof(double))]] = double;

inline int roundUpToLanes(int count) {
  return (count + kPanelLanes - 1) / kPanelLanes * kPanelLanes;
}

inline Lanes load(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

inline void store(double* to, Lanes lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

// Of a triangle with whole blocks on its diagonal.
inline std::size_t countTriangle(int rows) {
  return static_cast<std::size_t>(rows) * (rows + kPanelLanes) / 2;
}

// The block that begins with this column, among those from their rows on the diagonal down.
inline std::size_t findLowerBlock(int rows, int column) {
  return countTriangle(rows) - countTriangle(rows - column);
}

// Among those from the top to their rows on the diagonal, the last one first.
inline std::size_t findUpperBlock(int rows, int column) {
  return countTriangle(rows) - countTriangle(column + kPanelLanes);
}

}  // namespace flexloop::linalg
