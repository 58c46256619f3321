#include "analysis/ode/motion_chart.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/pivoted_qr.hpp"

namespace flexloop::analysis {
namespace {

using system::Kind;
using system::UnknownIndex;

constexpr int kMostIterations = 25;
// Of increments: from here on the next correction is round-off, since corrections are squared.
constexpr double kLast = 1e-9;
// Of rotations from the base, in rad: increments have their first singularity at 2 π.
constexpr double kFarTurn = 2.0;
// Of how much faster than the coordinates the others may be, before other coordinates are better.
constexpr double kSteep = 30.0;
constexpr double kNoMass = 1e-12;
constexpr double kDifference = 1e-5;  // of central differences, relative

}  // namespace

MotionChart::MotionChart(solve::PreparedMachine& machine)
    : machine_(machine), system_(machine.assembler().system()) {
  const std::vector<Kind>& kinds = system_.kinds();
  for (int u = 0; u < system_.unknowns(); ++u) {
    if (kinds[u] == Kind::kMotion) motions_.push_back(u);
    if (kinds[u] == Kind::kMultiplier) constraints_.push_back(u);
  }
  T_.resize(system_.nodes().size());
}

void MotionChart::setBase(const system::State& base) {
  base_ = base;
  delta_.setZero(system_.unknowns());
  measure();
  readGradients(base_);
  if (independent_.empty() || isWorn()) choose();
}

void MotionChart::setBase(const system::State& base, const std::vector<int>& independent) {
  independent_ = independent;
  dependent_.clear();
  for (const int u : motions_) {
    if (std::find(independent_.begin(), independent_.end(), u) == independent_.end()) {
      dependent_.push_back(u);
    }
  }
  base_ = base;
  delta_.setZero(system_.unknowns());
  measure();
  readGradients(base_);
}

// Moves are as large as the machine, turns as a radian.
void MotionChart::measure() {
  double length = 0.0;
  for (const auto& frame : base_.frames) {
    length = std::max(length, (frame.x - base_.frames.front().x).norm());
  }
  if (!(length > 0.0)) length = 1.0;
  scale_.setZero(system_.unknowns());
  for (const int u : motions_) scale_[u] = system_.isRotation(UnknownIndex{u}) ? 1.0 : length;
}

// Those that pivoting leaves: the others follow from them by the smallest factors.
void MotionChart::choose() {
  const auto rank = static_cast<std::size_t>(machine_.redundancy(base_)->rank);
  std::vector<bool> isDependent(system_.unknowns(), false);
  if (rank > 0) {
    Eigen::MatrixXd B = columnsOf(B_, motions_);
    for (Eigen::Index i = 0; i < B.rows(); ++i) {
      const double size = B.row(i).norm();
      if (size > 0.0) B.row(i) /= size;
    }
    const linalg::PivotedQr<double> qr(B);
    for (std::size_t k = 0; k < rank; ++k) {
      isDependent[motions_[qr.column(static_cast<Eigen::Index>(k))]] = true;
    }
  }
  independent_.clear();
  dependent_.clear();
  for (const int u : motions_) (isDependent[u] ? dependent_ : independent_).push_back(u);
}

// In units of the sizes of increments.
Eigen::MatrixXd MotionChart::columnsOf(const Eigen::MatrixXd& B,
                                       const std::vector<int>& unknowns) const {
  Eigen::MatrixXd columns(B.rows(), static_cast<Eigen::Index>(unknowns.size()));
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    columns.col(static_cast<Eigen::Index>(k)) = scale_[unknowns[k]] * B.col(unknowns[k]);
  }
  return columns;
}

void MotionChart::readTangents() {
  for (std::size_t i = 0; i < T_.size(); ++i) {
    const system::Node& node = system_.nodes()[i];
    if (node.count > 0) T_[i] = system::calcTangent(node, delta_.data() + node.firstUnknown);
  }
}

void MotionChart::readGradients(const system::State& state) {
  readTangents();
  B_.setZero(static_cast<Eigen::Index>(constraints_.size()), system_.unknowns());
  if (constraints_.empty()) {
    BT_ = B_;
    return;
  }
  system::Assembler& assembler = machine_.assembler();
  Eigen::VectorXd residual;
  linalg::SparseMatrix K, C, M;
  assembler.calcResidual(state, residual);
  assembler.calcTangents(state, K, C, M);
  std::vector<int> row(system_.unknowns(), -1);
  for (std::size_t i = 0; i < constraints_.size(); ++i) row[constraints_[i]] = static_cast<int>(i);
  for (const int u : motions_) {
    for (linalg::SparseMatrix::InnerIterator entry(K, u); entry; ++entry) {
      if (row[entry.row()] >= 0) B_(row[entry.row()], u) = entry.value();
    }
  }
  BT_ = B_;
  for (std::size_t i = 0; i < T_.size(); ++i) {
    const system::Node& node = system_.nodes()[i];
    if (node.count == 0) continue;
    BT_.middleCols(node.firstUnknown, node.count) =
        B_.middleCols(node.firstUnknown, node.count) * T_[i].topLeftCorner(node.count, node.count);
  }
}

// The dependent increments, by unknown, that close a gap.
Eigen::VectorXd MotionChart::solveDependent(const Eigen::MatrixXd& B,
                                            const Eigen::VectorXd& gap) const {
  Eigen::VectorXd change = Eigen::VectorXd::Zero(system_.unknowns());
  if (dependent_.empty()) return change;
  Eigen::MatrixXd columns = columnsOf(B, dependent_);
  Eigen::VectorXd right = -gap;
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    const double size = columns.row(i).norm();
    if (!(size > 0.0)) continue;
    columns.row(i) /= size;
    right[i] /= size;
  }
  const Eigen::VectorXd solution = linalg::PivotedQr<double>(columns).solve(right);
  for (std::size_t k = 0; k < dependent_.size(); ++k) {
    change[dependent_[k]] = scale_[dependent_[k]] * solution[static_cast<Eigen::Index>(k)];
  }
  return change;
}

std::optional<base::Failure> MotionChart::place(const Eigen::VectorXd& xi, system::State& state) {
  for (std::size_t k = 0; k < independent_.size(); ++k) {
    delta_[independent_[k]] = xi[static_cast<Eigen::Index>(k)];
  }
  system::Assembler& assembler = machine_.assembler();
  const Eigen::VectorXd values = state.value;
  const auto retract = [&] {
    system_.retract(base_, delta_, state);
    for (int u = 0; u < values.size(); ++u) {
      if (system_.kinds()[u] != Kind::kMotion) state.value[u] = values[u];
    }
  };
  retract();
  Eigen::VectorXd residual;
  for (int iteration = 0; iteration < kMostIterations && !constraints_.empty(); ++iteration) {
    readGradients(state);
    assembler.calcResidual(state, residual);
    Eigen::VectorXd gap(static_cast<Eigen::Index>(constraints_.size()));
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      gap[static_cast<Eigen::Index>(i)] = residual[constraints_[i]];
    }
    const Eigen::VectorXd change = solveDependent(BT_, gap);
    delta_ += change;
    retract();
    double largest = 0.0;
    for (const int u : dependent_) largest = std::max(largest, std::abs(change[u]) / scale_[u]);
    if (!std::isfinite(largest)) break;
    if (largest > kLast) continue;
    readGradients(state);
    return std::nullopt;
  }
  if (constraints_.empty()) {
    readTangents();
    return std::nullopt;
  }
  delta_.setZero();
  return base::numericalFailure(
      "the joints cannot be satisfied with these coordinates of the machine",
      "use a smaller step of the integrator");
}

Eigen::VectorXd MotionChart::calcConstraintRates(const system::State& state) {
  system::Assembler& assembler = machine_.assembler();
  Eigen::VectorXd residual, rates = Eigen::VectorXd::Zero(system_.unknowns());
  assembler.calcResidual(state, residual);
  assembler.calcConstraintRates(rates);
  Eigen::VectorXd own(static_cast<Eigen::Index>(constraints_.size()));
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    own[static_cast<Eigen::Index>(i)] = rates[constraints_[i]];
  }
  return own;
}

void MotionChart::move(const Eigen::VectorXd& eta, system::State& state) {
  for (const int u : dependent_) state.rate[u] = 0.0;
  for (std::size_t k = 0; k < independent_.size(); ++k) {
    state.rate[independent_[k]] = eta[static_cast<Eigen::Index>(k)];
  }
  if (constraints_.empty()) return;
  const Eigen::VectorXd change = solveDependent(B_, calcConstraintRates(state));
  for (const int u : dependent_) state.rate[u] = change[u];
}

Eigen::VectorXd MotionChart::solveTangents(const Eigen::VectorXd& vector) const {
  Eigen::VectorXd solution = vector;
  for (std::size_t i = 0; i < T_.size(); ++i) {
    const system::Node& node = system_.nodes()[i];
    if (node.count == 0) continue;
    const Eigen::MatrixXd T = T_[i].topLeftCorner(node.count, node.count);
    const Eigen::VectorXd part = vector.segment(node.firstUnknown, node.count);
    solution.segment(node.firstUnknown, node.count) = linalg::solveDense(T, part);
  }
  return solution;
}

// T at any δ.
Eigen::VectorXd MotionChart::applyTangents(const Eigen::VectorXd& delta,
                                           const Eigen::VectorXd& vector) const {
  Eigen::VectorXd product = vector;
  for (const system::Node& node : system_.nodes()) {
    if (node.count == 0) continue;
    const math::Mat6<double> T = system::calcTangent(node, delta.data() + node.firstUnknown);
    product.segment(node.firstUnknown, node.count) =
        T.topLeftCorner(node.count, node.count) * vector.segment(node.firstUnknown, node.count);
  }
  return product;
}

Eigen::VectorXd MotionChart::calcRates(const system::State& state) const {
  const Eigen::VectorXd all = solveTangents(state.rate);
  Eigen::VectorXd rates(size());
  for (int k = 0; k < size(); ++k) rates[k] = all[independent_[k]];
  return rates;
}

Eigen::VectorXd MotionChart::coordinates() const {
  Eigen::VectorXd xi(size());
  for (int k = 0; k < size(); ++k) xi[k] = delta_[independent_[k]];
  return xi;
}

Eigen::VectorXd MotionChart::readRates(const system::State& state) const {
  Eigen::VectorXd eta(size());
  for (int k = 0; k < size(); ++k) eta[k] = state.rate[independent_[k]];
  return eta;
}

bool MotionChart::isWorn() const {
  for (const system::Node& node : system_.nodes()) {
    double turn = 0.0;
    for (int k = 0; k < node.count; ++k) {
      const int u = node.firstUnknown + k;
      if (system_.isRotation(UnknownIndex{u})) turn += delta_[u] * delta_[u];
    }
    if (turn > kFarTurn * kFarTurn) return true;
  }
  if (dependent_.empty() || independent_.empty()) return false;
  const Eigen::MatrixXd of = columnsOf(BT_, dependent_), by = columnsOf(BT_, independent_);
  const Eigen::MatrixXd slopes = linalg::PivotedQr<double>(of).solve(by);
  return !slopes.allFinite() || slopes.cwiseAbs().maxCoeff() > kSteep;
}

double MotionChart::findDifferenceStep(const Eigen::VectorXd& increments,
                                       const Eigen::VectorXd& rates,
                                       const system::State& state) const {
  double largest = 0.0, speed = 0.0, change = 0.0;
  for (const int u : motions_) {
    largest = std::max(largest, std::abs(increments[u]) / scale_[u]);
    speed = std::max(speed, std::abs(state.rate[u]) / scale_[u]);
    change = std::max(change, std::abs(rates[u]) / scale_[u]);
  }
  // Velocities are those of the machine, or as fast as they change.
  if (speed > 0.0) largest = std::max(largest, change / speed);
  if (!(largest > 0.0)) largest = change > 0.0 ? change : 1.0;
  return kDifference / largest;
}

MotionChart::Change MotionChart::calcChange(const system::State& state, const Eigen::VectorXd& xi,
                                            const Eigen::VectorXd& eta) {
  Eigen::VectorXd delta = Eigen::VectorXd::Zero(system_.unknowns()), rates = delta;
  for (int k = 0; k < size(); ++k) {
    delta[independent_[k]] = xi[k];
    rates[independent_[k]] = eta[k];
  }
  delta += solveDependent(BT_, BT_ * delta);
  Change change;
  change.increments = applyTangents(delta_, delta);
  // Of Φ' along the increments, with the rates as they are; it is linear in them.
  Eigen::VectorXd bend = Eigen::VectorXd::Zero(B_.rows());
  const bool moves = change.increments.cwiseAbs().maxCoeff() > 0.0;
  if (moves && B_.rows() > 0) {
    const double h =
        findDifferenceStep(change.increments, Eigen::VectorXd::Zero(rates.size()), state);
    system::State ahead = state, behind = state;
    system_.retract(state, h * change.increments, ahead);
    system_.retract(state, -h * change.increments, behind);
    bend = (calcConstraintRates(ahead) - calcConstraintRates(behind)) / (2.0 * h);
  }
  rates += solveDependent(B_, B_ * rates + bend);
  change.rates = rates;
  // u = T(δ) δ'
  Eigen::VectorXd right = rates;
  if (moves) {
    const Eigen::VectorXd own = solveTangents(state.rate);
    const double h = findDifferenceStep(delta, Eigen::VectorXd::Zero(rates.size()), state);
    right -= (applyTangents(delta_ + h * delta, own) - applyTangents(delta_ - h * delta, own)) /
             (2.0 * h);
  }
  const Eigen::VectorXd all = solveTangents(right);
  change.coordinateRates.resize(size());
  for (int k = 0; k < size(); ++k) change.coordinateRates[k] = all[independent_[k]];
  return change;
}

int MotionChart::findMassless(const system::State& state) {
  if (independent_.empty()) return -1;
  readGradients(state);
  system::Assembler& assembler = machine_.assembler();
  Eigen::VectorXd residual;
  linalg::SparseMatrix K, C, M;
  assembler.calcResidual(state, residual);
  assembler.calcTangents(state, K, C, M);
  Eigen::MatrixXd moves(system_.unknowns(), size());
  for (int k = 0; k < size(); ++k) {
    Eigen::VectorXd own = Eigen::VectorXd::Zero(system_.unknowns());
    own[independent_[k]] = scale_[independent_[k]];
    moves.col(k) = own + solveDependent(B_, B_ * own);
  }
  Eigen::MatrixXd mass = moves.transpose() * (M * moves);
  // Each by its own size: what is left of a motion when others have taken theirs.
  const Eigen::VectorXd sizes = mass.diagonal().cwiseMax(0.0).cwiseSqrt();
  for (int k = 0; k < size(); ++k) {
    if (!(sizes[k] > 0.0)) return independent_[k];
  }
  const Eigen::MatrixXd scaled =
      sizes.cwiseInverse().asDiagonal() * mass * sizes.cwiseInverse().asDiagonal();
  const linalg::PivotedQr<double> qr(scaled);
  const Eigen::Index rank = qr.rank(kNoMass);
  return rank < size() ? independent_[qr.column(rank)] : -1;
}

}  // namespace flexloop::analysis
