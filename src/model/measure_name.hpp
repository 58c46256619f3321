// What a name says about a sensor: the sensor itself, a component `tip.x` of it, or the exact rate
// `NAME.rate` of either.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "system/measure.hpp"

namespace flexloop::model {

using Measures = std::map<std::string, std::unique_ptr<system::Measure>>;

struct MeasureUse {
  const system::Measure* measure = nullptr;
  std::string sensor;  // its name
  int component = -1;  // -1: all
  bool rate = false;
};

// Nothing if there is no such sensor, component or rate.
std::optional<MeasureUse> findMeasure(const Measures& measures, const std::string& name);

// tip -> tip.x, tip.y, tip.z; the name itself where the measure is a number.
std::vector<std::string> componentNames(const std::string& name, const system::Measure& measure);

// Every name that findMeasure knows.
std::vector<std::string> measureNames(const Measures& measures);

}  // namespace flexloop::model
