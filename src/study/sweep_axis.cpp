#include "study/sweep_axis.hpp"

#include <cmath>
#include <utility>

namespace flexloop::study {

SweepAxis makeAxis(std::string name, double from, double to, int count, Spacing spacing) {
  SweepAxis axis{std::move(name), {from}};
  for (int i = 1; i < count - 1; ++i) {
    const double part = static_cast<double>(i) / (count - 1);
    axis.values.push_back(spacing == Spacing::kEven ? from + part * (to - from)
                                                    : from * std::pow(to / from, part));
  }
  if (count > 1) axis.values.push_back(to);
  return axis;
}

std::vector<Settings> combine(const std::vector<SweepAxis>& axes) {
  std::vector<Settings> all{{}};
  for (const SweepAxis& axis : axes) {
    std::vector<Settings> longer;
    for (const Settings& settings : all) {
      for (const double value : axis.values) {
        longer.push_back(settings);
        longer.back().push_back({axis.name, value});
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace flexloop::study
