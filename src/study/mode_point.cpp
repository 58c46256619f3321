#include "study/mode_point.hpp"

#include <cmath>

#include <Eigen/SparseCholesky>

#include "analysis/operating_point.hpp"
#include "base/diagnostics.hpp"
#include "linalg/root_polish.hpp"

namespace flexloop::study {
namespace {

using Complex = std::complex<double>;
using linalg::SparseMatrix;

constexpr double kRepeated = 1e-7;  // distance of roots by their size
// Below this half distance of roots times the delay, three terms of a series are exact to the last digit.
constexpr double kNearlySame = 0.01;

// Mistakes without their places, which are those of the settings: one line.
std::string shorten(const base::Diagnostics& mistakes) {
  std::string text;
  for (const base::Diagnostic& mistake : mistakes.errors()) {
    text += (text.empty() ? "" : "; ") + mistake.message;
  }
  return text;
}

// Unknowns of a pencil from increments of the system: the least squares of shape = expansion · z.
class ShapeReader {
 public:
  explicit ShapeReader(const SparseMatrix& expansion) : rows_(expansion.transpose()) {
    SparseMatrix normal = rows_ * expansion;
    // Multipliers that hold freedoms are no unknowns of the system.
    SparseMatrix held(normal.rows(), normal.cols());
    for (int i = 0; i < normal.cols(); ++i) {
      if (normal.coeff(i, i) == 0.0) held.insert(i, i) = 1.0;
    }
    normal += held;
    solver_.compute(normal);
  }

  Eigen::VectorXcd read(const Eigen::VectorXcd& shape) const {
    Eigen::VectorXcd z(rows_.rows());
    z.real() = solver_.solve(rows_ * shape.real());
    z.imag() = solver_.solve(rows_ * shape.imag());
    return z;
  }

 private:
  SparseMatrix rows_;
  Eigen::SimplicialLDLT<SparseMatrix> solver_;
};

void addSlope(const analysis::LinearModel& linear, Complex s, RootVectors& vectors) {
  const Eigen::VectorXcd &w = vectors.left, &z = vectors.right;
  vectors.slope = (w.transpose() * applySlope(linear, s, z)).value();
  const linalg::QuadraticPencil& pencil = linear.pencil;
  const Eigen::VectorXd size = z.cwiseAbs();
  vectors.slopeScale = w.cwiseAbs().dot(pencil.C.cwiseAbs() * size +
                                        2.0 * std::abs(s) * (pencil.M.cwiseAbs() * size));
  for (const linalg::DelayTerm& term : linear.delays) {
    vectors.slopeScale += std::abs(w[term.row] * term.factor * term.delay *
                                   std::exp(-s * term.delay) * z[term.column]);
  }
}

// (e^{−aτ} − e^{−bτ})/(a − b), also where a and b are nearly the same.
Complex divideDifference(Complex a, Complex b, double delay) {
  const Complex x = 0.5 * delay * (a - b);
  if (std::abs(x) > kNearlySame) return (std::exp(-a * delay) - std::exp(-b * delay)) / (a - b);
  const Complex square = x * x;
  const Complex series = 1.0 + square / 6.0 * (1.0 + square / 20.0);  // sinh(x)/x
  return -delay * std::exp(-0.5 * delay * (a + b)) * series;
}

std::vector<RootVectors> findVectors(const ModePoint& point) {
  const ShapeReader reader(point.linear.expansion);
  linalg::RootPolish polish(point.linear.pencil, point.linear.delays);
  std::vector<RootVectors> all;
  for (const analysis::Mode& mode : point.modes) {
    linalg::Eigenpair pair{mode.eigenvalue, reader.read(mode.shape), mode.residual};
    pair.vector.normalize();
    polish.improve(pair);
    RootVectors vectors{pair.vector, polish.findLeftVector(pair), 0.0, 0.0};
    addSlope(point.linear, mode.eigenvalue, vectors);
    all.push_back(std::move(vectors));
  }
  return all;
}

enum class Want { kPencil, kModes };

void analyze(const model::Model& model, const ModeTask& task, Want want, ModePoint& point) {
  const analysis::OperatingState at =
      analysis::findOperatingPoint(model, task.about.value_or(model.modes().about));
  if (!at.ok) {
    point.trouble = at.trouble;
    point.hint = at.hint;
    return;
  }
  system::Assembler assembler(model.system());
  point.linear = analysis::linearize(model, assembler, at.state, task.options.view);
  if (want == Want::kModes) {
    analysis::ModeResult result = analysis::findModes(model, at.state, task.options);
    point.trouble = result.trouble;
    point.hint = result.hint;
    if (!result.ok) return;
    point.modes = std::move(result.modes);
    point.isSampled = result.sampled.has_value();
    if (!point.isSampled) point.vectors = findVectors(point);
  }
  point.ok = true;
}

ModePoint analyzeAt(const ModelMaker& maker, const Settings& settings, const ModeTask& task,
                    Want want) {
  ModePoint point;
  try {
    analyze(maker(settings), task, want, point);
  } catch (const base::InputError& error) {
    point.trouble = shorten(error.diagnostics());
  }
  return point;
}

}  // namespace

ModePoint linearizeAt(const ModelMaker& maker, const Settings& settings, const ModeTask& task) {
  return analyzeAt(maker, settings, task, Want::kPencil);
}

ModePoint findModesAt(const ModelMaker& maker, const Settings& settings, const ModeTask& task) {
  return analyzeAt(maker, settings, task, Want::kModes);
}

Eigen::MatrixXcd applyPencil(const analysis::LinearModel& linear, Complex s,
                             const Eigen::MatrixXcd& columns) {
  Eigen::MatrixXcd result(columns.rows(), columns.cols());
  for (Eigen::Index i = 0; i < columns.cols(); ++i) {
    result.col(i) = linalg::apply(linear.pencil, linear.delays, s, columns.col(i));
  }
  return result;
}

Eigen::MatrixXcd applySlope(const analysis::LinearModel& linear, Complex s,
                            const Eigen::MatrixXcd& columns) {
  Eigen::MatrixXcd result(columns.rows(), columns.cols());
  for (Eigen::Index i = 0; i < columns.cols(); ++i) {
    result.col(i) = linalg::applyDerivative(linear.pencil, linear.delays, s, columns.col(i));
  }
  return result;
}

Complex calcProduct(const analysis::LinearModel& linear, Complex a, Complex b,
                    const Eigen::VectorXcd& left, const Eigen::VectorXcd& right) {
  const linalg::QuadraticPencil& p = linear.pencil;
  Complex product = (left.transpose() * (p.C * right + (a + b) * (p.M * right))).value();
  for (const linalg::DelayTerm& term : linear.delays) {
    product +=
        left[term.row] * term.factor * divideDifference(a, b, term.delay) * right[term.column];
  }
  return product;
}

bool haveSameUnknowns(const analysis::LinearModel& a, const analysis::LinearModel& b) {
  return a.unknowns == b.unknowns && a.expansion.rows() == b.expansion.rows();
}

bool areRepeated(Complex a, Complex b) {
  return std::abs(a - b) <= kRepeated * std::max(std::abs(a), std::abs(b));
}

}  // namespace flexloop::study
