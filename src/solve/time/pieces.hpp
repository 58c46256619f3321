// Vectors of a large machine do not fit the cache. What several of them need is read once where they are gone through together, by
// pieces that fit.
#pragma once

#include <algorithm>

#include <Eigen/Core>

namespace flexloop::solve {

// Calls visit(first, count) for every piece of `size` numbers.
template <class Visit>
void forEachPiece(Eigen::Index size, Visit visit) {
  constexpr Eigen::Index kPiece = 512;
  for (Eigen::Index first = 0; first < size; first += kPiece) {
    visit(first, std::min(kPiece, size - first));
  }
}

}  // namespace flexloop::solve
