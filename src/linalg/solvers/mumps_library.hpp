// The functions of MUMPS, from libraries that are loaded when the first of them is called, and the numbers of its guide that
// the solvers use.
#pragma once

#include <smumps_c.h>

#include <dmumps_c.h>

namespace flexloop::linalg {

constexpr int kMumpsInit = -1, kMumpsEnd = -2, kMumpsAnalyze = 1, kMumpsFactorize = 2,
              kMumpsSolve = 3;
constexpr int kMumpsCommWorld = -987654;
constexpr int kMumpsIntegersTooFew = -8, kMumpsWorkspaceTooSmall = -9, kMumpsSingular = -10;

// In double and in single precision. The libraries keep variables of their own between calls, so only one thread at a time is
// let in.
void callMumps(DMUMPS_STRUC_C& id);
void callMumps(SMUMPS_STRUC_C& id);
// In this process only: the others of a team (mumps_team.hpp) are not told.
void callMumpsHere(DMUMPS_STRUC_C& id);
void callMumpsHere(SMUMPS_STRUC_C& id);

// The BLAS under MUMPS uses this many threads as long as the object lives; 0: one for each core. Nothing happens where the
// BLAS has no threads.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_ = 0;
};

}  // namespace flexloop::linalg
