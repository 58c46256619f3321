// The response of a linearised machine to inputs at a complex frequency (docs/theory/19_responses.md):
//
//     H(s) = rows of P(s)⁻¹ F                                                                   (19.3)
//
// Nothing is reduced: at every frequency the whole machine is solved, with one analysis of its pattern.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear/linear_ports.hpp"
#include "base/result.hpp"
#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/solvers/complex_solver.hpp"

namespace flexloop::analysis {

class ResponseSolver {
 public:
  // The ports must outlive the solver.
  explicit ResponseSolver(const LinearPorts& ports);
  ~ResponseSolver();

  // Outputs × inputs. False where P(s) is singular to round-off: no digit of H would be right.
  [[nodiscard]] bool calc(std::complex<double> s, Eigen::MatrixXcd& H);
  // With the round-off of every entry of H (19.4).
  [[nodiscard]] bool calc(std::complex<double> s, Eigen::MatrixXcd& H, Eigen::MatrixXd& roundOff);

 private:
  [[nodiscard]] bool solve(std::complex<double> s);
  void calcRoundOff(const Eigen::MatrixXcd& H, Eigen::MatrixXd& roundOff);

  const LinearPorts& ports_;
  std::unique_ptr<linalg::ComplexSparseSolver> solver_;
  linalg::PencilScaling scaling_;
  linalg::SparseMatrixC
      P_;  // in scaled units, so that pivots and what cancels do not depend on units
  Eigen::MatrixXcd F_, z_;  // P z = F
  Eigen::VectorXd errors_;  // what one refinement leaves of the solutions, by input
};

struct FrequencyResponse {
  std::optional<base::Failure> failure;
  std::vector<double> frequencyHz;
  std::vector<Eigen::MatrixXcd> H;  // by frequency, outputs × inputs

  bool ok() const { return !failure; }
};

[[nodiscard]] FrequencyResponse calcResponse(const LinearPorts& ports,
                                             const std::vector<double>& frequencyHz);

// `count` frequencies from low to high, both included: in equal steps or by equal factors.
std::vector<double> makeFrequencies(double low, double high, int count, bool linear);

}  // namespace flexloop::analysis
