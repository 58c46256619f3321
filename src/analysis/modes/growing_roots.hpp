// Roots that grow, wherever they are. Of a machine of any size they are looked for (docs/theory/18_eigenproblem.md, section 18.6);
// those of a machine with exact delays are counted by the argument principle, not found (docs/theory/19_responses.md,
// section 19.3).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "analysis/linear/linear_model.hpp"
#include "linalg/roots/delay_pencil.hpp"

namespace flexloop::analysis {

// Up to this number of unknowns all roots are found.
inline constexpr int kMostForAllRoots = 240;

struct GrowingRoots {
  std::vector<linalg::Eigenpair> pairs;  // conjugate pairs once
  int doubtful = 0;        // roots that may grow or not, by what rounding makes of them
  bool isCertain = false;  // there are no others
  double searched = 0.0;   // [rad/s] all roots up to this size were looked at, if it is not certain
  int solves = 0;  // of linear equations: the work of the search, which does not depend on the mesh
};

// Without delays. `known` are roots that have been found already, the nearest to zero; they are not looked for again.
// The energy of a machine with one may tell where roots cannot grow.
[[nodiscard]] GrowingRoots findGrowingRoots(const system::System& system, const LinearModel& linear,
                                            const std::vector<linalg::Eigenpair>& known);
// Of roots that are all known.
[[nodiscard]] GrowingRoots pickGrowingRoots(const std::vector<linalg::Eigenpair>& all);
// Whether a root grows by more than rounding may have moved it: an entry of the matrices is a sum, off by several
// roundings.
bool isGrowing(const linalg::Eigenpair& pair);
// Whether it grows by more than one rounding of each entry would move it, but not so.
bool isDoubtful(const linalg::Eigenpair& pair);

// The machine without what its delays give, P(s) of the pencil alone.
struct UndelayedRoots {
  std::vector<std::complex<double>> values;  // conjugate pairs once; those at zero are exactly zero
  bool isComplete = false;                   // not only those nearest to zero
};

// Those with re s > 1e-10 |s|, conjugates included; where not all roots of the machine without delays are known, of
// the size of these. Nothing if delays feed back a gain of one or more at all frequencies, however high, or if the
// count does not come out as a whole number.
[[nodiscard]] std::optional<int> countGrowing(const linalg::QuadraticPencil& pencil,
                                              const linalg::DelayTerms& delays,
                                              const std::vector<int>& groups,
                                              const UndelayedRoots& undelayed);

}  // namespace flexloop::analysis
