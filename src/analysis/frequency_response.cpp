#include "analysis/frequency_response.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::SparseMatrixC;

// The share of the terms of P z that does not cancel, below which round-off is all that is left of F.
constexpr double kSingular = 1e-14;

// |f| by the sum of the absolute values of all terms of P z.
double calcShare(const SparseMatrixC& P, const Eigen::VectorXcd& z, const Eigen::VectorXcd& f) {
  double terms = 0.0;
  for (int c = 0; c < P.cols(); ++c) {
    double column = 0.0;
    for (SparseMatrixC::InnerIterator it(P, c); it; ++it) column += std::abs(it.value());
    terms += column * std::abs(z[c]);
  }
  return f.lpNorm<1>() / terms;
}

}  // namespace

ResponseSolver::ResponseSolver(const LinearPorts& ports)
    : ports_(ports),
      solver_(linalg::makeComplexSparseSolver(
          linalg::evaluate(ports.pencil, ports.delays, Complex(1.0, 1.0)), ports.groups)) {}

ResponseSolver::~ResponseSolver() = default;

bool ResponseSolver::calc(Complex s, Eigen::MatrixXcd& H) {
  const SparseMatrixC P = linalg::evaluate(ports_.pencil, ports_.delays, s);
  Eigen::MatrixXcd F = ports_.F.cast<Complex>();
  for (const linalg::DelayTerm& term : ports_.delayedInputs) {
    F(term.row, term.column) += term.factor * std::exp(-s * term.delay);
  }
  if (!solver_ || !solver_->factorize(P).ok) return false;
  const Eigen::Index inputs = F.cols(), outputs = std::ssize(ports_.outputs);
  H.resize(outputs, inputs);
  for (Eigen::Index i = 0; i < inputs; ++i) {
    const Eigen::VectorXcd f = F.col(i);
    if (f.isZero(0.0)) {  // a signal that nothing reads, cut
      H.col(i).setZero();
      continue;
    }
    Eigen::VectorXcd z = f;
    solver_->solve(z);
    // The pivots of the ordering are not the largest; one refinement gives back their digits.
    Eigen::VectorXcd rest = f - P * z;
    solver_->solve(rest);
    z += rest;
    if (!z.allFinite() || calcShare(P, z, f) < kSingular) return false;
    for (Eigen::Index k = 0; k < outputs; ++k) H(k, i) = z[ports_.outputs[k]];
  }
  return true;
}

FrequencyResponse calcResponse(const LinearPorts& ports, const std::vector<double>& frequencyHz) {
  FrequencyResponse response;
  response.frequencyHz = frequencyHz;
  ResponseSolver solver(ports);
  for (const double f : frequencyHz) {
    Eigen::MatrixXcd H;
    if (!solver.calc(Complex(0.0, 2.0 * std::numbers::pi * f), H)) {
      char text[64];
      std::snprintf(text, sizeof text, "%.10g Hz", f);
      response.trouble = std::string("at ") + text +
                         " the equations of the machine are singular: its response is not finite";
      response.hint =
          "an undamped resonance, or a machine that floats, near zero? Choose frequencies beside "
          "it, "
          "or add damping";
      return response;
    }
    response.H.push_back(std::move(H));
  }
  response.ok = true;
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
