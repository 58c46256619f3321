// The points of a parameter-dependent model: all combinations of the values of its parameters, the last of which changes
// fastest, and the way from the middle to all of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "study/sweep_axis.hpp"

namespace flexloop::study {

class LpvGrid {
 public:
  explicit LpvGrid(std::vector<SweepAxis> axes) : axes_(std::move(axes)) {}

  const std::vector<SweepAxis>& axes() const { return axes_; }
  int size() const;
  std::vector<double> point(int index) const;
  int reference() const;  // the point in the middle
  // The points that differ from this one in one parameter only, and itself, by the values of that parameter.
  std::vector<int> line(int index, int parameter) const;
  // From neighbour to neighbour, {from, to}, each `to` once and after it has been reached.
  std::vector<std::pair<int, int>> walk() const;

  // The cells between the points, the last parameter changing fastest.
  int countCells() const;
  std::vector<double> centre(int cell) const;
  std::vector<int> corners(int cell) const;  // points
  // The point of a cell at shares from 0 to 1 of its sides.
  std::vector<double> inside(int cell, const std::vector<double>& shares) const;

  // "length = 0.4, load = 2"
  std::string describe(const std::vector<double>& at) const;

 private:
  std::vector<int> split(int index, int less) const;  // `less`: of each count of values
  int join(const std::vector<int>& places) const;

  std::vector<SweepAxis> axes_;
};

}  // namespace flexloop::study
