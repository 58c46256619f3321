// A linear model whose matrices depend on a parameter p (docs/theory/38_parameter_dependent_models.md):
//
//     x' = A(p) x + B(p) u,   y = C(p) x + D(p) u                                                  (38.1)
//
// with states x = (η, v, ξ): displacements and velocities of motions, and further states,
//
//     A = [0 1 0; −K −Γ 0; 0 0 Λ],   K = Ω² where the stiffness has a real root                    (38.2)
//
// Ω or K, Γ, Λ, B, C and D are given at points of p, and by cubics or straight lines in between.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "control/algebra/lookup.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::control {

// Where the coefficients of one point stand in their row; matrices row by row.
struct LpvLayout {
  int pairs = 0;   // η and v have as many entries each
  int others = 0;  // entries of ξ
  int inputs = 0, outputs = 0;

  int states() const { return 2 * pairs + others; }
  int stiffness(int i, int k) const { return i * pairs + k; }
  int damping(int i, int k) const { return (pairs + i) * pairs + k; }
  int other(int i, int k) const { return 2 * pairs * pairs + i * others + k; }
  int input(int i, int k) const { return startB() + i * inputs + k; }
  int output(int i, int k) const { return startC() + i * states() + k; }
  int direct(int i, int k) const { return startC() + outputs * states() + i * inputs + k; }
  int size() const { return startC() + outputs * (states() + inputs); }

 private:
  int startB() const { return 2 * pairs * pairs + others * others; }
  int startC() const { return startB() + states() * inputs; }
};

struct LpvModel {
  std::string parameter;  // its name
  std::vector<std::string> inputs, outputs;
  LpvLayout layout;
  bool isRooted = false;       // Ω instead of K
  bool isCubic = true;         // straight lines otherwise
  std::vector<double> points;  // rising, at least two
  Eigen::MatrixXd values;      // a row for each point
  Eigen::MatrixXd slopes;      // likewise, by p
  double error = 0.0;          // largest found between the points, as in the report
};

// Slopes of the cubic spline through the rows whose third derivative does not jump at the first and last inner points
// (38.9); a parabola through three points, a line through two.
Eigen::MatrixXd calcSlopes(const std::vector<double>& points, const Eigen::MatrixXd& values);

linalg::StateMatrices evaluate(const LpvModel& model, double p);

}  // namespace flexloop::control
