#include "analysis/linear/linear_model.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>

#include "analysis/balance/branch_notes.hpp"
#include "analysis/balance/switch_notes.hpp"
#include "analysis/linear/box_model.hpp"
#include "analysis/linear/force_noise.hpp"
#include "analysis/modes/rigid_clusters.hpp"
#include "control/blocks/block_set.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "solve/prepared_machine.hpp"

namespace flexloop::analysis {
namespace {

using linalg::QuadraticPencil;
using linalg::SparseMatrix;
using system::Kind;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

constexpr double kCancelled = 1e-13;  // share of a sum's terms that is round-off
constexpr double kDependent = 1e-9;   // of a gradient that others explain, what is left
constexpr double kTiny = 1e-15;       // the same of the stiffness in which other entries are sums

SparseMatrix assemble(int rows, int columns, const Triplets& entries) {
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Of constraints that depend on each other, those that others imply. Rotations are compared as moves at the end of their arms.
std::vector<bool> findImplied(solve::PreparedMachine& machine, const system::State& state,
                              const SparseMatrix& K) {
  const auto redundancy = machine.redundancy(state);
  std::vector<bool> implied(K.rows(), false);
  std::vector<int> rows;
  for (const solve::DependentRow& row : redundancy->dependentRows) rows.push_back(row.unknown);
  if (rows.empty()) return implied;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> byRow = K;
  Eigen::MatrixXd gradients = Eigen::MatrixXd::Zero(K.cols(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Eigen::VectorXd gradient = byRow.row(rows[i]).transpose();
    gradient.head(redundancy->arms.size()).array() /= redundancy->arms.array();
    gradients.col(i) = gradient.normalized();
  }
  const linalg::PivotedQr<double> qr(gradients);
  for (Eigen::Index i = qr.rank(kDependent); i < gradients.cols(); ++i) {
    implied[rows[qr.column(i)]] = true;
  }
  return implied;
}

// The directions in which actuators push: columns of their signals in the equations of motion.
std::vector<Eigen::SparseVector<double>> findActuated(const model::Model& model,
                                                      const SparseMatrix& K) {
  const system::System& system = model.system();
  std::set<std::string, std::less<>> actuators;
  for (const system::Item& item : model.description().items) {
    if (item.section() == "actuators") actuators.insert(item.name());
  }
  std::vector<Eigen::SparseVector<double>> directions;
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] != Kind::kSignal) continue;
    if (!actuators.contains(model.signalName({u}))) continue;
    Eigen::SparseVector<double> direction(system.unknowns());
    for (SparseMatrix::InnerIterator it(K, u); it; ++it) {
      if (system.kinds()[it.row()] == Kind::kMotion && it.value() != 0.0) {
        direction.insert(it.row()) = it.value();
      }
    }
    if (direction.nonZeros() == 0) continue;
    directions.push_back(direction);
  }
  return directions;
}

// Increments of all unknowns from those that a view keeps.
struct Selection {
  Triplets entries;
  std::vector<int> unknowns, groups;
  int count = 0;

  void keep(int unknown, int group) {
    entries.emplace_back(unknown, count++, 1.0);
    unknowns.push_back(unknown);
    groups.push_back(group);
  }

  // What is not an unknown of the system forms a group of its own.
  void keepAdded(int row) {
    entries.emplace_back(row, count++, 1.0);
    unknowns.push_back(-1);
    groups.push_back(groups.empty() ? 0 : *std::max_element(groups.begin(), groups.end()) + 1);
  }
};

bool isKept(Kind kind, LoopView loop) {
  return loop == LoopView::kClosed || kind == Kind::kMotion || kind == Kind::kMultiplier;
}

Selection select(const system::Assembler& assembler, const system::State& state,
                 const LinearView& view, const std::vector<bool>& implied) {
  const system::System& system = assembler.system();
  Selection selection;
  std::vector<bool> isRigid(system.unknowns(), false);
  if (view.bodies == BodyView::kRigid) {
    for (const RigidCluster& cluster : findRigidClusters(system, state)) {
      for (const auto& [unknown, motions] : cluster.unknowns) {
        isRigid[unknown] = true;
        for (int k = 0; k < cluster.motions; ++k) {
          if (motions[k] != 0.0) {
            selection.entries.emplace_back(unknown, selection.count + k, motions[k]);
          }
        }
      }
      const int first = cluster.unknowns.empty() ? -1 : cluster.unknowns.front().first;
      for (int k = 0; k < cluster.motions; ++k) {
        selection.unknowns.push_back(first);
        selection.groups.push_back(assembler.eliminationGroups()[first]);
      }
      selection.count += cluster.motions;
    }
  }
  for (int u = 0; u < system.unknowns(); ++u) {
    if (isRigid[u] || implied[u] || !isKept(system.kinds()[u], view.loop)) continue;
    selection.keep(u, assembler.eliminationGroups()[u]);
  }
  return selection;
}

// Where beams are rigid, more constraints follow from others: a frame that is welded to a body at two places, or a
// linkage in a plane with hinges.
void addImpliedByRigidity(const system::Assembler& assembler, const system::State& state,
                          const LinearView& view, const SparseMatrix& K,
                          std::vector<bool>& implied) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  const Selection selection = select(assembler, state, view, implied);
  std::vector<int> constraints;
  for (const int u : selection.unknowns) {
    if (kinds[u] == Kind::kMultiplier) constraints.push_back(u);
  }
  if (constraints.empty()) return;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> byRow = K;
  const SparseMatrix columns =
      SparseMatrix(assemble(static_cast<int>(K.rows()), selection.count, selection.entries))
          .transpose();
  Eigen::MatrixXd gradients = Eigen::MatrixXd::Zero(selection.count, std::ssize(constraints));
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const Eigen::VectorXd row = byRow.row(constraints[i]).transpose();
    const Eigen::VectorXd reduced = columns * row;
    // Within one body nothing but round-off is left.
    if (reduced.norm() > kDependent * row.norm()) gradients.col(i) = reduced.normalized();
  }
  const linalg::PivotedQr<double> qr(gradients);
  for (Eigen::Index i = qr.rank(kDependent); i < gradients.cols(); ++i) {
    implied[constraints[qr.column(i)]] = true;
  }
}

// What a time step sees of a delay is an interpolation in its past; the linear machine has e^{−sτ} instead.
void takeOutDelays(const std::vector<control::DelayedSignal>& delays, SparseMatrix& K) {
  std::set<int> outputs;
  for (const control::DelayedSignal& delay : delays) outputs.insert(delay.output.value);
  if (outputs.empty()) return;
  K.prune([&](int row, int column, double) { return row == column || !outputs.contains(row); });
  for (const int u : outputs) K.coeffRef(u, u) = 1.0;
}

linalg::DelayTerms findTerms(const std::vector<control::DelayedSignal>& delays,
                             const std::vector<int>& unknowns) {
  linalg::DelayTerms terms;
  const auto indexOf = [&](system::UnknownIndex signal) {
    const auto found = std::find(unknowns.begin(), unknowns.end(), signal.value);
    return found == unknowns.end() ? -1 : static_cast<int>(found - unknowns.begin());
  };
  for (const control::DelayedSignal& delay : delays) {
    const int row = indexOf(delay.output), column = indexOf(delay.input);
    if (row >= 0 && column >= 0) terms.push_back({row, column, -delay.sign, delay.delay});
  }
  return terms;
}

void renumber(std::vector<int>& groups) {
  std::vector<int> sorted = groups;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (int& group : groups) {
    group =
        static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), group) - sorted.begin());
  }
}

// By unknown of the pencil, the length at which a turn counts as a move.
Eigen::VectorXd armsOf(const LinearModel& model, const Eigen::VectorXd& arms) {
  Eigen::VectorXd found = Eigen::VectorXd::Ones(model.pencil.size());
  for (int i = 0; i < found.size(); ++i) {
    const int unknown = model.unknowns[i];
    if (unknown >= 0 && unknown < arms.size()) found[i] = arms[unknown];
  }
  return found;
}

// Gradients of the constraints of the pencil as columns of length one.
SparseMatrix findGradients(const LinearModel& model, const system::System& system,
                           const Eigen::VectorXd& arms) {
  const SparseMatrix columns = arms.cwiseInverse().asDiagonal() * model.pencil.K.transpose();
  Triplets entries;
  int count = 0;
  for (int u = 0; u < model.pencil.size(); ++u) {
    const int unknown = model.unknowns[u];
    if (unknown < 0 || system.kinds()[unknown] != Kind::kMultiplier) continue;
    const double length = columns.col(u).norm();
    for (SparseMatrix::InnerIterator it(columns, u); length > 0.0 && it; ++it) {
      entries.emplace_back(static_cast<int>(it.row()), count, it.value() / length);
    }
    ++count;
  }
  return assemble(model.pencil.size(), count, entries);
}

// Directions of the pencil that neither constraints nor the directions before hold already: several actuators may
// push the same freedom, or a joint that is locked.
std::vector<Eigen::VectorXd> findFree(const LinearModel& model, const system::System& system,
                                      const std::vector<Eigen::SparseVector<double>>& directions,
                                      const Eigen::VectorXd& arms) {
  constexpr double kHeld = 1e-9;  // what is left of a direction of length one
  Eigen::SparseQR<SparseMatrix, Eigen::COLAMDOrdering<int>> qr;
  SparseMatrix gradients = findGradients(model, system, arms);
  gradients.makeCompressed();
  if (gradients.cols() > 0) qr.compute(gradients);
  const Eigen::Index rank = gradients.cols() > 0 ? qr.rank() : 0;
  std::vector<Eigen::VectorXd> free, basis;
  for (const Eigen::SparseVector<double>& direction : directions) {
    Eigen::VectorXd reduced = model.expansion.transpose() * Eigen::VectorXd(direction);
    const double length = reduced.norm();
    if (length == 0.0) continue;
    reduced /= length;
    Eigen::VectorXd rest = reduced.cwiseQuotient(arms).normalized();
    if (rank > 0) rest = (qr.matrixQ().transpose() * rest).eval();
    rest = rest.tail(rest.size() - rank).eval();
    for (int k = 0; k < 2; ++k) {
      for (const Eigen::VectorXd& other : basis) rest -= other.dot(rest) * other;
    }
    if (rest.norm() <= kHeld) continue;
    basis.push_back(rest.normalized());
    free.push_back(std::move(reduced));
  }
  return free;
}

// A freedom that is held: its direction gets a multiplier.
void holdDirections(LinearModel& model, const std::vector<Eigen::VectorXd>& directions) {
  const int n = model.pencil.size(), m = static_cast<int>(directions.size());
  if (m == 0) return;
  Triplets entries;
  const auto copy = [&](const SparseMatrix& matrix) {
    entries.clear();
    for (int c = 0; c < n; ++c) {
      for (SparseMatrix::InnerIterator it(matrix, c); it; ++it) {
        entries.emplace_back(static_cast<int>(it.row()), c, it.value());
      }
    }
  };
  copy(model.pencil.C);
  model.pencil.C = assemble(n + m, n + m, entries);
  copy(model.pencil.M);
  model.pencil.M = assemble(n + m, n + m, entries);
  copy(model.pencil.K);
  const int count = *std::max_element(model.groups.begin(), model.groups.end()) + 1;
  for (int i = 0; i < m; ++i) {
    for (int u = 0; u < n; ++u) {
      if (directions[i][u] == 0.0) continue;
      entries.emplace_back(u, n + i, directions[i][u]);
      entries.emplace_back(n + i, u, directions[i][u]);
    }
    model.unknowns.push_back(-1);
    model.groups.push_back(count + i);
  }
  model.pencil.K = assemble(n + m, n + m, entries);
  SparseMatrix expansion = model.expansion;
  expansion.conservativeResize(expansion.rows(), n + m);
  model.expansion = expansion;
}

// By unknown of the pencil, the motions of a rigid view.
std::vector<bool> findRigid(const system::System& system, const LinearModel& linear,
                            const LinearView& view) {
  std::vector<bool> isRigid(linear.expansion.cols(), false);
  for (std::size_t i = 0; i < linear.unknowns.size() && view.bodies == BodyView::kRigid; ++i) {
    const int unknown = linear.unknowns[i];
    isRigid[i] =
        unknown >= 0 && unknown < system.unknowns() && system.kinds()[unknown] == Kind::kMotion;
  }
  return isRigid;
}

// Tᵀ A T. In a rigid view the stiffness inside a cluster cancels, and the forces in it are round-off too: what is left
// of both would hold or push away a machine that floats, and is made zero.
SparseMatrix reduce(const SparseMatrix& matrix, const SparseMatrix& expansion,
                    const std::vector<bool>& isRigid) {
  SparseMatrix reduced = expansion.transpose() * matrix * expansion;
  const SparseMatrix magnitude = expansion.cwiseAbs();
  const SparseMatrix terms = magnitude.transpose() * matrix.cwiseAbs() * magnitude;
  const Eigen::VectorXd size = terms.diagonal().cwiseSqrt();
  for (int column = 0; column < reduced.outerSize(); ++column) {
    SparseMatrix::InnerIterator term(terms, column);
    for (SparseMatrix::InnerIterator it(reduced, column); it; ++it) {
      while (term.row() < it.row()) ++term;
      if (!isRigid[it.row()] || !isRigid[column]) continue;
      const double roundOff =
          std::max(kCancelled * term.value(), kTiny * size[it.row()] * size[column]);
      if (std::abs(it.value()) <= roundOff) it.valueRef() = 0.0;
    }
  }
  return reduced;
}

// Reactions and actuators, whose round-off may be all the stiffness that a motion has.
bool hasForces(const system::System& system) {
  return std::any_of(system.kinds().begin(), system.kinds().end(),
                     [](Kind kind) { return kind == Kind::kMultiplier || kind == Kind::kSignal; });
}

}  // namespace

std::string LinearModel::equationName(const system::System& system, int equation) const {
  const int unknown = equation < static_cast<int>(unknowns.size()) ? unknowns[equation] : -1;
  return unknown < 0 ? "a held freedom or a state of a black box" : system.equationName({unknown});
}

linalg::SparseMatrixC evaluate(const LinearModel& model, std::complex<double> s) {
  return linalg::evaluate(model.pencil, model.delays, s);
}

LinearModel linearize(const model::Model& model, const system::State& state, const LinearView& view,
                      const std::vector<int>& held) {
  const solve::MachineLoan machine = model.borrowMachine();
  system::Assembler& assembler = machine->assembler();
  const Turning turning = findTurning(*machine, state);
  QuadraticPencil full = makePencil(assembler, state, turning.axes);
  std::vector<control::DelayedSignal> delays;
  if (const control::BlockSet* blocks = control::findBlocks(model.system())) {
    delays = blocks->delays();
  }
  takeOutDelays(delays, full.K);
  BoxModel boxes;
  std::vector<std::string> notes = describeSwitches(model.system(), state);
  if (view.loop == LoopView::kClosed) {
    takeMeanSlopes(model.system(), full.K, notes);
    const SparseMatrix ofBlocks = full.K;
    boxes = insertBoxes(model, state, held, full);
    const std::vector<std::string> kinks = describeKinks(assembler, state, ofBlocks);
    notes.insert(notes.end(), kinks.begin(), kinks.end());
  }
  std::vector<bool> implied = findImplied(*machine, state, full.K);
  if (view.bodies == BodyView::kRigid) {
    addImpliedByRigidity(assembler, state, view, full.K, implied);
  }
  Selection selection = select(assembler, state, view, implied);
  const int unknowns = model.system().unknowns();
  for (int i = 0; i < boxes.states; ++i) selection.keepAdded(unknowns + i);
  LinearModel linear;
  linear.turning = turning;
  linear.warnings = std::move(boxes.warnings);
  linear.warnings.insert(linear.warnings.end(), notes.begin(), notes.end());
  linear.expansion = assemble(full.size(), selection.count, selection.entries);
  linear.unknowns = std::move(selection.unknowns);
  linear.groups = std::move(selection.groups);
  linear.delays = findTerms(delays, linear.unknowns);
  const std::vector<bool> isRigid = findRigid(model.system(), linear, view);
  linear.pencil.K = reduce(full.K, linear.expansion, isRigid);
  linear.pencil.C = reduce(full.C, linear.expansion, isRigid);
  linear.pencil.M = reduce(full.M, linear.expansion, isRigid);
  linear.expansion = SparseMatrix(linear.expansion.topRows(unknowns));
  if (view.loop == LoopView::kLocked) {
    const auto redundancy = machine->redundancy(state);
    const Eigen::VectorXd arms = armsOf(linear, redundancy->arms);
    holdDirections(linear, findFree(linear, model.system(), findActuated(model, full.K), arms));
  }
  renumber(linear.groups);
  full = {};  // large machines need the room
  if (hasForces(model.system())) dropForceNoise(assembler, state, linear);
  return linear;
}

}  // namespace flexloop::analysis
