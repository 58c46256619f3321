// How roots move with the numbers of a model (docs/theory/24_sensitivities_and_sweeps.md):
//
//     dλ/dp = −wᵀ (dP/dp) z / (wᵀ P'(λ) z)                                                       (24.1)
//
// dP/dp is the total derivative: the operating point moves with p.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "study/mode_point.hpp"

namespace flexloop::study {

struct Sensitivity {
  std::string name;                 // of the parameter
  double value = 0.0;               // of the parameter, SI
  std::complex<double> derivative;  // dλ/dp
  double uncertainty = 0.0;         // of the derivative, from differences with another step
};

struct ModeSensitivity {
  std::complex<double> eigenvalue;
  std::string obstacle;              // why there is no derivative; empty: there is
  std::vector<Sensitivity> entries;  // what moves the root most per percent comes first
};

struct SkippedParameter {
  std::string name, reason;
};

struct SensitivityResult {
  std::optional<base::Failure> failure;
  std::vector<ModeSensitivity> modes;  // as analysis::findModes lists them
  std::vector<SkippedParameter> skipped;

  bool ok() const { return !failure; }
};

[[nodiscard]] SensitivityResult calcSensitivities(const ModelMaker& maker,
                                                  const Settings& parameters, const ModeTask& task);

// p/100 · dλ/dp
std::complex<double> calcChangePerPercent(const Sensitivity& sensitivity);

// What a small change dλ of a root λ does to its frequency [Hz] and to its damping ratio (24.2).
double calcFrequencyChange(std::complex<double> eigenvalue, std::complex<double> change);
double calcDampingChange(std::complex<double> eigenvalue, std::complex<double> change);

}  // namespace flexloop::study
