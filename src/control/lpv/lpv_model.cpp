#include "control/lpv/lpv_model.hpp"

#include "base/text_format.hpp"
#include "linalg/dense/dense_lu.hpp"

namespace flexloop::control {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd calcSlopes(const std::vector<double>& x, const MatrixXd& y) {
  const Index n = std::ssize(x);
  const auto h = [&](Index i) { return x[i + 1] - x[i]; };
  const auto s = [&](Index i) { return ((y.row(i + 1) - y.row(i)) / h(i)).eval(); };
  MatrixXd slopes(n, y.cols());
  if (n == 2) {
    slopes.rowwise() = s(0);
    return slopes;
  }
  MatrixXd system = MatrixXd::Zero(n, n), right = MatrixXd::Zero(n, y.cols());
  for (Index i = 1; i + 1 < n; ++i) {
    system(i, i - 1) = 1.0 / h(i - 1);
    system(i, i) = 2.0 / h(i - 1) + 2.0 / h(i);
    system(i, i + 1) = 1.0 / h(i);
    right.row(i) = 3.0 * (s(i - 1) / h(i - 1) + s(i) / h(i));
  }
  // The third derivative is (d_i + d_{i+1} − 2 s_i)/h_i², equal in the two intervals at each end. With three points both
  // conditions are one: no third derivative.
  const auto addEnd = [&](Index row, Index a, Index b) {
    const double ha = h(a) * h(a), hb = n == 3 ? 0.0 : h(b) * h(b);
    system(row, a) += 1.0 / ha;
    system(row, a + 1) += 1.0 / ha;
    right.row(row) += 2.0 * s(a) / ha;
    if (n == 3) return;
    system(row, b) -= 1.0 / hb;
    system(row, b + 1) -= 1.0 / hb;
    right.row(row) -= 2.0 * s(b) / hb;
  };
  addEnd(0, 0, 1);
  addEnd(n - 1, n - 2, n - 3);
  for (Index i = 0; i < n; ++i) {
    const double size = system.row(i).cwiseAbs().maxCoeff();
    system.row(i) /= size;
    right.row(i) /= size;
  }
  return linalg::solveDense(system, right);
}

namespace {

// The slopes along one axis, at all points of the grid.
LpvRows calcSlopesAlong(const std::vector<LpvAxis>& axes, std::size_t axis, const LpvRows& values) {
  Index inner = 1, outer = 1;
  for (std::size_t d = 0; d < axis; ++d) outer *= std::ssize(axes[d].points);
  for (std::size_t d = axis + 1; d < axes.size(); ++d) inner *= std::ssize(axes[d].points);
  const Index n = std::ssize(axes[axis].points), size = values.cols();
  MatrixXd lines(n, outer * inner * size);
  const auto forAll = [&](const auto& use) {
    for (Index o = 0; o < outer; ++o) {
      for (Index i = 0; i < inner; ++i) {
        for (Index k = 0; k < n; ++k) use((o * n + k) * inner + i, k, (o * inner + i) * size);
      }
    }
  };
  forAll([&](Index row, Index k, Index column) {
    lines.row(k).segment(column, size) = values.row(row);
  });
  const MatrixXd slopes = calcSlopes(axes[axis].points, lines);
  LpvRows result(values.rows(), size);
  forAll([&](Index row, Index k, Index column) {
    result.row(row) = slopes.row(k).segment(column, size);
  });
  return result;
}

}  // namespace

std::vector<LpvRows> makeSets(const std::vector<LpvAxis>& axes, const LpvRows& values,
                              bool isCubic) {
  std::vector<LpvRows> sets{values};
  if (!isCubic) return sets;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const std::size_t known = sets.size();
    for (std::size_t set = 0; set < known; ++set) {
      sets.push_back(calcSlopesAlong(axes, d, sets[set]));
    }
  }
  return sets;
}

std::vector<Axis> makeLookupAxes(const LpvModel& model) {
  std::vector<Axis> axes;
  for (const LpvAxis& axis : model.axes) {
    axes.emplace_back(axis.points, model.isCubic, Axis::Extrapolation::kHold);
  }
  return axes;
}

std::string namePoint(const LpvModel& model, const std::vector<double>& p) {
  std::string text;
  for (std::size_t d = 0; d < p.size(); ++d) {
    text += (d > 0 ? ", " : "") + model.axes[d].name + " = " + base::numberText(p[d]);
  }
  return text;
}

linalg::StateMatrices evaluate(const LpvModel& model, double p) {
  return evaluate(model, std::vector<double>{p});
}

linalg::StateMatrices evaluate(const LpvModel& model, const std::vector<double>& p) {
  const LpvLayout& at = model.layout;
  const LpvCoefficients<double> c(model, makeLookupAxes(model), p.data());
  const int q = at.pairs, r = at.others, n = at.states();
  linalg::StateMatrices s{MatrixXd::Zero(n, n), MatrixXd(n, at.inputs), MatrixXd(at.outputs, n),
                          MatrixXd(at.outputs, at.inputs)};
  MatrixXd K(q, q);
  for (int i = 0; i < q; ++i) {
    s.A(i, q + i) = 1.0;
    for (int k = 0; k < q; ++k) {
      K(i, k) = c[at.stiffness(i, k)];
      s.A(q + i, q + k) = -c[at.damping(i, k)];
    }
  }
  if (model.isRooted) K = (K * K).eval();
  s.A.block(q, 0, q, q) = -K;
  for (int i = 0; i < r; ++i) {
    for (int k = 0; k < r; ++k) s.A(2 * q + i, 2 * q + k) = c[at.other(i, k)];
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < at.inputs; ++k) s.B(i, k) = c[at.input(i, k)];
  }
  for (int i = 0; i < at.outputs; ++i) {
    for (int k = 0; k < n; ++k) s.C(i, k) = c[at.output(i, k)];
    for (int k = 0; k < at.inputs; ++k) s.D(i, k) = c[at.direct(i, k)];
  }
  return s;
}

std::vector<MatrixXd> evaluateRateTerms(const LpvModel& model, const std::vector<double>& p) {
  const LpvLayout& at = model.layout;
  const LpvCoefficients<double> c(model, makeLookupAxes(model), p.data());
  std::vector<MatrixXd> terms;
  for (int d = 0; d < at.rates; ++d) {
    MatrixXd N = MatrixXd::Zero(at.states(), at.states());
    for (int i = 0; i < at.pairs; ++i) {
      for (int k = 0; k < at.pairs; ++k) {
        N(i, k) = N(at.pairs + i, at.pairs + k) = -c[at.rate(d, i, k)];
      }
    }
    terms.push_back(std::move(N));
  }
  return terms;
}

}  // namespace flexloop::control
