#include "solve/balance/static_balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/roots/fixed_vector.hpp"
#include "linalg/solvers/inertia.hpp"
#include "solve/balance/fixed_unknowns.hpp"
#include "solve/balance/holding_states.hpp"
#include "solve/balance/infinite_slope.hpp"
#include "solve/balance/slow_feedback.hpp"
#include "solve/balance/straight_moves.hpp"
#include "system/turn_counting.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

constexpr int kDecades = 18;      // of lengths [m]
constexpr double kChanged = 0.1;  // of the stiffness in a row

double findLargestCoordinate(const State& state) {
  double size = 0.0;
  for (const auto& frame : state.frames) size = std::max(size, frame.x.cwiseAbs().maxCoeff());
  return size;
}

bool areAllAtOrigin(const std::vector<math::Frame<double>>& frames) {
  return std::all_of(frames.begin(), frames.end(),
                     [](const auto& frame) { return frame.x.isZero(0.0); });
}

}  // namespace

StaticBalance::StaticBalance(system::Assembler& assembler, const Eigen::VectorXd& compliance,
                             const State& start, FurtherUnknowns* further)
    : assembler_(assembler),
      compliance_(compliance),
      further_(further),
      kinds_(assembler.system().kinds()),
      groups_(assembler.eliminationGroups()),
      start_(start),
      size_(findLargestCoordinate(start)),
      awaitsMove_(areAllAtOrigin(assembler.system().start().frames)),
      matrix_(assembler.pattern()),
      followed_(assembler) {
  const int n = assembler.system().unknowns();
  weights_.value.setOnes(n);
  weights_.rate.setZero(n);
  weights_.acceleration.setZero(n);
  weights_.row.setOnes(n);
  int group = groups_.empty() ? 0 : 1 + *std::max_element(groups_.begin(), groups_.end());
  for (int k = 0; further_ != nullptr && k < further_->size(); ++k) {
    kinds_.push_back(Kind::kState);
    groups_.push_back(group++);
  }
  calcRawResidual(start, 0.0, held_);
  setShare(1.0);
  if (size_ == 0.0) size_ = findNonlinearLength();
  firstSize_ = size_;
  firstAwaitsMove_ = awaitsMove_;
}

// Where all nodes start at the origin: the move by which the stiffness begins to change, by decades. Zero if it does
// not: then any length will do, and the first move is taken. Only what moves do to forces and joints counts: levers
// change with any move, and have another unit.
double StaticBalance::findNonlinearLength() {
  const auto isMove = [&](Eigen::Index u) {
    return kinds_[u] == Kind::kMotion && !system().isRotation(UnknownIndex{static_cast<int>(u)});
  };
  const auto isTurn = [&](Eigen::Index u) { return kinds_[u] == Kind::kMotion && !isMove(u); };
  const auto ofMoves = [&](linalg::SparseMatrix K) {
    K.prune([&](Eigen::Index row, Eigen::Index column, double) {
      return isMove(column) && !isTurn(row);
    });
    return K;
  };
  calcResidual(start_);
  calcMatrix(start_);
  const linalg::SparseMatrix K = ofMoves(matrix_);
  const Eigen::VectorXd before = linalg::rowSizes(K);
  Eigen::VectorXd direction = Eigen::VectorXd::Zero(K.cols());
  for (Eigen::Index u = 0; u < direction.size(); ++u) {
    if (isMove(u)) direction[u] = std::sin(1.0 + static_cast<double>(u));
  }
  // To both sides: a stop or a contact is on one of them, and where there are two, the machine may reach the farther one.
  double largest = 0.0;
  for (const double side : {1.0, -1.0}) {
    for (int decade = -kDecades; decade <= kDecades; ++decade) {
      const double length = std::pow(10.0, decade);
      const State next = moved(start_, side * length * direction);
      if (!calcResidual(next).allFinite()) break;
      calcMatrix(next);
      const linalg::SparseMatrix there = ofMoves(matrix_);
      const Eigen::VectorXd after = linalg::rowSizes(there), change = linalg::rowSizes(there - K);
      if ((change.array() > kChanged * before.cwiseMax(after).array()).any()) {
        largest = std::max(largest, length);
        break;
      }
    }
  }
  return largest;
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
  if (further_ == nullptr) return;
  FurtherUnknowns::Triplets entries;
  Eigen::VectorXd others;
  further_->calc(state, others, entries);
  r.conservativeResize(r.size() + others.size());
  r.tail(others.size()) = others;
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
  for (int u = 0; u < weights_.value.size(); ++u) {
    weights_.acceleration[u] = kinds_[u] == Kind::kMotion ? mu : 0.0;
  }
  assemble(state);
  followStates(state);
  holdStates(kinds_, matrix_);
  if (straight_ && mu == 0.0) addTurnOfForces(system(), state, residual_, matrix_);
  if (!fixed_.empty()) fixUnknowns(fixed_, matrix_);
}

void StaticBalance::assemble(const State& state) {
  if (!follows_ && further_ == nullptr) {
    assembler_.calcIterationMatrix(state, weights_, nullptr, matrix_);
  } else {
    if (ownPattern_.rows() == 0) ownPattern_ = assembler_.pattern();
    assembler_.calcIterationMatrix(state, weights_, nullptr, ownPattern_);
    matrix_ = ownPattern_;
  }
  for (int u = 0; u < compliance_.size(); ++u) {
    if (compliance_[u] != 0.0) matrix_.coeffRef(u, u) -= compliance_[u];
  }
  if (further_ == nullptr) return;
  enlarge(state, matrix_);
  solver_.reset();  // made for other entries
}

// By the rows and columns of what is further.
void StaticBalance::enlarge(const State& state, linalg::SparseMatrix& matrix) {
  FurtherUnknowns::Triplets entries;
  Eigen::VectorXd residual;
  further_->calc(state, residual, entries);
  const int n = static_cast<int>(matrix.cols()), all = n + further_->size();
  for (int column = 0; column < n; ++column) {
    for (linalg::SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      entries.emplace_back(static_cast<int>(it.row()), column, it.value());
    }
  }
  for (int u = n; u < all; ++u) entries.emplace_back(u, u, 0.0);
  linalg::SparseMatrix larger(all, all);
  larger.setFromTriplets(entries.begin(), entries.end());
  matrix = std::move(larger);
}

std::vector<double> StaticBalance::rateFactors() const {
  return further_ == nullptr ? std::vector<double>{} : further_->rateFactors();
}

// The rows of states that follow have entries that the assembler's pattern has not.
void StaticBalance::followStates(const State& state) {
  const std::vector<FollowedState> found = followed_.find(state, kinds_, matrix_, rateFactors());
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
  if (ownPattern_.rows() == 0) ownPattern_ = assembler_.pattern();
  follows_ = true;
  FollowedStates::replaceRows(found, matrix_);
  for (const auto& [row, column] : entries_) matrix_.coeffRef(row, column) += 0.0;
  matrix_.makeCompressed();
  if (entries_.size() > before) solver_.reset();
}

std::optional<base::Failure> StaticBalance::factorize() {
  ++factorizations_;
  if (solver_ == nullptr) {
    solver_ = linalg::makeSparseSolver(matrix_, linalg::SolverChoice::kAutomatic, groups_);
  }
  const linalg::FactorReport factored =
      solver_ == nullptr ? linalg::FactorReport{false, -1, 0.0} : solver_->factorize(matrix_);
  if (factored.ok) return std::nullopt;
  if (auto steep = describeInfiniteSlope(system(), matrix_)) return steep;
  return describeSingular(factored.singularColumn);
}

Eigen::VectorXd StaticBalance::solve(Eigen::VectorXd x) {
  for (const int row : followedRows_) x[row] = 0.0;
  for (const int row : fixed_) x[row] = 0.0;
  solver_->solve(x);
  return x;
}

State StaticBalance::moved(const State& state, const Eigen::VectorXd& delta) {
  const Eigen::VectorXd dq = straight_ ? makeStraight(system(), state, delta) : delta;
  const Eigen::VectorXd own = dq.head(system().unknowns());
  State next = state;
  system().retract(state, own, next);
  system::countTurns(system(), state, own, next);
  for (int k = 0; further_ != nullptr && k < further_->size(); ++k) {
    further_->setValue(k, further_->value(state, k) + dq[system().unknowns() + k], next);
  }
  if (follows_) advanceFollowed(state, dq, next);
  return next;
}

void StaticBalance::advanceFollowed(const State& from, const Eigen::VectorXd& dq, State& to) {
  if (further_ == nullptr) return followed_.advance(from, dq, to);
  const auto findAt = [&](const State& state) {
    linalg::SparseMatrix K, C, M;
    Eigen::VectorXd r;
    assembler_.calcResidual(state, r);
    assembler_.calcTangents(state, K, C, M);
    enlarge(state, K);
    return followed_.find(state, kinds_, K, rateFactors());
  };
  const int n = system().unknowns();
  for (const auto& [u, change] : followed_.integrate(from, dq, findAt)) {
    if (u < n) {
      to.value[u] = from.value[u] + change;
    } else {
      further_->setValue(u - n, further_->value(from, u - n) + change, to);
    }
  }
}

double StaticBalance::sizeOf(const Eigen::VectorXd& delta) const {
  if (!delta.allFinite()) return std::numeric_limits<double>::infinity();
  double turn = 0.0, move = 0.0;
  for (int u = 0; u < delta.size(); ++u) {
    if (kinds_[u] != Kind::kMotion) continue;
    double& largest = system().isRotation(UnknownIndex{u}) ? turn : move;
    largest = std::max(largest, std::abs(delta[u]));
  }
  // Where all nodes start at the origin, the first move is the only length there is: what an earlier search has left of their
  // coordinates may be round-off.
  if (move > 0.0 && awaitsMove_) {
    size_ = std::max(size_, move);
    awaitsMove_ = false;
  }
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
    if (kinds_[u] != Kind::kMotion) continue;
    const bool isTorque = size_ > 0.0 && system().isRotation(UnknownIndex{u});
    const double force = isTorque ? r[u] / size_ : r[u];
    sum += force * force;
  }
  return std::sqrt(sum);
}

double StaticBalance::dot(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
  double turns = 0.0, moves = 0.0;
  for (int u = 0; u < a.size(); ++u) {
    if (kinds_[u] != Kind::kMotion) continue;
    (system().isRotation(UnknownIndex{u}) ? turns : moves) += a[u] * b[u];
  }
  return size_ > 0.0 ? turns + moves / (size_ * size_) : turns;
}

linalg::SparseMatrix StaticBalance::mechanicalPartOf(const linalg::SparseMatrix& matrix) const {
  std::vector<int> place(matrix.cols(), -1);
  int count = 0;
  for (int u = 0; u < matrix.cols(); ++u) {
    const Kind kind = kinds_[u];
    if (kind == Kind::kMotion || kind == Kind::kMultiplier) place[u] = count++;
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (int column = 0; column < matrix.outerSize(); ++column) {
    if (place[column] < 0) continue;
    for (linalg::SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      if (place[it.row()] >= 0) entries.emplace_back(place[it.row()], place[column], it.value());
    }
  }
  linalg::SparseMatrix part(count, count);
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

bool StaticBalance::hasFeedback() const {
  const std::vector<Kind>& kinds = kinds_;
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

linalg::SparseMatrix StaticBalance::calcSlowPart(const State& state) {
  if (!hasFeedback()) return mechanicalPart();
  linalg::SparseMatrix K, C, M;
  Eigen::VectorXd r;
  assembler_.calcResidual(state, r);
  assembler_.calcTangents(state, K, C, M);
  if (further_ != nullptr) {
    enlarge(state, K);
    const std::vector<double> factors = further_->rateFactors();
    FurtherUnknowns::Triplets rates;
    for (int column = 0; column < C.outerSize(); ++column) {
      for (linalg::SparseMatrix::InnerIterator it(C, column); it; ++it) {
        rates.emplace_back(static_cast<int>(it.row()), column, it.value());
      }
    }
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const int u = system().unknowns() + static_cast<int>(k);
      rates.emplace_back(u, u, factors[k]);
    }
    C.resize(K.rows(), K.cols());
    C.setFromTriplets(rates.begin(), rates.end());
  }
  const std::optional<linalg::SparseMatrix> feedback =
      calcSlowFeedback(kinds_, K, C, matrix_.diagonal());
  return feedback ? mechanicalPartOf(matrix_ + *feedback) : linalg::SparseMatrix();
}

// By some of the last digits that it is known by.
State StaticBalance::calcRounded(const State& state, unsigned k) {
  constexpr double kLastDigits = 4.0 * std::numeric_limits<double>::epsilon();
  const int n = system().unknowns();
  Eigen::VectorXd delta = kLastDigits * linalg::makeFixedVector(n, k);
  for (int u = 0; u < n; ++u) {
    if (kinds_[u] != Kind::kMotion) {
      delta[u] *= state.value[u];
    } else if (!system().isRotation(UnknownIndex{u})) {
      delta[u] *= size_;
    }
  }
  State next = state;
  system().retract(state, delta, next);
  return next;
}

bool StaticBalance::hasPotential() const {
  return matrix_.coeffs().allFinite() && !hasFeedback() && linalg::isSymmetric(mechanicalPart());
}

}  // namespace flexloop::solve
