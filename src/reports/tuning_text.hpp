// Tuned numbers of a model, for people and for programs.
#pragma once

#include <complex>
#include <string>
#include <vector>

namespace flexloop::reports {

// The least damping ratio, the time [s] until the slowest motion is down to 2 %, or the disk margin.
struct TunedGoal {
  double value = 0.0;
  bool isStable = false;
  std::complex<double> root;  // that decides it; of margins zero
};

struct TunedParameter {
  std::string name;
  double before = 0.0, after = 0.0;
  bool isAtBound = false;
};

struct TuningReport {
  std::string goal;
  TunedGoal before, after;
  std::vector<TunedParameter> parameters;
  std::vector<std::complex<double>> roots;  // that count, with the tuned numbers
  int evaluations = 0;                      // of the model
};

std::vector<std::string> describeTuning(const TuningReport& report);
std::string makeTuningJson(const TuningReport& report);

}  // namespace flexloop::reports
