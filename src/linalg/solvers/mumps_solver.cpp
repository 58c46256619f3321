#include "linalg/solvers/mumps_solver.hpp"

#include <vector>

#include "linalg/solvers/mumps_library.hpp"

namespace flexloop::linalg {
namespace {

constexpr int kMaxWorkspacePercent = 1000;

// One-based control parameter, as numbered in the MUMPS guide.
int& control(DMUMPS_STRUC_C& id, int k) {
  return id.icntl[k - 1];
}

enum class Symmetry { kNone, kIndefinite };

class MumpsSolver final : public SparseSolver {
 public:
  explicit MumpsSolver(const SparseMatrix& pattern, Symmetry symmetry = Symmetry::kNone) {
    id_.job = kMumpsInit;
    id_.par = 1;
    id_.sym = symmetry == Symmetry::kIndefinite ? 2 : 0;
    id_.comm_fortran = kMumpsCommWorld;
    callMumps(id_);
    for (const int silent : {1, 2, 3}) control(id_, silent) = -1;
    control(id_, 4) = 0;
    control(id_, 14) = 50;  // saddle points need more workspace than the analysis foresees
    for (int column = 0; column < pattern.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(pattern, column); it; ++it) {
        if (symmetry == Symmetry::kIndefinite && it.row() < column) continue;
        rows_.push_back(static_cast<int>(it.row()) + 1);
        columns_.push_back(column + 1);
      }
    }
    values_.resize(rows_.size());
    id_.n = static_cast<int>(pattern.rows());
    id_.nnz = static_cast<MUMPS_INT8>(rows_.size());
    id_.irn = rows_.data();
    id_.jcn = columns_.data();
    id_.a = values_.data();
  }

  ~MumpsSolver() override {
    id_.job = kMumpsEnd;
    callMumps(id_);
  }

  MumpsSolver(const MumpsSolver&) = delete;
  MumpsSolver& operator=(const MumpsSolver&) = delete;

  FactorReport factorize(const SparseMatrix& matrix) override {
    values_.assign(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros());
    return factorizeValues();
  }

  // Of the lower triangle.
  std::optional<int> countNegative(const SparseMatrix& matrix) {
    values_.clear();
    for (int column = 0; column < matrix.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
        if (it.row() >= column) values_.push_back(it.value());
      }
    }
    if (!factorizeValues().ok) return std::nullopt;
    return id_.infog[11];
  }

  void solve(Eigen::Ref<Eigen::VectorXd> x) override {
    id_.rhs = x.data();
    run(kMumpsSolve);
  }

  std::string name() const override { return "MUMPS"; }

 private:
  FactorReport factorizeValues() {
    id_.a = values_.data();
    // The analysis sees the first values: its scaling and matching need them.
    const bool isFirst = !analyzed_;
    if (isFirst && !run(kMumpsAnalyze)) return {false, -1, 0.0};
    analyzed_ = true;
    while (!run(kMumpsFactorize)) {
      const bool retry =
          id_.infog[0] == kMumpsWorkspaceTooSmall && control(id_, 14) < kMaxWorkspacePercent;
      if (!retry) return {false, -1, 0.0};
      control(id_, 14) *= 2;
    }
    return {id_.infog[0] != kMumpsSingular, -1, 1.0, isFirst};
  }

  bool run(int job) {
    id_.job = job;
    callMumps(id_);
    return id_.infog[0] >= 0;
  }

  DMUMPS_STRUC_C id_{};
  std::vector<int> rows_, columns_;
  std::vector<double> values_;
  bool analyzed_ = false;
};

}  // namespace

std::unique_ptr<SparseSolver> makeMumpsSolver(const SparseMatrix& pattern) {
  return std::make_unique<MumpsSolver>(pattern);
}

std::optional<int> countNegativePivots(const SparseMatrix& matrix) {
  return MumpsSolver(matrix, Symmetry::kIndefinite).countNegative(matrix);
}

}  // namespace flexloop::linalg
