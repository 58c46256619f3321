#include "solve/redundancy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/disjoint_sets.hpp"
#include "linalg/solvers/sparse_rank.hpp"

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

// Of the largest entry of a gradient, or of the largest gradient of its kind: round-off.
constexpr double kEmpty = 1e-14;
// Of the largest coordinate: round-off of an arm.
constexpr double kNoArm = 1e-13;
// Names that are listed for all dependencies together, per constraint.
constexpr int kMostNames = 50;

struct Gradients {
  linalg::SparseMatrix B;      // scaled to rows of unit length
  std::vector<int> equations;  // unknown of each row
  Eigen::VectorXd length;      // of the rows before scaling
};

// By node, the length with which its rotations move the points that constraints hold.
std::vector<double> findArms(const system::System& system, const linalg::SparseMatrix& K) {
  const std::vector<Kind>& kinds = system.kinds();
  std::vector<double> arms;
  for (const system::Node& node : system.nodes()) {
    std::vector<std::pair<int, std::array<double, 2>>> rows;  // largest entries: moves, turns
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      for (linalg::SparseMatrix::InnerIterator it(K, u); it; ++it) {
        if (kinds[it.row()] != Kind::kMultiplier) continue;
        std::array<double, 2> entry{};
        entry[system.isRotation(UnknownIndex{u}) ? 1 : 0] = std::abs(it.value());
        rows.emplace_back(static_cast<int>(it.row()), entry);
      }
    }
    std::sort(rows.begin(), rows.end());
    double arm = 0.0;
    for (std::size_t i = 0; i < rows.size();) {
      double move = 0.0, turn = 0.0;
      const int row = rows[i].first;
      for (; i < rows.size() && rows[i].first == row; ++i) {
        move = std::max(move, rows[i].second[0]);
        turn = std::max(turn, rows[i].second[1]);
      }
      if (move > kEmpty * turn) arm = std::max(arm, turn / move);
    }
    arms.push_back(arm);
  }
  return arms;
}

// The mean of what is there.
struct Mean {
  double sum = 0.0;
  int count = 0;

  void add(double value) {
    if (value <= 0.0) return;
    sum += value;
    ++count;
  }
  double orElse(double other) const { return count > 0 ? sum / count : other; }
};

// By node, what a rotation counts as: no length is large or small by itself. Where a node has no arm, the mean of the others.
std::vector<double> findLengths(const system::System& system, const system::State& state,
                                const linalg::SparseMatrix& K, const linalg::SparseMatrix& M) {
  std::vector<double> lengths = findArms(system, K);
  Mean arm, gyration;
  double place = 0.0;  // whose last digit is the round-off of positions
  for (const auto& frame : state.frames) place = std::max(place, frame.x.cwiseAbs().maxCoeff());
  for (double& length : lengths) length = length > kNoArm * place ? length : 0.0;
  for (std::size_t n = 0; n < system.nodes().size(); ++n) {
    const system::Node& node = system.nodes()[n];
    double mass = 0.0, inertia = 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      double& largest = system.isRotation(UnknownIndex{u}) ? inertia : mass;
      largest = std::max(largest, M.coeff(u, u));
    }
    arm.add(lengths[n]);
    if (mass > 0.0) gyration.add(std::sqrt(inertia / mass));
  }
  const double usual = arm.orElse(gyration.orElse(1.0));
  for (double& length : lengths) length = length > 0.0 ? length : usual;
  return lengths;
}

using Entries = std::vector<Eigen::Triplet<double, int>>;

// By unknown, from lengths by node.
Eigen::VectorXd calcArms(const system::System& system, const std::vector<double>& lengths) {
  Eigen::VectorXd arms = Eigen::VectorXd::Ones(system.unknowns());
  for (std::size_t n = 0; n < system.nodes().size(); ++n) {
    const system::Node& node = system.nodes()[n];
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      if (system.isRotation(UnknownIndex{u})) arms[u] = lengths[n];
    }
  }
  return arms;
}

// Entries of the gradients; rotations count as motions at the given length, by node.
Entries collectEntries(const system::System& system, const linalg::SparseMatrix& K,
                       const std::vector<int>& rowOf, const std::vector<double>& lengths) {
  Entries entries;
  const Eigen::VectorXd units = calcArms(system, lengths);
  // Nodes, and scalar coordinates such as the place on a beam.
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] != Kind::kMotion) continue;
    for (linalg::SparseMatrix::InnerIterator it(K, u); it; ++it) {
      const int row = rowOf[it.row()];
      if (row >= 0 && it.value() != 0.0) entries.emplace_back(row, u, it.value() / units[u]);
    }
  }
  return entries;
}

Eigen::VectorXd calcLengths(const Entries& entries, int rows) {
  Eigen::VectorXd lengths = Eigen::VectorXd::Zero(rows);
  for (const auto& entry : entries) {
    lengths[entry.row()] = std::hypot(lengths[entry.row()], entry.value());
  }
  return lengths;
}

// What a joint asks of freedoms that are held anyway leaves nothing but round-off. Rows that move something and rows that only
// turn it have different units, in which neither is small beside the other.
void dropEmptyRows(const system::System& system, const linalg::SparseMatrix& K,
                   const std::vector<int>& rowOf, Eigen::VectorXd& lengths) {
  Eigen::VectorXd moves = Eigen::VectorXd::Zero(lengths.size()), turns = moves;
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] != Kind::kMotion) continue;
    Eigen::VectorXd& largest = system.isRotation(UnknownIndex{u}) ? turns : moves;
    for (linalg::SparseMatrix::InnerIterator it(K, u); it; ++it) {
      const int row = rowOf[it.row()];
      if (row >= 0) largest[row] = std::max(largest[row], std::abs(it.value()));
    }
  }
  const auto isMoving = moves.array() > 0.0;
  const Eigen::VectorXd sizes = isMoving.select(lengths.array(), turns.array());
  const double ofMoving = isMoving.select(sizes.array(), 0.0).maxCoeff();
  const double ofTurning = isMoving.select(0.0, sizes.array()).maxCoeff();
  for (int row = 0; row < lengths.size(); ++row) {
    const double largest = moves[row] > 0.0 ? ofMoving : ofTurning;
    if (!(sizes[row] > kEmpty * largest)) lengths[row] = 0.0;
  }
}

Gradients collectGradients(const system::System& system, const linalg::SparseMatrix& K,
                           const std::vector<double>& lengths) {
  const std::vector<Kind>& kinds = system.kinds();
  Gradients g;
  std::vector<int> rowOf(kinds.size(), -1);
  for (std::size_t u = 0; u < kinds.size(); ++u) {
    if (kinds[u] != Kind::kMultiplier) continue;
    rowOf[u] = static_cast<int>(g.equations.size());
    g.equations.push_back(static_cast<int>(u));
  }
  const int rows = static_cast<int>(g.equations.size());
  const Entries entries = collectEntries(system, K, rowOf, lengths);
  g.length = calcLengths(entries, rows);
  dropEmptyRows(system, K, rowOf, g.length);
  Entries scaled;
  for (const auto& entry : entries) {
    const double length = g.length[entry.row()];
    if (std::abs(entry.value()) <= kEmpty * length || length == 0.0) continue;
    scaled.emplace_back(entry.row(), entry.col(), entry.value() / length);
  }
  g.B.resize(rows, system.unknowns());
  g.B.setFromTriplets(scaled.begin(), scaled.end());
  return g;
}

// The names of what depends on each other, as long as there are not too many: in a long chain of loops a
// dependency may reach from one end to the other.
void nameGroups(const system::System& system, const Gradients& gradients, linalg::SparseRank& rank,
                RedundancyReport& report) {
  long left = static_cast<long>(kMostNames) * report.constraints;
  for (const int row : rank.report().dependent) {
    report.groups.emplace_back();
    std::vector<int> rows{row};
    if (left > 0) rows = rank.findDependency(row).rows;
    left -= static_cast<long>(rows.size());
    for (const int member : rows) {
      report.groups.back().push_back(
          system.equationName(UnknownIndex{gradients.equations[member]}));
    }
  }
}

void calcSensitivities(const system::System& system, const linalg::SparseMatrix& K,
                       RedundancyReport& report) {
  report.moves.setZero(system.unknowns());
  report.turns.setZero(system.unknowns());
  for (int u = 0; u < K.cols(); ++u) {
    if (system.kinds()[u] != Kind::kMotion) continue;
    Eigen::VectorXd& lengths = system.isRotation(UnknownIndex{u}) ? report.turns : report.moves;
    for (linalg::SparseMatrix::InnerIterator it(K, u); it; ++it) {
      if (system.kinds()[it.row()] != Kind::kMultiplier) continue;
      lengths[it.row()] = std::hypot(lengths[it.row()], it.value());
    }
  }
}

// By row, the number of its group: rows that take part and meet at a node belong together.
std::vector<int> findGroups(const linalg::SparseMatrix& B, const std::vector<bool>& takesPart) {
  base::DisjointSets sets(static_cast<int>(B.rows()));
  for (int column = 0; column < B.cols(); ++column) {
    int first = -1;
    for (linalg::SparseMatrix::InnerIterator it(B, column); it; ++it) {
      const int row = static_cast<int>(it.row());
      if (!takesPart[row]) continue;
      if (first < 0) first = row;
      sets.join(row, first);
    }
  }
  std::vector<int> groups(B.rows(), -1), number(B.rows(), -1);
  int count = 0;
  for (int row = 0; row < B.rows(); ++row) {
    if (!takesPart[row]) continue;
    int& group = number[sets.findRoot(row)];
    if (group < 0) group = count++;
    groups[row] = group;
  }
  return groups;
}

}  // namespace

RedundancyReport analyzeRedundancy(system::Assembler& assembler, const system::State& state) {
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  RedundancyReport report;
  report.freedoms = static_cast<int>(std::count(kinds.begin(), kinds.end(), Kind::kMotion));
  report.constraints = static_cast<int>(std::count(kinds.begin(), kinds.end(), Kind::kMultiplier));
  report.arms.setOnes(system.unknowns());
  if (report.constraints == 0) return report;

  Eigen::VectorXd residual;
  linalg::SparseMatrix K, C, M;
  assembler.calcResidual(state, residual);
  assembler.calcTangents(state, K, C, M);
  const std::vector<double> lengths = findLengths(system, state, K, M);
  report.arms = calcArms(system, lengths);
  const Gradients gradients = collectGradients(system, K, lengths);
  calcSensitivities(system, K, report);
  linalg::SparseRank rank(gradients.B);
  report.rank = rank.report().rank;
  nameGroups(system, gradients, rank, report);
  std::set<int> implied;
  for (const int row : rank.report().dependent) implied.insert(gradients.equations[row]);
  const std::vector<int> groups = findGroups(gradients.B, rank.report().takesPart);
  for (int row = 0; row < report.constraints; ++row) {
    if (!rank.report().takesPart[row]) continue;
    const double length = gradients.length[row] > 0.0 ? gradients.length[row] : 1.0;
    report.dependentRows.push_back({gradients.equations[row], length * length, groups[row]});
  }
  for (DependentRow& row : report.dependentRows) row.isImplied = implied.contains(row.unknown);
  return report;
}

namespace {

bool hasMultiplier(const system::System& system, const system::ElementSet& set, int element) {
  for (int k = 0; k < set.scalars(element); ++k) {
    if (system.kinds()[set.scalar(element, k).value] == Kind::kMultiplier) return true;
  }
  return false;
}

}  // namespace

bool hasLoops(const system::System& system) {
  const int ground = static_cast<int>(system.nodes().size());  // all nodes that are held
  base::DisjointSets connected(ground + 1);
  const auto bodyOf = [&](int node) { return system.nodes()[node].count == 0 ? ground : node; };
  std::set<std::pair<int, int>> pairs;  // a joint and its drive are no loop
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      if (set->nodes(e) != 2 || !hasMultiplier(system, *set, e)) continue;
      const int a = set->node(e, 0).value, b = set->node(e, 1).value;
      if (!pairs.insert({std::min(a, b), std::max(a, b)}).second) continue;
      if (!connected.join(bodyOf(a), bodyOf(b))) return true;
    }
  }
  return false;
}

}  // namespace flexloop::solve
