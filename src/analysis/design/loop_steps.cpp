// Answers to steps of a closed loop, exact at the instants of an even grid.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "analysis/design/control_loop.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/state_space/discretization.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using linalg::StateMatrices;

constexpr int kIntervals = 1500;
constexpr int kMostRounds = 12;
constexpr double kBand = 0.02;      // of the last value, or of the peak
constexpr double kAtZero = 1e-3;    // of the peak: a last value below is zero
constexpr double kDecays = 8.0;     // of the slowest root, at first
constexpr double kAfter = 1.3;      // of the settling time is shown
constexpr double kNoDecay = 1e-12;  // of the fastest root: round-off of one at zero

struct Course {
  double step = 0.0;
  MatrixXd values;  // outputs × instants
};

class Stepper {
 public:
  explicit Stepper(const ControlLoop& loop) : loop_(loop) {
    const Index n = loop.closed.A.rows();
    const MatrixXd E =
        loop.sample ? MatrixXd(MatrixXd::Identity(n, n) - loop.closed.A) : MatrixXd(-loop.closed.A);
    last_ = loop.closed.C * linalg::DenseLu<double>(E).solve(loop.closed.B) + loop.closed.D;
    slowest_ = 0.0;
    fastest_ = loop.sample ? 1.0 / *loop.sample : 0.0;
    for (const auto& root : findRoots(loop)) {
      if (slowest_ == 0.0 || -root.real() < slowest_) slowest_ = -root.real();
      if (std::isfinite(std::abs(root))) fastest_ = std::max(fastest_, std::abs(root));
    }
  }

  bool hasEnd() const { return slowest_ > kNoDecay * fastest_ && last_.allFinite(); }

  // The grid ends a little after the last of the outputs has settled.
  std::vector<StepFigures> calc(int input, const std::vector<int>& outputs) const {
    double end = kDecays / slowest_;
    std::vector<StepFigures> figures;
    for (int round = 0; round < kMostRounds; ++round) {
      const Course course = follow(input, end);
      figures.clear();
      double settled = 0.0;
      for (const int output : outputs) {
        figures.push_back(measure(course, input, output));
        settled = std::max(settled, figures.back().settling);
      }
      const double next = kAfter * std::max(settled, 2.0 * course.step);
      if (next > 0.5 * end || (loop_.sample && course.step <= *loop_.sample)) break;
      end = next;
    }
    return figures;
  }

 private:
  Course follow(int input, double end) const {
    Course course;
    StateMatrices step = loop_.closed;
    int count = kIntervals;
    if (loop_.sample) {
      const auto every = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(std::floor(end / *loop_.sample / count)));
      course.step = static_cast<double>(every) * *loop_.sample;
      count = std::min(count, static_cast<int>(std::ceil(end / course.step)));
      step = skip(step, every);
    } else {
      course.step = end / count;
      step = linalg::discretizeHeld(step, course.step);
    }
    course.values.resize(step.C.rows(), count + 1);
    VectorXd x = VectorXd::Zero(step.A.rows());
    const VectorXd b = step.B.col(input), d = step.D.col(input);
    for (int i = 0; i <= count; ++i) {
      course.values.col(i) = step.C * x + d;
      x = (step.A * x + b).eval();
    }
    return course;
  }

  // The same system seen at every k-th instant only, with inputs that do not change.
  static StateMatrices skip(StateMatrices s, std::int64_t k) {
    StateMatrices result = s;
    result.A.setIdentity();
    result.B.setZero();
    for (; k > 0; k /= 2) {
      if (k % 2 == 1) {
        result.B = (s.A * result.B + s.B).eval();
        result.A = (s.A * result.A).eval();
      }
      s.B = (s.A * s.B + s.B).eval();
      s.A = (s.A * s.A).eval();
    }
    return result;
  }

  StepFigures measure(const Course& course, int input, int output) const {
    StepFigures f{input, output, last_(output, input)};
    const Index count = course.values.cols();
    for (Index i = 0; i < count; ++i) {
      f.time.push_back(static_cast<double>(i) * course.step);
      f.value.push_back(course.values(output, i));
      if (std::abs(f.value.back()) > std::abs(f.peak)) {
        f.peak = f.value.back();
        f.peakTime = f.time.back();
      }
    }
    if (std::abs(f.last) <= kAtZero * std::abs(f.peak)) f.last = 0.0;
    const double band = kBand * std::abs(f.last != 0.0 ? f.last : f.peak);
    for (Index i = count; i-- > 0;) {
      if (std::abs(f.value[i] - f.last) <= band) continue;
      f.settling = f.time[std::min(i + 1, count - 1)];
      break;
    }
    return f;
  }

  const ControlLoop& loop_;
  MatrixXd last_;
  double slowest_ = 0.0;  // decay of the slowest root [1/s]
  double fastest_ = 0.0;
};

}  // namespace

std::vector<StepFigures> calcSteps(const ControlLoop& loop) {
  std::vector<StepFigures> all;
  const Stepper stepper(loop);
  if (!stepper.hasEnd()) return all;
  std::vector<int> outputs(loop.closed.C.rows());
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = static_cast<int>(i);
  const auto add = [&](int input, const std::vector<int>& seen) {
    std::vector<StepFigures> figures = stepper.calc(input, seen);
    std::move(figures.begin(), figures.end(), std::back_inserter(all));
  };
  for (int i = 0; i < loop.controls; ++i) add(i, outputs);
  for (int i = 0; i < loop.measured; ++i) add(loop.controls + i, {i});
  return all;
}

}  // namespace flexloop::analysis
