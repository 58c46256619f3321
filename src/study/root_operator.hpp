// What is singular at the roots of a machine (docs/theory/24_sensitivities_and_sweeps.md), N(s) z = 0 and wᵀ N(s) = 0:
//
//     N(s) = P(s), with the delays of the machine,    or    N(s) = Ψ − e^{sT} with sampled blocks       (24.6)
//
// Vectors have coordinates that mean the same in a model with other numbers: the unknowns of the pencil; with sampled
// blocks, these and their rates as the states of the machine make them, then what blocks and delays remember.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "analysis/sampled/cycle_map.hpp"

namespace flexloop::study {

struct RootVectors {
  Eigen::VectorXcd right, left;  // z and w of length one
  std::complex<double> slope;    // wᵀ N'(s) z
  // The slope if nothing in it cancelled; a root whose slope is round-off of this has no derivative.
  double slopeScale = 0.0;
};

class RootOperator {
 public:
  virtual ~RootOperator() = default;

  // Wᵀ N(s) Z
  virtual Eigen::MatrixXcd calcForms(std::complex<double> s, const Eigen::MatrixXcd& W,
                                     const Eigen::MatrixXcd& Z) const = 0;
  // Wᵀ (N(a) − N(b)) Z / (a − b), the derivative where a = b.
  virtual Eigen::MatrixXcd calcSlopes(std::complex<double> a, std::complex<double> b,
                                      const Eigen::MatrixXcd& W,
                                      const Eigen::MatrixXcd& Z) const = 0;
  // Of these modes of this model.
  virtual std::vector<RootVectors> findVectors(const std::vector<analysis::Mode>& modes) const = 0;

  // Whether vectors of one model mean the same in the other.
  bool hasSameUnknowns(const RootOperator& other) const { return layout_ == other.layout_; }

 protected:
  explicit RootOperator(std::vector<int> layout) : layout_(std::move(layout)) {}

 private:
  std::vector<int> layout_;
};

std::shared_ptr<const RootOperator> makeRootOperator(const analysis::LinearModel& linear);
std::shared_ptr<const RootOperator> makeRootOperator(const analysis::LinearModel& linear,
                                                     analysis::CycleMap cycle);

}  // namespace flexloop::study
