// Follows how large accelerations, rates of states and changes of signals have become, to find out where a run grows without
// bound (docs/theory/27_trust.md, section 27.1).
//
// What grows exponentially doubles after equal times; what is pushed by a force or a ramp takes ever longer for it. So the
// times of doublings are kept, and with some of them the state of the machine, to be linearised there. Only where something has
// doubled anything is copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/time/run_health.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

// The times at which a size has first been as large as each power of two.
class Doublings {
 public:
  Doublings();
  // True where it has doubled.
  bool add(double size, double time);
  // What grows up to `now`, in steps of this length; nothing that slows down. What doubles ever faster, only if asked for.
  std::optional<Growth> find(double now, double step, int fewest, bool mayHurry = false) const;
  // What has grown evenly for the most doublings, and until when: something has ended it.
  struct Past {
    Growth growth;
    double until = 0.0;  // [s]
  };
  std::optional<Past> findPast(double step, int fewest) const;

 private:
  double timeOf(int level) const { return times_[static_cast<std::size_t>(level - kLowest)]; }
  int findOnset(int last, double step, bool mayHurry) const;
  bool slowsDown(int onset, int last, double step) const;

  // Exponents of the numbers that there are.
  static constexpr int kLowest = -1080, kHighest = 1024;

  std::vector<double> times_;  // by exponent
  int first_ = kHighest, last_ = kLowest;
};

class GrowthWatch {
 public:
  GrowthWatch(const system::System& system, const system::State& start);

  // The end of a step; whether anything has doubled.
  bool add(const system::State& state);
  // Whether there is any up to `now`, over at least so many doublings.
  std::optional<Growth> find(double now, double step, int fewest, bool mayHurry) const;
  // Of motions; see Doublings.
  std::optional<Doublings::Past> findPast(double step, int fewest) const;
  // One of those that were kept: the first from then on, or the last of all.
  const system::State& stateSince(double time) const;

 private:
  enum Quantity : std::uint8_t { kTranslation, kRotation, kStateRate, kSignal, kQuantities, kNone };

  std::vector<Quantity> quantity_;  // by unknown
  Eigen::VectorXd last_;            // values of signals
  std::array<Doublings, kQuantities> doublings_;
  std::vector<system::State> kept_;  // in the order of time
  std::uint64_t seen_ = 0;           // doublings
};

}  // namespace flexloop::analysis
