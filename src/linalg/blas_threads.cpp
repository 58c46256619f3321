#include "linalg/blas_threads.hpp"

#include <cblas.h>

namespace flexloop::linalg {

void useOneBlasThread() {
  openblas_set_num_threads(1);
}

}  // namespace flexloop::linalg
