// A scheduled controller that acts from sample to sample, with the parameter of the instant (docs/theory/38_parameter_dependent_models.md,
// section 38.10):
//
//     y_k = C(p_k) x_k + D(p_k) u_k,   x_{k+1} = A(p_k) x_k + B(p_k) u_k                             (38.22)
//
// Its memory is y and x; the parameters come after u among its inputs.
#pragma once

#include <string>

#include "control/lpv/last_parameters.hpp"
#include "control/sampled/sampled.hpp"

namespace flexloop::control {

class SampledLpvBlock final : public SampledBlock {
 public:
  // Of one output there are two copies, as in LpvBlock. With `stops` a parameter outside of its range is a fault.
  SampledLpvBlock(int clock, std::string name, LpvModel model, bool stops);

  bool samplesInputs() const override { return true; }
  void sample(const BlockPorts<double>& p, BlockMemory m) const override;
  void updateSample(const BlockPorts<double>& p, BlockMemory m) const override;
  std::optional<base::Failure> fault() const override;

 private:
  linalg::StateMatrices at(const BlockPorts<double>& p) const;

  std::string name_;
  LpvModel model_;
  bool stops_;
  int copies_;
  LastParameters last_;
};

}  // namespace flexloop::control
