// A linear model whose matrices depend on one or a few parameters p (docs/theory/38_parameter_dependent_models.md):
//
//     x' = A(p) x + B(p) u,   y = C(p) x + D(p) u                                                  (38.1)
//
// with states x = (η, v, ξ): displacements and velocities of motions, and further states,
//
//     A = [0 1 0; −K −Γ 0; 0 0 Λ],   K = Ω² where the stiffness has a real root                    (38.2)
//
// While the parameters move, their rates add terms that couple the motions,
//
//     η' = v − Σ p_d' G_d η,   v' = … − Σ p_d' G_d v                                               (38.19)
//
// Ω or K, Γ, Λ, B, C, D and G are given at the points of a grid, and by cubics or straight lines in between.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "control/algebra/lookup.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::control {

// Where the coefficients of one point are in their row; matrices row by row.
struct LpvLayout {
  int pairs = 0;   // η and v have as many entries each
  int others = 0;  // entries of ξ
  int inputs = 0, outputs = 0;
  int rates = 0;  // parameters whose rates have terms: all or none

  int states() const { return 2 * pairs + others; }
  int stiffness(int i, int k) const { return i * pairs + k; }
  int damping(int i, int k) const { return (pairs + i) * pairs + k; }
  int other(int i, int k) const { return 2 * pairs * pairs + i * others + k; }
  int input(int i, int k) const { return startB() + i * inputs + k; }
  int output(int i, int k) const { return startC() + i * states() + k; }
  int direct(int i, int k) const { return startC() + outputs * states() + i * inputs + k; }
  int rate(int parameter, int i, int k) const {
    return startG() + (parameter * pairs + i) * pairs + k;
  }
  int size() const { return startG() + rates * pairs * pairs; }

 private:
  int startB() const { return 2 * pairs * pairs + others * others; }
  int startC() const { return startB() + states() * inputs; }
  int startG() const { return startC() + outputs * (states() + inputs); }
};

struct LpvAxis {
  std::string name;            // of the parameter
  std::vector<double> points;  // rising, at least two
};

using LpvRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct LpvModel {
  static constexpr int kMostParameters = 3;

  std::vector<LpvAxis> axes;
  std::vector<std::string> inputs, outputs;
  LpvLayout layout;
  bool isRooted = false;  // Ω instead of K
  bool isCubic = true;    // straight lines otherwise
  // States of companion forms have another meaning at every value of the parameters: right only while these stay where they are.
  bool isCompanion = false;
  std::string noRates;  // why there are no G
  // Each with a row for every point of the grid, the last parameter changing fastest: values, and, of cubics, derivatives. Bit
  // d of the place is that with respect to parameter d.
  std::vector<LpvRows> sets;
  double sample = 0.0;  // [s] of x_{k+1} = A(p_k) x_k + B(p_k) u_k; zero: continuous
  double error = 0.0;   // largest found between the points, as in the report; negative: unknown

  int countParameters() const { return static_cast<int>(axes.size()); }
};

// Slopes of the cubic spline through the rows whose third derivative does not jump at the first and last inner points
// (38.9); a parabola through three points, a line through two.
Eigen::MatrixXd calcSlopes(const std::vector<double>& points, const Eigen::MatrixXd& values);

// The sets of LpvModel from the values.
std::vector<LpvRows> makeSets(const std::vector<LpvAxis>& axes, const LpvRows& values,
                              bool isCubic);

std::vector<Axis> makeLookupAxes(const LpvModel& model);

// One coefficient after the other at parameters p, with all derivatives that S has (38.12).
template <class S>
class LpvCoefficients {
 public:
  LpvCoefficients(const LpvModel& model, const std::vector<Axis>& axes, const S* p) {
    const int count = model.countParameters();
    std::array<Axis::Weights, LpvModel::kMostParameters> at;
    for (int d = 0; d < count; ++d) at[d] = axes[d].at(math::valueOf(p[d]));
    const int corners = 1 << count;
    for (int set = 0; set < static_cast<int>(model.sets.size()); ++set) {
      for (int corner = 0; corner < corners; ++corner) {
        Eigen::Index row = 0;
        S weight = S(1.0);
        for (int d = 0; d < count; ++d) {
          const int side = (corner >> d) & 1, k = side + 2 * ((set >> d) & 1);
          row = row * std::ssize(model.axes[d].points) + at[d].index + side;
          weight =
              d == 0 ? math::lift(math::Jet1{at[d].value[k], at[d].first[k], at[d].second[k]}, p[d])
                     : S(weight *
                         math::lift(math::Jet1{at[d].value[k], at[d].first[k], at[d].second[k]},
                                    p[d]));
        }
        weights_[terms_] = weight;
        rows_[terms_++] = model.sets[set].data() + model.sets[set].cols() * row;
      }
    }
  }

  S operator[](int i) const {
    S sum = weights_[0] * rows_[0][i];
    for (int k = 1; k < terms_; ++k) sum = sum + weights_[k] * rows_[k][i];
    return sum;
  }

 private:
  static constexpr int kMostTerms = 1 << (2 * LpvModel::kMostParameters);

  int terms_ = 0;
  std::array<S, kMostTerms> weights_;
  std::array<const double*, kMostTerms> rows_;
};

// At values of all parameters.
linalg::StateMatrices evaluate(const LpvModel& model, const std::vector<double>& p);
linalg::StateMatrices evaluate(const LpvModel& model, double p);
// N_d of x' = A x + B u + Σ p_d' N_d x, by parameter; nothing if the model has none.
std::vector<Eigen::MatrixXd> evaluateRateTerms(const LpvModel& model, const std::vector<double>& p);

// "length = 0.4, load = 2"
std::string namePoint(const LpvModel& model, const std::vector<double>& p);

}  // namespace flexloop::control
