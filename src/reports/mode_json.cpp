#include "reports/mode_json.hpp"

#include <cmath>
#include <complex>

#include "base/json.hpp"

namespace flexloop::reports {
namespace {

using Complex = std::complex<double>;
using Json = nlohmann::ordered_json;

Json toJson(Complex value) {
  return Json::array({value.real() + 0.0, value.imag() + 0.0});  // no minus before a zero
}

Json toJson(const std::vector<analysis::Share>& shares) {
  Json json = Json::object();
  for (const analysis::Share& share : shares) json[share.name] = share.value;
  return json;
}

}  // namespace

Json makeModeJson(const analysis::Mode& mode) {
  Json entry;
  // ln 0 is no number of JSON.
  const bool isDeadBeat = !std::isfinite(mode.eigenvalue.real());
  entry["eigenvalue"] = isDeadBeat ? Json() : toJson(mode.eigenvalue);
  if (isDeadBeat) entry["dead_beat"] = true;
  if (mode.multiplier) entry["multiplier"] = toJson(*mode.multiplier);
  entry["frequency_hz"] = isDeadBeat ? 0.0 : mode.frequencyHz();
  entry["damping_ratio"] = isDeadBeat ? 1.0 : mode.dampingRatio() + 0.0;
  entry["stable"] = mode.isStable();
  entry["residual"] = mode.residual;
  if (std::isfinite(mode.uncertainty)) entry["uncertainty"] = mode.uncertainty;
  return entry;
}

Json makeVerdictJson(const analysis::StabilityVerdict& verdict) {
  Json entry;
  entry["verdict"] = verdict.growing > 0 ? "unstable" : verdict.isCertain ? "stable" : "unknown";
  entry["growing_modes"] = verdict.growing;
  if (verdict.doubtful > 0) entry["doubtful_modes"] = verdict.doubtful;
  entry["complete"] = verdict.isCertain;
  if (!verdict.isCertain) entry["searched_hz"] = verdict.searchedHz;
  return entry;
}

void addModeDescription(const analysis::ModeDescription& mode, Json& entry) {
  entry["name"] = mode.name;
  entry["energy"] = {{"kinetic", mode.kinetic}, {"strain", mode.strain}, {"control", mode.control}};
  entry["participation"] = {{"kinetic", toJson(mode.bodies)},
                            {"strain", toJson(mode.springs)},
                            {"loops", toJson(mode.loops)},
                            {"freedoms", toJson(mode.freedoms)}};
  entry["damping_by_origin"] = toJson(mode.damping);
}

}  // namespace flexloop::reports
