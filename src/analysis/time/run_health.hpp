// How a run went, as far as that shows how much of it is to be believed (docs/theory/27_trust.md), and the one place that
// judges it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flexloop::analysis {

// Of accelerations, of rates of states or of signals, exponential or faster.
struct Growth {
  double since = 0.0;      // [s]
  double rate = 0.0;       // [1/s], of sizes
  double doublings = 0.0;  // from then on
  bool isMotion = true;    // false: of states or signals alone
  bool isSteady = true;    // false: it doubles ever faster

  double doublingTime() const;
};

// Which mode it is that grows.
struct GrowthReport {
  Growth growth;
  // Of the linearised machine, where one grows.
  bool hasMode = false;
  bool isExplained = false;  // it grows about as fast as the run
  std::string mode;          // its name, as `modes` gives it
  double modeRate = 0.0, modeHz = 0.0;
  double linearizedAt = 0.0;                         // [s]
  std::vector<std::string> freedoms, parts, blocks;  // that take part most
  std::string text, hint;
};

struct RunHealth {
  // How far joints are open, as a share of the size of the machine or of a radian, and which is most.
  double drift = 0.0;
  std::string driftWhere;
  // What the energy of the machine has gained beyond the work done on it, as a share of the energy that flows; of the steps
  // that were looked at. What is negative, the scheme has dissipated. Nothing where no energy flows.
  std::optional<double> energyError;
  // The same of a machine that keeps its energy, as a share of the largest exchange over the whole run.
  std::optional<double> dissipation;
  double contraction = 0.0;  // the slowest of all iterations, and when
  double contractionTime = 0.0;
  // What steps err of the way that the machine takes, in the worst tenth of the run, with the mean length of its steps.
  std::optional<double> resolution;
  double resolvedStep = 0.0;    // [s]
  double resolutionTime = 0.0;  // [s] when that tenth begins
  // Change of accelerations in a step by their size, over the run: two where they alternate.
  std::optional<double> ringing;
  std::int64_t steps = 0, halvedSteps = 0, rejectedSteps = 0, coarseSteps = 0;
  bool isAdaptive = false;  // steps follow their error, and one that fails is judged anew
  bool turnsFar = false;    // in a step, while the axis moves; see TurnWatch
  std::optional<GrowthReport> growth;  // without bound
  std::vector<std::string>
      doubts;  // why the run should not be trusted; empty: nothing speaks against it

  bool isTrusted() const { return doubts.empty(); }
  // In one line; empty where it is trusted.
  std::string verdict() const;
  // What is known, for people.
  std::vector<std::string> lines() const;
};

// In percent, with two digits or more, and without an exponent where people would write none.
std::string formatShare(double share);

// Finds the doubts.
void judge(RunHealth& health);

}  // namespace flexloop::analysis
