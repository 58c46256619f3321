// A small motion that starts in one mode about the equilibrium goes on as exp(s t): its eigenvalue is measured in time.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "random/checks.hpp"
#include "support/mode_start.hpp"

namespace flexloop::random {
namespace {

constexpr double kSize = 1e-5;  // m: what is of third order in it is 1e-10 of the motion
constexpr int kModes = 2;
constexpr double kSlowest = 1.0,
                 kFastest =
                     200.0;  // 1/s: what a machine does, and what the steps of its runs resolve
// Steps are a fiftieth of 1/|s| (measureEigenvalue). The rule adds (hs)²/12 and the lag τ = δh of the scheme 3(τs)²/4 at most, of
// what its motions obey; terms of higher order are smaller by hs.
double stepError(double rho) {
  const double delta = (1.0 - rho) / (1.0 + rho);
  return 1.1 * 0.02 * 0.02 * (1.0 / 12.0 + 0.75 * delta * delta);
}

}  // namespace

void expectMode(const model::Model& model, const system::State& rest, const analysis::Mode& mode,
                double rho) {
  const std::complex<double> s = mode.eigenvalue;
  std::complex<double> seen;
  try {
    seen = test::measureEigenvalue(model, rest, mode, kSize);
  } catch (const std::runtime_error& error) {
    throw Failure("a run in a mode: " + std::string(error.what()));
  }
  if (std::abs(seen - s) <= stepError(rho) * std::abs(s)) return;
  char text[160];
  std::snprintf(text, sizeof text, "the mode %.6g + %.6gi moves as %.6g + %.6gi", s.real(),
                s.imag(), seen.real(), seen.imag());
  throw Failure(text);
}

bool checkModes(Study& study) {
  Writing writing;
  writing.isQuiet = true;
  const model::Model model = study.build(writing);
  const analysis::OperatingState rest =
      analysis::findOperatingPoint(model, {model::OperatingPoint::Kind::kEquilibrium, 0.0});
  if (!rest.ok()) return false;
  const analysis::ModeResult found = analysis::findModes(model, rest.state, {.count = 8});
  if (!found.ok()) throw Failure("modes: " + messageOf(found.failure));
  // Beside what grows, a decay is not seen for long.
  for (const analysis::Mode& mode : found.modes) {
    if (!mode.isStable() && std::abs(mode.eigenvalue) > kSlowest) return false;
  }
  int measured = 0;
  for (const analysis::Mode& mode : found.modes) {
    const double size = std::abs(mode.eigenvalue);
    if (size < kSlowest || size > kFastest || measured == kModes) continue;
    // Real roots of one pair may be more sensitive than stepError says.
    if (mode.eigenvalue.imag() < std::abs(mode.eigenvalue.real())) continue;
    expectMode(model, rest.state, mode, study.machine().rho);
    ++measured;
  }
  return measured > 0;
}

}  // namespace flexloop::random
