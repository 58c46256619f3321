// The threads of dense linear algebra.
#pragma once

namespace flexloop::linalg {

// OpenBLAS starts a thread for each core, and shares matrices among them that are far too small for it: the
// threads then mostly wait for one another. With one thread bits do not depend on the number of cores either,
// and cores are free for the points of a study.
void useOneBlasThread();

}  // namespace flexloop::linalg
