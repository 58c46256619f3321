// The JSON of scheme_text.hpp.
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "files/output_file.hpp"
#include "reports/scheme_text.hpp"

namespace flexloop::reports {
namespace {

using analysis::PerKind;
using analysis::SchemePoint;
using analysis::SchemeProperties;
using Json = nlohmann::ordered_json;

Json toJson(double value) {
  return value;
}

Json toJson(int value) {
  return value;
}

Json toJson(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

// One list of coefficients, ascending in z, for each power of the frequency.
Json toJson(const analysis::SchemePolynomial& polynomial) {
  Json json = Json::array();
  for (const math::Polynomial& term : polynomial.terms) {
    Json row = Json::array();
    for (const double c : term.coefficients) row.push_back(c + 0.0);  // no minus before a zero
    json.push_back(std::move(row));
  }
  return json;
}

template <class T>
Json toJson(const PerKind<T>& values) {
  Json json;
  json["motion"] = toJson(values.motion);
  json["state"] = toJson(values.state);
  json["coupled"] = toJson(values.coupled);
  return json;
}

template <class Point, class T>
Json columnOf(const std::vector<Point>& points, T Point::*member) {
  Json json = Json::array();
  for (const Point& point : points) json.push_back(toJson(point.*member));
  return json;
}

Json alternatingOf(const std::vector<analysis::AlternatingRadius>& radii) {
  using analysis::AlternatingRadius;
  Json json;
  json["ratio"] = columnOf(radii, &AlternatingRadius::ratio);
  json["motion"] = columnOf(radii, &AlternatingRadius::motion);
  json["index2"] = columnOf(radii, &AlternatingRadius::index2);
  json["state"] = columnOf(radii, &AlternatingRadius::state);
  json["largest"] = columnOf(radii, &AlternatingRadius::largest);
  return json;
}

Json parametersOf(const SchemeRequest& request) {
  const solve::MotionScheme& motion = request.scheme.motion;
  const solve::StateScheme& state = request.scheme.state;
  Json json;
  json["rho"] = request.rho;
  json["motion"] = {{"name", request.motionName},
                    {"alpha_m", motion.alphaM},
                    {"alpha_f", motion.alphaF},
                    {"beta", motion.beta},
                    {"gamma", motion.gamma}};
  json["state"] = {{"name", request.stateName},
                   {"delta_m", state.deltaM},
                   {"delta_f", state.deltaF},
                   {"theta", state.theta}};
  return json;
}

Json systemOf(const analysis::TestSystem& system) {
  return {{"zeta", system.zeta},
          {"bandwidth", system.bandwidth},
          {"position_gain", system.positionGain},
          {"velocity_gain", system.velocityGain},
          {"stable", system.isStable()}};
}

}  // namespace

void writeSchemeJson(const std::string& path, const SchemeRequest& request,
                     const SchemeProperties& properties) {
  const std::vector<SchemePoint>& points = properties.points;
  Json json;
  json["scheme"] = parametersOf(request);
  json["test_system"] = systemOf(request.system);
  json["radius_at_infinity"] = toJson(properties.radiusAtInfinity);
  json["order"] = toJson(properties.order);
  json["unstable_from"] = toJson(properties.unstableFrom);
  json["polynomials"] = toJson(properties.polynomials);
  json["alternating"] = alternatingOf(properties.alternating);
  json["frequency"] = columnOf(points, &SchemePoint::frequency);
  json["motion"]["radius"] = columnOf(points, &SchemePoint::motionRadius);
  json["motion"]["period_error"] = columnOf(points, &SchemePoint::periodError);
  json["motion"]["damping_error"] = columnOf(points, &SchemePoint::dampingError);
  json["motion"]["amplitude_error"] = columnOf(points, &SchemePoint::amplitudeError);
  json["state"]["radius"] = columnOf(points, &SchemePoint::stateRadius);
  json["state"]["rate_error"] = columnOf(points, &SchemePoint::rateError);
  json["coupled"]["radius"] = columnOf(points, &SchemePoint::coupledRadius);
  files::writeTextFile(path, json.dump(2) + "\n");
}

}  // namespace flexloop::reports
