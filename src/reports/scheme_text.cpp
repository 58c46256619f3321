#include "reports/scheme_text.hpp"

#include <cmath>
#include <optional>

#include "base/text_format.hpp"
#include "files/csv_writer.hpp"
#include "files/output_file.hpp"

namespace flexloop::reports {
namespace {

using analysis::PerKind;
using analysis::SchemePoint;
using analysis::SchemeProperties;

constexpr std::size_t kMostRows = 25;
constexpr double kRounding = 1e-14;  // coefficients are of size 1

void describeParameters(const SchemeRequest& request, std::vector<std::string>& lines) {
  const solve::MotionScheme& motion = request.scheme.motion;
  const solve::StateScheme& state = request.scheme.state;
  lines.push_back(nameScheme(request));
  lines.push_back(base::formatText(
      "  motion  %-8s alpha_m %.6g  alpha_f %.6g  beta %.6g  gamma %.6g",
      request.motionName.c_str(), motion.alphaM, motion.alphaF, motion.beta, motion.gamma));
  lines.push_back(base::formatText("  states  %-8s delta_m %.6g  delta_f %.6g  theta %.6g",
                                   request.stateName.c_str(), state.deltaM, state.deltaF,
                                   state.theta));
  const analysis::TestSystem& system = request.system;
  lines.push_back(base::formatText(
      "  coupled          zeta %g  bandwidth %g  position_gain %g  velocity_gain %g%s", system.zeta,
      system.bandwidth, system.positionGain, system.velocityGain,
      system.isStable() ? "" : "  (unstable with any scheme)"));
}

std::string describeStability(const std::optional<double>& unstableFrom,
                              const analysis::FrequencyRange& range) {
  if (!unstableFrom) return "all";
  return *unstableFrom <= range.from ? "none" : base::formatText("< %.6g", *unstableFrom);
}

void describeSummary(const SchemeRequest& request, const SchemeProperties& properties,
                     std::vector<std::string>& lines) {
  const auto add = [&](const char* what, const PerKind<std::string>& values) {
    lines.push_back(base::formatText("  %-32s %-12s %-12s %s", what, values.motion.c_str(),
                                     values.state.c_str(), values.coupled.c_str()));
  };
  const auto number = [](double value) { return base::formatText("%.6g", value); };
  const auto whole = [](int value) { return base::formatText("%d", value); };
  const auto stable = [&](const std::optional<double>& value) {
    return describeStability(value, request.range);
  };
  const auto& radius = properties.radiusAtInfinity;
  const auto& order = properties.order;
  const auto& limit = properties.unstableFrom;
  lines.emplace_back();
  add("", {"motion", "states", "coupled"});
  add("spectral radius at infinity",
      {number(radius.motion), number(radius.state), number(radius.coupled)});
  add("order of accuracy", {whole(order.motion), whole(order.state), whole(order.coupled)});
  add("stable part of the frequency range",
      {stable(limit.motion), stable(limit.state), stable(limit.coupled)});
}

void describeAlternating(const std::vector<analysis::AlternatingRadius>& radii,
                         std::vector<std::string>& lines) {
  lines.emplace_back();
  lines.emplace_back(
      "  spectral radius of two alternating steps, one of the nominal length and one shorter by a "
      "ratio");
  lines.push_back(base::formatText("  %8s %14s %14s %14s %14s", "ratio", "fastest modes", "index2",
                                   "fastest states", "worst in range"));
  for (const analysis::AlternatingRadius& radius : radii) {
    lines.push_back(base::formatText("  %8g %14.6f %14.6f %14.6f %14.6f", radius.ratio,
                                     radius.motion, radius.index2, radius.state, radius.largest));
  }
}

void describePolynomial(const char* name, const analysis::SchemePolynomial& polynomial,
                        std::vector<std::string>& lines) {
  for (std::size_t k = 0; k < polynomial.terms.size(); ++k) {
    const std::vector<double>& c = polynomial.terms[k].coefficients;
    std::string line = base::formatText("  %-8s f^%zu", k == 0 ? name : "", k);
    for (std::size_t i = c.size(); i-- > 0;) {
      line += base::formatText(" %12.6g", std::abs(c[i]) > kRounding ? c[i] : 0.0);
    }
    lines.push_back(std::move(line));
  }
}

void describePolynomials(const PerKind<analysis::SchemePolynomial>& polynomials,
                         std::vector<std::string>& lines) {
  lines.emplace_back();
  lines.emplace_back(
      "  Characteristic polynomials: coefficients of descending powers of z, by powers of the");
  lines.emplace_back("  frequency f (times the step)");
  describePolynomial("motion", polynomials.motion, lines);
  describePolynomial("states", polynomials.state, lines);
  describePolynomial("coupled", polynomials.coupled, lines);
}

std::string percent(const std::optional<double>& value) {
  return value ? base::formatText("%.4g %%", 100.0 * *value) : "-";
}

std::string describePoint(const SchemePoint& point) {
  const std::string damping =
      point.dampingError ? base::formatText("%.4g", *point.dampingError) : "-";
  return base::formatText("  %10.4g %10.6f %12s %12s %12s %10.6f %12s %10.6f", point.frequency,
                          point.motionRadius, percent(point.periodError).c_str(), damping.c_str(),
                          percent(point.amplitudeError).c_str(), point.stateRadius,
                          percent(point.rateError).c_str(), point.coupledRadius);
}

void describePoints(const std::vector<SchemePoint>& points, std::vector<std::string>& lines) {
  const std::size_t every = (points.size() + kMostRows - 3) / (kMostRows - 1);
  lines.emplace_back();
  lines.emplace_back(
      "   frequency     motion       period      damping    amplitude     states         rate"
      "    coupled");
  lines.emplace_back(
      "      x step     radius        error        error        error     radius        error"
      "     radius");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % every == 0 || i + 1 == points.size()) lines.push_back(describePoint(points[i]));
  }
}

}  // namespace

std::string nameScheme(const SchemeRequest& request) {
  const bool followsFromRho =
      request.motionName != kGivenScheme || request.stateName != kGivenScheme;
  return followsFromRho ? base::formatText("Time scheme with ρ = %g", request.rho)
                        : "Time scheme with given parameters";
}

std::vector<std::string> describeScheme(const SchemeRequest& request,
                                        const SchemeProperties& properties) {
  std::vector<std::string> lines;
  describeParameters(request, lines);
  describeSummary(request, properties, lines);
  describeAlternating(properties.alternating, lines);
  describePolynomials(properties.polynomials, lines);
  describePoints(properties.points, lines);
  return lines;
}

void writeSchemeCsv(const std::string& path, const SchemeProperties& properties) {
  std::string text =
      "frequency,motion_radius,period_error,damping_error,amplitude_error,state_radius,"
      "rate_error,coupled_radius\n";
  const auto add = [&](const std::optional<double>& value, char end) {
    if (value) files::appendNumber(*value, text);
    text += end;
  };
  for (const SchemePoint& point : properties.points) {
    add(point.frequency, ',');
    add(point.motionRadius, ',');
    add(point.periodError, ',');
    add(point.dampingError, ',');
    add(point.amplitudeError, ',');
    add(point.stateRadius, ',');
    add(point.rateError, ',');
    add(point.coupledRadius, '\n');
  }
  files::writeTextFile(path, text);
}

}  // namespace flexloop::reports
