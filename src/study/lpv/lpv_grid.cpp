#include "study/lpv/lpv_grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/text_format.hpp"

namespace flexloop::study {

int LpvGrid::size() const {
  int count = 1;
  for (const SweepAxis& axis : axes_) count *= static_cast<int>(axis.values.size());
  return count;
}

int LpvGrid::countCells() const {
  int count = 1;
  for (const SweepAxis& axis : axes_) count *= static_cast<int>(axis.values.size()) - 1;
  return count;
}

std::vector<int> LpvGrid::split(int index, int less) const {
  std::vector<int> places(axes_.size());
  for (std::size_t d = axes_.size(); d-- > 0;) {
    const int n = static_cast<int>(axes_[d].values.size()) - less;
    places[d] = index % n;
    index /= n;
  }
  return places;
}

int LpvGrid::join(const std::vector<int>& places) const {
  int index = 0;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    index = index * static_cast<int>(axes_[d].values.size()) + places[d];
  }
  return index;
}

std::vector<double> LpvGrid::point(int index) const {
  const std::vector<int> places = split(index, 0);
  std::vector<double> at;
  for (std::size_t d = 0; d < axes_.size(); ++d) at.push_back(axes_[d].values[places[d]]);
  return at;
}

int LpvGrid::reference() const {
  std::vector<int> places;
  for (const SweepAxis& axis : axes_) places.push_back(static_cast<int>(axis.values.size() / 2));
  return join(places);
}

std::vector<int> LpvGrid::line(int index, int parameter) const {
  std::vector<int> places = split(index, 0), found;
  for (int i = 0; i < static_cast<int>(axes_[parameter].values.size()); ++i) {
    places[parameter] = i;
    found.push_back(join(places));
  }
  return found;
}

std::vector<std::pair<int, int>> LpvGrid::walk() const {
  const std::vector<int> middle = split(reference(), 0);
  struct Step {
    int distance, from, to;
  };
  std::vector<Step> steps;
  for (int i = 0; i < size(); ++i) {
    std::vector<int> places = split(i, 0);
    int distance = 0, last = -1;
    for (std::size_t d = 0; d < places.size(); ++d) {
      distance += std::abs(places[d] - middle[d]);
      if (places[d] != middle[d]) last = static_cast<int>(d);
    }
    if (last < 0) continue;
    places[last] += places[last] > middle[last] ? -1 : 1;
    steps.push_back({distance, join(places), i});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.distance < b.distance; });
  std::vector<std::pair<int, int>> pairs;
  for (const Step& step : steps) pairs.emplace_back(step.from, step.to);
  return pairs;
}

std::vector<int> LpvGrid::corners(int cell) const {
  const std::vector<int> low = split(cell, 1);
  std::vector<int> found;
  for (int corner = 0; corner < 1 << axes_.size(); ++corner) {
    std::vector<int> places = low;
    for (std::size_t d = 0; d < places.size(); ++d) places[d] += (corner >> d) & 1;
    found.push_back(join(places));
  }
  return found;
}

std::vector<double> LpvGrid::centre(int cell) const {
  return inside(cell, std::vector<double>(axes_.size(), 0.5));
}

std::vector<double> LpvGrid::inside(int cell, const std::vector<double>& shares) const {
  const std::vector<int> low = split(cell, 1);
  std::vector<double> at;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const double a = axes_[d].values[low[d]], b = axes_[d].values[low[d] + 1];
    at.push_back((1.0 - shares[d]) * a + shares[d] * b);
  }
  return at;
}

std::string LpvGrid::describe(const std::vector<double>& at) const {
  std::string text;
  for (std::size_t d = 0; d < at.size(); ++d) {
    text += (d > 0 ? ", " : "") + axes_[d].name + base::formatText(" = %.6g", at[d]);
  }
  return text;
}

}  // namespace flexloop::study
