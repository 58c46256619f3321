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

void addSlope(const linalg::QuadraticPencil& pencil, Complex s, RootVectors& vectors) {
  const Eigen::VectorXcd &w = vectors.left, &z = vectors.right;
  vectors.slope = (w.transpose() * (pencil.C * z + 2.0 * s * (pencil.M * z))).value();
  const Eigen::VectorXd size = z.cwiseAbs();
  vectors.slopeScale = w.cwiseAbs().dot(pencil.C.cwiseAbs() * size +
                                        2.0 * std::abs(s) * (pencil.M.cwiseAbs() * size));
}

std::vector<RootVectors> findVectors(const ModePoint& point) {
  const ShapeReader reader(point.linear.expansion);
  linalg::RootPolish polish(point.linear.pencil);
  std::vector<RootVectors> all;
  for (const analysis::Mode& mode : point.modes) {
    linalg::Eigenpair pair{mode.eigenvalue, reader.read(mode.shape), mode.residual};
    pair.vector.normalize();
    polish.improve(pair);
    RootVectors vectors{pair.vector, polish.findLeftVector(pair), 0.0, 0.0};
    addSlope(point.linear.pencil, mode.eigenvalue, vectors);
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
    point.vectors = findVectors(point);
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

Complex calcForm(const linalg::QuadraticPencil& pencil, Complex s, const Eigen::VectorXcd& left,
                 const Eigen::VectorXcd& right) {
  const Eigen::VectorXcd sum =
      pencil.K * right + s * (pencil.C * right) + s * s * (pencil.M * right);
  return (left.transpose() * sum).value();
}

bool haveSameUnknowns(const analysis::LinearModel& a, const analysis::LinearModel& b) {
  return a.unknowns == b.unknowns && a.expansion.rows() == b.expansion.rows();
}

bool areRepeated(Complex a, Complex b) {
  return std::abs(a - b) <= kRepeated * std::max(std::abs(a), std::abs(b));
}

}  // namespace flexloop::study
