// The least of a function of a few variables in a box (docs/theory/39_controller_design.md, section 39.10): by simplexes (Nelder
// and Mead), which take any function, and by gradients (BFGS), which need fewer values.
#pragma once

#include <functional>

#include <Eigen/Core>

namespace flexloop::study {

struct Box {
  Eigen::VectorXd low, high;

  Eigen::VectorXd clamp(const Eigen::VectorXd& x) const { return x.cwiseMax(low).cwiseMin(high); }
};

struct Minimum {
  Eigen::VectorXd x;
  double value = 0.0;
  bool isSettled = false;  // otherwise all evaluations were used
};

// Infinite where there is no value.
using Function = std::function<double(const Eigen::VectorXd& x)>;
using Gradient = std::function<Eigen::VectorXd(const Eigen::VectorXd& x)>;

// The first simplex reaches `step` along each variable; the last one is smaller than `tolerance`.
Minimum minimizeBySimplex(const Function& f, const Eigen::VectorXd& start, double step,
                          const Box& box, int mostEvaluations, double tolerance);

// The first step is no longer than `step`; the last one is shorter than `tolerance`.
Minimum minimizeByGradient(const Function& f, const Gradient& gradient,
                           const Eigen::VectorXd& start, double step, const Box& box, int mostSteps,
                           double tolerance);

}  // namespace flexloop::study
