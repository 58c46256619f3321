#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {

LazyLibrary& lapackLibrary() {
  static LazyLibrary library(FLEXLOOP_LAPACKE_FILE);
  return library;
}

}  // namespace flexloop::linalg
