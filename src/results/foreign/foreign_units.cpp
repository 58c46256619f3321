#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.hpp"
#include "results/foreign/foreign_record.hpp"

namespace flexloop::results {
namespace {

// As the units of sensors and actuators are written.
constexpr std::array kWritten{"s", "m",   "m/s", "m/s^2", "rad", "rad/s", "rad/s^2",
                              "N", "N*m", "W",   "Pa",    "kg",  "Hz",    ""};

bool isSame(const base::Dimension& a, const base::Dimension& b) {
  return a == b && a.angle == b.angle && a.cycle == b.cycle;
}

}  // namespace

std::string UniqueNames::make(const std::string& name) {
  if (next_.try_emplace(name, 2).second) return name;
  for (;;) {
    const std::string unique = name + "_" + std::to_string(next_.at(name)++);
    if (next_.try_emplace(unique, 2).second) return unique;
  }
}

void splitUnit(std::string& name, std::string& unit) {
  const char last = name.empty() ? '\0' : name.back();
  if (last != ']' && last != ')') return;
  const std::size_t open = name.rfind(last == ']' ? '[' : '(');
  if (open == std::string::npos || open == 0) return;
  const std::string inside = name.substr(open + 1, name.size() - open - 2);
  if (inside != "-" && !base::parseUnit(inside)) return;
  unit = inside == "-" ? "" : inside;
  name.erase(open);
  while (!name.empty() && (name.back() == ' ' || name.back() == '_')) name.pop_back();
}

void convertToSi(analysis::TimeRecord& record) {
  for (std::size_t i = 0; i < record.units.size(); ++i) {
    if (record.units[i].empty()) continue;
    const auto unit = base::parseUnit(record.units[i]);
    if (!unit) continue;
    const auto written = std::find_if(kWritten.begin(), kWritten.end(), [&](const char* text) {
      return isSame(base::parseUnit(text).value().dimension, unit.value().dimension);
    });
    if (written == kWritten.end()) continue;
    record.units[i] = *written;
    for (double& value : record.columns[i]) {
      value = value * unit.value().numerator / unit.value().denominator;
    }
  }
}

}  // namespace flexloop::results
