// How a model shall be simulated in time: what `analysis: time` says, checked and in SI.
#pragma once

#include "model/mode_settings.hpp"
#include "solve/time/constraint_form.hpp"
#include "solve/time/scheme.hpp"

namespace flexloop::model {

struct RecordSettings {
  int every = 1;          // every n-th step
  double interval = 0.0;  // seconds between records; 0: by `every`
  bool frames = false;    // also the position and rotation of every node
};

// The step follows an estimate of the error that one step makes.
struct AdaptiveSettings {
  bool enabled = false;
  double tolerance = 1e-6;  // as a share of how far the machine has moved
  double minStep = 0.0;
  double maxStep = 0.0;
};

struct TimeSettings {
  double end = 0.0;
  double step = 0.0;
  solve::Scheme scheme;
  double newtonTolerance = 1e-7;  // relative to the largest accelerations and forces seen
  int maxIterations = 20;
  solve::ConstraintForm constraints = solve::ConstraintForm::kStabilizedIndex2;
  double constraintScale = 1.0;    // k of the augmented Lagrangian
  double constraintPenalty = 0.0;  // p
  AdaptiveSettings adaptive;
  RecordSettings record;
  OperatingPoint::Kind start = OperatingPoint::Kind::kInitial;  // any but kTime
};

}  // namespace flexloop::model
