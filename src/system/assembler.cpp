#include "system/assembler.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace flexloop::system {
namespace {

// Local matrices have a bounded size, so that no workspace is taken from the heap.
constexpr int kMaxLocal = 64;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::ColMajor, kMaxLocal, 6>;
using Rows = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, kMaxLocal>;

int localFreedoms(const ElementSet& set, int element) {
  return 6 * set.nodesPerElement() + set.scalars(element);
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
  groupUnknowns();
  findSignalSets();
}

void Assembler::setLoadFactor(double factor) {
  environment_.loadFactor = factor;
  environment_.gravity = factor * system_.gravity();
}

void Assembler::setAugmentation(double scale, double penalty) {
  environment_.constraintScale = scale;
  const bool changed = (environment_.constraintPenalty != 0.0) != (penalty != 0.0);
  environment_.constraintPenalty = penalty;
  if (changed) buildPattern();
}

// The finer answer of an element is about body axes, so it holds for nodes whose unknowns are those.
bool Assembler::mayFill(const ElementSet& set, int element, int row, int column,
                        bool augmented) const {
  const auto isInBodyAxes = [&](int freedom) {
    return freedom >= 6 * set.nodesPerElement() ||
           system_.node(set.node(element, freedom / 6)).map == NodeMap::kBody;
  };
  if (isInBodyAxes(row) && isInBodyAxes(column)) return set.fills(element, row, column, augmented);
  return set.ElementSet::fills(element, row, column, augmented);
}

void Assembler::buildPattern() {
  const bool augmented = environment_.constraintPenalty != 0.0;
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
    SetMap& map = maps_[s];
    map.placeElements(set);
    for (int e = 0; e < set.size(); ++e) {
      const int n = map.freedoms(e);
      assert(set.nodesPerElement() == 0 || n <= kMaxLocal);
      int* local = map.unknowns.data() + map.firstUnknown[e];
      for (int k = 0; k < set.nodesPerElement(); ++k) {
        const Node& node = system_.node(set.node(e, k));
        for (int i = 0; i < node.count; ++i) local[6 * k + i] = node.firstUnknown + i;
      }
      for (int k = 0; k < set.scalars(e); ++k) {
        local[6 * set.nodesPerElement() + k] = set.scalar(e, k).value;
      }
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          if (local[r] < 0 || local[c] < 0 || !mayFill(set, e, r, c, augmented)) continue;
          entries.emplace_back(local[r], local[c], 0.0);
        }
      }
    }
  }
  pattern_.resize(system_.unknowns(), system_.unknowns());
  pattern_.setFromTriplets(entries.begin(), entries.end());
  pattern_.makeCompressed();
  fillSlots(augmented);
}

void Assembler::fillSlots(bool augmented) {
  mixedSlots_.clear();
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
    maps_[s].slots.clear();
    maps_[s].slots.reserve(maps_[s].firstSlot.back());
    for (int e = 0; e < set.size(); ++e) {
      const int n = maps_[s].freedoms(e);
      const int* local = maps_[s].unknowns.data() + maps_[s].firstUnknown[e];
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          const bool used = local[r] >= 0 && local[c] >= 0 && mayFill(set, e, r, c, augmented);
          maps_[s].slots.push_back(used ? findPosition(pattern_, local[r], local[c]) : -1);
        }
      }
    }
  }
}

void Assembler::groupUnknowns() {
  groups_.assign(system_.unknowns(), -1);
  int count = 0;
  std::vector<int> groupOfNode(system_.nodes().size(), -1);
  for (std::size_t i = 0; i < groupOfNode.size(); ++i) {
    const Node& node = system_.nodes()[i];
    if (node.count == 0) continue;
    groupOfNode[i] = count++;
    for (int f = 0; f < node.count; ++f) groups_[node.firstUnknown + f] = groupOfNode[i];
  }
  for (const auto& set : system_.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      const int nodes = set->nodesPerElement();
      for (int k = 0; k < set->scalars(e); ++k) {
        const UnknownIndex u = set->scalar(e, k);
        if (system_.kind(u) != Kind::kMultiplier) continue;
        // A sensor that reads the multiplier couples it with no node.
        for (int n = 0; n < nodes; ++n) {
          if (!set->couples(e, n, nodes + k)) continue;
          groups_[u.value] = std::max(groups_[u.value], groupOfNode[set->node(e, n).value]);
        }
      }
    }
  }
  for (int& group : groups_) {
    if (group < 0) group = count++;
  }
}

void Assembler::findSignalSets() {
  const auto isSignal = [&](const ElementSet& set, int e, int k) {
    return system_.kind(set.scalar(e, k)) == Kind::kSignal;
  };
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    const ElementSet& set = *system_.sets()[s];
    bool owns = false;
    for (int e = 0; e < set.size() && !owns; ++e) {
      const int first = 6 * set.nodesPerElement();
      for (int k = 0; k < set.scalars(e) && !owns; ++k) {
        owns = isSignal(set, e, k) && set.fills(e, first + k, first + k, false);
      }
    }
    if (owns) signalSets_.push_back(static_cast<int>(s));
  }
  const int n = system_.unknowns();
  for (Eigen::VectorXd* w : {&signalWeights_.value, &signalWeights_.rate,
                             &signalWeights_.acceleration, &signalWeights_.row}) {
    w->setZero(n);
  }
  for (int u = 0; u < n; ++u) {
    if (system_.kinds()[u] != Kind::kSignal) continue;
    signalWeights_.value[u] = 1.0;
    signalWeights_.row[u] = 1.0;
  }
}

void Assembler::calcSignalResidual(const State& state, Eigen::VectorXd& residual) {
  calcMotion(state);
  for (auto& f : sums_.nodes) f.setZero();
  sums_.scalars.setZero();
  for (const int s : signalSets_) {
    system_.sets()[s]->addResidual(motion_, environment_, sums_);
  }
  residual = sums_.scalars;
}

void Assembler::calcSignalMatrix(const State& state, linalg::SparseMatrix& matrix) {
  calcMotion(state);
  double* values = matrix.valuePtr();
  std::fill(values, values + matrix.nonZeros(), 0.0);
  for (const int s : signalSets_) {
    const ElementSet& set = *system_.sets()[s];
    for (int e = 0; e < set.size(); ++e) {
      set.calcTangents(motion_, environment_, e, maps_[s].tangents);
      scatter(maps_[s], e, signalWeights_, false, false, values);
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
  motion_.records = state.records.data();
  motion_.environment = environment_;
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
    const Columns newK =
        K.lazyProduct(D.A) + C.lazyProduct(D.twistByValue) + M.lazyProduct(D.rateByValue);
    const Columns newC = C.lazyProduct(D.A) + M.lazyProduct(D.rateByRate);
    const Columns newM = M.lazyProduct(D.A);
    K = newK;
    C = newC;
    M = newM;
    for (Eigen::MatrixXd* matrix : {&t.K, &t.C, &t.M}) {
      const Rows rows = D.A.transpose().lazyProduct(matrix->middleRows<6>(6 * k));
      matrix->middleRows<6>(6 * k) = rows;
    }
  }
}

void Assembler::applyTangents(const ElementSet& set, int element, Eigen::MatrixXd& K) const {
  for (int k = 0; k < set.nodesPerElement(); ++k) {
    const int i = set.node(element, k).value;
    if (system_.nodes()[i].count == 0) continue;
    const Columns columns = K.middleCols<6>(6 * k).lazyProduct(nodeTangents_[i]);
    K.middleCols<6>(6 * k) = columns;
  }
}

void Assembler::scatter(const SetMap& map, int element, const Weights& w, bool rate,
                        bool acceleration, double* values) const {
  const int n = map.freedoms(element);
  if (n > kMaxLocal) return scatterLarge(map, element, w, values);
  const int* unknowns = map.unknowns.data() + map.firstUnknown[element];
  const int* slots = map.slots.data() + map.firstSlot[element];
  std::array<double, kMaxLocal> column;
  for (int c = 0; c < n; ++c, slots += n) {
    const int u = unknowns[c];
    if (u < 0) continue;
    const double* K = map.tangents.K.data() + n * c;
    const double* C = map.tangents.C.data() + n * c;
    const double* M = map.tangents.M.data() + n * c;
    for (int r = 0; r < n; ++r) column[r] = w.value[u] * K[r];
    if (rate) {
      for (int r = 0; r < n; ++r) column[r] += w.rate[u] * C[r];
    }
    if (acceleration) {
      for (int r = 0; r < n; ++r) column[r] += w.acceleration[u] * M[r];
    }
    for (int r = 0; r < n; ++r) {
      if (slots[r] >= 0) values[slots[r]] += w.row[unknowns[r]] * column[r];
    }
  }
}

void Assembler::scatterLarge(const SetMap& map, int element, const Weights& w,
                             double* values) const {
  const int n = map.freedoms(element);
  const int* unknowns = map.unknowns.data() + map.firstUnknown[element];
  const int* slots = map.slots.data() + map.firstSlot[element];
  const Tangents& t = map.tangents;
  for (int c = 0; c < n; ++c, slots += n) {
    const int u = unknowns[c];
    for (int r = 0; r < n; ++r) {
      if (slots[r] < 0) continue;
      values[slots[r]] += w.row[unknowns[r]] * (w.value[u] * t.K(r, c) + w.rate[u] * t.C(r, c) +
                                                w.acceleration[u] * t.M(r, c));
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
    // A node map that turns with the node mixes rates and accelerations into any element.
    const bool rate = set.usesRate() || !mixedNodes_.empty();
    const bool acceleration = set.usesAcceleration();
    for (int e = 0; e < set.size(); ++e) {
      set.calcTangents(motion_, environment_, e, maps_[s].tangents);
      reduceToUnknowns(set, e, maps_[s].tangents);
      if (increment != nullptr) applyTangents(set, e, maps_[s].tangents.K);
      scatter(maps_[s], e, w, rate, acceleration, values);
    }
  }
  addMapStiffness(state, w, increment != nullptr, values);
}

void Assembler::addMapStiffness(const State& state, const Weights& w, bool withTangent,
                                double* values) const {
  for (std::size_t m = 0; m < mixedNodes_.size(); ++m) {
    const int i = mixedNodes_[m];
    const Node& node = system_.nodes()[i];
    math::Mat6<double> K = calcMapStiffness(node, state.frames[i], sums_.nodes[i]);
    if (withTangent) K = K * nodeTangents_[i];
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
  const Weights byValue{one, zero, zero, one}, byRate{zero, one, zero, one};
  const Weights byAcceleration{zero, zero, one, one};
  K = C = M = pattern_;
  prepareNodes(state, nullptr);
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    const ElementSet& set = *system_.sets()[s];
    for (int e = 0; e < set.size(); ++e) {
      set.calcTangents(motion_, environment_, e, maps_[s].tangents);
      reduceToUnknowns(set, e, maps_[s].tangents);
      scatter(maps_[s], e, byValue, false, false, K.valuePtr());
      if (set.usesRate() || !mixedNodes_.empty()) {
        scatter(maps_[s], e, byRate, true, false, C.valuePtr());
      }
      if (set.usesAcceleration()) {
        scatter(maps_[s], e, byAcceleration, false, true, M.valuePtr());
      }
    }
  }
  addMapStiffness(state, byValue, false, K.valuePtr());
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
  for (const auto& set : system_.sets()) set->updateHistory(motion_, state);
}

int Assembler::indicators() const {
  int count = 0;
  for (const auto& set : system_.sets()) count += set->indicators();
  return count;
}

std::vector<bool> Assembler::locatedIndicators() const {
  std::vector<bool> located;
  for (const auto& set : system_.sets()) {
    for (int i = 0; i < set->indicators(); ++i) located.push_back(set->isLocated(i));
  }
  return located;
}

void Assembler::calcIndicators(const State& state, std::vector<double>& values) {
  calcMotion(state);
  values.resize(indicators());
  double* next = values.data();
  for (const auto& set : system_.sets()) {
    set->calcIndicators(motion_, next);
    next += set->indicators();
  }
}

void Assembler::switchModes(State& state) {
  calcMotion(state);
  for (const auto& set : system_.sets()) set->switchModes(motion_, state);
}

std::string Assembler::fault() const {
  for (const auto& set : system_.sets()) {
    if (std::string fault = set->fault(); !fault.empty()) return fault;
  }
  return {};
}

void Assembler::SetMap::placeElements(const ElementSet& set) {
  firstUnknown.assign(1, 0);
  firstSlot.assign(1, 0);
  for (int e = 0; e < set.size(); ++e) {
    const std::size_t n = localFreedoms(set, e);
    firstUnknown.push_back(firstUnknown.back() + n);
    firstSlot.push_back(firstSlot.back() + n * n);
  }
  unknowns.assign(firstUnknown.back(), -1);
}

}  // namespace flexloop::system
