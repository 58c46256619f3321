// A machine with its controllers as ordinary differential equations (docs/theory/37_foreign_models.md, section 37.6):
//
//     (37.14)  z = (ξ, η, x),   z' = f(t, z, w),   y = g(t, z, w)
//
// with coordinates ξ and velocities η of a MotionChart, the states x of blocks, and inputs w that are added to signals. Joints and signals
// are satisfied exactly at every evaluation: η' and x' are those of consistent accelerations (9.12).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "analysis/ode/motion_chart.hpp"
#include "base/result.hpp"
#include "model/model.hpp"

namespace flexloop::analysis {

// Why a model has no such equations; nothing if it has. Of a consistent state.
std::optional<base::Failure> describeNoOde(const model::Model& model, const system::State& state);

class StateEquations {
 public:
  // At a consistent state of the model, which must outlive it and has such equations.
  StateEquations(const model::Model& model, const system::State& state);
  // As they were at another time.
  StateEquations(const model::Model& model, const system::State& state, const system::State& base,
                 const std::vector<int>& independent);

  int coordinates() const { return chart_.size(); }
  int size() const { return 2 * chart_.size() + static_cast<int>(states_.size()); }
  const MotionChart& chart() const { return chart_; }
  // Unknowns of the states of blocks.
  const std::vector<int>& blockStates() const { return states_; }

  // The consistent state of z at a time; inputs are those of its history.
  [[nodiscard]] std::optional<base::Failure> evaluate(double time, const Eigen::VectorXd& z);
  // Of the last evaluation, or of the start.
  const system::State& state() const { return state_; }
  Eigen::VectorXd coordinatesOf() const;
  Eigen::VectorXd derivatives() const;
  // Usual sizes of z, by which solvers make absolute errors of relative ones: rates are per second, states of blocks have one.
  Eigen::VectorXd nominals() const;
  // Changes of z' and of these signals with those of z and of inputs that are added to signals, to first order.
  struct Slopes {
    Eigen::VectorXd derivatives;
    Eigen::VectorXd signals;
  };
  base::Result<Slopes> calcSlopes(const Eigen::VectorXd& dz,
                                  const std::vector<std::pair<system::UnknownIndex, double>>& dw,
                                  const std::vector<system::UnknownIndex>& signals);

  // For what happens at instants: history and signals may be changed; the coordinates are then those of the state.
  solve::PreparedMachine& machine() { return *machine_; }
  void setState(const system::State& state);
  // The state is a new base of the coordinates; false if it need not be.
  bool renewBase();
  // What blocks and joints remember of an accepted step.
  void remember();

 private:
  Eigen::VectorXd calcConstraintAccelerations(const system::State& state);

  const model::Model& model_;
  const solve::MachineLoan machine_;
  MotionChart chart_;
  std::vector<int> states_;
  system::State state_;
};

}  // namespace flexloop::analysis
