#include "solve/shared_friction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/least_squares.hpp"
#include "linalg/dense/svd.hpp"
#include "system/sharing.hpp"

namespace flexloop::solve {

using system::Kind;
using system::Switch;
using Branch = system::Switching::Branch;

namespace {

constexpr double kIndependent = 1e-9;  // of the largest singular value
constexpr double kSmallest = 1e-9;  // of the largest limit: contacts that hardly press hold nothing
constexpr double kComfortable = 0.9;  // of the limit: less is not looked for
constexpr double kSame = 1e-9;        // relative
constexpr int kMostRounds = 300;
constexpr int kMostPoints = 100;  // more are left to the compliance; the cost grows with their cube

Eigen::VectorXd findRatios(const Eigen::VectorXd& forces, const Eigen::VectorXd& limits) {
  Eigen::VectorXd ratios(limits.size());
  for (Eigen::Index i = 0; i < limits.size(); ++i) {
    ratios[i] = forces.segment<2>(2 * i).norm() / limits[i];
  }
  return ratios;
}

// The directions that do nothing to any motion.
Eigen::MatrixXd findIdle(const Eigen::MatrixXd& A) {
  const linalg::Svd<double> svd = linalg::findSvd(A);
  Eigen::Index rank = 0;
  while (rank < svd.values.size() && svd.values[rank] > kIndependent * svd.values[0]) ++rank;
  return svd.V.rightCols(A.cols() - rank);
}

// Contacts that stick, and can do so with others.
std::vector<const Switch*> findHeld(const std::vector<Switch>& switches,
                                    const system::State& state) {
  std::vector<const Switch*> held;
  for (const Switch& s : switches) {
    const bool shares = dynamic_cast<const system::Sharing*>(s.set) != nullptr;
    if (shares && s.branch(state) == Branch::kClosed) held.push_back(&s);
  }
  return held;
}

// Of the motions that are touched; turns are measured by the largest arm.
Eigen::MatrixXd gatherColumns(const system::System& system, const linalg::SparseMatrix& K,
                              const std::vector<int>& columns) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(K.rows(), static_cast<Eigen::Index>(columns.size()));
  std::vector<bool> isTouched(K.rows(), false);
  double move = 0.0, turn = 0.0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (linalg::SparseMatrix::InnerIterator entry(K, columns[c]); entry; ++entry) {
      if (system.kinds()[entry.row()] != Kind::kMotion || entry.value() == 0.0) continue;
      const bool isTurn = system.isRotation(system::UnknownIndex{static_cast<int>(entry.row())});
      double& largest = isTurn ? turn : move;
      largest = std::max(largest, std::abs(entry.value()));
      isTouched[entry.row()] = true;
      all(entry.row(), static_cast<Eigen::Index>(c)) = entry.value();
    }
  }
  Eigen::MatrixXd A(std::count(isTouched.begin(), isTouched.end(), true), all.cols());
  Eigen::Index next = 0;
  for (Eigen::Index row = 0; row < all.rows(); ++row) {
    if (!isTouched[row]) continue;
    const bool isTurn = system.isRotation(system::UnknownIndex{static_cast<int>(row)});
    A.row(next++) = all.row(row) / (isTurn ? turn : move);
  }
  return A;
}

// Least squares with the weights w/L², which Lawson's rule moves towards those that are largest. It begins with w = L: forces are then shared as contacts press,
// which is the best where one motion is held. The columns of `idle` are independent.
struct Shared {
  Eigen::VectorXd more;
  double largest = std::numeric_limits<double>::infinity();  // of the forces by their limits
};
Shared shareWithin(const Eigen::VectorXd& forces, const Eigen::VectorXd& limits,
                   const Eigen::MatrixXd& idle) {
  Eigen::VectorXd weights = limits / limits.maxCoeff();
  Shared best;
  for (int round = 0; round < kMostRounds && best.largest > kComfortable; ++round) {
    Eigen::MatrixXd X = idle;
    Eigen::VectorXd b = -forces;
    for (Eigen::Index i = 0; i < limits.size(); ++i) {
      const double weight = std::sqrt(weights[i]) / limits[i];
      X.middleRows(2 * i, 2) *= weight;
      b.segment<2>(2 * i) *= weight;
    }
    const Eigen::VectorXd x = idle * linalg::solveSmallest(X, b);
    const Eigen::VectorXd ratios = findRatios(forces + x, limits);
    if (ratios.maxCoeff() < best.largest) best = {x, ratios.maxCoeff()};
    // No forces have a smaller largest one than the mean that is least for any weights.
    const double least = std::sqrt(weights.dot(ratios.cwiseAbs2()) / weights.sum());
    if (best.largest <= (1.0 + kSame) * least) break;
    weights = weights.cwiseProduct(ratios);
    if (!(weights.maxCoeff() > 0.0)) break;
    weights /= weights.maxCoeff();
  }
  return best;
}

// Which points share with each other: those whose forces do nothing together.
std::vector<std::vector<Eigen::Index>> findGroups(const Eigen::MatrixXd& idle) {
  const Eigen::Index count = idle.rows() / 2;
  const Eigen::MatrixXd P = idle * idle.transpose();
  std::vector<bool> isTaken(count, false);
  std::vector<std::vector<Eigen::Index>> groups;
  for (Eigen::Index first = 0; first < count; ++first) {
    if (isTaken[first]) continue;
    std::vector<Eigen::Index> group{first};
    isTaken[first] = true;
    for (std::size_t next = 0; next < group.size(); ++next) {
      for (Eigen::Index i = 0; i < count; ++i) {
        if (isTaken[i] || P.block<2, 2>(2 * group[next], 2 * i).norm() <= kIndependent) continue;
        isTaken[i] = true;
        group.push_back(i);
      }
    }
    std::sort(group.begin(), group.end());
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

Eigen::VectorXd shareAmong(const HeldForces& held, bool onlyIfEnough) {
  const Eigen::VectorXd limits = held.limits.cwiseMax(kSmallest * held.limits.maxCoeff());
  Eigen::VectorXd more = Eigen::VectorXd::Zero(held.forces.size());
  if (!(limits.minCoeff() > 0.0)) return more;
  const Eigen::MatrixXd idle = findIdle(held.A);
  if (idle.cols() == 0) return more;
  for (const std::vector<Eigen::Index>& group : findGroups(idle)) {
    const auto size = static_cast<Eigen::Index>(group.size());
    Eigen::VectorXd forces(2 * size), own(size);
    Eigen::MatrixXd rows(2 * size, idle.cols());
    for (Eigen::Index i = 0; i < size; ++i) {
      forces.segment<2>(2 * i) = held.forces.segment<2>(2 * group[i]);
      rows.middleRows(2 * i, 2) = idle.middleRows(2 * group[i], 2);
      own[i] = limits[group[i]];
    }
    if (findRatios(forces, own).maxCoeff() <= 1.0) continue;
    const linalg::Svd<double> svd = linalg::findSvd(rows, linalg::SvdForm::kThin);
    const Eigen::Index rank = (svd.values.array() > kIndependent).count();
    const Shared shared = shareWithin(forces, own, svd.U.leftCols(rank));
    if (onlyIfEnough && shared.largest > 1.0) continue;
    for (Eigen::Index i = 0; i < size; ++i) {
      more.segment<2>(2 * group[i]) = shared.more.segment<2>(2 * i);
    }
  }
  return more;
}

std::vector<FrictionShare> findShares(system::Assembler& assembler,
                                      const std::vector<Switch>& switches,
                                      const system::State& state, bool onlyIfEnough) {
  const std::vector<const Switch*> held = findHeld(switches, state);
  const auto count = static_cast<Eigen::Index>(held.size());
  if (count < 2 || count > kMostPoints) return {};
  const system::Motion& motion = assembler.calcMotion(state);
  HeldForces now{Eigen::VectorXd(2 * count), Eigen::VectorXd(count), {}};
  const double scale = assembler.environment().constraintScale;
  std::vector<int> columns;
  bool isTooMuch = false;
  for (Eigen::Index i = 0; i < count; ++i) {
    const Switch& s = *held[i];
    const system::SwitchReading reading = s.set->read(s.index, motion, assembler.environment());
    now.limits[i] = reading.limit;
    isTooMuch = isTooMuch || std::abs(reading.force) > reading.limit;
    const std::array multipliers{s.set->multiplier(s.index).value,
                                 s.set->secondMultiplier(s.index).value};
    for (int k = 0; k < 2; ++k) {
      columns.push_back(multipliers[k]);
      now.forces[2 * i + k] =
          scale * state.value[multipliers[k]] + state.value[s.set->slidingForce(s.index, k).value];
    }
  }
  if (!isTooMuch) return {};
  linalg::SparseMatrix K, C, M;
  assembler.calcTangents(state, K, C, M);
  now.A = gatherColumns(assembler.system(), K, columns);
  const Eigen::VectorXd more = shareAmong(now, onlyIfEnough);
  std::vector<FrictionShare> shares;
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::array force{more[2 * i], more[2 * i + 1]};
    if (force[0] != 0.0 || force[1] != 0.0) shares.push_back({held[i], force});
  }
  return shares;
}

void addShares(const std::vector<FrictionShare>& shares, system::State& state) {
  for (const FrictionShare& share : shares) {
    const Switch& s = *share.of;
    dynamic_cast<const system::Sharing&>(*s.set).share(s.index, share.force, state);
  }
}

}  // namespace flexloop::solve
