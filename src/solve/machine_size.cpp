#include "solve/machine_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexloop::solve {

double findMachineSize(const system::State& state) {
  double size = 0.0;
  for (const auto& frame : state.frames) size = std::max(size, frame.x.cwiseAbs().maxCoeff());
  return size > 0.0 ? size : 1.0;
}

double calcLargestMove(const system::System& system, const Eigen::VectorXd& increment,
                       double machineSize) {
  if (!increment.allFinite()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (int u = 0; u < increment.size(); ++u) {
    if (system.kinds()[u] != system::Kind::kMotion) continue;
    const double scale = system.isRotation(system::UnknownIndex{u}) ? 1.0 : machineSize;
    largest = std::max(largest, std::abs(increment[u]) / scale);
  }
  return largest;
}

}  // namespace flexloop::solve
