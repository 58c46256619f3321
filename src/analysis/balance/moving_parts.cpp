#include "analysis/balance/moving_parts.hpp"

#include <algorithm>
#include <iterator>

#include "mechanics/beams/beam_layout.hpp"
#include "solve/machine_size.hpp"

namespace flexloop::analysis {

using system::Node;
using system::State;

namespace {

using Matrix = Eigen::MatrixXd;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

constexpr double kSameField = 1e-9;
// Of the fastest motion: what velocities that are closed at joints may be off, of nodes at rest too.
constexpr double kRoundOff = 1e-13;

void addBlock(const Node& row, const Node& column, const Matrix& block, Triplets& entries) {
  for (int c = 0; c < block.cols(); ++c) {
    for (int r = 0; r < block.rows(); ++r) {
      entries.emplace_back(row.firstUnknown + r, column.firstUnknown + c, block(r, c));
    }
  }
}

linalg::SparseMatrix assemble(int size, const Triplets& entries) {
  linalg::SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

math::Vec6<double> twistAt(const Node& node, const math::Frame<double>& frame,
                           const Eigen::VectorXd& rate) {
  if (node.count == 0) return math::Vec6<double>::Zero();
  return system::calcMap(node, frame).leftCols(node.count) *
         rate.segment(node.firstUnknown, node.count);
}

}  // namespace

MovingParts::MovingParts(const system::System& system, const State& start, PartMotion kind)
    : system_(system), kind_(kind), parts_(1) {
  const double size = solve::findFarthestNode(start);
  std::vector<Vec6> fields;
  double fastest = 0.0;
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    twists_.push_back(twistAt(system.nodes()[i], start.frames[i], start.rate));
    fields.push_back(math::applyAdjoint(start.frames[i], twists_.back()));
    speed_ = std::max(speed_, fields.back().tail<3>().norm());
    fastest = std::max(fastest, fields.back().head<3>().norm());
  }
  for (const Vec6& field : fields) {
    partOf_.push_back(findPart(field, size, fastest));
    if (partOf_.back() == static_cast<int>(parts_.size())) parts_.push_back({field});
  }
  findCarriers(start);
}

// The first is at rest.
int MovingParts::findPart(const Vec6& field, double size, double fastest) const {
  const auto isSame = [&](const Part& part) {
    const Vec6 difference = field - part.field;
    const double turn = std::max(field.tail<3>().norm(), part.field.tail<3>().norm());
    const double move = std::max(field.head<3>().norm(), part.field.head<3>().norm());
    const double turnsOff = kSameField * turn + kRoundOff * speed_;
    const double movesOff = kSameField * move + kRoundOff * fastest + turnsOff * size;
    return difference.tail<3>().norm() <= turnsOff && difference.head<3>().norm() <= movesOff;
  };
  const auto found = std::find_if(parts_.begin(), parts_.end(), isSame);
  return static_cast<int>(found - parts_.begin());
}

// A rotor goes with the bearing that holds it, wherever that is moved.
void MovingParts::findCarriers(const State& start) {
  for (const auto& set : system_.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      for (int k = 1; k < set->nodes(e); ++k) {
        const int nodes[] = {set->node(e, 0).value, set->node(e, k).value};
        if (partOf_[nodes[0]] == partOf_[nodes[1]]) continue;
        for (const int node : nodes) {
          Part& part = parts_[partOf_[node]];
          if (part.carrier >= 0 || partOf_[node] == 0) continue;
          part.carrier = node;
          part.carried = math::applyAdjointInverse(start.frames[node], part.field);
        }
      }
    }
  }
}

bool MovingParts::isAtRest() const {
  return parts_.size() == 1;
}

std::string MovingParts::findSplitBeam() const {
  for (const auto& set : system_.sets()) {
    if (!mechanics::isBeam(*set)) continue;
    for (int e = 0; e < set->size(); ++e) {
      for (int k = 1; k < set->nodes(e); ++k) {
        const int first = set->node(e, 0).value, other = set->node(e, k).value;
        if (partOf_[first] == partOf_[other]) continue;
        return "'" + system_.nodes()[first].name + "' and '" + system_.nodes()[other].name + "'";
      }
    }
  }
  return {};
}

MovingParts::Vec6 MovingParts::calcTwist(std::size_t node, const State& state) const {
  if (kind_ == PartMotion::kInPlace) return twists_[node];
  const Part& part = parts_[partOf_[node]];
  const Vec6 field =
      part.carrier < 0 ? part.field : math::applyAdjoint(state.frames[part.carrier], part.carried);
  return math::applyAdjointInverse(state.frames[node], field);
}

void MovingParts::setMotion(double factor, State& state) const {
  for (std::size_t i = 0; i < system_.nodes().size(); ++i) {
    const Node& node = system_.nodes()[i];
    if (node.count == 0) continue;
    const auto A = system::calcMap(node, state.frames[i]).leftCols(node.count).eval();
    const Eigen::VectorXd rate = A.transpose() * (factor * calcTwist(i, state));
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(node.count);
    Vec6 twist, twistRate;
    system::calcTwist(node, state.frames[i], rate.data(), none.data(), twist, twistRate);
    state.rate.segment(node.firstUnknown, node.count) = rate;
    state.acceleration.segment(node.firstUnknown, node.count) = -A.transpose() * twistRate;
  }
}

MovingParts::Tangents MovingParts::calcTangents(const State& state) const {
  Triplets rates, accelerations;
  for (std::size_t i = 0; i < system_.nodes().size(); ++i) {
    const Node& node = system_.nodes()[i];
    if (node.count == 0) continue;
    const Vec6 twist = twistAt(node, state.frames[i], state.rate);
    const auto D =
        system::calcTwistDerivatives(node, state.frames[i], state.rate.data() + node.firstUnknown,
                                     state.acceleration.data() + node.firstUnknown);
    const Matrix A = D.A.leftCols(node.count), byRate = D.rateByRate.leftCols(node.count);
    Matrix change = -D.twistByValue.leftCols(node.count);
    if (kind_ == PartMotion::kAsOne) change += math::bracketMatrix(twist) * A;
    const Matrix U = A.transpose() * change;
    addBlock(node, node, U, rates);
    addBlock(node, node, -A.transpose() * (byRate * U + D.rateByValue.leftCols(node.count)),
             accelerations);
    const int carrier = parts_[partOf_[i]].carrier;
    if (kind_ == PartMotion::kInPlace || carrier < 0) continue;
    const Node& other = system_.nodes()[carrier];
    const Vec6 carried = twistAt(other, state.frames[carrier], state.rate);
    const Matrix moved = -A.transpose() *
                         math::adjoint(math::relative(state.frames[i], state.frames[carrier])) *
                         math::bracketMatrix(carried) *
                         system::calcMap(other, state.frames[carrier]).leftCols(other.count);
    addBlock(node, other, moved, rates);
    addBlock(node, other, -A.transpose() * byRate * moved, accelerations);
  }
  return {assemble(system_.unknowns(), rates), assemble(system_.unknowns(), accelerations)};
}

Eigen::MatrixXd MovingParts::calcFields(const State& state) const {
  Eigen::MatrixXd fields = Eigen::MatrixXd::Zero(system_.unknowns(), std::ssize(parts_) - 1);
  for (std::size_t i = 0; i < system_.nodes().size(); ++i) {
    const Node& node = system_.nodes()[i];
    if (partOf_[i] == 0 || node.count == 0) continue;
    fields.col(partOf_[i] - 1).segment(node.firstUnknown, node.count) =
        state.rate.segment(node.firstUnknown, node.count);
  }
  return fields;
}

void MovingParts::goOn(double time, State& state) const {
  std::vector<math::Frame<double>> frames = state.frames;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Vec6 step = time * calcTwist(i, state);
    frames[i] = math::compose(state.frames[i], math::expSE3<double>(step));
  }
  state.frames = frames;
  state.time += time;
}

}  // namespace flexloop::analysis
