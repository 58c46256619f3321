#include "analysis/modes/node_shape.hpp"

#include <complex>

namespace flexloop::analysis {

using Complex = std::complex<double>;

NodeShape calcNodeShape(const system::System& system, const system::State& state,
                        const Eigen::VectorXcd& shape, std::size_t index) {
  const system::Node& node = system.nodes()[index];
  if (node.count == 0) return {};
  const auto A = system::calcMap(node, state.frames[index]);
  const Eigen::VectorXcd twist =
      A.leftCols(node.count).cast<Complex>() * shape.segment(node.firstUnknown, node.count);
  const Eigen::Matrix3cd R = state.frames[index].R.cast<Complex>();
  return {R * twist.head<3>(), R * twist.tail<3>()};
}

}  // namespace flexloop::analysis
