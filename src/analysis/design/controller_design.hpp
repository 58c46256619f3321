// Controllers for a linear plant y = G u (docs/theory/39_controller_design.md). All of them are u = K y, to be added at the
// plant's inputs, so that a stabilising K of a positive plant is negative.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "linalg/state_space/hinf_synthesis.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::analysis {

// A weight by its transfer function, with the coefficients of the highest powers first.
struct WeightFunction {
  std::vector<double> numerator, denominator;
};

// Penalties of outputs and inputs, and intensities of disturbances at the inputs and of measurement noise; diagonals.
struct DesignWeights {
  Eigen::VectorXd Q, R, W, V;
};

// What a regulator is designed for. The first outputs of the plant are measured; the others, if there are any, are the
// errors that Q penalises, which are the measured outputs otherwise. A function in place of R weighs the inputs by frequency.
struct RegulatorProblem {
  linalg::StateMatrices plant;
  Eigen::Index measured = 0;
  DesignWeights weights;
  std::optional<WeightFunction> inputWeight = std::nullopt;
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
  // The same value of another controller, such as one with fewer states.
  std::function<base::Result<double>(const linalg::StateMatrices& K)> rate{};
};
// Least mean square of (Q^½ e, R^½ u) under noise W^½ at the inputs and V^½ in the measurements.   (39.12)
base::Result<DynamicController> designLqg(const RegulatorProblem& problem);
// The same signals, with the least largest gain.
base::Result<DynamicController> designFourBlock(const RegulatorProblem& problem, double factor);

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

// N = (s² + 2 ζ_z ω s + ω²)/(s² + 2 ζ_p ω s + ω²)                                                  (39.25)
struct Notch {
  double rate = 0.0, zeroDamping = 0.0, poleDamping = 0.0;

  linalg::StateMatrices system() const;
};
// At the oscillation of the plant that is nearest to a rate: its roots become the zeros, unless a depth N(iω) is given.
base::Result<Notch> designNotch(const linalg::StateMatrices& plant, double rate, double width,
                                std::optional<double> depth);

}  // namespace flexloop::analysis
