#include "solve/balance/overdamped_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/balance/free_run.hpp"
#include "solve/balance/tangent_signs.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

// Steps are measured by the largest turn [rad], or move as a part of the machine's size.
constexpr double kLargestStep = 0.4, kSmallStep = 0.2, kFirstStep = 0.05, kAtRest = 1e-5;
constexpr double kPush = 1e-3;
constexpr double kSlower = 4.0, kFaster = 0.5;
constexpr double kMuchFaster =
    0.05;  // how much lighter between two looks at where Newton's method would lead
constexpr int kMostSteps = 6;   // of Newton's method, for such a look
constexpr double kNear = 0.05;  // the same as of steps
constexpr double kLeastMass =
    1e-13;                         // of the fastest; what is below is no instability but rounding
constexpr double kSettled = 1e-6;  // of the largest unbalance
constexpr double kLess = 0.9;      // of the unbalance before
constexpr int kMostStalled = 20;
constexpr int kMaxSteps = 2000, kMaxTrials = 100;

class Motion {
 public:
  Motion(StaticBalance& balance, const State& state) : balance_(balance), run_(balance) {
    balance_.calcResidual(state);
    startNorm_ = balance_.motionNorm(balance_.residual());
    findMeasure(state);
  }

  // Along what resists least, towards a side that is always the same.
  bool push(State& state) {
    mu_ = least_;
    if (!prepare(state)) return false;
    Eigen::VectorXd push = Eigen::VectorXd::Zero(B_.size());
    for (int u = 0; u < push.size(); ++u) {
      if (balance_.kinds()[u] == Kind::kMotion) push[u] = std::sin(1.0 + u);
    }
    Eigen::VectorXd delta = push;
    for (int k = 0; k < 8; ++k) {
      const double size = balance_.sizeOf(delta);
      if (!std::isfinite(size) || size == 0.0) return false;
      delta = balance_.solve(mu_ * B_.cwiseProduct(delta / size));
    }
    const double size = balance_.sizeOf(delta);
    if (!std::isfinite(size) || size == 0.0) return false;
    state = balance_.moved(state, kPush / size * delta);
    return true;
  }

  bool comeToRest(State& state, Closeness how = Closeness::kNear) {
    for (int k = 0; k < kMaxSteps; ++k) {
      balance_.calcResidual(state);
      const double norm = balance_.motionNorm(balance_.residual());
      if (!std::isfinite(norm)) return false;
      // From a balance there was nothing to compare with.
      startNorm_ = std::max(startNorm_, norm);
      double size = 0.0;
      const State from = state;
      if (!step(state, size)) return false;
      balance_.noteMove(state);
      if (canTell_ && run_.note(from, unbalance_, delta_)) {
        runaway_ = run_.describe(from, delta_);
        return false;
      }
      if (size < kSmallStep) mu_ *= kFaster;
      const bool seemsAtRest =
          size <= kAtRest && (norm <= kSettled * startNorm_ || isRounding(norm));
      const bool isTimeToLook =
          how == Closeness::kNear && size < kSmallStep && mu_ <= kMuchFaster * looked_;
      if (!seemsAtRest && !isTimeToLook) continue;
      looked_ = mu_;
      const Ending ending = findEnding(state);
      if (ending == Ending::kAlmost || (ending == Ending::kUnknown && seemsAtRest)) return true;
    }
    return false;
  }

  // Whether the unbalance no longer falls while the machine hardly moves.
  bool isRounding(double norm) {
    const bool isSame = norm > kLess * lastNorm_ && norm * kLess < lastNorm_;
    if (!isSame) lastNorm_ = norm;
    stalled_ = isSame ? stalled_ + 1 : 0;
    return stalled_ >= kMostStalled;
  }

  const std::optional<base::Failure>& runaway() const { return runaway_; }

 private:
  enum class Ending { kUnknown, kAlmost, kFar };

  // The mass of every motion; where there is none, its stiffness in units of the first μ.
  void findMeasure(const State& state) {
    const system::System& system = balance_.system();
    const Eigen::VectorXd r = balance_.residual();
    balance_.calcMatrix(state, 0.0);
    const Eigen::VectorXd K = balance_.matrix().diagonal();
    B_ = balance_.calcMasses(state);
    double fastest = 0.0, pushed = 0.0;
    for (int u = 0; u < B_.size(); ++u) {
      if (balance_.kinds()[u] != Kind::kMotion || B_[u] == 0.0) continue;
      const double length = system.isRotation(UnknownIndex{u}) ? 1.0 : balance_.size();
      fastest = std::max(fastest, std::abs(K[u]) / B_[u]);
      if (length > 0.0) pushed = std::max(pushed, std::abs(r[u]) / (B_[u] * length));
    }
    mu_ = pushed / kFirstStep;
    const double unit = mu_ > 0.0 ? mu_ : fastest > 0.0 ? fastest : 1.0;
    extra_ = Eigen::VectorXd::Zero(B_.size());
    for (int u = 0; u < B_.size(); ++u) {
      if (balance_.kinds()[u] == Kind::kMotion && B_[u] == 0.0) extra_[u] = std::abs(K[u]) / unit;
    }
    B_ += extra_;
    fastest = std::max(fastest, extra_.maxCoeff() > 0.0 ? unit : 0.0);
    least_ = kLeastMass * (fastest > 0.0 ? fastest : unit);
    mu_ = std::max(mu_, least_);
    canTell_ = !balance_.hasFeedback();
  }

  void calcMatrix(const State& state, double mu) {
    balance_.calcMatrix(state, mu);
    for (int u = 0; u < extra_.size(); ++u) {
      if (extra_[u] != 0.0) balance_.matrix().coeffRef(u, u) += mu * extra_[u];
    }
  }

  // Newton's method can do the rest: the stiffness resists all motions but those that nothing drives, and leads not far away. A
  // large mass makes short steps far from rest, too.
  Ending findEnding(const State& state) {
    const Stance stance = judgeStance(balance_, state);
    if (stance.hold == Hold::kUnknown) return Ending::kUnknown;
    if (stance.hold == Hold::kUnstable) return Ending::kFar;
    fixNeutral(balance_, stance);
    State trial = state;
    bool isNear = true;
    for (int k = 0; isNear && k < kMostSteps; ++k) {
      balance_.calcResidual(trial);
      balance_.calcMatrix(trial);
      isNear = !balance_.factorize();
      if (!isNear) break;
      const Eigen::VectorXd delta = balance_.solveNewton(balance_.residual());
      isNear = balance_.sizeOf(delta) <= kNear;
      if (isNear) trial = balance_.moved(trial, delta);
      // Without anything neutral, one step is enough.
      if (balance_.fixed().empty()) break;
    }
    isNear = isNear && isUndriven(balance_, trial);
    balance_.fix({});
    return isNear ? Ending::kAlmost : Ending::kFar;
  }

  // Raises μ until K + μB is positive.
  bool prepare(const State& state) {
    for (int k = 0; k < kMaxTrials; ++k, mu_ *= kSlower) {
      calcMatrix(state, mu_);
      if (!balance_.matrix().coeffs().allFinite()) return false;
      if (!leadsDownhill(balance_, state)) continue;
      if (!balance_.factorize()) return true;
    }
    return false;
  }

  // Downhill, and not too far at once.
  bool step(State& state, double& size) {
    unbalance_ = balance_.residual();
    for (int k = 0; k < kMaxTrials; ++k, mu_ *= kSlower) {
      if (!prepare(state)) return false;
      delta_ = balance_.solveNewton(unbalance_);
      size = balance_.sizeOf(delta_);
      if (!std::isfinite(size)) return false;
      if (size > kLargestStep) continue;
      state = balance_.moved(state, delta_);
      return true;
    }
    return false;
  }

  StaticBalance& balance_;
  FreeRun run_;
  std::optional<base::Failure> runaway_;
  Eigen::VectorXd unbalance_, delta_;  // of the last step
  Eigen::VectorXd B_, extra_;          // B, and what of it is not in the mass
  double mu_ = 0.0, least_ = 0.0, startNorm_ = 0.0;
  double lastNorm_ = std::numeric_limits<double>::infinity();
  int stalled_ = 0;  // steps since the unbalance was last much less than before
  double looked_ = std::numeric_limits<double>::infinity();  // μ at the last look
  bool canTell_ = false;
};

}  // namespace

bool comeToRest(StaticBalance& balance, State& state, std::optional<base::Failure>& runaway,
                Closeness how) {
  Motion motion(balance, state);
  const bool rests = motion.comeToRest(state, how);
  runaway = motion.runaway();
  return rests;
}

bool leaveUnstable(StaticBalance& balance, State& state) {
  Motion motion(balance, state);
  return motion.push(state) && motion.comeToRest(state);
}

}  // namespace flexloop::solve
