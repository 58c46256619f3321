#include "analysis/check/massless_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/disjoint_sets.hpp"
#include "linalg/solvers/sparse_rank.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/machine_size.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {
namespace {

using linalg::SparseMatrix;
using system::Kind;
using system::UnknownIndex;

// Of a mass that is left of a block of unit diagonal when the others are eliminated: round-off.
constexpr double kNoMass = 1e-12;
// Of the largest entry of a node's stiffness or damping: round-off.
constexpr double kNoStiffness = 1e-13;
// Of the terms of a force that cancel: a wire is 1e-10 times as stiff in bending as in tension.
constexpr double kCancels = 1e-12;
// Share of the largest component of a motion that takes part in it.
constexpr double kTakesPart = 1e-6;
// Of the stiffness that the largest force of a joint makes over the size of the machine.
constexpr double kNoTension = 1e-8;

// One motion of a node, by its unknowns.
struct Direction {
  int node = 0;
  std::vector<std::pair<int, double>> entries;
};

// A symmetric block of a node, at most six by six, with rotations as moves at the end of an arm.
class NodeBlock {
 public:
  NodeBlock(const system::System& system, const SparseMatrix& M, const system::Node& node,
            double arm)
      : count_(node.count) {
    for (int i = 0; i < count_; ++i) {
      const int u = node.firstUnknown + i;
      unit_[i] = system.isRotation(UnknownIndex{u}) ? 1.0 / arm : 1.0;
      for (int j = 0; j < count_; ++j) a_[i][j] = M.coeff(u, node.firstUnknown + j);
    }
    scale();
    eliminate();
  }

  int nullity() const { return count_ - rank_; }
  // One of the motions without mass: entries by freedom of the node, moves in lengths of the machine.
  std::array<double, 6> calcNull(int k) const {
    std::array<double, 6> x{};
    x[order_[rank_ + k]] = 1.0;
    for (int i = rank_ - 1; i >= 0; --i) {
      double sum = 0.0;
      for (int j = i + 1; j < count_; ++j) sum += a_[order_[i]][order_[j]] * x[order_[j]];
      x[order_[i]] = -sum / a_[order_[i]][order_[i]];
    }
    // Those without any mass have no scale of their own.
    for (int i = 0; i < count_; ++i) x[i] *= diagonal_[i];
    return x;
  }

 private:
  void scale() {
    for (int i = 0; i < count_; ++i) {
      order_[i] = i;
      diagonal_[i] = a_[i][i] > 0.0 ? 1.0 / std::sqrt(a_[i][i]) : unit_[i];
    }
    for (int i = 0; i < count_; ++i) {
      for (int j = 0; j < count_; ++j) a_[i][j] *= diagonal_[i] * diagonal_[j];
    }
  }

  // Symmetric, the largest pivot first; rows above the rank are left in triangular form.
  void eliminate() {
    for (rank_ = 0; rank_ < count_; ++rank_) {
      const auto largest = std::max_element(order_.begin() + rank_, order_.begin() + count_,
                                            [&](int i, int j) { return a_[i][i] < a_[j][j]; });
      const int p = *largest;
      if (a_[p][p] <= kNoMass) return;
      std::iter_swap(order_.begin() + rank_, largest);
      for (int i = rank_ + 1; i < count_; ++i) {
        const int row = order_[i];
        const double factor = a_[row][p] / a_[p][p];
        for (int j = rank_ + 1; j < count_; ++j) a_[row][order_[j]] -= factor * a_[p][order_[j]];
      }
    }
  }

  int count_ = 0, rank_ = 0;
  std::array<std::array<double, 6>, 6> a_{};
  std::array<double, 6> unit_{}, diagonal_{};
  std::array<int, 6> order_{};
};

class MasslessSearch {
 public:
  MasslessSearch(solve::PreparedMachine& machine, const system::State& start)
      : machine_(machine),
        assembler_(machine.assembler()),
        system_(assembler_.system()),
        start_(start) {
    for (int u = 0; u < start_.value.size(); ++u) {
      if (system_.kinds()[u] == Kind::kMultiplier) start_.value[u] = 0.0;
    }
    Eigen::VectorXd residual;
    assembler_.calcResidual(start_, residual);
    assembler_.calcTangents(start_, K_, C_, M_);
    arm_ = solve::findMachineSize(system_, start_, M_);
  }

  std::vector<MasslessMotion> find() {
    findDirections();
    if (directions_.empty()) return {};
    std::vector<Motion> motions = findUnresisted();
    if (motions.empty()) return {};
    if (keepWithoutTension(motions); motions.empty()) return {};
    std::erase_if(motions, [&](const Motion& motion) { return isControlled(motion); });
    return group(motions);
  }

 private:
  using Motion = std::vector<std::pair<int, double>>;  // by unknown, ascending

  void findDirections() {
    for (std::size_t n = 0; n < system_.nodes().size(); ++n) {
      const system::Node& node = system_.nodes()[n];
      if (node.count == 0) continue;
      const NodeBlock block(system_, M_, node, arm_);
      for (int k = 0; k < block.nullity(); ++k) {
        const std::array<double, 6> x = block.calcNull(k);
        Direction direction{static_cast<int>(n), {}};
        for (int i = 0; i < node.count; ++i) {
          if (x[i] != 0.0) direction.entries.emplace_back(node.firstUnknown + i, x[i]);
        }
        directions_.push_back(std::move(direction));
      }
    }
  }

  double unitOf(int u) const { return system_.isRotation(UnknownIndex{u}) ? 1.0 / arm_ : 1.0; }

  // By unknown, the largest entry of its node's own block.
  Eigen::VectorXd calcNodeSizes(const SparseMatrix& matrix) const {
    Eigen::VectorXd sizes = Eigen::VectorXd::Zero(matrix.cols());
    for (const system::Node& node : system_.nodes()) {
      double largest = 0.0;
      const int end = node.firstUnknown + node.count;
      for (int u = node.firstUnknown; u < end; ++u) {
        for (SparseMatrix::InnerIterator it(matrix, u); it; ++it) {
          if (it.row() < node.firstUnknown || it.row() >= end) continue;
          const int row = static_cast<int>(it.row());
          largest = std::max(largest, std::abs(it.value()) * unitOf(u) * unitOf(row));
        }
      }
      for (int u = node.firstUnknown; u < end; ++u) sizes[u] = largest;
    }
    return sizes;
  }

  // By equation, what resists each direction: rows of the transposed matrix of (5.4).
  using Rows = std::vector<std::map<int, double>>;

  void addConstraints(const Direction& direction, std::map<int, double>& row) const {
    for (const auto& [u, x] : direction.entries) {
      for (SparseMatrix::InnerIterator it(K_, u); it; ++it) {
        const int equation = static_cast<int>(it.row());
        if (system_.kinds()[equation] == Kind::kMultiplier && gradients_[equation] > 0.0) {
          row[equation] += it.value() * x / gradients_[equation];
        }
      }
    }
  }

  // Forces along all massless directions; `offset` keeps those of stiffness and damping apart.
  void addForces(const Direction& direction, const SparseMatrix& matrix,
                 const Eigen::VectorXd& sizes, int offset, std::map<int, double>& row) const {
    for (const auto& [u, x] : direction.entries) {
      for (SparseMatrix::InnerIterator it(matrix, u); it; ++it) {
        const double size = sizes[it.row()];
        if (size == 0.0) continue;
        for (const auto& [other, weight] : directionsOf_[it.row()]) {
          row[offset + other] += it.value() * x * weight / size;
        }
      }
    }
  }

  std::vector<Motion> findUnresisted() {
    directionsOf_.assign(system_.unknowns(), {});
    for (std::size_t d = 0; d < directions_.size(); ++d) {
      for (const auto& [u, x] : directions_[d].entries) {
        directionsOf_[u].emplace_back(static_cast<int>(d), x);
      }
    }
    solve::calcGradientSizes(system_, K_, arm_, gradients_);
    stiffness_ = calcNodeSizes(K_);
    damping_ = calcNodeSizes(C_);
    const int n = system_.unknowns(), count = static_cast<int>(directions_.size());
    Rows rows(count);
    std::vector<double> largest(n + 2 * count, 0.0), lengths(count, 1.0);
    for (int d = 0; d < count; ++d) {
      addConstraints(directions_[d], rows[d]);
      addForces(directions_[d], K_, stiffness_, n, rows[d]);
      addForces(directions_[d], C_, damping_, n + count, rows[d]);
      for (const auto& [column, value] : rows[d]) {
        largest[column] = std::max(largest[column], std::abs(cut(value)));
      }
    }
    // Every equation is judged by its own terms: that of a bent wire is soft beside that of a stretched one.
    std::vector<Eigen::Triplet<double, int>> entries;
    for (int d = 0; d < count; ++d) {
      double length = 0.0;
      for (auto& [column, value] : rows[d]) {
        value = cut(value) != 0.0 ? value / largest[column] : 0.0;
        length = std::hypot(length, value);
      }
      if (length == 0.0) continue;
      lengths[d] = length;
      for (const auto& [column, value] : rows[d]) {
        if (value != 0.0) entries.emplace_back(d, column, value / length);
      }
    }
    SparseMatrix matrix(count, n + 2 * count);
    matrix.setFromTriplets(entries.begin(), entries.end());
    std::vector<Motion> motions = collectMotions(matrix, lengths);
    std::erase_if(motions, [&](const Motion& motion) { return isResisted(motion); });
    return motions;
  }

  // Whether a constraint or a force along a massless direction is more than round-off of its terms.
  bool isResisted(const Motion& motion) const {
    std::map<int, std::pair<double, double>> sums;  // by equation: sum, and sum of the terms' sizes
    const auto add = [&](const SparseMatrix& matrix, int offset, Kind kind) {
      for (const auto& [u, x] : motion) {
        for (SparseMatrix::InnerIterator it(matrix, u); it; ++it) {
          const int row = static_cast<int>(it.row());
          if (system_.kinds()[row] != kind) continue;
          if (kind == Kind::kMotion && directionsOf_[row].empty()) continue;
          auto& [sum, size] = sums[offset + row];
          sum += it.value() * x;
          size += std::abs(it.value() * x);
        }
      }
    };
    add(K_, 0, Kind::kMultiplier);
    add(K_, 0, Kind::kMotion);
    add(C_, system_.unknowns(), Kind::kMotion);
    return std::any_of(sums.begin(), sums.end(), [&](const auto& entry) {
      const auto& [sum, size] = entry.second;
      return std::abs(sum) > kCancels * size && std::abs(sum) > kNoStiffness * sizeOf(entry.first);
    });
  }

  // Of a force that is one for the motions at hand; constraints by their gradient.
  double sizeOf(int equation) const {
    const int n = system_.unknowns();
    const int row = equation % n;
    if (system_.kinds()[row] == Kind::kMultiplier) return gradients_[row];
    return (equation < n ? stiffness_ : damping_)[row] / unitOf(row);
  }

  static double cut(double value) { return std::abs(value) > kNoStiffness ? value : 0.0; }

  std::vector<Motion> collectMotions(const SparseMatrix& matrix,
                                     const std::vector<double>& lengths) const {
    linalg::SparseRank rank(matrix);
    std::vector<Motion> motions;
    for (const int dependent : rank.report().dependent) {
      const linalg::RowDependency dependency = rank.findDependency(dependent);
      std::map<int, double> sum;
      for (std::size_t i = 0; i < dependency.rows.size(); ++i) {
        const double weight = dependency.weights[i] / lengths[dependency.rows[i]];
        for (const auto& [u, x] : directions_[dependency.rows[i]].entries) sum[u] += weight * x;
      }
      double largest = 0.0;
      for (const auto& [u, x] : sum) largest = std::max(largest, std::abs(x) / unitOf(u));
      Motion motion;
      for (const auto& [u, x] : sum) {
        if (std::abs(x) / unitOf(u) > kTakesPart * largest) motion.emplace_back(u, x / largest);
      }
      motions.push_back(std::move(motion));
    }
    return motions;
  }

  // The tension of a rope of rigid links holds its massless nodes; it is known after a consistent start only.
  void keepWithoutTension(std::vector<Motion>& motions) {
    system::State state = start_;
    machine_.begin(state);
    if (!solve::makeConsistent(machine_, state).ok()) return;
    double force = 0.0;
    for (int u = 0; u < state.value.size(); ++u) {
      if (system_.kinds()[u] != Kind::kMultiplier) continue;
      force = std::max(force, std::abs(state.value[u]) * gradients_[u]);
    }
    if (force == 0.0) return;
    Eigen::VectorXd residual;
    SparseMatrix K, C, M;
    assembler_.calcResidual(state, residual);
    assembler_.calcTangents(state, K, C, M);
    std::erase_if(motions, [&](const Motion& motion) {
      Eigen::VectorXd d = Eigen::VectorXd::Zero(system_.unknowns());
      for (const auto& [u, x] : motion) d[u] = x;
      return std::abs(d.dot(K * d)) > kNoTension * force / arm_;
    });
  }

  // Whether a signal that is made from this motion reaches a force on it. What lies between is not looked at.
  bool isControlled(const Motion& motion) const {
    std::vector<int> reached;
    std::vector<bool> isReached(system_.unknowns(), false);
    const auto reach = [&](const SparseMatrix& matrix, int u) {
      for (SparseMatrix::InnerIterator it(matrix, u); it; ++it) {
        const int row = static_cast<int>(it.row());
        const Kind kind = system_.kinds()[row];
        if (it.value() == 0.0 || isReached[row]) continue;
        if (kind != Kind::kSignal && kind != Kind::kState) continue;
        isReached[row] = true;
        reached.push_back(row);
      }
    };
    for (const auto& [u, x] : motion) {
      for (const SparseMatrix* matrix : {&K_, &C_, &M_}) reach(*matrix, u);
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      reach(K_, reached[i]);
      reach(C_, reached[i]);
    }
    return std::any_of(reached.begin(), reached.end(), [&](int signal) {
      double work = 0.0;
      for (const auto& [u, x] : motion) work += x * K_.coeff(u, signal);
      return work != 0.0;
    });
  }

  std::vector<MasslessMotion> group(const std::vector<Motion>& motions) const {
    const int nodes = static_cast<int>(system_.nodes().size());
    std::vector<int> nodeOf(system_.unknowns(), -1);
    for (int n = 0; n < nodes; ++n) {
      const system::Node& node = system_.nodes()[n];
      for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) nodeOf[u] = n;
    }
    base::DisjointSets sets(nodes);
    for (const Motion& motion : motions) {
      for (const auto& [u, x] : motion) sets.join(nodeOf[u], nodeOf[motion.front().first]);
    }
    std::map<int, MasslessMotion> groups;
    for (const Motion& motion : motions) {
      MasslessMotion& whole = groups[sets.findRoot(nodeOf[motion.front().first])];
      ++whole.count;
      for (const auto& [u, x] : motion) {
        whole.nodes.push_back(nodeOf[u]);
        whole.freedoms.push_back(u);
      }
    }
    std::vector<MasslessMotion> result;
    for (auto& [root, whole] : groups) {
      for (std::vector<int>* list : {&whole.nodes, &whole.freedoms}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
      }
      whole.isRotation = std::all_of(whole.freedoms.begin(), whole.freedoms.end(),
                                     [&](int u) { return system_.isRotation(UnknownIndex{u}); });
      result.push_back(std::move(whole));
    }
    std::sort(result.begin(), result.end(),
              [](const auto& a, const auto& b) { return a.nodes.front() < b.nodes.front(); });
    return result;
  }

  solve::PreparedMachine& machine_;
  system::Assembler& assembler_;
  const system::System& system_;
  system::State start_;
  Eigen::VectorXd gradients_, stiffness_, damping_;
  SparseMatrix K_, C_, M_;
  double arm_ = 1.0;
  std::vector<Direction> directions_;
  std::vector<std::vector<std::pair<int, double>>> directionsOf_;  // by unknown
};

}  // namespace

std::vector<MasslessMotion> findMasslessMotions(solve::PreparedMachine& machine,
                                                const system::State& start) {
  return MasslessSearch(machine, start).find();
}

}  // namespace flexloop::analysis
