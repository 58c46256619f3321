#include "analysis/linear/frequency_response.hpp"

#include <cmath>
#include <cstdint>
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
// Where rounding makes a larger share of what an output sees, not one digit of it is left.
constexpr double kNoDigits = 0.03;

// |K| + |s| |C| + |s|² |M| in scaled units: the terms of P, which cancel at an undamped resonance.
linalg::SparseMatrix findTerms(const linalg::QuadraticPencil& pencil,
                               const linalg::PencilScaling& scaling, Complex s) {
  linalg::SparseMatrix terms = pencil.K.cwiseAbs();
  terms += linalg::SparseMatrix(std::abs(s) * pencil.C.cwiseAbs());
  terms += linalg::SparseMatrix(std::norm(s) * pencil.M.cwiseAbs());
  return scaling.rows.asDiagonal() * terms * scaling.columns.asDiagonal();
}

// ε Σ ± T_ij z_j: what the last digits of the terms may leave of P z.
Eigen::VectorXcd roundTerms(const linalg::SparseMatrix& terms, const Eigen::VectorXcd& z) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  Eigen::VectorXcd rest = Eigen::VectorXcd::Zero(z.size());
  std::uint32_t random = 1;
  for (int c = 0; c < terms.cols(); ++c) {
    for (linalg::SparseMatrix::InnerIterator it(terms, c); it; ++it) {
      random = 1664525u * random + 1013904223u;
      rest[it.row()] += (random >> 31 != 0 ? kEpsilon : -kEpsilon) * it.value() * z[c];
    }
  }
  return rest;
}

// |xᵀ| |terms| with Pᵀ x = e of each output: by how much it sees the unknowns.
template <class Matrix>
Eigen::MatrixXd weighUnknowns(const Matrix& terms, const std::vector<int>& outputs,
                              linalg::ComplexSparseSolver& solver) {
  Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(std::ssize(outputs), terms.cols());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Eigen::VectorXcd x = Eigen::VectorXcd::Unit(terms.rows(), outputs[k]);
    solver.solveTransposed(x);
    const Eigen::VectorXd sizes = x.cwiseAbs();
    for (int c = 0; c < terms.cols(); ++c) {
      for (typename Matrix::InnerIterator it(terms, c); it; ++it) {
        weights(static_cast<Eigen::Index>(k), c) += sizes[it.row()] * std::abs(it.value());
      }
    }
  }
  return weights;
}

// Whether the change is no more than that share of the unknowns, as each output sees them.
bool isSmall(const Eigen::VectorXcd& change, const Eigen::VectorXcd& z, double share,
             const Eigen::MatrixXd& weights) {
  const Eigen::VectorXd changes = weights * change.cwiseAbs(), whole = weights * z.cwiseAbs();
  return (changes.array() <= share * whole.array()).all();
}

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
    if (!z.allFinite()) return false;
    const bool isSolved = rest.norm() <= kSingular * z.norm() ||
                          isSmall(rest, z, kSingular, weighUnknowns(P_, ports_.outputs, *solver_));
    if (!isSolved) return false;
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
  // An output sees the unknowns by |xᵀ| T: they must be more than what rounding makes of them.
  const linalg::SparseMatrix terms = findTerms(ports_.pencil, scaling_, s);
  Eigen::MatrixXcd rounded(z_.rows(), z_.cols());
  for (Eigen::Index i = 0; i < z_.cols(); ++i) {
    Eigen::VectorXcd change = roundTerms(terms, z_.col(i));
    solver_->solve(change);
    rounded.col(i) = change;
  }
  const Eigen::MatrixXd weights = weighUnknowns(terms, ports_.outputs, *solver_);
  for (Eigen::Index i = 0; i < z_.cols(); ++i) {
    if (!isSmall(rounded.col(i), z_.col(i), kNoDigits, weights)) return false;
  }
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
    Eigen::MatrixXd roundOff;
    if (!solver.calc(Complex(0.0, 2.0 * std::numbers::pi * f), H, roundOff)) {
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
