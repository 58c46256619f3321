// Margins of a loop that is cut at one signal (docs/theory/19_responses.md). With the return ratio R, the
// signal as computed by the signal as read,
//
//     L = −R   (negative feedback),   the closed loop has its poles where 1 + L = 0             (19.5)
//
// Crossings and the peak are searched on L(iω) itself to the last digits, not on a grid.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <vector>

namespace flexloop::analysis {

// L and what round-off makes of it.
struct LoopValue {
  std::complex<double> L;
  double roundOff = 0.0;

  LoopValue(std::complex<double> value, double noise = 0.0) : L(value), roundOff(noise) {}
};

// L as a function of ω [rad/s]; nothing where it is not finite.
using LoopFunction = std::function<std::optional<LoopValue>(double omega)>;
// Several at once, as many at every frequency and in any order: a factor of the signal that is cut is one of all of them.
using LociFunction = std::function<std::optional<std::vector<LoopValue>>(double omega)>;

struct GainMargin {
  double frequencyHz = 0.0;
  double factor = 1.0;  // of the gain at which the loop is at its limit: 1/|L| where L < 0
};

struct PhaseMargin {
  double frequencyHz = 0.0;  // of the crossover |L| = 1
  double degrees = 0.0;      // 180° + arg L, in (−180°, 180°]
  double delay = 0.0;        // [s] that turns L there to −1
};

// Gain and phase may change together, by any factor in the disk about 1 that this names: α with S − T.
struct DiskMargin {
  double frequencyHz = 0.0;
  double alpha = 2.0;                          // 2/max|S − T|
  double lowestGain = 0.0, highestGain = 0.0;  // factors; infinite if alpha is 2 or more
  double degrees = 0.0;
};

struct LoopMargins {
  std::vector<GainMargin> gains;    // by frequency
  std::vector<PhaseMargin> phases;  // by frequency
  DiskMargin disk;
  double highestSensitivity = 0.0;  // max |1/(1 + L)|
  // Whether L was followed from point to point; otherwise it changes too often, and crossings may be missing.
  bool isResolved = true;

  // The one that needs the smallest change; null if there is none.
  const GainMargin* smallestGain() const;
  const PhaseMargin* smallestPhase() const;
  std::optional<double> smallestDelay() const;
};

// `omega`: ascending, where the search begins; it refines where L changes much from one to the next. Crossings of what
// is no more than round-off are none.
LoopMargins findMargins(const LoopFunction& loop, const std::vector<double>& omega);
// `end`: where L is real, as it is at ω = 0: at half the frequency of samples.
LoopMargins findMargins(const LociFunction& loci, const std::vector<double>& omega,
                        std::optional<double> end);

// Frequencies from low to high [rad/s] with more of them about each pole, as narrow as it is sharp.
std::vector<double> makeSearchGrid(double low, double high,
                                   const std::vector<std::complex<double>>& poles);

}  // namespace flexloop::analysis
