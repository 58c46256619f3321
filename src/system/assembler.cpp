#include "system/assembler.hpp"

#include <algorithm>

namespace flexloop::system {
namespace {

int localFreedoms(const ElementSet& set) {
  return 6 * set.nodesPerElement() + set.scalarsPerElement();
}

int slotOf(const ElementSet& set, int localFreedom) {
  const int nodes = set.nodesPerElement();
  return localFreedom < 6 * nodes ? localFreedom / 6 : nodes + localFreedom - 6 * nodes;
}

int findPosition(const linalg::SparseMatrix& pattern, int row, int column) {
  const int* first = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column];
  const int* last = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(first, last, row) - pattern.innerIndexPtr());
}

}  // namespace

Assembler::Assembler(const System& system) : system_(system) {
  environment_.gravity = system.gravity();
  const std::size_t nodes = system.nodes().size();
  motion_.nodes.resize(nodes);
  sums_.nodes.resize(nodes);
  sums_.scalars.setZero(system.unknowns());
  twistDerivatives_.resize(nodes);
  nodeTangents_.assign(nodes, math::Mat6<double>::Identity());
  for (std::size_t i = 0; i < nodes; ++i) {
    if (system.nodes()[i].map == NodeMap::kMixed) mixedNodes_.push_back(static_cast<int>(i));
  }
  buildPattern();
  fillSlots();
}

void Assembler::setLoadFactor(double factor) {
  environment_.loadFactor = factor;
  environment_.gravity = factor * system_.gravity();
}

void Assembler::setAugmentation(double scale, double penalty) {
  environment_.constraintScale = scale;
  environment_.constraintPenalty = penalty;
}

void Assembler::buildPattern() {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int u = 0; u < system_.unknowns(); ++u) entries.emplace_back(u, u, 0.0);
  for (const int i : mixedNodes_) {
    const Node& node = system_.nodes()[i];
    for (int r = 0; r < node.count; ++r) {
      for (int c = 0; c < node.count; ++c) {
        entries.emplace_back(node.firstUnknown + r, node.firstUnknown + c, 0.0);
      }
    }
  }
  maps_.resize(system_.sets().size());
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    const ElementSet& set = *system_.sets()[s];
    const int n = localFreedoms(set);
    std::vector<int>& unknowns = maps_[s].unknowns;
    unknowns.assign(static_cast<std::size_t>(n) * set.size(), -1);
    for (int e = 0; e < set.size(); ++e) {
      int* local = unknowns.data() + static_cast<std::size_t>(n) * e;
      for (int k = 0; k < set.nodesPerElement(); ++k) {
        const Node& node = system_.node(set.node(e, k));
        for (int i = 0; i < node.count; ++i) local[6 * k + i] = node.firstUnknown + i;
      }
      for (int k = 0; k < set.scalarsPerElement(); ++k) {
        local[6 * set.nodesPerElement() + k] = set.scalar(e, k).value;
      }
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          if (local[r] < 0 || local[c] < 0 || !set.couples(slotOf(set, r), slotOf(set, c))) continue;
          entries.emplace_back(local[r], local[c], 0.0);
        }
      }
    }
  }
  pattern_.resize(system_.unknowns(), system_.unknowns());
  pattern_.setFromTriplets(entries.begin(), entries.end());
  pattern_.makeCompressed();
}

void Assembler::fillSlots() {
  for (const int i : mixedNodes_) {
    const Node& node = system_.nodes()[i];
    for (int c = 0; c < 6; ++c) {
      for (int r = 0; r < 6; ++r) {
        const bool used = r < node.count && c < node.count;
        mixedSlots_.push_back(
            used ? findPosition(pattern_, node.firstUnknown + r, node.firstUnknown + c) : -1);
      }
    }
  }
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    const ElementSet& set = *system_.sets()[s];
    const int n = localFreedoms(set);
    maps_[s].slots.reserve(static_cast<std::size_t>(n) * n * set.size());
    for (int e = 0; e < set.size(); ++e) {
      const int* local = maps_[s].unknowns.data() + static_cast<std::size_t>(n) * e;
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          const bool used =
              local[r] >= 0 && local[c] >= 0 && set.couples(slotOf(set, r), slotOf(set, c));
          maps_[s].slots.push_back(used ? findPosition(pattern_, local[r], local[c]) : -1);
        }
      }
    }
  }
}

const Motion& Assembler::calcMotion(const State& state) {
  for (std::size_t i = 0; i < motion_.nodes.size(); ++i) {
    const Node& node = system_.nodes()[i];
    NodeMotion& motion = motion_.nodes[i];
    motion.frame = state.frames[i];
    calcTwist(node, motion.frame, state.rate.data() + node.firstUnknown,
              state.acceleration.data() + node.firstUnknown, motion.twist, motion.twistRate);
  }
  motion_.time = state.time;
  motion_.value = state.value.data();
  motion_.rate = state.rate.data();
  motion_.acceleration = state.acceleration.data();
  motion_.history = state.history.data();
  return motion_;
}

void Assembler::calcResidual(const State& state, Eigen::VectorXd& residual) {
  calcMotion(state);
  for (auto& f : sums_.nodes) f.setZero();
  sums_.scalars.setZero();
  for (const auto& set : system_.sets()) set->addResidual(motion_, environment_, sums_);
  residual = sums_.scalars;
  for (std::size_t i = 0; i < sums_.nodes.size(); ++i) {
    const Node& node = system_.nodes()[i];
    if (node.map == NodeMap::kBody) {
      residual.segment<6>(node.firstUnknown) = sums_.nodes[i];
    } else if (node.map != NodeMap::kHeld) {
      const math::Mat6<double> A = calcMap(node, motion_.nodes[i].frame);
      residual.segment(node.firstUnknown, node.count) =
          A.leftCols(node.count).transpose() * sums_.nodes[i];
    }
  }
}

void Assembler::prepareNodes(const State& state, const Eigen::VectorXd* increment) {
  identityTangent_ = increment == nullptr;
  for (std::size_t i = 0; i < motion_.nodes.size(); ++i) {
    const Node& node = system_.nodes()[i];
    if (node.map == NodeMap::kHeld) continue;
    if (increment != nullptr) {
      nodeTangents_[i] = calcTangent(node, increment->data() + node.firstUnknown);
    }
    if (node.map != NodeMap::kBody) {
      twistDerivatives_[i] =
          calcTwistDerivatives(node, state.frames[i], state.rate.data() + node.firstUnknown,
                               state.acceleration.data() + node.firstUnknown);
    }
  }
}

void Assembler::reduceToUnknowns(const ElementSet& set, int element, Tangents& t) const {
  for (int k = 0; k < set.nodesPerElement(); ++k) {
    const int i = set.node(element, k).value;
    const NodeMap map = system_.nodes()[i].map;
    if (map != NodeMap::kSubgroup && map != NodeMap::kMixed) continue;
    const TwistDerivatives& D = twistDerivatives_[i];
    auto K = t.K.middleCols<6>(6 * k);
    auto C = t.C.middleCols<6>(6 * k);
    auto M = t.M.middleCols<6>(6 * k);
    K = (K * D.A + C * D.twistByValue + M * D.rateByValue).eval();
    C = (C * D.A + M * D.rateByRate).eval();
    M = (M * D.A).eval();
    for (Eigen::MatrixXd* matrix : {&t.K, &t.C, &t.M}) {
      auto rows = matrix->middleRows<6>(6 * k);
      rows = (D.A.transpose() * rows).eval();
    }
  }
}

void Assembler::calcIterationMatrix(const State& state, const Weights& w,
                                    const Eigen::VectorXd* increment,
                                    linalg::SparseMatrix& matrix) {
  prepareNodes(state, increment);
  double* values = matrix.valuePtr();
  std::fill(values, values + matrix.nonZeros(), 0.0);
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    const ElementSet& set = *system_.sets()[s];
    const int n = localFreedoms(set);
    Tangents& t = maps_[s].tangents;
    for (int e = 0; e < set.size(); ++e) {
      set.calcTangents(motion_, environment_, e, t);
      reduceToUnknowns(set, e, t);
      if (!identityTangent_) {
        for (int k = 0; k < set.nodesPerElement(); ++k) {
          if (system_.node(set.node(e, k)).count == 0) continue;
          auto columns = t.K.middleCols<6>(6 * k);
          columns = (columns * nodeTangents_[set.node(e, k).value]).eval();
        }
      }
      const int* unknowns = maps_[s].unknowns.data() + static_cast<std::size_t>(n) * e;
      const int* slots = maps_[s].slots.data() + static_cast<std::size_t>(n) * n * e;
      for (int c = 0; c < n; ++c) {
        const int u = unknowns[c];
        if (u < 0) continue;
        for (int r = 0; r < n; ++r) {
          const int slot = slots[c * n + r];
          if (slot < 0) continue;
          const double sum = w.value[u] * t.K(r, c) + w.rate[u] * t.C(r, c) +
                             w.acceleration[u] * t.M(r, c);
          values[slot] += w.row[unknowns[r]] * sum;
        }
      }
    }
  }
  for (std::size_t m = 0; m < mixedNodes_.size(); ++m) {
    const int i = mixedNodes_[m];
    const Node& node = system_.nodes()[i];
    math::Mat6<double> K = calcMapStiffness(node, state.frames[i], sums_.nodes[i]);
    if (!identityTangent_) K = K * nodeTangents_[i];
    for (int c = 0; c < node.count; ++c) {
      for (int r = 0; r < node.count; ++r) {
        values[mixedSlots_[36 * m + 6 * c + r]] +=
            w.row[node.firstUnknown + r] * w.value[node.firstUnknown + c] * K(r, c);
      }
    }
  }
}

void Assembler::calcTangents(const State& state, linalg::SparseMatrix& K, linalg::SparseMatrix& C,
                             linalg::SparseMatrix& M) {
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(system_.unknowns());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(system_.unknowns());
  K = C = M = pattern_;
  calcIterationMatrix(state, {one, zero, zero, one}, nullptr, K);
  calcIterationMatrix(state, {zero, one, zero, one}, nullptr, C);
  calcIterationMatrix(state, {zero, zero, one, one}, nullptr, M);
}

void Assembler::calcTimeDerivatives(const State& state, TimeDerivatives& derivatives) {
  calcMotion(state);
  derivatives.first.setZero(system_.unknowns());
  derivatives.second.setZero(system_.unknowns());
  for (const auto& set : system_.sets()) {
    set->addTimeDerivatives(motion_, environment_, derivatives);
  }
}

Energy Assembler::calcEnergy(const State& state) {
  calcMotion(state);
  Energy sum;
  for (const auto& set : system_.sets()) {
    if (!set->hasEnergy()) continue;
    for (int e = 0; e < set->size(); ++e) sum += set->energy(motion_, environment_, e);
  }
  return sum;
}

void Assembler::updateHistory(State& state) {
  calcMotion(state);
  for (const auto& set : system_.sets()) set->updateHistory(motion_, state.history);
}

}  // namespace flexloop::system
