// A small motion that starts in one mode about the equilibrium goes on as exp(s t): its eigenvalue is measured in time.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/mode_analysis.hpp"
#include "analysis/operating_point.hpp"
#include "random/checks.hpp"
#include "support/mode_start.hpp"

namespace flexloop::random {
namespace {

constexpr double kSize = 1e-5;  // m: what is of third order in it is 1e-10 of the motion
constexpr int kModes = 2;
// Steps are a fiftieth of 1/|s|: an error of 1/12 + δ²/4 of its square, at most 1/3 (rho = 0); see measureEigenvalue.
constexpr double kStepError = 0.02 * 0.02 / 3.0;

}  // namespace

bool checkModes(Study& study) {
  const Machine& machine = study.machine();
  for (const Trait trait : {Trait::kSampled, Trait::kDelayed, Trait::kKinked, Trait::kEvents}) {
    if (machine.has(trait)) return false;
  }
  Writing writing;
  writing.isQuiet = true;
  const model::Model model = study.build(writing);
  const analysis::OperatingState rest = analysis::findOperatingPoint(
      model, {model::OperatingPoint::Kind::kEquilibrium, 0.0});
  if (!rest.ok) return false;
  const analysis::ModeResult found = analysis::findModes(model, rest.state, {.count = 8});
  if (!found.ok) throw Failure("modes: " + found.trouble);
  int measured = 0;
  for (const analysis::Mode& mode : found.modes) {
    const std::complex<double> s = mode.eigenvalue;
    if (std::abs(s) < 1.0 || measured == kModes) continue;
    std::complex<double> seen;
    try {
      seen = test::measureEigenvalue(model, rest.state, mode, kSize);
    } catch (const std::runtime_error& error) {
      throw Failure("a run in a mode: " + std::string(error.what()));
    }
    ++measured;
    if (std::abs(seen - s) <= 2.0 * kStepError * std::abs(s)) continue;
    char text[160];
    std::snprintf(text, sizeof text, "the mode %.6g + %.6gi moves as %.6g + %.6gi", s.real(), s.imag(),
                  seen.real(), seen.imag());
    throw Failure(text);
  }
  return measured > 0;
}

}  // namespace flexloop::random
