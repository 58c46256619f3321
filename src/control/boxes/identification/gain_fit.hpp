// Gains from responses to steps (docs/theory/23_identification.md): y = Σ k_r sʳ u with r from −3 (three
// integrals) to 2 (two derivatives), sampled by a rule that is not known.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace flexloop::control {

// Which gains are looked for.
struct GainOrder {
  int integrals = 1, derivatives = 1;
};

inline constexpr int kMostIntegrals = 3, kMostDerivatives = 2;
inline constexpr int kGains = kMostIntegrals + 1 + kMostDerivatives;
inline constexpr std::array<std::string_view, kGains> kGainNames{"kiii", "kii", "ki",
                                                                 "kp",   "kd",  "kdd"};

struct Gains {
  std::array<double, kGains> values{};  // from three integrals to two derivatives
  // The largest part of the responses that the gains do not explain; 0: they are exact.
  double residual = 0.0;

  double& operator[](int power) { return values[power + kMostIntegrals]; }
  double operator[](int power) const { return values[power + kMostIntegrals]; }
};

// Responses of one output to steps of one input. Run j = 1, 2 … has the step size j h and the amplitude
// j a, and its entries are the changes of the output after 1, 2 … calls, divided by j a.
struct StepResponses {
  double step = 0.0;                  // h [s]
  bool isTimed = true;                // false: the block takes every call for one after h
  std::vector<Eigen::VectorXd> runs;  // as many as runsFor says, of kCalls entries each
  double noise = 0.0;                 // round-off of the entries
};

inline constexpr int kCalls = 10;  // of a run
int runsFor(const GainOrder& order);

// Exact up to round-off for every block that has these gains and no others, whatever rules it integrates
// and differentiates by, and with a delay of up to two calls.
Gains fitGains(const StepResponses& responses, const GainOrder& order);

}  // namespace flexloop::control
