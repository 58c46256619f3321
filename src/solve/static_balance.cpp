#include "solve/static_balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/inertia.hpp"
#include "solve/holding_states.hpp"
#include "solve/infinite_slope.hpp"
#include "solve/straight_moves.hpp"
#include "system/signal_graph.hpp"
#include "system/turn_counting.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

// What helps where a motion is free; a second line of a trouble.
constexpr const char* kHoldIt =
    "\nhold it by a joint, a spring or a controller, or take the freedom from the node with 'free'";
constexpr double kNullDirection = 1e-12;  // reciprocal condition of a free motion
constexpr double kSmallMass = 1e-9;       // of the stiffest, to show a free motion
constexpr int kDecades = 18;              // of lengths [m]
constexpr double kChanged = 0.1;          // of the stiffness in a row
constexpr double kSymmetric = 1e-6;       // of the largest entries of row and column

double findLargestCoordinate(const State& state) {
  double size = 0.0;
  for (const auto& frame : state.frames) size = std::max(size, frame.x.cwiseAbs().maxCoeff());
  return size;
}

// The largest entry of each row.
Eigen::VectorXd rowSizes(const linalg::SparseMatrix& A) {
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(A.rows());
  for (int column = 0; column < A.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(A, column); it; ++it) {
      largest[it.row()] = std::max(largest[it.row()], std::abs(it.value()));
    }
  }
  return largest;
}

// Whether |aᵢⱼ − aⱼᵢ| is small beside the rows that both are in.
bool isSymmetric(const linalg::SparseMatrix& A) {
  const linalg::SparseMatrix transposed = A.transpose();
  const Eigen::VectorXd largest = rowSizes(A).cwiseMax(rowSizes(transposed));
  const linalg::SparseMatrix difference = A - transposed;
  for (int column = 0; column < difference.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(difference, column); it; ++it) {
      const double allowed = kSymmetric * std::sqrt(largest[it.row()] * largest[column]);
      if (std::abs(it.value()) > allowed) return false;
    }
  }
  return true;
}

}  // namespace

StaticBalance::StaticBalance(system::Assembler& assembler, const Eigen::VectorXd& compliance,
                             const State& start)
    : assembler_(assembler),
      compliance_(compliance),
      start_(start),
      size_(findLargestCoordinate(start)),
      matrix_(assembler.pattern()),
      followed_(assembler) {
  const int n = assembler.system().unknowns();
  weights_.value.setOnes(n);
  weights_.rate.setZero(n);
  weights_.acceleration.setZero(n);
  weights_.row.setOnes(n);
  calcRawResidual(start, 0.0, held_);
  setShare(1.0);
  if (size_ == 0.0) size_ = findNonlinearLength();
  firstSize_ = size_;
}

// Where all nodes start at the origin: the move by which the stiffness begins to change, by decades. Zero if it does
// not: then any length will do, and the first move is taken.
double StaticBalance::findNonlinearLength() {
  calcResidual(start_);
  calcMatrix(start_);
  const linalg::SparseMatrix K = matrix_;
  const Eigen::VectorXd before = rowSizes(K);
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(K.cols());
  for (int u = 0; u < direction.size(); ++u) {
    const bool isMove =
        system().kinds()[u] == Kind::kMotion && !system().isRotation(UnknownIndex{u});
    if (isMove) direction[u] = std::sin(1.0 + u);
  }
  for (int decade = -kDecades; decade <= kDecades; ++decade) {
    const double length = std::pow(10.0, decade);
    const State next = moved(start_, length * direction);
    if (!calcResidual(next).allFinite()) break;
    calcMatrix(next);
    const Eigen::VectorXd after = rowSizes(matrix_), change = rowSizes(matrix_ - K);
    for (int u = 0; u < change.size(); ++u) {
      if (change[u] > kChanged * std::max(before[u], after[u])) return length;
    }
  }
  return 0.0;
}

StaticBalance::~StaticBalance() {
  setShare(1.0);
}

void StaticBalance::setShare(double share) {
  share_ = share;
  assembler_.setLoadFactor(share);
}

void StaticBalance::calcRawResidual(const State& state, double share, Eigen::VectorXd& r) {
  assembler_.setLoadFactor(share);
  assembler_.calcResidual(state, r);
  r -= compliance_.cwiseProduct(state.value);
}

const Eigen::VectorXd& StaticBalance::calcResidual(const State& state) {
  calcRawResidual(state, share_, residual_);
  if (share_ != 1.0) residual_ -= (1.0 - share_) * held_;
  return residual_;
}

Eigen::VectorXd StaticBalance::calcLoads(const State& state) {
  return calcAppliedLoads(state) + held_;
}

Eigen::VectorXd StaticBalance::calcAppliedLoads(const State& state) {
  Eigen::VectorXd none, all;
  calcRawResidual(state, 0.0, none);
  calcRawResidual(state, 1.0, all);
  assembler_.setLoadFactor(share_);
  return all - none;
}

void StaticBalance::calcMatrix(const State& state, double mu) {
  const std::vector<Kind>& kinds = system().kinds();
  for (int u = 0; u < weights_.value.size(); ++u) {
    weights_.acceleration[u] = kinds[u] == Kind::kMotion ? mu : 0.0;
  }
  if (!follows_) {
    assembler_.calcIterationMatrix(state, weights_, nullptr, matrix_);
  } else {
    assembler_.calcIterationMatrix(state, weights_, nullptr, ownPattern_);
    matrix_ = ownPattern_;
  }
  for (int u = 0; u < compliance_.size(); ++u) {
    if (compliance_[u] != 0.0) matrix_.coeffRef(u, u) -= compliance_[u];
  }
  followStates(state);
  holdStates(kinds, matrix_);
  if (straight_ && mu == 0.0) addTurnOfForces(system(), state, residual_, matrix_);
}

// The rows of states that follow have entries that the assembler's pattern has not.
void StaticBalance::followStates(const State& state) {
  const std::vector<FollowedState> found = followed_.find(state, system().kinds(), matrix_);
  followedRows_.clear();
  const std::size_t before = entries_.size();
  for (const FollowedState& f : found) {
    followedRows_.push_back(f.state);
    everFollowed_.insert(f.state);
    for (const auto& [column, value] : f.row) entries_.insert({f.state, column});
  }
  for (const int u : everFollowed_) {
    if (!std::binary_search(followedRows_.begin(), followedRows_.end(), u)) released_.insert(u);
  }
  if (entries_.empty()) return;
  if (!follows_) ownPattern_ = assembler_.pattern();
  follows_ = true;
  FollowedStates::replaceRows(found, matrix_);
  for (const auto& [row, column] : entries_) matrix_.coeffRef(row, column) += 0.0;
  matrix_.makeCompressed();
  if (entries_.size() > before) solver_.reset();
}

bool StaticBalance::factorize() {
  ++factorizations_;
  if (solver_ == nullptr) {
    solver_ = linalg::makeSparseSolver(matrix_, linalg::SolverChoice::kAutomatic,
                                       assembler_.eliminationGroups());
  }
  const linalg::FactorReport factored =
      solver_ == nullptr ? linalg::FactorReport{false, -1, 0.0} : solver_->factorize(matrix_);
  if (factored.ok) return true;
  trouble_ = describeInfiniteSlope(system(), matrix_);
  if (trouble_.empty()) trouble_ = describeSingular(factored.singularColumn);
  return false;
}

Eigen::VectorXd StaticBalance::solve(Eigen::VectorXd x) {
  for (const int row : followedRows_) x[row] = 0.0;
  solver_->solve(x);
  return x;
}

State StaticBalance::moved(const State& state, const Eigen::VectorXd& delta) {
  const Eigen::VectorXd dq = straight_ ? makeStraight(system(), state, delta) : delta;
  State next = state;
  system().retract(state, dq, next);
  system::countTurns(system(), state, dq, next);
  if (follows_) followed_.advance(state, dq, next);
  return next;
}

double StaticBalance::sizeOf(const Eigen::VectorXd& delta) const {
  if (!delta.allFinite()) return std::numeric_limits<double>::infinity();
  double turn = 0.0, move = 0.0;
  for (int u = 0; u < delta.size(); ++u) {
    if (system().kinds()[u] != Kind::kMotion) continue;
    double& largest = system().isRotation(UnknownIndex{u}) ? turn : move;
    largest = std::max(largest, std::abs(delta[u]));
  }
  // Where all nodes start at the origin, the first move is the only length there is.
  if (size_ == 0.0) size_ = move;
  return move > 0.0 ? std::max(turn, move / size_) : turn;
}

void StaticBalance::noteMove(const State& state) {
  for (std::size_t i = 0; i < state.frames.size(); ++i) {
    const double move = (state.frames[i].x - start_.frames[i].x).cwiseAbs().maxCoeff();
    if (std::isfinite(move)) size_ = std::max(size_, move);
  }
}

double StaticBalance::motionNorm(const Eigen::VectorXd& r) const {
  double sum = 0.0;
  for (int u = 0; u < r.size(); ++u) {
    if (system().kinds()[u] != Kind::kMotion) continue;
    const bool isTorque = size_ > 0.0 && system().isRotation(UnknownIndex{u});
    const double force = isTorque ? r[u] / size_ : r[u];
    sum += force * force;
  }
  return std::sqrt(sum);
}

double StaticBalance::dot(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
  double turns = 0.0, moves = 0.0;
  for (int u = 0; u < a.size(); ++u) {
    if (system().kinds()[u] != Kind::kMotion) continue;
    (system().isRotation(UnknownIndex{u}) ? turns : moves) += a[u] * b[u];
  }
  return size_ > 0.0 ? turns + moves / (size_ * size_) : turns;
}

linalg::SparseMatrix StaticBalance::mechanicalPart() const {
  std::vector<int> place(matrix_.cols(), -1);
  int count = 0;
  for (int u = 0; u < matrix_.cols(); ++u) {
    const Kind kind = system().kinds()[u];
    if (kind == Kind::kMotion || kind == Kind::kMultiplier) place[u] = count++;
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (int column = 0; column < matrix_.outerSize(); ++column) {
    if (place[column] < 0) continue;
    for (linalg::SparseMatrix::InnerIterator it(matrix_, column); it; ++it) {
      if (place[it.row()] >= 0) entries.emplace_back(place[it.row()], place[column], it.value());
    }
  }
  linalg::SparseMatrix part(count, count);
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

bool StaticBalance::hasFeedback() const {
  const std::vector<Kind>& kinds = system().kinds();
  const auto isMechanical = [&](Eigen::Index u) {
    return kinds[u] == Kind::kMotion || kinds[u] == Kind::kMultiplier;
  };
  std::vector<bool> reached(matrix_.cols(), false);
  std::vector<int> open;
  for (int u = 0; u < matrix_.cols(); ++u) {
    if (isMechanical(u)) open.push_back(u);
  }
  while (!open.empty()) {
    const int column = open.back();
    open.pop_back();
    for (linalg::SparseMatrix::InnerIterator it(matrix_, column); it; ++it) {
      if (it.value() == 0.0) continue;
      if (isMechanical(it.row())) {
        if (!isMechanical(column)) return true;
      } else if (!reached[it.row()]) {
        reached[it.row()] = true;
        open.push_back(static_cast<int>(it.row()));
      }
    }
  }
  return false;
}

bool StaticBalance::isPositive() const {
  const std::optional<int> negative = linalg::countNegativeEigenvalues(mechanicalPart());
  const std::vector<Kind>& kinds = system().kinds();
  return negative && *negative == std::count(kinds.begin(), kinds.end(), Kind::kMultiplier);
}

bool StaticBalance::hasPotential() const {
  return matrix_.coeffs().allFinite() && !hasFeedback() && isSymmetric(mechanicalPart());
}

Stability StaticBalance::judgeStiffness(const State& state) {
  const bool straight = straight_;
  straight_ = false;
  calcMatrix(state);
  straight_ = straight;
  if (!hasPotential()) return Stability::kUnknown;
  const std::optional<int> negative = linalg::countNegativeEigenvalues(mechanicalPart());
  if (!negative) return Stability::kUnknown;
  const std::vector<Kind>& kinds = system().kinds();
  const auto constraints = std::count(kinds.begin(), kinds.end(), Kind::kMultiplier);
  return *negative == constraints ? Stability::kStable : Stability::kUnstable;
}

std::string StaticBalance::nameWorst() const {
  int worst = 0;
  residual_.cwiseAbs().maxCoeff(&worst);
  return system().equationName(UnknownIndex{worst});
}

std::string StaticBalance::describeUndefinedValues() const {
  return describeUndefined(system(), residual_);
}

// Empty, too, if an infinite slope hides what is free.
std::string StaticBalance::describeFreeMotion(const State& state) {
  calcMatrix(state);
  if (!matrix_.coeffs().allFinite()) return {};
  auto solver =
      linalg::makeSparseSolver(matrix_, linalg::SolverChoice::kKlu, assembler_.eliminationGroups());
  if (solver == nullptr) return "the equations cannot be ordered for a solution";
  const linalg::FactorReport factored = solver->factorize(matrix_);
  if (factored.ok && factored.reciprocalCondition > kNullDirection) return {};
  // Inverse iteration with a small mass shows the direction.
  calcMatrix(state, findSmallMass(state));
  if (const auto again = solver->factorize(matrix_); !again.ok) {
    return describeSingular(again.singularColumn);
  }
  Eigen::VectorXd x = Eigen::VectorXd::Ones(matrix_.rows());
  for (int k = 0; k < 3; ++k) {
    solver->solve(x);
    x /= x.cwiseAbs().maxCoeff();
  }
  const std::string motions = describeMotions(x);
  return motions.empty() ? motions : "nothing holds the " + motions + kHoldIt;
}

// μ [1/s²] of a mass that is small beside the stiffness wherever there is one.
double StaticBalance::findSmallMass(const State& state) {
  calcMatrix(state);
  const Eigen::VectorXd stiffness = matrix_.diagonal();
  calcMatrix(state, 1.0);
  const Eigen::VectorXd mass = matrix_.diagonal() - stiffness;
  double fastest = 0.0;
  for (int u = 0; u < mass.size(); ++u) {
    if (system().kinds()[u] != Kind::kMotion || !(mass[u] > 0.0)) continue;
    fastest = std::max(fastest, std::abs(stiffness[u]) / mass[u]);
  }
  return fastest > 0.0 ? kSmallMass * fastest : 1.0;
}

// What even a small mass does not hold.
std::string StaticBalance::describeSingular(int column) const {
  if (column < 0) return "nothing holds several motions at once";
  const UnknownIndex unknown{column};
  const std::string name = system().unknownName(unknown);
  if (system().kind(unknown) == Kind::kMotion) return "nothing holds the " + name + kHoldIt;
  return "nothing determines '" + name + "' at rest";
}

std::string StaticBalance::describeMotions(const Eigen::VectorXd& x) const {
  double largest = 0.0;
  for (int u = 0; u < x.size(); ++u) {
    if (system().kinds()[u] == Kind::kMotion) largest = std::max(largest, std::abs(x[u]));
  }
  std::vector<int> order;
  for (int u = 0; u < x.size(); ++u) {
    const bool isMotion = system().kinds()[u] == Kind::kMotion;
    if (isMotion && std::abs(x[u]) > 0.1 * largest) order.push_back(u);
  }
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return std::abs(x[a]) > std::abs(x[b]); });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 4); ++k) {
    text += (k > 0 ? ", " : "") + system().unknownName(UnknownIndex{order[k]});
  }
  return text;
}

}  // namespace flexloop::solve
