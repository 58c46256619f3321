#include "reports/limit_text.hpp"

#include <cmath>
#include <numbers>

#include "base/json.hpp"
#include "base/text_format.hpp"

namespace flexloop::reports {
namespace {

using analysis::Mode;
using Json = nlohmann::ordered_json;
using study::ModeSweep;
using study::ModeSweepPoint;
using study::StabilityLimit;

double frequencyOf(const StabilityLimit& limit) {
  return std::abs(limit.eigenvalue.imag()) / (2.0 * std::numbers::pi);
}

Json limitToJson(const ModeSweep& sweep, const StabilityLimit& limit, ModeNumbers numbers) {
  Json json;
  json["parameter"] = sweep.axes.front().name;
  json["value"] = limit.value;
  json["frequency_hz"] = frequencyOf(limit);
  json["eigenvalue"] = {limit.eigenvalue.real() + 0.0, limit.eigenvalue.imag() + 0.0};
  if (numbers == ModeNumbers::kTold) json["track"] = limit.track + 1;
  json["mode"] = limit.name;
  json["unstable_side"] = limit.becomesUnstable ? "above" : "below";
  return json;
}

}  // namespace

std::vector<std::string> describeLimits(const ModeSweep& sweep,
                                        const study::StabilityLimits& limits, ModeNumbers numbers) {
  std::vector<std::string> lines;
  const study::SweepAxis& axis = sweep.axes.front();
  for (const StabilityLimit& limit : limits.limits) {
    std::string mode =
        numbers == ModeNumbers::kTold ? base::formatText("mode %d", limit.track + 1) : "mode";
    if (!limit.name.empty()) mode += " (" + limit.name + ")";
    lines.push_back(base::formatText(
        "stability limit: %s = %.12g, %s at %.7g Hz, unstable %s", axis.name.c_str(), limit.value,
        mode.c_str(), frequencyOf(limit), limit.becomesUnstable ? "above" : "below"));
  }
  for (const std::string& reason : limits.lost) {
    lines.push_back("stability limit: " + reason);
  }
  if (!lines.empty()) return lines;
  int stable = 0, unstable = 0;
  for (const ModeSweepPoint& point : sweep.points) {
    const Mode* mode = point.findRightmost();
    if (mode != nullptr) ++(mode->isStable() ? stable : unstable);
  }
  return {base::formatText(
      "no stability limit for %s from %.6g to %.6g: of %d points, %d are stable and %d are not",
      axis.name.c_str(), axis.values.front(), axis.values.back(),
      static_cast<int>(sweep.points.size()), stable, unstable)};
}

std::string makeLimitsJson(const ModeSweep& sweep, const study::StabilityLimits& limits,
                           ModeNumbers numbers) {
  Json json = Json::array();
  for (const StabilityLimit& limit : limits.limits)
    json.push_back(limitToJson(sweep, limit, numbers));
  return json.dump();
}

}  // namespace flexloop::reports
