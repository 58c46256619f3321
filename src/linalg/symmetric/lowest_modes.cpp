#include "linalg/symmetric/lowest_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/dense/eigenvalues.hpp"
#include "linalg/symmetric/block_lanczos.hpp"

namespace flexloop::linalg {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kGap = 1e-4;  // between neighbours, relative, that leaves room for a check
constexpr int kMaxSteps = 2000;
constexpr int kMaxChecks = 5;
constexpr int kIndefiniteSteps = 16;
constexpr double kStrong =
    0.1;  // share of the terms that the energy of a strongly negative mode has
// Shift, as a share of the stiffest unknown by itself: least and where nothing else is known. Rounding of rigid motions is
// 1e-15 to 1e-14 of it.
constexpr double kLeastShift = 1e-11, kBlindShift = 1e-8;
constexpr double kNudge = 1e-9;       // of a limit that is an eigenvalue
constexpr double kShiftShare = 0.01;  // of the lowest eigenvalue
constexpr double kFarShift =
    30.0;  // shifts further away than this times the last eigenvalue are moved
// φᵀKφ is zero where the terms of the sum cancel to this share.
constexpr double kZeroShare = 1e3 * std::numeric_limits<double>::epsilon();

class ModeSearch {
 public:
  ModeSearch(const SparseMatrix& K, const SparseMatrix& M, int multipliers,
             const ModeRequest& request, const Progress& progress)
      : K_(K), M_(M), multipliers_(multipliers), request_(request), progress_(progress) {}

  LowestModes run() {
    need_ = request_.count;
    found_.vectors.resize(K_.rows(), 0);
    const bool done = chooseShift() && factorize() && iterate();
    if (done && found_.status == ModesStatus::kFound) finish();
    return std::move(found_);
  }

 private:
  bool fail(ModesStatus status) {
    found_.status = status;
    return false;
  }
  bool fail(const base::Failure& failure) {
    found_.failure = failure;
    return fail(ModesStatus::kFailed);
  }
  bool report(double fraction, const char* what) {
    return !progress_ || progress_(fraction, what) || fail(ModesStatus::kStopped);
  }

  bool chooseShift() {
    const VectorXd k = K_.diagonal(), m = M_.diagonal();
    double stiffest = 0.0;
    for (Eigen::Index i = 0; i < k.size(); ++i) {
      if (m[i] > 0.0) stiffest = std::max(stiffest, std::abs(k[i]) / m[i]);
    }
    least_ = kLeastShift * stiffest;
    found_.shift = request_.scale > 0.0 ? -std::max(least_, kShiftShare * request_.scale)
                                        : -kBlindShift * stiffest;
    if (stiffest > 0.0) return true;
    // No unknown has both: there are no modes.
    found_.verified = true;
    return false;
  }

  // With the shift at a limit the factors tell how many modes are below it: these are all modes of one end of the spectrum of
  // the inverse, and no check is needed.
  bool factorizeAtLimit() {
    if (!report(0.05, "factorising the stiffness")) return false;
    sign_ = -1.0;
    SymmetricOptions options = request_.factors;
    options.allowSingle = false;  // signs need the digits
    for (const double nudge : {0.0, kNudge}) {
      found_.shift = *request_.below * (1.0 + nudge);
      if (auto failure = factors_.factorize(shiftMatrix(K_, M_, found_.shift), options))
        return fail(*failure);
      if (factors_.report().nullRows.empty()) break;
    }
    if (!factors_.report().nullRows.empty()) {
      found_.unknown = factors_.report().nullRows.front();
      return fail(ModesStatus::kSingular);
    }
    found_.total = factors_.report().negativePivots - multipliers_;
    found_.verified = true;
    if (found_.total > request_.count) return fail(ModesStatus::kTooMany);
    need_ = found_.total;
    return true;
  }

  bool factorize() {
    if (request_.below) return factorizeAtLimit();
    if (need_ <= 0) return true;
    if (!report(0.05, "factorising the stiffness")) return false;
    factors_.reset();
    if (auto failure = factors_.factorize(shiftMatrix(K_, M_, found_.shift), request_.factors))
      return fail(*failure);
    if (!factors_.report().nullRows.empty()) {
      found_.unknown = factors_.report().nullRows.front();
      return fail(ModesStatus::kSingular);
    }
    if (factors_.report().negativePivots > multipliers_) return nameIndefinite();
    return true;
  }

  BlockLanczos::Solve solver() {
    return [this](MatrixXd& X) {
      found_.solves += static_cast<int>(X.cols());
      factors_.solve(X);
      X *= sign_;
    };
  }

  // The unknown with the largest negative share of the energy of a mode below zero. Far below, it is the first that the
  // stiffness itself shows, scaled by its diagonal; near zero it is next to the shift.
  bool nameIndefinite() {
    VectorXd scale = K_.diagonal().cwiseAbs();
    for (double& s : scale) s = s > 0.0 ? 1.0 / std::sqrt(s) : 0.0;
    SparseMatrix identity(K_.rows(), K_.rows());
    identity.setIdentity();
    const auto negative = [&](MatrixXd& X) {
      X = -(scale.asDiagonal() * multiplySymmetric(K_, scale.asDiagonal() * X)).eval();
    };
    const VectorXd strong = scale.asDiagonal() * findExtreme(identity, negative, true);
    found_.unknown = findWorst(strong, -kStrong);
    if (found_.unknown < 0) found_.unknown = findWorst(findExtreme(M_, solver(), false), 0.0);
    return fail(ModesStatus::kIndefinite);
  }

  // The Ritz vector of the largest or of the smallest value.
  static VectorXd findExtreme(const SparseMatrix& M, BlockLanczos::Solve operation, bool largest) {
    BlockLanczos lanczos(M, std::move(operation), 2, 2 * kIndefiniteSteps + 2);
    bool goesOn = lanczos.start();
    for (int step = 0; step < kIndefiniteSteps && goesOn; ++step) goesOn = lanczos.extend();
    BlockLanczos::Ritz ritz = lanczos.ritz();
    if (ritz.values.size() == 0) return VectorXd::Zero(M.rows());
    if (!largest) ritz.S.col(0) = ritz.S.rightCols(1).eval();
    return lanczos.vectors(ritz, 1);
  }

  // -1 where φᵀKφ is not below this share of its terms.
  int findWorst(const VectorXd& phi, double share) const {
    const VectorXd energies = phi.cwiseProduct(multiplySymmetric(K_, phi));
    int worst = -1;
    if (energies.sum() < share * energies.cwiseAbs().sum()) energies.minCoeff(&worst);
    return worst;
  }

  bool iterate() {
    if (need_ <= 0) return true;
    int block = need_ < 24 ? 4 : 8;
    if (request_.start != nullptr) block = static_cast<int>(request_.start->cols());
    // A wider basis saves solutions, which cost more than its products.
    capacity_ = std::max(2 * need_, need_ + 60) + 2 * block;
    lanczos_.emplace(M_, solver(), block, capacity_);
    bool goesOn = request_.start != nullptr ? lanczos_->start(*request_.start) : lanczos_->start();
    int restarts = 0;
    for (int step = 0, checks = 0; step < kMaxSteps; ++step) {
      if (goesOn) goesOn = lanczos_->extend();
      // An invariant basis may lack further vectors of multiple modes.
      if (!goesOn) goesOn = startBeside();
      ritz_ = lanczos_->ritz();
      const int last = goesOn ? findEnd() : static_cast<int>(ritz_.values.size());
      if (!report(0.3 + 0.4 * std::min(1.0, double(countConverged()) / need_), "finding modes"))
        return false;
      if (last >= 0) {
        if (!request_.verify || found_.verified || !goesOn) {
          // Where a fresh start finds nothing beside the basis, it holds all modes.
          found_.verified = found_.verified || !goesOn;
          need_ = std::min(need_, last);
          return true;
        }
        if (checks++ == kMaxChecks) return fail(ModesStatus::kNotConverged);
        const int missing = check(last);
        if (missing == 0) return true;
        if (missing < 0 || !searchFurther(last)) return false;
        goesOn = true;
      } else if (goesOn && lanczos_->isFull()) {
        if (++restarts == 2 && !request_.below && isFar()) {
          if (!moveShift()) return false;
          goesOn = lanczos_->start();
          continue;
        }
        lanczos_->contract(
            ritz_, std::min(lanczos_->columns() - 2 * block, need_ + (capacity_ - need_) / 2));
      }
    }
    return fail(ModesStatus::kNotConverged);
  }

  bool startBeside() {
    lanczos_->lock(lanczos_->ritz(), lanczos_->columns());
    if (lanczos_->columns() >= K_.rows()) return false;
    if (lanczos_->isFull()) lanczos_->grow(lanczos_->columns() + 4 * lanczos_->block());
    return lanczos_->start();
  }

  double eigenvalue(int i) const { return found_.shift + sign_ / ritz_.values[i]; }

  int countConverged() const {
    int count = 0;
    while (count < ritz_.values.size() && ritz_.values[count] > 0.0 &&
           ritz_.residuals[count] <= request_.tolerance * ritz_.values[count]) {
      ++count;
    }
    return count;
  }

  // How many leading modes are known, all that are needed and up to a gap wide enough for the check; -1: not enough.
  int findEnd() const {
    const int converged = countConverged();
    if (converged < need_) return -1;
    if (!request_.verify || found_.verified) return need_;
    for (int last = need_; last <= converged && last < ritz_.values.size(); ++last) {
      const double here = ritz_.values[last - 1], next = ritz_.values[last];
      const double gap = (here - next) / here;
      if (gap > kGap && ritz_.residuals[last] < 0.1 * gap * here) return last;
    }
    return -1;
  }

  // Missing modes below a shift between the last and the next; -1: a failure.
  int check(int last) {
    if (!report(0.7, "checking the number of modes")) return -1;
    factors_.reset();
    // Nearer to the last one: the next is a bound from above.
    const double mu = found_.shift + 1.0 / (0.5 * (ritz_.values[last - 1] + ritz_.values[last]));
    const auto counted = countModesBelow(K_, M_, multipliers_, mu, request_.factors);
    if (!counted) {
      fail(counted.failure());
      return -1;
    }
    found_.total = counted.value().value_or(-1);
    found_.verified = found_.total == last;
    if (found_.total < last) fail(ModesStatus::kNotConverged);
    return found_.total < last ? -1 : found_.total - last;
  }

  // What has converged stays, and a fresh start looks for the rest.
  bool searchFurther(int last) {
    if (!factorize()) return false;
    lanczos_->lock(ritz_, last);
    lanczos_->grow(capacity_ + last);
    return lanczos_->start() || fail(ModesStatus::kNotConverged);
  }

  bool isFar() const {
    const int last = std::min<int>(need_, static_cast<int>(ritz_.values.size())) - 1;
    return ritz_.values[last] > 0.0 && -found_.shift > kFarShift * eigenvalue(last) &&
           -found_.shift > 10.0 * least_;
  }

  bool moveShift() {
    const int last = std::min<int>(need_, static_cast<int>(ritz_.values.size())) - 1;
    found_.shift = -std::max(least_, kShiftShare * eigenvalue(last));
    lanczos_.emplace(M_, solver(), lanczos_->block(), capacity_);
    return factorize();
  }

  void finish() {
    found_.values.resize(need_);
    if (need_ == 0) return;
    found_.vectors = lanczos_->vectors(ritz_, need_);
    purify();
    factors_.reset();
    if (found_.status == ModesStatus::kFound) projectStiffness();
    if (found_.status == ModesStatus::kFound) judgeZeros();
  }

  // Values near a shift are large in the basis of the iteration, and their rounding spoils the others: the last digits come
  // from K and M themselves within the span that was found.
  void projectStiffness() {
    MatrixXd& X = found_.vectors;
    const MatrixXd m = X.transpose() * multiplySymmetric(M_, X);
    const auto masses = findSymmetricEigensystem(m);
    if (!masses || !(masses->values[0] > 0.0)) {
      fail(ModesStatus::kNotConverged);
      return;
    }
    X *= masses->vectors * masses->values.cwiseSqrt().cwiseInverse().asDiagonal();
    const MatrixXd k = X.transpose() * multiplySymmetric(K_, X);
    const auto stiffnesses = findSymmetricEigensystem(0.5 * (k + k.transpose()));
    if (!stiffnesses) {
      fail(ModesStatus::kNotConverged);
      return;
    }
    X *= stiffnesses->vectors;
    found_.values = stiffnesses->values;
  }

  void judgeZeros() {
    const MatrixXd KX = multiplySymmetric(K_, found_.vectors);
    lanczos_.reset();
    const MatrixXd sizesX = multiplySymmetric(K_.cwiseAbs(), found_.vectors.cwiseAbs());
    for (int i = 0; i < need_; ++i) {
      const auto phi = found_.vectors.col(i);
      const double energy = phi.dot(KX.col(i)), terms = phi.cwiseAbs().dot(sizesX.col(i));
      if (std::abs(energy) <= kZeroShare * terms) {
        found_.values[i] = 0.0;
        ++found_.zeros;
      } else if (energy < 0.0) {
        phi.cwiseProduct(KX.col(i)).minCoeff(&found_.unknown);
        found_.status = ModesStatus::kIndefinite;
      }
    }
  }

  // Rounding grows in the null space of M during the iteration. One product with the operator, if its factors are still there,
  // takes it out.
  void purify() {
    if (M_.diagonal().minCoeff() > 0.0) return;
    if (found_.verified && !request_.below && !factorize()) return;
    MatrixXd X = multiplySymmetric(M_, found_.vectors);
    factors_.solve(X);
    for (int i = 0; i < need_; ++i) found_.vectors.col(i) = sign_ / ritz_.values[i] * X.col(i);
  }

  const SparseMatrix &K_, &M_;
  int multipliers_;
  const ModeRequest& request_;
  const Progress& progress_;
  LowestModes found_;
  SymmetricFactors factors_;
  std::optional<BlockLanczos> lanczos_;
  BlockLanczos::Ritz ritz_;
  int need_ = 0, capacity_ = 0;
  double least_ = 0.0;
  double sign_ = 1.0;  // of the operator: the Ritz values that are wanted are positive
};

}  // namespace

SparseMatrix shiftMatrix(const SparseMatrix& K, const SparseMatrix& M, double shift) {
  return K - shift * M;
}

base::Result<std::optional<int>> countModesBelow(const SparseMatrix& K, const SparseMatrix& M,
                                                 int multipliers, double mu,
                                                 const SymmetricOptions& options) {
  SymmetricOptions exact = options;
  exact.allowSingle = false;  // signs need the digits
  SymmetricFactors factors;
  if (auto failure = factors.factorize(shiftMatrix(K, M, mu), exact)) return *failure;
  if (!factors.report().nullRows.empty()) return std::optional<int>();
  return std::optional<int>(factors.report().negativePivots - multipliers);
}

LowestModes findLowestModes(const SparseMatrix& K, const SparseMatrix& M, int multipliers,
                            const ModeRequest& request, const Progress& progress) {
  if (multipliers == 0) {
    if (auto modes = findLowestModesByGap(K, M, request, progress)) return std::move(*modes);
  }
  return ModeSearch(K, M, multipliers, request, progress).run();
}

}  // namespace flexloop::linalg
