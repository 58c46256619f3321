#include "analysis/linear/force_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "linalg/roots/fixed_vector.hpp"
#include "linalg/solvers/sparse_solver.hpp"
#include "solve/time/motion_reach.hpp"
#include "solve/time/part_sizes.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::VectorXd;
using linalg::QuadraticPencil;
using linalg::SparseMatrix;
using system::Kind;

constexpr double kLastDigits = 8.0 * std::numeric_limits<double>::epsilon();
constexpr int kTrials = 2;
constexpr double kCertain = 4.0;     // an entry that exceeds its noise by this factor is one
constexpr double kStiffShare = 1e6;  // inertia beside stiffness
constexpr double kFaint = 1e-6;      // of the largest noise of forces in a part, that of all others
// Errors that are larger by the first factor make noise larger by the second at least. A slope that errors of any size change
// alike is that of a block on a kink.
constexpr double kLargerErrors = 1e3, kLargerNoise = 30.0;

// The forces, signals and accelerations that a small error of positions and velocities brings about at once:
//
//   | M   Kᵃ | | δa |     | K δq + C δv |        δy: multipliers and signals; Kᵐ = K of constraints, M of signals,
//   | Kᵐ  Kᵃ | | δy | = − | K δq + C δv |        and the right sides of constraints are zero             (18.5)
//
// States do not follow at once. Freedoms without mass are held by a trace of their stiffness.
class ForceResponse {
 public:
  ForceResponse(const system::System& system, const LinearModel& linear)
      : system_(system), linear_(linear) {
    const QuadraticPencil& pencil = linear.pencil;
    const int n = pencil.size();
    const double fastest = findFastest();
    const double share = fastest > 0.0 ? 1.0 / (kStiffShare * fastest) : 0.0;
    std::vector<Eigen::Triplet<double>> entries;
    add(pencil.K, entries, [&](Kind row, Kind column) {
      if (row == Kind::kMotion && column == Kind::kMotion) return share;
      const bool isPosition = row == Kind::kSignal && column == Kind::kMotion;
      return row == Kind::kState || column == Kind::kState || isPosition ? 0.0 : 1.0;
    });
    add(pencil.M, entries, [](Kind row, Kind column) {
      return column == Kind::kMotion && row != Kind::kState ? 1.0 : 0.0;
    });
    for (int u = 0; u < n; ++u) {
      if (kindOf(u) == Kind::kState) entries.emplace_back(u, u, 1.0);
    }
    SparseMatrix matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    solver_ = linalg::makeSparseSolver(matrix, linalg::SolverChoice::kAutomatic, linear.groups);
    ok_ = solver_ != nullptr && solver_->factorize(matrix).ok;
  }

  bool ok() const { return ok_; }

  // The state with the forces that belong to it if its positions and velocities are off by so much.
  system::State calc(const system::State& state, const VectorXd& q, const VectorXd& v) {
    const SparseMatrix& expansion = linear_.expansion;
    VectorXd x = -(linear_.pencil.K * (expansion.transpose() * q) +
                   linear_.pencil.C * (expansion.transpose() * v));
    for (int u = 0; u < x.size(); ++u) {
      if (kindOf(u) == Kind::kState || kindOf(u) == Kind::kMultiplier) x[u] = 0.0;
    }
    solver_->solve(x);
    const VectorXd change = expansion * x;
    system::State other = state;
    for (int u = 0; u < system_.unknowns(); ++u) {
      if (system_.kinds()[u] == Kind::kMotion) {
        other.acceleration[u] += change[u];
      } else {
        other.value[u] += change[u];
      }
    }
    return other;
  }

 private:
  // The largest stiffness by the smallest mass of displacements or of rotations. Those with the stiffness may have no mass,
  // as of a node that is welded to a body, and the body no stiffness but round-off.
  double findFastest() const {
    const VectorXd k = linear_.pencil.K.diagonal(), m = linear_.pencil.M.diagonal();
    double stiffest[2] = {0.0, 0.0}, lightest[2] = {0.0, 0.0};
    for (int u = 0; u < linear_.pencil.size(); ++u) {
      if (kindOf(u) != Kind::kMotion) continue;
      const int unknown = linear_.unknowns[u];
      const int kind = unknown >= 0 && system_.isRotation({unknown}) ? 1 : 0;
      stiffest[kind] = std::max(stiffest[kind], std::abs(k[u]));
      if (m[u] > 0.0 && !(lightest[kind] > 0.0 && lightest[kind] < m[u])) lightest[kind] = m[u];
    }
    double fastest = 0.0;
    for (const int kind : {0, 1}) {
      if (lightest[kind] > 0.0) fastest = std::max(fastest, stiffest[kind] / lightest[kind]);
    }
    return fastest;
  }

  // What a view or a black box has added is a state if it has a rate.
  Kind kindOf(int u) const {
    const int unknown = linear_.unknowns[u];
    if (unknown >= 0) return system_.kinds()[unknown];
    return linear_.pencil.C.coeff(u, u) != 0.0 ? Kind::kState : Kind::kMultiplier;
  }

  template <class Factor>
  void add(const SparseMatrix& matrix, std::vector<Eigen::Triplet<double>>& entries,
           const Factor& factorOf) const {
    for (int column = 0; column < matrix.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
        const double factor = factorOf(kindOf(static_cast<int>(it.row())), kindOf(column));
        if (factor != 0.0) {
          entries.emplace_back(static_cast<int>(it.row()), column, factor * it.value());
        }
      }
    }
  }

  const system::System& system_;
  const LinearModel& linear_;
  std::unique_ptr<linalg::SparseSolver> solver_;
  bool ok_ = false;
};

// Moves, and turns, of one node share a noise: which axes they are measured in must not matter. They are groups 2i and 2i + 1
// of the node i, and all else has groups behind.
std::vector<int> findGroups(const system::System& system, const LinearModel& linear) {
  std::vector<int> ofUnknown(system.unknowns(), -1);
  int count = 0;
  for (const system::Node& node : system.nodes()) {
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      ofUnknown[u] = count + (system.isRotation({u}) ? 1 : 0);
    }
    count += 2;
  }
  std::vector<int> groups;
  for (const int unknown : linear.unknowns) {
    const int group = unknown >= 0 ? ofUnknown[unknown] : -1;
    groups.push_back(group >= 0 ? group : count++);
  }
  return groups;
}

// Largest of the entries between two groups.
SparseMatrix findLargest(const SparseMatrix& matrix, const std::vector<int>& groups) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int column = 0; column < matrix.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      entries.emplace_back(groups[it.row()], groups[column], it.value());
    }
  }
  const int count = 1 + *std::max_element(groups.begin(), groups.end());
  SparseMatrix largest(count, count);
  largest.setFromTriplets(entries.begin(), entries.end(),
                          [](double x, double y) { return std::max(x, y); });
  return largest;
}

// Forces and torques of one part of the machine are compared by its length: by group of moves or turns, that part and one or
// the length of a lever.
struct Levers {
  std::vector<int> part;
  std::vector<double> lever;
  int parts = 0;

  Levers(const system::System& system, const solve::PartSizes& sizes, const VectorXd& reaches)
      : parts(sizes.count()) {
    for (const system::Node& node : system.nodes()) {
      const bool isFree = node.count > 0;
      const int ofNode = isFree ? sizes.part(node.firstUnknown) : -1;
      const double length = isFree ? reaches[node.firstUnknown] : 0.0;
      part.insert(part.end(), 2, ofNode);
      lever.push_back(length);
      lever.push_back(1.0);
    }
  }

  bool contains(int group) const {
    return group < std::ssize(part) && part[group] >= 0 && lever[group] > 0.0;
  }
};

// Round-off of torques is a lever away from that of forces, even where the latter are zero in theory, as those that move a node
// without mass; and everywhere in a part forces are solved with a small share of the largest round-off.
class SpreadNoise {
 public:
  SpreadNoise() = default;
  SpreadNoise(const Levers& levers, SparseMatrix noise) : noise_(std::move(noise)) {
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<double> largest(levers.parts, 0.0);
    for (int column = 0; column < noise_.outerSize(); ++column) {
      for (SparseMatrix::InnerIterator it(noise_, column); it; ++it) {
        const auto row = static_cast<int>(it.row());
        entries.emplace_back(row, column, it.value());
        if (!levers.contains(row) || !levers.contains(column)) continue;
        const double torque = it.value() * levers.lever[row] * levers.lever[column];
        double& ofPart = largest[levers.part[row]];
        ofPart = std::max(ofPart, torque);
        const bool areTurns = row % 2 == 1 && column % 2 == 1;
        if (!areTurns || !levers.contains(row - 1) || !levers.contains(column - 1)) continue;
        entries.emplace_back(row - 1, column, torque / levers.lever[row - 1]);
        entries.emplace_back(row, column - 1, torque / levers.lever[column - 1]);
      }
    }
    noise_.setFromTriplets(entries.begin(), entries.end(),
                           [](double x, double y) { return std::max(x, y); });
    for (std::size_t group = 0; group < levers.part.size(); ++group) {
      const bool isIn = levers.contains(static_cast<int>(group));
      faint_.push_back(isIn ? std::sqrt(kFaint * largest[levers.part[group]]) / levers.lever[group]
                            : 0.0);
    }
  }

  double of(int row, int column) const {
    const bool areNodes = row < std::ssize(faint_) && column < std::ssize(faint_);
    return std::max(noise_.coeff(row, column), areNodes ? faint_[row] * faint_[column] : 0.0);
  }

 private:
  SparseMatrix noise_;
  std::vector<double> faint_;
};

// Vectors of last digits, of the size of one in every entry.
VectorXd makeErrors(int size, unsigned trial) {
  const VectorXd f = linalg::makeFixedVector(size, trial);
  return kLastDigits * (f.array() < 0.0).select(0.5 * f.array() - 0.5, 0.5 * f.array() + 0.5);
}

// How far the parts of the machine reach: their positions are rounded by that.
solve::PartSizes measureParts(const system::Assembler& assembler, const system::State& state,
                              const SparseMatrix& M) {
  const system::System& system = assembler.system();
  solve::PartSizes sizes(system, solve::findParts(system, assembler.pattern()));
  sizes.measure(state, M);
  return sizes;
}

// Errors of positions in turns and in lengths of the part, and of velocities in those of the node.
struct StateErrors {
  VectorXd q, v;

  StateErrors(const system::System& system, const system::State& state, const VectorXd& reaches,
              unsigned trial)
      : q(makeErrors(system.unknowns(), trial)), v(makeErrors(system.unknowns(), trial + kTrials)) {
    VectorXd lengths = VectorXd::Zero(system.unknowns()), speeds = lengths;
    for (const system::Node& node : system.nodes()) {
      double speed[2] = {0.0, 0.0};
      const auto visit = [&](const auto& use) {
        for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
          use(u, system.isRotation({u}) ? 1 : 0);
        }
      };
      visit([&](int u, int kind) { speed[kind] = std::max(speed[kind], std::abs(state.rate[u])); });
      visit([&](int u, int kind) {
        lengths[u] = kind == 1 ? 1.0 : reaches[u];
        speeds[u] = speed[kind];
      });
    }
    q = q.cwiseProduct(lengths).eval();
    v = v.cwiseProduct(speeds).eval();
  }
};

// Without the entries that do not change, which are most of those of large machines.
SparseMatrix changeOf(const SparseMatrix& here, const SparseMatrix& there) {
  SparseMatrix change = (there - here).cwiseAbs();
  change.prune([](int, int, double value) { return value != 0.0; });
  return change;
}

struct Changes {
  SparseMatrix K, C;
};
Changes changesOf(const QuadraticPencil& here, const QuadraticPencil& there) {
  return {changeOf(here.K, there.K), changeOf(here.C, there.C)};
}

// Whether an entry changes so much that it may be taken for noise.
bool isLarge(const SparseMatrix& change, const SparseMatrix& matrix) {
  for (int column = 0; column < change.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(change, column); it; ++it) {
      if (it.value() == 0.0) continue;
      const double size = std::abs(matrix.coeff(it.row(), column));
      if (size > 0.0 && kCertain * kTrials * it.value() > size) return true;
    }
  }
  return false;
}

void leaveOutKinks(const SparseMatrix& farChange, SparseMatrix& change) {
  for (int column = 0; column < change.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(change, column); it; ++it) {
      if (it.value() == 0.0) continue;
      if (farChange.coeff(it.row(), column) < kLargerNoise * it.value()) it.valueRef() = 0.0;
    }
  }
}

// What errors make of the entries of the pencil: those of forces by group, those of velocities by entry.
class EntryNoise {
 public:
  EntryNoise(system::Assembler& assembler, const system::State& state, const LinearModel& linear,
             ForceResponse& response)
      : groups_(findGroups(assembler.system(), linear)) {
    const NodeAxes& axes = linear.turning.axes;
    const QuadraticPencil here = makePencil(assembler, state, axes);
    const solve::PartSizes sizes = measureParts(assembler, state, here.M);
    const VectorXd reaches = sizes.lengths();
    SparseMatrix none(here.size(), here.size());
    SparseMatrix forces[2] = {none, none}, speeds[2] = {none, none};
    // `makeState`: with errors larger by a factor.
    const auto add = [&](const auto& makeState, SparseMatrix* sum) {
      const auto changesBy = [&](double factor) {
        return changesOf(here, makePencil(assembler, makeState(factor), axes));
      };
      Changes changes = changesBy(1.0);
      if (isLarge(changes.K, here.K) || isLarge(changes.C, here.C)) {
        const Changes far = changesBy(kLargerErrors);
        leaveOutKinks(far.K, changes.K);
        leaveOutKinks(far.C, changes.C);
      }
      sum[0] += changes.K;
      sum[1] += changes.C;
    };
    for (unsigned trial = 0; trial < kTrials; ++trial) {
      const StateErrors errors(assembler.system(), state, reaches, trial);
      const auto respond = [&](double factor) -> system::State {
        return response.calc(state, factor * errors.q, factor * errors.v);
      };
      add(respond, forces);
      if (errors.v.isZero(0.0)) continue;
      const auto speedUp = [&](double factor) {
        system::State faster = state;
        faster.rate += factor * errors.v;
        return faster;
      };
      add(speedUp, speeds);
    }
    const SparseMatrix expansion = linear.expansion.cwiseAbs(), back = expansion.transpose();
    const Levers levers(assembler.system(), sizes, reaches);
    for (int k = 0; k < 2; ++k) {
      ofForces_[k] = SpreadNoise(levers, findLargest(back * forces[k] * expansion, groups_));
      ofSpeeds_[k] = back * speeds[k] * expansion;
    }
  }

  // A group goes as a whole: beside a stiffness of its own round-off does no harm.
  void drop(int derivative, SparseMatrix& matrix) const {
    const SparseMatrix sizes = findLargest(matrix.cwiseAbs(), groups_);
    matrix.prune([&](int row, int column, double value) {
      const int i = groups_[row], j = groups_[column];
      return sizes.coeff(i, j) >= kCertain * ofForces_[derivative].of(i, j) &&
             std::abs(value) >= kCertain * ofSpeeds_[derivative].coeff(row, column);
    });
  }

 private:
  std::vector<int> groups_;
  SpreadNoise ofForces_[2];  // of K and C
  SparseMatrix ofSpeeds_[2];
};

}  // namespace

void dropForceNoise(system::Assembler& assembler, const system::State& state, LinearModel& linear) {
  if (linear.pencil.size() == 0) return;
  ForceResponse response(assembler.system(), linear);
  if (!response.ok()) return;
  const EntryNoise noise(assembler, state, linear, response);
  noise.drop(0, linear.pencil.K);
  noise.drop(1, linear.pencil.C);
}

}  // namespace flexloop::analysis
