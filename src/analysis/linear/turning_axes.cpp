#include "analysis/linear/turning_axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/pivoted_qr.hpp"
#include "solve/consistent_accelerations.hpp"

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

// Every node goes on along its screw; what it feels, it feels as before.
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
                           Axes axes) {
  Triplets entries;
  std::vector<bool> isOfNode(system.unknowns(), false);
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    if (node.count == 0) continue;
    Matrix6 carried = Matrix6::Identity();
    if (axes == Axes::kGround) {
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

// Multipliers have axes of their own; what constraints say is the span of their gradients.
bool haveSameSpans(const system::System& system, const SparseMatrix& a, const SparseMatrix& b) {
  if (system.unknowns() > kMostForSpans) return true;
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
  if (rows.empty()) return true;
  const Eigen::MatrixXd G = gradientsOf(a), H = gradientsOf(b);
  return (G * linalg::PivotedQr<double>(G).solve(H) - H).cwiseAbs().maxCoeff() < kSameEquations;
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

bool haveSameEntries(const system::System& system, const Eigen::VectorXd& diagonal,
                     const SparseMatrix& a, const SparseMatrix& b) {
  const SparseMatrix difference = a - b;
  const auto isMultiplier = [&](int u) { return system.kinds()[u] == Kind::kMultiplier; };
  for (int c = 0; c < difference.outerSize(); ++c) {
    if (isMultiplier(c)) continue;
    for (SparseMatrix::InnerIterator it(difference, c); it; ++it) {
      const auto r = static_cast<int>(it.row());
      const double scale = std::sqrt(diagonal[r] * diagonal[c]);
      if (!isMultiplier(r) && std::abs(it.value()) > kSameEquations * scale) return false;
    }
  }
  return true;
}

bool isSteady(system::Assembler& assembler, const State& now, const State& later, double speed,
              Axes axes) {
  const system::System& system = assembler.system();
  const QuadraticPencil pencil = makePencil(assembler, now, axes);
  const SparseMatrix before = evaluate(pencil, speed);
  const SparseMatrix carry = makeTransport(system, now, later, axes);
  const SparseMatrix back = carry.transpose();
  const SparseMatrix after = back * evaluate(makePencil(assembler, later, axes), speed) * carry;
  return haveSameEntries(system, sumDiagonals(system, pencil, speed), before, after) &&
         haveSameSpans(system, before, after);
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

}  // namespace

NodeBrackets calcBrackets(const system::System& system, std::size_t node, const State& state,
                          Axes axes) {
  const Node& moving = system.nodes()[node];
  const Matrix6 v = calcBracket(moving, state.rate);
  const Matrix6 w = calcAccelerationBracket(system, moving, state.acceleration);
  const Matrix6 W = calcTurn(moving, state.frames[node], state.rate, axes);
  return {v + W, v + 2.0 * W, w + v * W + W * W};
}

QuadraticPencil makePencil(system::Assembler& assembler, const State& given, Axes axes) {
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
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    if (!isMoving(node, state)) continue;
    const NodeBrackets brackets = calcBrackets(system, i, state, axes);
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
  Turning turning;
  turning.speed = speedOf(assembler.system(), state);
  if (turning.speed == 0.0) return turning;
  State later = state;
  const bool goesOn = turnOn(machine, 1.0 / turning.speed, later);
  const auto isSteadyIn = [&](Axes axes) {
    return goesOn && isSteady(assembler, state, later, turning.speed, axes);
  };
  const bool inGround = isSteadyIn(Axes::kGround);
  if (isSteadyIn(Axes::kBodies)) {
    turning.isInBoth = inGround;
  } else {
    turning.axes = inGround ? Axes::kGround : Axes::kBodies;
    turning.isSteady = inGround;
  }
  return turning;
}

}  // namespace flexloop::analysis
