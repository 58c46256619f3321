#include "solve/time/scheme_choice.hpp"

namespace flexloop::solve {
namespace {

constexpr double kLeastHhtRho = 0.5;

// Newmark with both roots at infinity equal to −rho.
MotionScheme makeDampedNewmark(double rho) {
  const double gamma = 0.5 * (3.0 - rho) / (1.0 + rho);
  return makeNewmark(0.25 * (gamma + 0.5) * (gamma + 0.5), gamma);
}

// The numbers of Jansen, Whiting & Hulbert, with β and γ of an order-2 scheme that damps most.
MotionScheme makeMotionJansenWhitingHulbert(double rho) {
  const StateScheme s = makeJansenWhitingHulbert(rho);
  return {s.deltaM, s.deltaF, 0.25 * (s.theta + 0.5) * (s.theta + 0.5), s.theta};
}

}  // namespace

const std::vector<std::string>& motionSchemeNames() {
  static const std::vector<std::string> names{"ch", "hht", "newmark", "jwh"};
  return names;
}

const std::vector<std::string>& stateSchemeNames() {
  static const std::vector<std::string> names{"jwh", "ch"};
  return names;
}

base::Result<MotionScheme> makeMotionScheme(std::string_view name, double rho) {
  if (name == "ch") return makeChungHulbert(rho);
  if (name == "newmark") return makeDampedNewmark(rho);
  if (name == "jwh") return makeMotionJansenWhitingHulbert(rho);
  if (name != "hht") return base::Failure{"there is no such scheme for motion", {}};
  if (rho < kLeastHhtRho) {
    return base::Failure{"hht needs a rho between 0.5 and 1", "ch allows a rho between 0 and 1"};
  }
  return makeHht((1.0 - rho) / (1.0 + rho));
}

base::Result<StateScheme> makeStateScheme(std::string_view name, double rho) {
  if (name == "jwh") return makeJansenWhitingHulbert(rho);
  if (name == "ch") return makeStateChungHulbert(rho);
  return base::Failure{"there is no such scheme for states", {}};
}

}  // namespace flexloop::solve
