// Controllers for a linear plant y = G u (docs/theory/39_controller_design.md). All of them are u = K y, to be added at the
// plant's inputs, so that a stabilising K of a positive plant is negative.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "linalg/state_space/hinf_synthesis.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::analysis {

// Penalties of outputs and inputs, and intensities of disturbances at the inputs and of measurement noise; diagonals.
struct DesignWeights {
  Eigen::VectorXd Q, R, W, V;
};

struct StateFeedback {
  Eigen::MatrixXd K, S;    // u = −K x
  Eigen::VectorXcd roots;  // of A − B K
};
// Least ∫ yᵀ Q y + uᵀ R u.                                                                       (39.10)
base::Result<StateFeedback> designStateFeedback(const linalg::StateMatrices& plant,
                                                const DesignWeights& weights);

struct DynamicController {
  linalg::StateMatrices K;                       // u = K y
  double value = 0.0;                            // what was minimised
  std::optional<double> optimum = std::nullopt;  // of H∞: the least level
};
// Least mean square of (Q^½ y, R^½ u) under noise W^½ at the inputs and V^½ in the measurements.   (39.12)
base::Result<DynamicController> designLqg(const linalg::StateMatrices& plant,
                                          const DesignWeights& weights);
// The same signals, with the least largest gain.
base::Result<DynamicController> designFourBlock(const linalg::StateMatrices& plant,
                                                const DesignWeights& weights, double factor);

// A weight by its transfer function, with the coefficients of the highest powers first.
struct WeightFunction {
  std::vector<double> numerator, denominator;
};
// ‖W1 S; W2 K S; W3 T‖∞ with S = (1 + G K)⁻¹, the same weights for all outputs and all inputs.     (39.23)
struct SensitivityWeights {
  WeightFunction W1, W2;
  std::optional<WeightFunction> W3;
};
base::Result<DynamicController> designMixedSensitivity(const linalg::StateMatrices& plant,
                                                       const SensitivityWeights& weights,
                                                       double factor);

struct PidGains {
  double kp = 0.0, ki = 0.0, kd = 0.0;  // u = −(kp y + ki ∫y + kd y')
};
// For a crossover [rad/s] and a phase margin [rad], with Ti = ratio · Td.                          (39.13)
base::Result<PidGains> designPid(const linalg::StateMatrices& plant, double crossover,
                                 double margin, double ratio);

// Positive position feedback u = gain ω_f²/(s² + 2 ζ_f ω_f s + ω_f²) y of the motion nearest to a rate.      (39.15)
struct PositionFeedback {
  std::complex<double> root;  // of the motion
  double rate = 0.0, damping = 0.0, gain = 0.0;
};
base::Result<PositionFeedback> designPositionFeedback(const linalg::StateMatrices& plant,
                                                      double rate, double g);

// Impulses that leave no vibration: times [s] and amplitudes with the sum one.                      (39.17)
struct Shaper {
  std::vector<double> times, amplitudes;
};
enum class ShaperKind { kZv, kZvd, kZvdd, kEi };
// `rate` and `damping` of the motion; EI allows a vibration of `share`.
base::Result<Shaper> designShaper(ShaperKind kind, double rate, double damping, double share);

// A + B u with u = K y closed: the roots of the machine with its controller.
base::Result<Eigen::MatrixXd> closeLoop(const linalg::StateMatrices& plant,
                                        const linalg::StateMatrices& K);
base::Result<Eigen::MatrixXd> closePidLoop(const linalg::StateMatrices& plant,
                                           const PidGains& gains);

}  // namespace flexloop::analysis
