// A model with some settings, linearised about its operating point, with its modes and with the vectors of
// each root s from both sides (docs/theory/24_sensitivities_and_sweeps.md):
//
//     P(s) z = 0,   wᵀ P(s) = 0,   slope = wᵀ P'(s) z
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/mode_analysis.hpp"
#include "study/setting.hpp"

namespace flexloop::study {

struct ModeTask {
  analysis::ModeOptions options;
  std::optional<model::OperatingPoint> about;  // absent: as the model says
};

struct RootVectors {
  Eigen::VectorXcd right, left;  // z and w, in the unknowns of the pencil, of length one
  std::complex<double> slope;
  // The slope if nothing in it cancelled; a root whose slope is round-off of this has no derivative.
  double slopeScale = 0.0;
};

struct ModePoint {
  bool ok = false;
  std::string trouble, hint;
  analysis::LinearModel linear;
  std::vector<analysis::Mode> modes;
  std::vector<RootVectors> vectors;  // one per mode
  bool isSampled = false;            // the modes are those of a map: no pencil has their vectors
};

// Without modes. A model that is wrong with these settings is told as trouble; nothing is thrown.
[[nodiscard]] ModePoint linearizeAt(const ModelMaker& maker, const Settings& settings,
                                    const ModeTask& task);
// With modes.
[[nodiscard]] ModePoint findModesAt(const ModelMaker& maker, const Settings& settings,
                                    const ModeTask& task);

// With the pure delays of the machine: P(s) Z and P'(s) Z,
Eigen::MatrixXcd applyPencil(const analysis::LinearModel& linear, std::complex<double> s,
                             const Eigen::MatrixXcd& columns);
Eigen::MatrixXcd applySlope(const analysis::LinearModel& linear, std::complex<double> s,
                            const Eigen::MatrixXcd& columns);
// and wᵀ B z with the divided difference B = (P(a) − P(b))/(a − b) of (24.6).
std::complex<double> calcProduct(const analysis::LinearModel& linear, std::complex<double> a,
                                 std::complex<double> b, const Eigen::VectorXcd& left,
                                 const Eigen::VectorXcd& right);

// Whether vectors of one pencil mean the same in the other.
bool haveSameUnknowns(const analysis::LinearModel& a, const analysis::LinearModel& b);

// Roots that are one root for all that round-off lets know.
bool areRepeated(std::complex<double> a, std::complex<double> b);

}  // namespace flexloop::study
