// Positions of joints whose drives follow from motions and forces (docs/theory/09_time.md, section 9.6).
#include <cmath>

#include "linalg/dense/dense_lu.hpp"
#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

namespace {

// Of a gap: what a shift may leave open for the next iteration.
constexpr double kSmallRest = 1e-3;

}  // namespace

// Searches backwards through the equations of the signals, and from the states that it meets on through those of states.
void TimeStepper::findWhatDrivesUse() {
  std::vector<std::vector<int>> uses(class_.size());
  for (int column = 0; column < matrix_.cols(); ++column) {
    for (linalg::SparseMatrix::InnerIterator entry(matrix_, column); entry; ++entry) {
      const int row = static_cast<int>(entry.row());
      if (row != column && class_[row] > kMultiplier) uses[row].push_back(column);
    }
  }
  driveStates_.clear();
  drivesUseMotions_ = false;
  std::vector<int> found;
  for (const SignalSystem::Drive& drive : massSystem_.signals().drives()) {
    found.push_back(drive.signal);
  }
  std::vector<bool> isSeen(class_.size(), false);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const int used : uses[found[i]]) {
      if (isSeen[used]) continue;
      isSeen[used] = true;
      if (class_[used] == kSignal) found.push_back(used);
      if (class_[used] == kState) driveStates_.push_back(used);
      if (class_[used] <= kMultiplier) drivesUseMotions_ = true;
    }
  }
  isDriveState_.assign(class_.size(), false);
  found = driveStates_;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (class_[found[i]] == kState) isDriveState_[found[i]] = true;
    for (const int used : uses[found[i]]) {
      if (isSeen[used] || class_[used] <= kMultiplier) continue;
      isSeen[used] = true;
      found.push_back(used);
    }
  }
}

// Drives that follow from time alone answer to nothing, and those that follow from positions at once follow a shift too. What is
// left are those of states.
void TimeStepper::findAnsweringDrives() {
  answering_.clear();
  const SignalSystem& signals = massSystem_.signals();
  if (!isIndex2() || !signals.hasDrives() || signals.areDrivesGivenByTime()) return;
  std::vector<std::vector<int>> uses(class_.size());
  for (int column = 0; column < matrix_.cols(); ++column) {
    for (linalg::SparseMatrix::InnerIterator entry(matrix_, column); entry; ++entry) {
      if (entry.row() != column && class_[entry.row()] == kSignal)
        uses[entry.row()].push_back(column);
    }
  }
  const auto followsStates = [&](int signal) {
    std::vector<int> found{signal};
    std::vector<bool> isSeen(class_.size(), false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const int used : uses[found[i]]) {
        if (class_[used] <= kMultiplier) return false;
        if (class_[used] == kSignal && !isSeen[used]) found.push_back(used);
        isSeen[used] = true;
      }
    }
    return true;
  };
  for (const SignalSystem::Drive& drive : signals.drives()) {
    if (!followsStates(drive.signal)) continue;
    const int end = matrix_.outerIndexPtr()[drive.signal + 1];
    for (int e = matrix_.outerIndexPtr()[drive.signal]; e < end; ++e) {
      if (matrix_.innerIndexPtr()[e] != drive.constraint) continue;
      answering_.push_back({drive.constraint, drive.signal, e});
    }
  }
  answerRests_.setZero(static_cast<Eigen::Index>(answering_.size()));
}

// By driven constraint, what the answer of its drive to a solution closes in place of the motion. True if that is next to nothing
// of what was asked for.
bool TimeStepper::areDrivesHeld(const Eigen::VectorXd& solution, const Eigen::VectorXd& gap) {
  if (answering_.empty() || !hasFactors()) return true;
  const double loan = cache_.isBorrowed() ? cache_.motionScale() : 1.0;
  bool areHeld = true;
  for (std::size_t i = 0; i < answering_.size(); ++i) {
    const AnsweringDrive& drive = answering_[i];
    const double slope = loan * factors_->matrix.values()[drive.entry];
    answerRests_[i] = slope * solution[drive.signal];
    const double asked = weights_.row[drive.constraint] * gap[drive.constraint];
    if (std::abs(answerRests_[i]) > kSmallRest * std::abs(asked)) areHeld = false;
  }
  return areHeld;
}

// The solutions for driven constraints alone, and what these ask for so that motions close one each.
void TimeStepper::findAnswers() {
  const auto count = static_cast<Eigen::Index>(answering_.size());
  factors_->answers.setZero(increment_.size(), count);
  Eigen::MatrixXd left = Eigen::MatrixXd::Identity(count, count);
  Eigen::VectorXd answer(increment_.size());
  for (Eigen::Index i = 0; i < count; ++i) {
    answer.setZero();
    answer[answering_[i].constraint] = 1.0;
    factors_->matrix.solve(answer);
    for (Eigen::Index j = 0; j < count; ++j) {
      left(j, i) -= factors_->matrix.values()[answering_[j].entry] * answer[answering_[j].signal];
    }
    factors_->answers.col(i) = answer;
  }
  factors_->answers *= linalg::solveDense(left, Eigen::MatrixXd::Identity(count, count));
}

// The solution for a shift lets drives answer to its forces, as to those of accelerations. But a shift is none, and states do not
// move with it: motions alone have to close the gap, those that drives have left and all.
void TimeStepper::holdDrives(double share, Eigen::VectorXd& solution) {
  if (factors_->answers.cols() != answerRests_.size()) findAnswers();
  if (!factors_->answers.allFinite()) return;
  Eigen::VectorXd answer = factors_->answers * answerRests_;
  spinAxes_.fromFactors(answer);
  solution += share * answer;
}

// States that drive a joint have moved with its velocity, and no shift takes that back: positions follow them.
void TimeStepper::followStates(const system::State& from) {
  velocityDelta_.setZero();
  holdDrives(-1.0, velocityDelta_);
  for (const int u : notMotions_) velocityDelta_[u] = 0.0;
  velocityDelta_ = velocityDelta_.cwiseProduct(weights_.value);
  axes_.toStart(velocityDelta_);
  shift_ += velocityDelta_;
  increment_ += velocityDelta_;
  move(from);
}

}  // namespace flexloop::solve
