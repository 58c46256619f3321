#include "system/assembler.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace flexloop::system {
namespace {

// Columns and rows of a node in local matrices: of bounded size on the stack, or of any size.
template <int Most>
struct NodeBlocks {
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::ColMajor, Most, 6>;
  using HalfColumns = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::ColMajor, Most, 3>;
  using Rows = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, Most>;
};
using SmallBlocks = NodeBlocks<kSmallLocalFreedoms>;
using LargeBlocks = NodeBlocks<Eigen::Dynamic>;

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
  gatherings_ = findGatherings(system);
  addGathered();
  buildPattern();
  groupUnknowns();
  findSignalSets();
  findConstraintSets();
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

void Assembler::calcSignalResidual(const State& state, Eigen::VectorXd& residual) {
  for (const int i : signalNodes_) calcNodeMotion(state, i);
  readScalars(state);
  sums_.scalars.setZero();
  for (const int s : signalSets_) {
    system_.sets()[s]->addResidual(motion_, environment_, sums_);
  }
  residual = sums_.scalars;
}

namespace {

// Whether the element measures without reading another signal. Its signal is y − Σ q(motion) = 0, however many elements
// share the sum (17.1), (17.11): by signals the row has no slope but one on the diagonal.
bool isPlainMeasure(const System& system, const ElementSet& set, int element) {
  if (set.type() != "sensor") return false;
  const int own = set.scalars(element) - 1;
  for (int k = 0; k < own; ++k) {
    if (system.kind(set.scalar(element, k)) == Kind::kSignal) return false;
  }
  return true;
}

}  // namespace

void Assembler::calcSignalMatrix(const State& state, linalg::SparseMatrix& matrix) {
  calcMotion(state);
  double* values = matrix.valuePtr();
  std::fill(values, values + matrix.nonZeros(), 0.0);
  for (const int s : signalSets_) {
    const ElementSet& set = *system_.sets()[s];
    for (int e = 0; e < set.size(); ++e) {
      if (isPlainMeasure(system_, set, e)) {
        values[maps_[s].slots[maps_[s].firstSlot[e + 1] - 1]] = 1.0;
        continue;
      }
      set.calcTangents(motion_, environment_, e, maps_[s].tangents);
      scatter(maps_[s], e, signalWeights_, false, false, values);
    }
  }
}

void Assembler::calcNodeMotion(const State& state, int i) {
  const Node& node = system_.nodes()[i];
  NodeMotion& motion = motion_.nodes[i];
  motion.frame = state.frames[i];
  calcTwist(node, motion.frame, state.rate.data() + node.firstUnknown,
            state.acceleration.data() + node.firstUnknown, motion.twist, motion.twistRate);
}

const Motion& Assembler::calcMotion(const State& state) {
  if (!gatherings_.empty()) gather(state);
  const int count = static_cast<int>(motion_.nodes.size());
  for (int i = 0; i < count; ++i) calcNodeMotion(state, i);
  readScalars(state);
  return motion_;
}

void Assembler::readScalars(const State& state) {
  motion_.time = state.time;
  motion_.value = state.value.data();
  motion_.rate = state.rate.data();
  motion_.acceleration = state.acceleration.data();
  motion_.history = state.history.data();
  motion_.records = state.records.data();
  motion_.environment = environment_;
}

void Assembler::calcResidual(const State& state, Eigen::VectorXd& residual) {
  calcMotion(state);
  for (auto& f : sums_.nodes) f.setZero();
  sums_.scalars.setZero();
  for (const ElementSet* set : sets_) set->addResidual(motion_, environment_, sums_);
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

void Assembler::prepareNodes(const State& state, const StepIncrement* increment) {
  const auto calcDerivatives = increment != nullptr ? calcStepDerivatives : calcTwistDerivatives;
  for (std::size_t i = 0; i < motion_.nodes.size(); ++i) {
    const Node& node = system_.nodes()[i];
    if (node.map == NodeMap::kHeld) continue;
    if (increment != nullptr) {
      nodeTangents_[i] = calcStepTangent(node, static_cast<int>(i), *increment);
    }
    if (node.map != NodeMap::kBody) {
      twistDerivatives_[i] =
          calcDerivatives(node, state.frames[i], state.rate.data() + node.firstUnknown,
                          state.acceleration.data() + node.firstUnknown);
      if (increment == nullptr || increment->centres.empty() || !node.isStraight) continue;
      addCentre(increment->centres[i], motion_.nodes[i].twist, motion_.nodes[i].twistRate,
                twistDerivatives_[i]);
    }
  }
}

namespace {

// to += factor A v̂ for three neighbouring columns of `rows` entries; v̂ is the skew matrix of v.
void addTimesSkew(const double* A, int rows, const math::Vec3<double>& v, double factor,
                  double* to) {
  const double x = factor * v[0], y = factor * v[1], z = factor * v[2];
  const double *a = A, *b = A + rows, *c = b + rows;
  double *first = to, *second = to + rows, *third = second + rows;
  for (int r = 0; r < rows; ++r) first[r] += z * b[r] - y * c[r];
  for (int r = 0; r < rows; ++r) second[r] += x * c[r] - z * a[r];
  for (int r = 0; r < rows; ++r) third[r] += y * a[r] - x * b[r];
}

}  // namespace

// (3.10) and (3.11) for nodes whose unknowns are the body twist: A is the identity, and only the columns of the
// rotations and of the rates are touched. Rows of nodes come by six, a number that the compiler knows.
void Assembler::addStepDerivatives(const ElementSet& set, int element,
                                   const StepIncrement& increment, Tangents& t) const {
  const int rows = static_cast<int>(t.K.rows());
  std::array<double, 3 * kSmallLocalFreedoms> small;
  std::vector<double> large(rows > kSmallLocalFreedoms ? 3 * rows : 0);
  double* const turned = large.empty() ? small.data() : large.data();  // M_t ω̂
  const int nodes = set.nodes(element);
  for (int k = 0; k < nodes; ++k) {
    const int i = set.node(element, k).value;
    const Node& node = system_.nodes()[i];
    if (!node.isStraight || node.map != NodeMap::kBody) continue;
    const math::Vec6<double>& twist = motion_.nodes[i].twist;
    const math::Vec3<double> omega = twist.tail<3>(), centre = increment.centre(i);
    const math::Vec3<double> v = twist.head<3>() + math::cross<double>(omega, centre);
    const std::ptrdiff_t translations = 6 * k * static_cast<std::ptrdiff_t>(rows);
    const std::ptrdiff_t rotations = translations + 3 * static_cast<std::ptrdiff_t>(rows);
    double* const K_r = t.K.data() + rotations;
    double* const C_t = t.C.data() + translations;
    if (set.usesRate()) addTimesSkew(C_t, rows, v, 1.0, K_r);
    if (!set.usesAcceleration()) continue;
    const double* const M_t = t.M.data() + translations;
    const math::Vec6<double>& twistRate = motion_.nodes[i].twistRate;
    const math::Vec3<double> a =
        twistRate.head<3>() + math::cross<double>(omega, v) +
        math::cross<double>(math::Vec3<double>(twistRate.tail<3>()), centre);
    addTimesSkew(M_t, rows, a, 1.0, K_r);
    addTimesSkew(M_t, rows, v, 1.0, t.C.data() + rotations);
    std::fill_n(turned, 3 * rows, 0.0);
    addTimesSkew(M_t, rows, omega, 1.0, turned);
    addTimesSkew(turned, rows, v, -1.0, K_r);
    if (!centre.isZero(0.0)) {
      addTimesSkew(turned, rows, centre, 1.0, t.C.data() + rotations);
    }
    for (int r = 0; r < 3 * rows; ++r) C_t[r] -= turned[r];
  }
}

namespace {

// Local freedoms of a node become its unknowns: first columns, then rows.
template <class Blocks>
void reduceNode(int k, bool isStatic, const TwistDerivatives& D, Tangents& t) {
  if (isStatic) {
    const typename Blocks::Columns newK = t.K.middleCols<6>(6 * k).lazyProduct(D.A);
    t.K.middleCols<6>(6 * k) = newK;
    const typename Blocks::Rows rows = D.A.transpose().lazyProduct(t.K.middleRows<6>(6 * k));
    t.K.middleRows<6>(6 * k) = rows;
    return;
  }
  auto K = t.K.middleCols<6>(6 * k);
  auto C = t.C.middleCols<6>(6 * k);
  auto M = t.M.middleCols<6>(6 * k);
  const typename Blocks::Columns newK =
      K.lazyProduct(D.A) + C.lazyProduct(D.twistByValue) + M.lazyProduct(D.rateByValue);
  const typename Blocks::Columns newC = C.lazyProduct(D.A) + M.lazyProduct(D.rateByRate);
  const typename Blocks::Columns newM = M.lazyProduct(D.A);
  K = newK;
  C = newC;
  M = newM;
  for (Eigen::MatrixXd* matrix : {&t.K, &t.C, &t.M}) {
    const typename Blocks::Rows rows = D.A.transpose().lazyProduct(matrix->middleRows<6>(6 * k));
    matrix->middleRows<6>(6 * k) = rows;
  }
}

template <class Blocks>
void applyTangent(int k, bool isStraight, const math::Mat6<double>& tangent, Eigen::MatrixXd& K) {
  if (isStraight) {
    const math::Mat3<double> T = tangent.bottomRightCorner<3, 3>();
    const math::Mat3<double> T_tr = tangent.topRightCorner<3, 3>();
    typename Blocks::HalfColumns columns = K.middleCols<3>(6 * k + 3).lazyProduct(T);
    if (!T_tr.isZero(0.0)) columns += K.middleCols<3>(6 * k).lazyProduct(T_tr);
    K.middleCols<3>(6 * k + 3) = columns;
    return;
  }
  const typename Blocks::Columns columns = K.middleCols<6>(6 * k).lazyProduct(tangent);
  K.middleCols<6>(6 * k) = columns;
}

}  // namespace

void Assembler::reduceToUnknowns(const ElementSet& set, int element, Tangents& t) const {
  const bool isStatic = !set.usesRate() && !set.usesAcceleration();
  const auto reduce =
      t.K.rows() > kSmallLocalFreedoms ? reduceNode<LargeBlocks> : reduceNode<SmallBlocks>;
  const int nodes = set.nodes(element);
  for (int k = 0; k < nodes; ++k) {
    const int i = set.node(element, k).value;
    const NodeMap map = system_.nodes()[i].map;
    if (map != NodeMap::kSubgroup && map != NodeMap::kMixed) continue;
    reduce(k, isStatic, twistDerivatives_[i], t);
  }
}

void Assembler::applyTangents(const ElementSet& set, int element, Eigen::MatrixXd& K) const {
  const auto apply =
      K.rows() > kSmallLocalFreedoms ? applyTangent<LargeBlocks> : applyTangent<SmallBlocks>;
  const int nodes = set.nodes(element);
  for (int k = 0; k < nodes; ++k) {
    const int i = set.node(element, k).value;
    const Node& node = system_.nodes()[i];
    if (node.count == 0) continue;
    apply(k, node.isStraight && node.map == NodeMap::kBody, nodeTangents_[i], K);
  }
}

void Assembler::scatter(const SetMap& map, int element, const Weights& w, bool rate,
                        bool acceleration, double* values) const {
  const int n = map.freedoms(element);
  if (n > kSmallLocalFreedoms) return scatterLarge(map, element, w, values);
  const int* unknowns = map.unknowns.data() + map.firstUnknown[element];
  const int* slots = map.slots.data() + map.firstSlot[element];
  std::array<double, kSmallLocalFreedoms> column;
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
  Eigen::VectorXd column(n);
  for (int c = 0; c < n; ++c, slots += n) {
    const int u = unknowns[c];
    if (u < 0) continue;
    column = w.value[u] * t.K.col(c) + w.rate[u] * t.C.col(c) + w.acceleration[u] * t.M.col(c);
    for (int r = 0; r < n; ++r) {
      if (slots[r] >= 0) values[slots[r]] += w.row[unknowns[r]] * column[r];
    }
  }
}

// Of what comes and goes most is near but does not touch.
bool Assembler::isIdle(std::size_t set, int element) const {
  const std::size_t lasting = system_.sets().size();
  if (set < lasting || gatheredIdlers_[set - lasting] == nullptr) return false;
  return gatheredIdlers_[set - lasting]->isIdle(motion_, element);
}

void Assembler::calcIterationMatrix(const State& state, const Weights& w,
                                    const StepIncrement* increment, linalg::SparseMatrix& matrix) {
  prepareNodes(state, increment);
  double* values = matrix.valuePtr();
  std::fill(values, values + matrix.nonZeros(), 0.0);
  for (std::size_t s = 0; s < maps_.size(); ++s) {
    const ElementSet& set = *sets_[s];
    // A node map that turns with the node mixes rates and accelerations into any element.
    const bool acceleration = set.usesAcceleration();
    const bool isStraight = increment != nullptr && (set.usesRate() || acceleration);
    const bool rate = set.usesRate() || !mixedNodes_.empty() || isStraight;
    for (int e = 0; e < set.size(); ++e) {
      if (isIdle(s, e)) continue;
      set.calcTangents(motion_, environment_, e, maps_[s].tangents);
      if (isStraight) addStepDerivatives(set, e, *increment, maps_[s].tangents);
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
    const ElementSet& set = *sets_[s];
    for (int e = 0; e < set.size(); ++e) {
      if (isIdle(s, e)) continue;
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

void Assembler::calcConstraintRates(Eigen::VectorXd& rates) {
  rates.setZero(system_.unknowns());
  for (const ConstraintRates* set : rateSets_) {
    set->addConstraintRates(motion_, environment_, rates);
  }
  if (otherRateSets_.empty()) return;
  constraintDerivatives_.first.setZero(system_.unknowns());
  constraintDerivatives_.second.setZero(system_.unknowns());
  for (const ElementSet* set : otherRateSets_) {
    set->addTimeDerivatives(motion_, environment_, constraintDerivatives_);
  }
  rates += constraintDerivatives_.first;
}

Energy Assembler::calcEnergy(const State& state) {
  calcMotion(state);
  Energy sum;
  for (const auto& [energy, elements] : system_.roles().energetic) {
    for (int e = 0; e < elements; ++e) sum += energy->energy(motion_, environment_, e);
  }
  for (const auto& set : gathered_) {
    const auto* energy = dynamic_cast<const StoredEnergy*>(set.get());
    if (energy != nullptr) sum += energy->sumEnergies(motion_, environment_, 0, set->size());
  }
  return sum;
}

void Assembler::updateHistory(State& state) {
  calcMotion(state);
  for (const Remembering* set : system_.roles().remembering) set->updateHistory(motion_, state);
  for (const Remembering* set : gatheredMemories_) set->updateHistory(motion_, state);
}

void Assembler::forgetPast(State& state) const {
  for (const Remembering* set : system_.roles().remembering) set->forgetPast(state);
}

int Assembler::indicators() const {
  int count = 0;
  for (const Branching* set : system_.roles().branching) count += set->indicators();
  return count;
}

std::vector<bool> Assembler::locatedIndicators() const {
  std::vector<bool> located;
  for (const Branching* set : system_.roles().branching) {
    for (int i = 0; i < set->indicators(); ++i) located.push_back(set->isLocated(i));
  }
  return located;
}

void Assembler::calcIndicators(const State& state, std::vector<double>& values) {
  calcMotion(state);
  values.resize(indicators());
  double* next = values.data();
  for (const Branching* set : system_.roles().branching) {
    set->calcIndicators(motion_, next);
    next += set->indicators();
  }
}

void Assembler::switchBranches(State& state) {
  calcMotion(state);
  for (const Branching* set : system_.roles().branching) set->switchBranches(motion_, state);
}

std::optional<base::Failure> Assembler::fault() const {
  for (const Foreign* set : system_.roles().foreign) {
    if (auto fault = set->fault()) return fault;
  }
  return {};
}

}  // namespace flexloop::system
