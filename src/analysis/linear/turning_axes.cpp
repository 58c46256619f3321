#include "analysis/linear/turning_axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/linear/node_centres.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "solve/consistent_accelerations.hpp"
#include "solve/time/motion_reach.hpp"

namespace flexloop::analysis {
namespace {

using linalg::QuadraticPencil;
using linalg::SparseMatrix;
using system::Kind;
using system::Node;
using system::State;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

constexpr double kSameEquations = 1e-6;  // change of an entry, by those on the diagonal
constexpr double kNoTerm = 1e-6;         // of the largest on the diagonal
constexpr int kMostForSpans = 1500;  // unknowns; of larger machines, constraints are not compared

Matrix6 turn(const Eigen::Vector3d& omega) {
  Matrix6 both = Matrix6::Zero();
  both.topLeftCorner<3, 3>() = both.bottomRightCorner<3, 3>() = math::skew<double>(omega);
  return both;
}

Vector6 twistOf(const Node& node, const math::Frame<double>& frame, const Eigen::VectorXd& rate) {
  const Matrix6 A = system::calcMap(node, frame);
  return A.leftCols(node.count) * rate.segment(node.firstUnknown, node.count);
}

// W of (18.3). Columns of A that turn with the axes stay as they are; the others turn against them.
Matrix6 calcTurn(const Node& node, const math::Frame<double>& frame, const Eigen::VectorXd& rate,
                 Axes axes) {
  const Matrix6 A = system::calcMap(node, frame);
  Matrix6 turned = turn(twistOf(node, frame, rate).tail<3>()) * A;
  for (int c = 0; c < node.count; ++c) {
    const bool inGround = node.map != system::NodeMap::kBody && node.columns[c].inGround;
    if (inGround == (axes == Axes::kGround)) turned.col(c).setZero();
  }
  return (axes == Axes::kGround ? -1.0 : 1.0) * A.transpose() * turned;
}

Matrix6 calcBracket(const Node& node, const Eigen::VectorXd& rate) {
  Matrix6 bracket = Matrix6::Zero();
  for (int c = 0; c < node.count; ++c) {
    const Vector6 unit = Vector6::Unit(c);
    bracket.col(c) = system::calcBracket(node, rate.data() + node.firstUnknown, unit.data());
  }
  return bracket;
}

// Translations do not take part in the angular acceleration; (18.2).
Matrix6 calcAccelerationBracket(const system::System& system, const Node& node,
                                const Eigen::VectorXd& acceleration) {
  Matrix6 bracket = calcBracket(node, acceleration);
  for (int c = 0; c < node.count; ++c) {
    for (int r = 0; r < node.count; ++r) {
      const bool turns =
          system.isRotation({node.firstUnknown + r}) || system.isRotation({node.firstUnknown + c});
      if (!turns) bracket(r, c) = 0.0;
    }
  }
  return bracket;
}

void addBlock(const Node& node, const Matrix6& block, Triplets& entries) {
  for (int c = 0; c < node.count; ++c) {
    for (int r = 0; r < node.count; ++r) {
      if (block(r, c) != 0.0) {
        entries.emplace_back(node.firstUnknown + r, node.firstUnknown + c, block(r, c));
      }
    }
  }
}

SparseMatrix assemble(int size, const Triplets& entries) {
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

bool isMoving(const Node& node, const State& state) {
  const auto isZero = [&](const Eigen::VectorXd& v) {
    return v.segment(node.firstUnknown, node.count).isZero(0.0);
  };
  return node.count > 0 && !(isZero(state.rate) && isZero(state.acceleration));
}

double speedOf(const system::System& system, const State& state) {
  double speed = 0.0;
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    if (node.count == 0) continue;
    speed = std::max(speed, twistOf(node, state.frames[i], state.rate).tail<3>().norm());
  }
  return speed;
}

// Every node continues along its screw; the forces on it stay as before.
bool turnOn(solve::PreparedMachine& machine, double time, State& state) {
  const system::System& system = machine.assembler().system();
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    if (node.count == 0) continue;
    math::Frame<double>& frame = state.frames[i];
    const Vector6 twist = twistOf(node, frame, state.rate);
    frame = math::compose(frame, math::expSE3<double>(time * twist));
    const Matrix6 A = system::calcMap(node, frame);
    state.rate.segment(node.firstUnknown, node.count) = A.leftCols(node.count).transpose() * twist;
  }
  machine.begin(state);
  return solve::calcAccelerations(machine, state);
}

// Increments at `later` by those at `now` that the axes carry on to them.
SparseMatrix makeTransport(const system::System& system, const State& now, const State& later,
                           const NodeAxes& axes) {
  Triplets entries;
  std::vector<bool> isOfNode(system.unknowns(), false);
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    if (node.count == 0) continue;
    Matrix6 carried = Matrix6::Identity();
    if (axesOf(axes, i) == Axes::kGround) {
      const Eigen::Matrix3d R = later.frames[i].R.transpose() * now.frames[i].R;
      carried.topLeftCorner<3, 3>() = carried.bottomRightCorner<3, 3>() = R;
    }
    addBlock(node,
             system::calcMap(node, later.frames[i]).transpose() * carried *
                 system::calcMap(node, now.frames[i]),
             entries);
    std::fill_n(isOfNode.begin() + node.firstUnknown, node.count, true);
  }
  for (int u = 0; u < system.unknowns(); ++u) {
    if (!isOfNode[u]) entries.emplace_back(u, u, 1.0);
  }
  return assemble(system.unknowns(), entries);
}

SparseMatrix evaluate(const QuadraticPencil& pencil, double s) {
  return SparseMatrix(pencil.K + s * pencil.C + s * s * pencil.M);
}

// How much the equations of a part change: the largest change of all, and their sum, in which none counts more than one.
struct Change {
  double largest = 0.0, sum = 0.0;

  void add(double change) {
    largest = std::max(largest, change);
    sum += std::min(change, 1.0);
  }
  bool isNone() const { return largest < kSameEquations; }
};

// By part, and last that of signals and states alone.
class Changes {
 public:
  explicit Changes(const std::vector<int>& parts)
      : parts_(parts), changes_(countParts(parts) + 1) {}

  // Of an entry: a motion, or else an equation of motion, belongs to a part.
  void add(int row, int column, double change) {
    const int part = parts_[column] >= 0 ? parts_[column] : parts_[row];
    changes_[part >= 0 ? part : count()].add(change);
  }
  int count() const { return static_cast<int>(changes_.size()) - 1; }
  const std::vector<Change>& all() const { return changes_; }

 private:
  static std::size_t countParts(const std::vector<int>& parts) {
    const auto last = std::max_element(parts.begin(), parts.end());
    return last == parts.end() ? 0 : *last + 1;
  }

  const std::vector<int>& parts_;
  std::vector<Change> changes_;
};

// Multipliers have axes of their own; what constraints say is the span of their gradients.
void addSpans(const system::System& system, const SparseMatrix& a, const SparseMatrix& b,
              Changes& changes) {
  if (system.unknowns() > kMostForSpans) return;
  std::vector<int> rows;
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] == Kind::kMultiplier) rows.push_back(u);
  }
  const auto gradientsOf = [&](const SparseMatrix& matrix) {
    Eigen::MatrixXd gradients = Eigen::MatrixXd::Zero(system.unknowns(), rows.size());
    const SparseMatrix transposed = matrix.transpose();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      gradients.col(i) = Eigen::VectorXd(transposed.col(rows[i]));
      if (gradients.col(i).norm() > 0.0) gradients.col(i).normalize();
    }
    return gradients;
  };
  if (rows.empty()) return;
  const Eigen::MatrixXd G = gradientsOf(a), H = gradientsOf(b);
  const Eigen::MatrixXd rest = G * linalg::PivotedQr<double>(G).solve(H) - H;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    changes.add(rows[i], rows[i], rest.col(i).cwiseAbs().maxCoeff());
  }
}

// Of the terms, not of their sum: s² m and the centrifugal −Ω² m of a mass cancel at s = Ω. The rotations of a point
// mass have none, and are compared with those of the others.
Eigen::VectorXd sumDiagonals(const system::System& system, const QuadraticPencil& pencil,
                             double s) {
  Eigen::VectorXd sum = pencil.K.diagonal().cwiseAbs() + s * pencil.C.diagonal().cwiseAbs() +
                        s * s * pencil.M.diagonal().cwiseAbs();
  for (const bool rotations : {false, true}) {
    const auto isMeant = [&](int u) {
      return system.kinds()[u] == Kind::kMotion && system.isRotation({u}) == rotations;
    };
    double largest = 0.0;
    for (int u = 0; u < sum.size(); ++u) {
      if (isMeant(u)) largest = std::max(largest, sum[u]);
    }
    for (int u = 0; u < sum.size(); ++u) {
      if (isMeant(u)) sum[u] = std::max(sum[u], kNoTerm * largest);
    }
  }
  return sum;
}

// Entries change relative to those on the diagonal.
void addEntries(const system::System& system, const Eigen::VectorXd& diagonal,
                const SparseMatrix& a, const SparseMatrix& b, Changes& changes) {
  const SparseMatrix difference = a - b;
  const auto isMultiplier = [&](int u) { return system.kinds()[u] == Kind::kMultiplier; };
  for (int c = 0; c < difference.outerSize(); ++c) {
    if (isMultiplier(c)) continue;
    for (SparseMatrix::InnerIterator it(difference, c); it; ++it) {
      const auto r = static_cast<int>(it.row());
      if (isMultiplier(r) || it.value() == 0.0) continue;
      changes.add(r, c, std::abs(it.value()) / std::sqrt(diagonal[r] * diagonal[c]));
    }
  }
}

// Of the equations, while the machine turns on from `now` to `later`.
Changes calcChanges(system::Assembler& assembler, const std::vector<int>& parts, const State& now,
                    const State& later, double speed, Axes axes) {
  const system::System& system = assembler.system();
  const NodeAxes all(system.nodes().size(), axes);
  const QuadraticPencil pencil = makePencil(assembler, now, all);
  const SparseMatrix before = evaluate(pencil, speed);
  const SparseMatrix carry = makeTransport(system, now, later, all);
  const SparseMatrix back = carry.transpose();
  const SparseMatrix after = back * evaluate(makePencil(assembler, later, all), speed) * carry;
  Changes changes(parts);
  addEntries(system, sumDiagonals(system, pencil, speed), before, after, changes);
  addSpans(system, before, after, changes);
  return changes;
}

// Accelerations of a node that are rounding of its others, as the turn of a body that falls beside its centre; compared by √m a.
// Whether there are any.
bool pruneAccelerations(const system::System& system, const SparseMatrix& M, State& state) {
  constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
  bool areAny = false;
  for (const Node& node : system.nodes()) {
    const auto sizeOf = [&](int u) {
      return std::abs(state.acceleration[u]) * std::sqrt(std::abs(M.coeff(u, u)));
    };
    double largest = 0.0;
    for (int k = 0; k < node.count; ++k) {
      largest = std::max(largest, sizeOf(node.firstUnknown + k));
    }
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      if (state.acceleration[u] == 0.0 || !(M.coeff(u, u) > 0.0)) continue;
      if (sizeOf(u) > kRounding * largest) continue;
      state.acceleration[u] = 0.0;
      areAny = true;
    }
  }
  return areAny;
}

// Entries whose terms cancel to rounding are zero: a body that falls freely has its weight and its inertia in them.
void pruneCancelled(const SparseMatrix& sizes, SparseMatrix& sum) {
  constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();
  sum.prune([&](Eigen::Index row, Eigen::Index column, double value) {
    return std::abs(value) > kRounding * sizes.coeff(row, column);
  });
}

// By node those of its part, and what they are for all that turns.
void takeAxes(const system::System& system, const State& state, const std::vector<int>& parts,
              const std::vector<Axes>& ofParts, Turning& turning) {
  bool areBodies = false;
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    const Axes axes = node.count == 0 ? Axes::kBodies : ofParts[parts[node.firstUnknown]];
    turning.axes.push_back(axes);
    if (node.count == 0 || twistOf(node, state.frames[i], state.rate).tail<3>().isZero(0.0)) {
      continue;
    }
    turning.isInGround = turning.isInGround || axes == Axes::kGround;
    areBodies = areBodies || axes == Axes::kBodies;
  }
  turning.isMixed = turning.isInGround && areBodies;
}

}  // namespace

NodeBrackets calcBrackets(const system::System& system, std::size_t node, const State& state,
                          Axes axes) {
  const Node& moving = system.nodes()[node];
  const Matrix6 v = calcBracket(moving, state.rate);
  const Matrix6 w = calcAccelerationBracket(system, moving, state.acceleration);
  const Matrix6 W = calcTurn(moving, state.frames[node], state.rate, axes);
  return {v + W, v + 2.0 * W, w + v * W + W * W};
}

QuadraticPencil makePencil(system::Assembler& assembler, const State& given, const NodeAxes& axes) {
  const system::System& system = assembler.system();
  QuadraticPencil pencil;
  Eigen::VectorXd residual;
  assembler.calcResidual(given, residual);
  assembler.calcTangents(given, pencil.K, pencil.C, pencil.M);
  State state = given;
  if (pruneAccelerations(system, pencil.M, state)) {
    assembler.calcResidual(state, residual);
    assembler.calcTangents(state, pencil.K, pencil.C, pencil.M);
  }
  Triplets rate, mixed, acceleration;
  const std::vector<Eigen::Vector3d> centres = findCentres(system, state, pencil.M);
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    if (!isMoving(node, state)) continue;
    const NodeBrackets brackets = calcBracketsAt(centres[i], system, i, state, axesOf(axes, i));
    addBlock(node, brackets.rate, rate);
    addBlock(node, brackets.accelerationByRate, mixed);
    addBlock(node, brackets.acceleration, acceleration);
  }
  if (!rate.empty() || !mixed.empty() || !acceleration.empty()) {
    const int n = system.unknowns();
    const SparseMatrix U = assemble(n, rate), V = assemble(n, mixed), W = assemble(n, acceleration);
    const SparseMatrix sizeOfK = pencil.K.cwiseAbs() + pencil.C.cwiseAbs() * U.cwiseAbs() +
                                 pencil.M.cwiseAbs() * W.cwiseAbs(),
                       sizeOfC = pencil.C.cwiseAbs() + pencil.M.cwiseAbs() * V.cwiseAbs();
    pencil.K = SparseMatrix(pencil.K + pencil.C * U + pencil.M * W);
    pencil.C = SparseMatrix(pencil.C + pencil.M * V);
    pruneCancelled(sizeOfK, pencil.K);
    pruneCancelled(sizeOfC, pencil.C);
  }
  for (SparseMatrix* matrix : {&pencil.K, &pencil.C, &pencil.M}) {
    matrix->prune([](int, int, double value) { return value != 0.0; });
  }
  return pencil;
}

Turning findTurning(solve::PreparedMachine& machine, const State& state) {
  system::Assembler& assembler = machine.assembler();
  const system::System& system = assembler.system();
  Turning turning;
  turning.speed = speedOf(system, state);
  if (turning.speed == 0.0) return turning;
  State later = state;
  if (!turnOn(machine, 1.0 / turning.speed, later)) {
    turning.isSteady = false;
    return turning;
  }
  const std::vector<int> parts = solve::findParts(system, assembler.lastingPattern());
  const auto changesIn = [&](Axes axes) {
    return calcChanges(assembler, parts, state, later, turning.speed, axes);
  };
  const Changes ofBodies = changesIn(Axes::kBodies), ofGround = changesIn(Axes::kGround);
  turning.isInBoth = true;
  std::vector<Axes> ofParts;
  for (int p = 0; p <= ofBodies.count(); ++p) {
    const Change &bodies = ofBodies.all()[p], &ground = ofGround.all()[p];
    turning.isInBoth = turning.isInBoth && bodies.isNone() && ground.isNone();
    turning.isSteady = turning.isSteady && (bodies.isNone() || ground.isNone());
    // Where they change in both, those in which less changes.
    const bool inGround = !bodies.isNone() && (ground.isNone() || ground.sum < bodies.sum);
    ofParts.push_back(inGround ? Axes::kGround : Axes::kBodies);
  }
  takeAxes(system, state, parts, ofParts, turning);
  return turning;
}

}  // namespace flexloop::analysis
