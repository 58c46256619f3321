#include "analysis/linear/frequency_response.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "base/interruption.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::SparseMatrixC;

// Where the first correction of a solution is a larger share of it, P has no inverse to the last digits.
constexpr double kSingular = 1e-2;
// An output that an input does not reach may have a path of round-off alone: couplings that cancel, one after the other. In
// scaled units this share of the largest unknown is nothing.
constexpr double kNothing = 1e-22;

}  // namespace

ResponseSolver::ResponseSolver(const LinearPorts& ports)
    : ports_(ports),
      solver_(linalg::makeComplexSparseSolver(
          linalg::evaluate(ports.pencil, ports.delays, Complex(1.0, 1.0)), ports.groups)),
      scaling_(linalg::findScalingForPivots(ports.pencil, ports.delays)) {}

ResponseSolver::~ResponseSolver() = default;

bool ResponseSolver::solve(Complex s) {
  P_ = linalg::evaluate(ports_.pencil, ports_.delays, s);
  for (int c = 0; c < P_.cols(); ++c) {
    for (SparseMatrixC::InnerIterator it(P_, c); it; ++it) {
      it.valueRef() *= scaling_.rows[it.row()] * scaling_.columns[c];
    }
  }
  F_ = scaling_.rows.asDiagonal() * evaluateInputs(ports_, s);
  if (!solver_ || !solver_->factorize(P_).ok) return false;
  z_.setZero(F_.rows(), F_.cols());
  errors_.setZero(F_.cols());
  for (Eigen::Index i = 0; i < F_.cols(); ++i) {
    const Eigen::VectorXcd f = F_.col(i);
    if (f.isZero(0.0)) continue;  // a signal that nothing reads, cut
    Eigen::VectorXcd z = f;
    solver_->solve(z);
    // The pivots of the ordering are not the largest; one refinement gives back their digits.
    Eigen::VectorXcd rest = f - P_ * z;
    solver_->solve(rest);
    z += rest;
    if (!z.allFinite() || !(rest.norm() <= kSingular * z.norm())) return false;
    // Each correction is that much smaller than the one before.
    if (!rest.isZero(0.0)) errors_[i] = rest.norm() / z.norm() * rest.norm();
    z_.col(i) = z;
  }
  return true;
}

bool ResponseSolver::calc(Complex s, Eigen::MatrixXcd& H) {
  if (!solve(s)) return false;
  const Eigen::VectorXd scales = scaling_.columns(ports_.outputs);
  H = scales.asDiagonal() * z_(ports_.outputs, Eigen::all);
  return true;
}

bool ResponseSolver::calc(Complex s, Eigen::MatrixXcd& H, Eigen::MatrixXd& roundOff) {
  if (!calc(s, H)) return false;
  calcRoundOff(H, roundOff);
  return true;
}

// (19.4): with Pᵀ x = e of an output, a change of P by δP changes H by −xᵀ δP z.
void ResponseSolver::calcRoundOff(const Eigen::MatrixXcd& H, Eigen::MatrixXd& roundOff) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  roundOff = kEpsilon * H.cwiseAbs();
  for (Eigen::Index k = 0; k < H.rows(); ++k) {
    Eigen::VectorXcd x = Eigen::VectorXcd::Zero(P_.rows());
    x[ports_.outputs[k]] = scaling_.columns[ports_.outputs[k]];
    solver_->solveTransposed(x);
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(P_.cols());
    for (int c = 0; c < P_.cols(); ++c) {
      for (SparseMatrixC::InnerIterator it(P_, c); it; ++it) {
        squares[c] += std::norm(x[it.row()] * it.value());
      }
    }
    for (Eigen::Index i = 0; i < H.cols(); ++i) {
      roundOff(k, i) += kEpsilon * std::sqrt(squares.dot(z_.col(i).cwiseAbs2())) +
                        scaling_.columns[ports_.outputs[k]] *
                            (errors_[i] + kNothing * z_.col(i).cwiseAbs().maxCoeff());
    }
  }
}

FrequencyResponse calcResponse(const LinearPorts& ports, const std::vector<double>& frequencyHz) {
  FrequencyResponse response;
  response.frequencyHz = frequencyHz;
  ResponseSolver solver(ports);
  for (const double f : frequencyHz) {
    base::lookForInterruption();
    Eigen::MatrixXcd H;
    if (!solver.calc(Complex(0.0, 2.0 * std::numbers::pi * f), H)) {
      char text[64];
      std::snprintf(text, sizeof text, "%.10g Hz", f);
      response.failure = base::numericalFailure(
          std::string("at ") + text +
              " the equations of the machine are singular: its response is not finite",
          "is this an undamped resonance, or a machine that is free to move near zero frequency? "
          "Choose other frequencies, or add damping");
      return response;
    }
    response.H.push_back(std::move(H));
  }
  return response;
}

std::vector<double> makeFrequencies(double low, double high, int count, bool linear) {
  std::vector<double> frequencies;
  for (int i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / (count - 1) : 0.0;
    frequencies.push_back(linear ? low + share * (high - low) : low * std::pow(high / low, share));
  }
  if (count > 1) frequencies.back() = high;
  return frequencies;
}

}  // namespace flexloop::analysis
