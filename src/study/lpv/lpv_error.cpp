// The machine beside its model: responses and stability.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/linear/frequency_response.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "study/lpv/lpv_fit.hpp"

namespace flexloop::study {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

// Free motions are the same at all points.
bool isStable(const linalg::StateMatrices& interpolated) {
  constexpr double kAtZero = 1e-9;
  if (interpolated.A.rows() == 0) return true;
  const Eigen::VectorXcd roots = linalg::findEigenvaluesOfReal(interpolated.A);
  return roots.real().maxCoeff() <= kAtZero * roots.cwiseAbs().maxCoeff();
}

namespace {

Complex rateOf(double hz) {
  return {0.0, 2.0 * std::numbers::pi * hz};
}

// Of the machine itself. That of a large one is that of its slowest motions, if a few frequencies show that these are enough.
base::Result<std::vector<MatrixXcd>> calcExact(const LocalModel& local,
                                               const std::vector<double>& frequenciesHz) {
  constexpr std::size_t kEvery = 40;
  constexpr double kEnough = 1e-4;
  std::vector<MatrixXcd> slow;
  bool isEnough = !local.isWhole;
  if (isEnough) {
    std::vector<double> some;
    for (std::size_t f = 0; f < frequenciesHz.size(); f += kEvery) some.push_back(frequenciesHz[f]);
    const analysis::FrequencyResponse checked = analysis::calcResponse(local.ports, some);
    if (!checked.ok()) return *checked.failure;
    for (const double hz : frequenciesHz) {
      slow.push_back(linalg::calcResponse(local.system, rateOf(hz)));
    }
    for (std::size_t k = 0; k < some.size(); ++k) {
      const MatrixXd bound = kEnough * checked.H[k].cwiseAbs();
      isEnough = isEnough && ((slow[k * kEvery] - checked.H[k]).cwiseAbs().array() <=
                              bound.array()).all();
    }
  }
  if (isEnough) return slow;
  const analysis::FrequencyResponse all = analysis::calcResponse(local.ports, frequenciesHz);
  if (!all.ok()) return *all.failure;
  return all.H;
}

}  // namespace

base::Result<LpvError> calcLpvError(const LocalModel& local, const control::LpvModel& model,
                                    const std::vector<double>& frequenciesHz) {
  const linalg::StateMatrices s = control::evaluate(model, local.at);
  const base::Result<std::vector<MatrixXcd>> exact = calcExact(local, frequenciesHz);
  if (!exact) return exact.failure();
  LpvError error{local.at, MatrixXd::Zero(s.C.rows(), s.B.cols()), {}};
  error.hz = frequenciesHz;
  error.machine = exact.value();
  error.largest = error.mean;
  MatrixXd whole = error.mean;
  for (std::size_t f = 0; f < frequenciesHz.size(); ++f) {
    error.interpolated.push_back(linalg::calcResponse(s, rateOf(frequenciesHz[f])));
    const MatrixXcd difference = error.interpolated.back() - exact.value()[f];
    error.mean += difference.cwiseAbs2();
    whole += exact.value()[f].cwiseAbs2();
    for (Index i = 0; i < difference.size(); ++i) {
      const double size = std::abs(exact.value()[f].data()[i]);
      if (size > 0.0) {
        error.largest.data()[i] =
            std::max(error.largest.data()[i], std::abs(difference.data()[i]) / size);
      }
    }
  }
  for (Index i = 0; i < whole.size(); ++i) {
    if (whole.data()[i] > 0.0)
      error.mean.data()[i] = std::sqrt(error.mean.data()[i] / whole.data()[i]);
  }
  error.isStable = isStable(s);
  for (int i = local.free; i < static_cast<int>(local.parts.size()); ++i) {
    const Complex root = local.parts[i].root;
    if (root.real() > 1e-9 * std::abs(root)) error.machineIsStable = false;
  }
  return error;
}

}  // namespace flexloop::study
