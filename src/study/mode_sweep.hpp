// Modes over the values of parameters, each followed from point to point so that curves keep their identity
// (docs/theory/24_sensitivities_and_sweeps.md). A point that fails is kept with its message, and the sweep continues.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "study/mode_point.hpp"
#include "study/sweep_axis.hpp"

namespace flexloop::study {

struct TrackedMode {
  analysis::Mode mode;  // without its shape
  int track = 0;        // from 0; the same for the same mode at all points
};

struct ModeSweepPoint {
  Settings settings;
  std::optional<base::Failure> failure;
  std::vector<TrackedMode> modes;  // as analysis::findModes lists them
  // Some mode could not be followed to here with certainty, not even with shorter steps.
  bool isUnclear = false;

  // Of all modes, the one that decays least; null without modes.
  const analysis::Mode* findRightmost() const;
  bool ok() const { return !failure; }
};

struct ModeSweep {
  std::vector<SweepAxis> axes;
  std::vector<ModeSweepPoint>
      points;  // as combine() gives them; less of them if the sweep was ended
  int tracks = 0;
  bool isComplete = false;
};

// The points are followed along the last axis, and along the others by their first points.
[[nodiscard]] ModeSweep sweepModes(const std::vector<SweepAxis>& axes, const ModelMaker& maker,
                                   const ModeTask& task, const Pace& pace = {});

// The modes of a model with more than are asked for, so that those at the edge can be followed; and which of
// them were asked for.
ModeTask widen(const ModeTask& task);
std::vector<bool> findAsked(const ModePoint& point, const ModeTask& task);

// By mode of `from` its mode at `to`, or -1. Steps are halved as long as the match is not clear.
// Repeated roots of `to` get the vectors that continue those of `from`.
struct Continuation {
  std::vector<int> next;
  bool isClear = true;
};
Continuation follow(const ModelMaker& maker, const ModeTask& task, const Settings& fromSettings,
                    ModePoint& from, const Settings& toSettings, ModePoint& to);

}  // namespace flexloop::study
