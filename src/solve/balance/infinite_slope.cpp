#include "solve/balance/infinite_slope.hpp"

#include <cmath>

namespace flexloop::solve {

std::optional<base::Failure> describeInfiniteSlope(const system::System& system,
                                                   const linalg::SparseMatrix& tangent) {
  for (int column = 0; column < tangent.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(tangent, column); it; ++it) {
      if (std::isfinite(it.value())) continue;
      const system::UnknownIndex row{static_cast<int>(it.row())};
      return base::numericalFailure("'" + system.equationName(row) +
                                        "' has no finite slope with respect to '" +
                                        system.unknownName(system::UnknownIndex{column}) + "'",
                                    "is it a formula like sqrt(x) or atan2(y, x) at zero? Start "
                                    "elsewhere, or smooth it, as in sqrt(x + 1e-9)");
    }
  }
  return {};
}

}  // namespace flexloop::solve
