// Unknowns of rest beside those of the system: what sampled blocks remember (docs/theory/26_rest_of_controllers.md, section 26.3).
#pragma once

#include <string>
#include <vector>

#include <Eigen/SparseCore>

#include "system/state.hpp"

namespace flexloop::solve {

class FurtherUnknowns {
 public:
  using Triplets = std::vector<Eigen::Triplet<double, int>>;

  virtual ~FurtherUnknowns() = default;

  virtual int size() const = 0;
  virtual std::string name(int k) const = 0;
  // In the equation of each, the factor of the rate at which it changes in slow motions.
  virtual std::vector<double> rateFactors() const = 0;

  // What is left of their equations at the state, and its derivatives: in rows from that of the system's last unknown on, and, in
  // rows of the system, of the outputs that they are.
  virtual void calc(const system::State& state, Eigen::VectorXd& residual, Triplets& entries) = 0;

  virtual double value(const system::State& state, int k) const = 0;
  virtual void setValue(int k, double value, system::State& state) const = 0;
};

}  // namespace flexloop::solve
