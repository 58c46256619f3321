#include "conformance/check_tools.hpp"

#include <cmath>
#include <limits>
#include <sstream>

namespace flexloop::test {

using Eigen::VectorXd;
using math::Vec6;
using system::ElementSet;
using system::Environment;

VectorXd calcLocal(const ElementSet& set, const MotionSample& sample,
                   const Environment& environment, int element) {
  VectorXd result;
  set.calcResidual(sample.motion(), environment, element, result);
  return result;
}

VectorXd extrapolated(const VectorXd& coarse, const VectorXd& fine) {
  return (4.0 * fine - coarse) / 3.0;
}

VectorXd calcDerivative(const ElementSet& set, const Environment& environment, int element,
                        const std::function<MotionSample(double)>& path, double step) {
  const auto difference = [&](double h) -> VectorXd {
    return (calcLocal(set, path(h), environment, element) -
            calcLocal(set, path(-h), environment, element)) /
           (2.0 * h);
  };
  return extrapolated(difference(step), difference(0.5 * step));
}

double differenceNoise(double size, double step) {
  constexpr double kRoundings = 50.0;  // in a residual
  return kRoundings * std::numeric_limits<double>::epsilon() * size / step;
}

system::ResidualSums makeSums(const system::System& system) {
  system::ResidualSums sums;
  sums.nodes.assign(system.nodes().size(), Vec6<double>::Zero());
  sums.scalars.setZero(system.unknowns());
  return sums;
}

std::string describe(const char* what, int row, int column, double is, double expected) {
  std::ostringstream text;
  text.precision(12);
  text << what << '(' << row << ", " << column << ") is " << is << ", expected " << expected;
  return text.str();
}

bool isNear(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance;
}

double sizeOf(const VectorXd& v) {
  return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace flexloop::test
