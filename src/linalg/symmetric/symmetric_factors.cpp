#include "linalg/symmetric/symmetric_factors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <type_traits>

#include "base/text_format.hpp"
#include "linalg/solvers/mumps_library.hpp"
#include "linalg/solvers/mumps_team.hpp"
#include "linalg/symmetric/nested_dissection.hpp"

namespace flexloop::linalg {
namespace {

constexpr double kMegabyte = 1048576.0;
constexpr int kFirstWorkspace = 10, kMaxWorkspace = 2000;  // percent above the estimate
// A pivot below this share of the scaled matrix is rounding: cancellation leaves a few ulps.
constexpr double kNullPivot = 1e-14;
constexpr int kMaxRefinements = 40;
constexpr double kRefined = 1e-13;  // share of the right-hand side that a refined solution leaves
constexpr double kLeastProgress = 0.5;

enum class Outcome { kDone, kNoMemory, kFailed };

}  // namespace

// What both precisions have in common.
class SymmetricFactors::Factors {
 public:
  virtual ~Factors() = default;
  virtual double solve(Eigen::Ref<Eigen::MatrixXd> X) = 0;
};

namespace {

template <class Scalar>
class MumpsFactors final : public SymmetricFactors::Factors {
  using Id = std::conditional_t<std::is_same_v<Scalar, double>, DMUMPS_STRUC_C, SMUMPS_STRUC_C>;

 public:
  MumpsFactors(const SparseMatrix& lower, const std::vector<int>& positions,
               const SymmetricOptions& options)
      : threads_(options.threads), refines_(options.refine) {
    id_.job = kMumpsInit;
    id_.par = 1;
    id_.sym =
        2;  // without pivots off the diagonal it would be no faster, and would not list null pivots
    id_.comm_fortran = kMumpsCommWorld;
    callMumps(id_);
    for (const int silent : {1, 2, 3}) control(silent) = -1;
    control(4) = 0;
    control(7) = 1;                       // the order is given
    control(12) = 1;                      // and is not changed for 2×2 pivots
    if (teamSize() > 1) control(13) = 1;  // signs of all pivots are known, also of the last front
    control(14) = kFirstWorkspace;
    control(24) = 1;  // null pivots are listed
    id_.cntl[2] = static_cast<Scalar>(
        std::max(kNullPivot, 4.0 * static_cast<double>(std::numeric_limits<Scalar>::epsilon())));
    readEntries(lower);
    order_.resize(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) order_[i] = positions[i] + 1;
    id_.n = static_cast<int>(lower.rows());
    id_.nnz = static_cast<MUMPS_INT8>(rows_.size());
    id_.irn = rows_.data();
    id_.jcn = columns_.data();
    id_.a = values_.data();
    id_.perm_in = order_.data();
  }
  ~MumpsFactors() override {
    id_.job = kMumpsEnd;
    callMumps(id_);
  }
  MumpsFactors(const MumpsFactors&) = delete;
  MumpsFactors& operator=(const MumpsFactors&) = delete;

  bool analyze() { return run(kMumpsAnalyze); }
  // On this computer.
  double estimatedBytes() const { return kMegabyte * id_.infog[15] * teamSizeHere(); }
  int status() const { return id_.infog[0]; }

  Outcome factorize(bool onDisk) {
    if (onDisk) {
      control(22) = 1;
      const std::string folder = std::filesystem::temp_directory_path().string();
      const std::size_t length = folder.copy(id_.ooc_tmpdir, sizeof id_.ooc_tmpdir - 1);
      id_.ooc_tmpdir[length] = 0;
    }
    const BlasThreads threads(threads_);
    while (!run(kMumpsFactorize)) {
      const bool tooSmall = status() == kMumpsWorkspaceTooSmall || status() == kMumpsIntegersTooFew;
      if (!tooSmall)
        return status() == -13 || status() == -19 ? Outcome::kNoMemory : Outcome::kFailed;
      if (control(14) >= kMaxWorkspace) return Outcome::kFailed;
      control(14) *= 2;
    }
    return Outcome::kDone;
  }

  void describe(SymmetricReport& report) const {
    report.negativePivots = id_.infog[11];
    report.entries = id_.infog[28] < 0 ? -1e6 * id_.infog[28] : id_.infog[28];
    report.nullRows.clear();
    for (int i = 0; i < id_.infog[27]; ++i) report.nullRows.push_back(id_.pivnul_list[i] - 1);
    std::sort(report.nullRows.begin(), report.nullRows.end());
  }

  // Single-precision factors need the matrix again, for residuals.
  void keep(SparseMatrix lower) { matrix_.swap(lower); }
  void forgetEntries() {
    rows_ = {};
    columns_ = {};
    values_ = {};
    order_ = {};
  }

  double solve(Eigen::Ref<Eigen::MatrixXd> X) override {
    const BlasThreads threads(threads_);
    if constexpr (std::is_same_v<Scalar, double>) {
      runSolve(X.data(), X.cols(), X.outerStride());
      return 0.0;
    } else {
      return solveRefined(X);
    }
  }

 private:
  int& control(int k) { return id_.icntl[k - 1]; }

  bool run(int job) {
    id_.job = job;
    callMumps(id_);
    return id_.infog[0] >= 0;
  }

  void readEntries(const SparseMatrix& lower) {
    rows_.reserve(lower.nonZeros());
    columns_.reserve(lower.nonZeros());
    values_.reserve(lower.nonZeros());
    for (int column = 0; column < lower.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(lower, column); it; ++it) {
        if (it.row() < column) continue;
        rows_.push_back(static_cast<int>(it.row()) + 1);
        columns_.push_back(column + 1);
        values_.push_back(static_cast<Scalar>(it.value()));
      }
    }
  }

  void runSolve(Scalar* data, Eigen::Index columns, Eigen::Index stride) {
    id_.rhs = data;
    id_.nrhs = static_cast<int>(columns);
    id_.lrhs = static_cast<int>(stride);
    run(kMumpsSolve);
  }

  // Each column is scaled to the range of single precision. X ← X + A₁⁻¹ (B − A X) until the residual no longer falls.
  double solveRefined(Eigen::Ref<Eigen::MatrixXd> X) {
    const Eigen::MatrixXd B = X;
    const Eigen::RowVectorXd sizes = B.colwise().norm();
    Eigen::MatrixXd residual = B, best = Eigen::MatrixXd::Zero(B.rows(), B.cols());
    X.setZero();
    double left = 1.0;
    for (int pass = 0; pass < kMaxRefinements; ++pass) {
      Eigen::RowVectorXd scale = residual.colwise().norm();
      for (double& s : scale) s = s > 0.0 ? s : 1.0;
      Eigen::MatrixXf correction =
          (residual.array().rowwise() / scale.array()).matrix().template cast<float>();
      runSolve(correction.data(), correction.cols(), correction.outerStride());
      X += (correction.template cast<double>().array().rowwise() * scale.array()).matrix();
      if (!refines_) return 0.0;
      residual = B - multiplySymmetric(matrix_, X);
      double share = 0.0;
      for (Eigen::Index j = 0; j < B.cols(); ++j) {
        if (sizes[j] > 0.0) share = std::max(share, residual.col(j).norm() / sizes[j]);
      }
      if (!(share < left)) break;
      best = X;
      const bool isSlow = share > kLeastProgress * left;
      left = share;
      if (left < kRefined || isSlow) break;
    }
    X = best;
    return left;
  }

  Id id_{};
  int threads_;
  bool refines_;
  std::vector<int> rows_, columns_, order_;
  std::vector<Scalar> values_;
  SparseMatrix matrix_;
};

base::Failure noMemory(double bytes) {
  return {base::formatText("the factors of the stiffness matrix need %.1f GB, which is not there",
                           bytes / 1e9),
          "use a coarser mesh, or a machine with more memory", base::FailureKind::kOther};
}

FactorStore chooseStore(const SymmetricOptions& options, double bytes) {
  if (options.store == FactorStore::kSingle && !options.allowSingle) return FactorStore::kDisk;
  if (options.store != FactorStore::kAutomatic) return options.store;
  const double limit = options.memory > 0.0 ? options.memory : availableMemory();
  if (bytes <= limit) return FactorStore::kDouble;
  return options.allowSingle && 0.5 * bytes <= limit ? FactorStore::kSingle : FactorStore::kDisk;
}

}  // namespace

SymmetricFactors::SymmetricFactors() = default;
SymmetricFactors::~SymmetricFactors() = default;
SymmetricFactors::SymmetricFactors(SymmetricFactors&&) noexcept = default;
SymmetricFactors& SymmetricFactors::operator=(SymmetricFactors&&) noexcept = default;

std::optional<base::Failure> SymmetricFactors::factorize(SparseMatrix lower,
                                                         const SymmetricOptions& options) {
  factors_.reset();
  report_ = {};
  if (lower.rows() == 0) return std::nullopt;
  const std::vector<int> positions = makeNestedDissection(lower);
  auto factors = std::make_unique<MumpsFactors<double>>(lower, positions, options);
  if (!factors->analyze()) {
    return base::Failure{
        base::formatText("MUMPS cannot analyse the matrix (%d)", factors->status()),
        {},
        base::FailureKind::kOther};
  }
  report_.estimatedBytes = factors->estimatedBytes();
  report_.store = chooseStore(options, report_.estimatedBytes);
  if (report_.store == FactorStore::kSingle) {
    factors.reset();
    auto single = std::make_unique<MumpsFactors<float>>(lower, positions, options);
    if (!single->analyze() || single->factorize(false) != Outcome::kDone)
      return noMemory(0.5 * report_.estimatedBytes);
    single->describe(report_);
    single->forgetEntries();
    if (options.refine) single->keep(std::move(lower));
    factors_ = std::move(single);
    return std::nullopt;
  }
  SparseMatrix().swap(lower);
  const Outcome outcome = factors->factorize(report_.store == FactorStore::kDisk);
  if (outcome == Outcome::kNoMemory) return noMemory(report_.estimatedBytes);
  if (outcome == Outcome::kFailed && factors->status() != kMumpsSingular) {
    return base::Failure{
        base::formatText("MUMPS cannot factorise the matrix (%d)", factors->status()),
        {},
        base::FailureKind::kOther};
  }
  factors->describe(report_);
  factors->forgetEntries();
  factors_ = std::move(factors);
  return std::nullopt;
}

double SymmetricFactors::solve(Eigen::Ref<Eigen::MatrixXd> X) const {
  return factors_ == nullptr || X.cols() == 0 ? 0.0 : factors_->solve(X);
}

void SymmetricFactors::reset() {
  factors_.reset();
}

double availableMemory() {
  double bytes = std::numeric_limits<double>::infinity();
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("MemAvailable:", 0) == 0)
      bytes = 1024.0 * std::strtod(line.c_str() + 13, nullptr);
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
  // What the caller and other programs still need.
  constexpr double kShare = 0.9;
  return kShare * bytes;
}

}  // namespace flexloop::linalg
