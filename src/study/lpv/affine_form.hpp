// Poles, zeros and gains that are affine in a function f of the parameter (docs/theory/38_parameter_dependent_models.md,
// section 38.8): one series of sections of second order for each output of one input,
//
//     p_i = p_i0 + p_i1 f,   z_i = z_i0 + z_i1 f,   k = k_0 + k_1 f                                (38.16)
//     H(s) = k Π (s² − 2 Re z_i s + |z_i|²)/(s² − 2 Re p_i s + |p_i|²)                             (38.17)
//
// so that A and C are quadratic in f, B and D affine.
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/lpv/lpv_model.hpp"

namespace flexloop::study {

// Of one response at one value: conjugates once, with im > 0.
struct PoleZeroGain {
  std::vector<std::complex<double>> poles, zeros;
  double gain = 0.0;  // of the highest powers
};

// root = c0 + c1 f
struct AffineRoot {
  std::complex<double> c0, c1;
  bool isReal = false;

  std::complex<double> at(double f) const { return c0 + f * c1; }
};

struct AffineResponse {
  std::string output;
  std::vector<AffineRoot> poles, zeros;
  double k0 = 0.0, k1 = 0.0;
};

// What one response of a system is made of. Motions at zero that the output does not see are left out.
PoleZeroGain findPolesAndZeros(const linalg::StateMatrices& system, Eigen::Index output);

// By least squares over the points, whose roots are paired from neighbour to neighbour; f and `names` (for messages) by point.
base::Result<AffineResponse> fitAffine(const std::vector<PoleZeroGain>& points,
                                       const std::vector<double>& f,
                                       const std::vector<std::string>& names,
                                       const std::string& output);

// (38.17) in companion form, section after section, with the gain at the input.
linalg::StateMatrices makeSections(const AffineResponse& response, double f);

// All responses side by side, as a model of one parameter. `f` at any value of it.
control::LpvModel makeAffineModel(const control::LpvModel& fitted,
                                  const std::vector<AffineResponse>& responses,
                                  const std::function<double(double)>& f);

}  // namespace flexloop::study
