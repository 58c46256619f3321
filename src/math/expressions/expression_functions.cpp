#include "math/expressions/expression_functions.hpp"

#include <array>
#include <cmath>

namespace flexloop::math {
namespace {

Jet1 calcSin(double x) {
  const double s = std::sin(x);
  return {s, std::cos(x), -s};
}

Jet1 calcCos(double x) {
  const double c = std::cos(x);
  return {c, -std::sin(x), -c};
}

Jet1 calcTan(double x) {
  const double t = std::tan(x);
  const double slope = 1.0 + t * t;
  return {t, slope, 2.0 * t * slope};
}

Jet1 calcAsin(double x) {
  const double slope = 1.0 / std::sqrt(1.0 - x * x);
  return {std::asin(x), slope, x * slope * slope * slope};
}

Jet1 calcAcos(double x) {
  const Jet1 asin = calcAsin(x);
  return {std::acos(x), -asin.fx, -asin.fxx};
}

Jet1 calcAtan(double x) {
  const double slope = 1.0 / (1.0 + x * x);
  return {std::atan(x), slope, -2.0 * x * slope * slope};
}

Jet1 calcSinh(double x) {
  const double s = std::sinh(x);
  return {s, std::cosh(x), s};
}

Jet1 calcCosh(double x) {
  const double c = std::cosh(x);
  return {c, std::sinh(x), c};
}

Jet1 calcTanh(double x) {
  const double t = std::tanh(x);
  const double slope = 1.0 - t * t;
  return {t, slope, -2.0 * t * slope};
}

Jet1 calcExp(double x) {
  const double e = std::exp(x);
  return {e, e, e};
}

Jet1 calcLog(double x) {
  return {std::log(x), 1.0 / x, -1.0 / (x * x)};
}

Jet1 calcLog10(double x) {
  constexpr double kScale = 0.43429448190325182765;  // 1 / ln 10
  return {std::log10(x), kScale / x, -kScale / (x * x)};
}

Jet1 calcSqrt(double x) {
  const double root = std::sqrt(x);
  return {root, 0.5 / root, -0.25 / (root * x)};
}

Jet1 calcAbs(double x) {
  return {std::abs(x), x < 0.0 ? -1.0 : 1.0, 0.0};
}

Jet1 calcSign(double x) {
  return {x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : x), 0.0, 0.0};
}

Jet1 calcFloor(double x) {
  return {std::floor(x), 0.0, 0.0};
}

Jet1 calcCeil(double x) {
  return {std::ceil(x), 0.0, 0.0};
}

Jet1 calcRound(double x) {
  return {std::round(x), 0.0, 0.0};
}

Jet2 calcAtan2(double y, double x) {
  const double r2 = x * x + y * y;
  const double r4 = r2 * r2;
  const double mixed = (y * y - x * x) / r4;
  return {std::atan2(y, x), x / r2, -y / r2, -2.0 * x * y / r4, mixed, 2.0 * x * y / r4};
}

Jet2 calcHypot(double x, double y) {
  const double r = std::hypot(x, y);
  const double cosine = x / r;
  const double sine = y / r;
  return {r, cosine, sine, sine * sine / r, -sine * cosine / r, cosine * cosine / r};
}

// The remainder has the sign of y, so that an angle modulo 2π lies in [0, 2π).
Jet2 calcMod(double x, double y) {
  const double turns = std::floor(x / y);
  return {x - y * turns, 1.0, -turns, 0.0, 0.0, 0.0};
}

Jet2 calcMin(double x, double y) {
  const bool first = x < y;
  return {first ? x : y, first ? 1.0 : 0.0, first ? 0.0 : 1.0, 0.0, 0.0, 0.0};
}

Jet2 calcMax(double x, double y) {
  const bool first = x > y;
  return {first ? x : y, first ? 1.0 : 0.0, first ? 0.0 : 1.0, 0.0, 0.0, 0.0};
}

constexpr std::array<ExpressionFunction, 24> kFunctions{{
    {"sin", calcSin, nullptr},     {"cos", calcCos, nullptr},     {"tan", calcTan, nullptr},
    {"asin", calcAsin, nullptr},   {"acos", calcAcos, nullptr},   {"atan", calcAtan, nullptr},
    {"sinh", calcSinh, nullptr},   {"cosh", calcCosh, nullptr},   {"tanh", calcTanh, nullptr},
    {"exp", calcExp, nullptr},     {"log", calcLog, nullptr},     {"log10", calcLog10, nullptr},
    {"sqrt", calcSqrt, nullptr},   {"abs", calcAbs, nullptr},     {"sign", calcSign, nullptr},
    {"floor", calcFloor, nullptr}, {"ceil", calcCeil, nullptr},   {"round", calcRound, nullptr},
    {"atan2", nullptr, calcAtan2}, {"hypot", nullptr, calcHypot}, {"mod", nullptr, calcMod},
    {"pow", nullptr, calcPower},   {"min", nullptr, calcMin},     {"max", nullptr, calcMax},
}};

// c·xᵖ, zero where c is zero even if the power is infinite.
double scaledPower(double c, double x, double p) {
  return c == 0.0 ? 0.0 : c * std::pow(x, p);
}

}  // namespace

Jet2 calcPower(double x, double y) {
  Jet2 jet;
  jet.f = std::pow(x, y);
  jet.fx = scaledPower(y, x, y - 1.0);
  jet.fxx = scaledPower(y * (y - 1.0), x, y - 2.0);
  // x^y log x → 0 as x → 0 for positive y.
  const double logarithm = x == 0.0 && y > 0.0 ? 0.0 : std::log(x);
  jet.fy = slope(logarithm, jet.f);
  jet.fyy = slope(logarithm, jet.fy);
  jet.fxy = std::pow(x, y - 1.0) + slope(logarithm, jet.fx);
  return jet;
}

const ExpressionFunction* findExpressionFunction(std::string_view name) {
  for (const ExpressionFunction& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

std::vector<std::string> expressionFunctionNames() {
  std::vector<std::string> names;
  for (const ExpressionFunction& function : kFunctions) names.emplace_back(function.name);
  return names;
}

}  // namespace flexloop::math
