// How many roots of a machine with exact delays grow (docs/theory/19_responses.md, section 19.3). They are counted by the
// argument principle, not found.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "linalg/delay_pencil.hpp"

namespace flexloop::analysis {

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
