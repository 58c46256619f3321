#include "analysis/linear/effective_matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "linalg/dense/svd.hpp"
#include "linalg/solvers/complex_solver.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::SparseMatrix;
using linalg::SparseMatrixC;
using system::Kind;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

constexpr int kPoints = 8;   // on a circle about zero
constexpr int kLowest = -3;  // power of s that the points tell from others: −3 … 4
// [rad/s] The circle for each of the powers s⁻¹ … s², which is read off where others do not drown it.
constexpr std::array<double, 4> kRadius = {1e-3, 1.0, 1e3, 1e3};
constexpr double kSame = 1e-9;       // of what is compared
constexpr double kRoundOff = 1e-13;  // of the largest term of the same entry

std::vector<int> invert(const std::vector<int>& list, int size) {
  std::vector<int> place(size, -1);
  for (std::size_t i = 0; i < list.size(); ++i) place[list[i]] = static_cast<int>(i);
  return place;
}

SparseMatrix cutMatrix(const SparseMatrix& matrix, const std::vector<int>& rows,
                       const std::vector<int>& columns) {
  const std::vector<int> place = invert(rows, static_cast<int>(matrix.rows()));
  Triplets entries;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (SparseMatrix::InnerIterator it(matrix, columns[c]); it; ++it) {
      if (place[it.row()] >= 0 && it.value() != 0.0) {
        entries.emplace_back(place[it.row()], static_cast<int>(c), it.value());
      }
    }
  }
  SparseMatrix part(rows.size(), columns.size());
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

// Coefficients of s⁻³ … s⁴ of the response, from its values on a circle: (21.4).
using Powers = std::array<Eigen::MatrixXd, kPoints>;

std::optional<Powers> readPowers(const ControlSide& side, double radius) {
  Powers powers;
  for (int j = 0; j < kPoints / 2; ++j) {
    const double angle = std::numbers::pi * (2 * j + 1) / kPoints;
    const auto response = side.calcResponse(std::polar(radius, angle));
    if (!response) return std::nullopt;
    for (int k = 0; k < kPoints; ++k) {
      const int power = k + kLowest;
      const Complex weight = std::polar(2.0 / kPoints * std::pow(radius, -power), -angle * power);
      const Eigen::MatrixXd share = (weight * *response).real();
      if (j == 0) powers[k] = share;
      if (j > 0) powers[k] += share;
    }
  }
  return powers;
}

// s⁻¹ … s², each from the circle that suits it.
using Laurent = std::array<Eigen::MatrixXd, 4>;

std::optional<Laurent> choosePowers(const ControlSide& side) {
  Laurent chosen;
  for (int k = 0; k < 4; ++k) {
    const auto powers = readPowers(side, kRadius[k]);
    if (!powers) return std::nullopt;
    Eigen::ArrayXXd largest = Eigen::ArrayXXd::Zero((*powers)[0].rows(), (*powers)[0].cols());
    for (int i = 0; i < kPoints; ++i) {
      largest = largest.max((*powers)[i].array().abs() * std::pow(kRadius[k], i + kLowest));
    }
    chosen[k] = (*powers)[k - 1 - kLowest];
    const Eigen::ArrayXXd size = chosen[k].array().abs() * std::pow(kRadius[k], k - 1);
    chosen[k] = (size < kRoundOff * largest).select(0.0, chosen[k]);
  }
  return chosen;
}

// By row, whether the powers give what the controllers do at points that were not used.
std::vector<bool> findWrongRows(const ControlSide& side, const Laurent& powers) {
  std::vector<bool> wrong(powers[0].rows(), false);
  for (const Complex s :
       {std::polar(0.02, 1.9), std::polar(1.0, 0.4), std::polar(47.0, 2.3), std::polar(3e3, 1.2)}) {
    const auto response = side.calcResponse(s);
    if (!response) return std::vector<bool>(wrong.size(), true);
    Eigen::MatrixXcd sum = Eigen::MatrixXcd::Zero(response->rows(), response->cols());
    Eigen::MatrixXd size = Eigen::MatrixXd::Zero(response->rows(), response->cols());
    for (int k = 0; k < 4; ++k) {
      sum += std::pow(s, k - 1) * powers[k].cast<Complex>();
      size += std::pow(std::abs(s), k - 1) * powers[k].cwiseAbs();
    }
    for (int r = 0; r < sum.rows(); ++r) {
      const double allowed =
          kSame * std::max(size.row(r).maxCoeff(), response->row(r).cwiseAbs().maxCoeff());
      if ((sum.row(r) - response->row(r)).cwiseAbs().maxCoeff() > allowed) wrong[r] = true;
    }
  }
  return wrong;
}

std::string nameOf(const model::Model& model, const LinearModel& linear, int unknown) {
  const system::UnknownIndex u{linear.unknowns[unknown]};
  if (model.system().kind(u) == Kind::kSignal) {
    const std::string name = model.signalName(u);
    if (!name.empty()) return name;
  }
  return model.system().unknownName(u);
}

// The actuator whose response is among the wrong rows, and the first state behind it.
void describeRefusal(const model::Model& model, const LinearModel& linear, const ControlSide& side,
                     const std::vector<bool>& wrong, EffectiveMatrices& result) {
  std::string loop, state;
  for (std::size_t i = 0; i < side.control().size(); ++i) {
    if (!wrong[i]) continue;
    const int unknown = side.control()[i];
    const bool acts =
        std::find(side.acting().begin(), side.acting().end(), unknown) != side.acting().end();
    if (acts && loop.empty()) loop = nameOf(model, linear, unknown);
    const bool isState = model.system().kind({linear.unknowns[unknown]}) == Kind::kState;
    if (isState && state.empty()) state = nameOf(model, linear, unknown);
  }
  result.failure =
      base::Failure{"the loop of '" + loop + "' is not PID-like" +
                        (state.empty() ? "" : ": '" + state + "' has dynamics of its own") +
                        "; effective matrices need feedback of position, velocity, acceleration "
                        "and integral only",
                    "use `--method full`, which handles all controllers"};
}

SparseMatrix spread(const ControlSide& side, const Eigen::MatrixXd& values,
                    const std::vector<int>& place) {
  const int n = static_cast<int>(side.machine().size());
  Triplets entries;
  for (int c = 0; c < values.cols(); ++c) {
    for (int r = 0; r < values.rows(); ++r) {
      if (values(r, c) == 0.0) continue;
      entries.emplace_back(place[side.moved()[r]], place[side.read()[c]], values(r, c));
    }
  }
  SparseMatrix matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Motions and multipliers of a linear model with `added` unknowns behind them.
LinearModel keepMachine(const LinearModel& linear, const EffectiveMatrices& matrices, int added) {
  LinearModel kept;
  std::vector<int> all(linear.expansion.rows());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  kept.expansion = cutMatrix(linear.expansion, all, matrices.unknowns);
  kept.expansion.conservativeResize(kept.expansion.rows(), kept.expansion.cols() + added);
  std::map<int, int> numbers;
  for (const int u : matrices.unknowns) numbers.emplace(linear.groups[u], 0);
  int count = 0;
  for (auto& [group, number] : numbers) number = count++;
  for (const int u : matrices.unknowns) {
    kept.unknowns.push_back(linear.unknowns[u]);
    kept.groups.push_back(numbers[linear.groups[u]]);
  }
  for (int i = 0; i < added; ++i) {
    kept.unknowns.push_back(-1);
    kept.groups.push_back(count + i);
  }
  return kept;
}

SparseMatrix enlarge(const SparseMatrix& matrix, const Triplets& more, int size) {
  Triplets entries = more;
  for (int c = 0; c < matrix.cols(); ++c) {
    for (SparseMatrix::InnerIterator it(matrix, c); it; ++it) {
      entries.emplace_back(static_cast<int>(it.row()), c, it.value());
    }
  }
  SparseMatrix larger(size, size);
  larger.setFromTriplets(entries.begin(), entries.end());
  return larger;
}

// Q = U Vᵀ with as many columns as its rank, on the rows and columns that are not empty.
struct Factors {
  std::vector<int> rows, columns;
  Eigen::MatrixXd U, V;
};

Factors factorize(const SparseMatrix& Q) {
  Factors factors;
  std::vector<bool> usesRow(Q.rows(), false), usesColumn(Q.cols(), false);
  for (int c = 0; c < Q.cols(); ++c) {
    for (SparseMatrix::InnerIterator it(Q, c); it; ++it) usesRow[it.row()] = usesColumn[c] = true;
  }
  for (int i = 0; i < Q.rows(); ++i) {
    if (usesRow[i]) factors.rows.push_back(i);
    if (usesColumn[i]) factors.columns.push_back(i);
  }
  const Eigen::MatrixXd dense(cutMatrix(Q, factors.rows, factors.columns));
  if (dense.size() == 0) return factors;
  const linalg::Svd<double> svd = linalg::findSvd(dense, linalg::SvdForm::kThin);
  int rank = 0;
  const Eigen::VectorXd& sigma = svd.values;
  while (rank < sigma.size() && sigma[rank] > 1e-12 * sigma[0]) ++rank;
  factors.U = svd.U.leftCols(rank) * sigma.head(rank).asDiagonal();
  factors.V = svd.V.leftCols(rank);
  return factors;
}

}  // namespace

SparseMatrixC ControlSide::Block::at(Complex s) const {
  return SparseMatrixC(K.cast<Complex>()) + SparseMatrixC(s * C.cast<Complex>()) +
         SparseMatrixC(s * s * M.cast<Complex>());
}

ControlSide::Block ControlSide::cut(const linalg::QuadraticPencil& pencil,
                                    const std::vector<int>& rows,
                                    const std::vector<int>& columns) const {
  return {cutMatrix(pencil.K, rows, columns), cutMatrix(pencil.C, rows, columns),
          cutMatrix(pencil.M, rows, columns)};
}

ControlSide::ControlSide(const system::System& system, const LinearModel& linear) {
  const int n = linear.pencil.size();
  std::vector<bool> isControl(n, false), isRead(n, false), isMoved(n, false), isActing(n, false);
  for (int i = 0; i < n; ++i) {
    const int u = linear.unknowns[i];
    isControl[i] =
        u >= 0 && (system.kinds()[u] == Kind::kState || system.kinds()[u] == Kind::kSignal);
    (isControl[i] ? control_ : machine_).push_back(i);
  }
  for (const SparseMatrix* matrix : {&linear.pencil.K, &linear.pencil.C, &linear.pencil.M}) {
    for (int c = 0; c < n; ++c) {
      for (SparseMatrix::InnerIterator it(*matrix, c); it; ++it) {
        if (it.value() == 0.0 || isControl[it.row()] == isControl[c]) continue;
        if (isControl[c]) isMoved[it.row()] = isActing[c] = true;
        if (!isControl[c]) isRead[c] = true;
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    if (isRead[i]) read_.push_back(i);
    if (isMoved[i]) moved_.push_back(i);
    if (isActing[i]) acting_.push_back(i);
  }
  const Block inside = cut(linear.pencil, control_, control_);
  inside_ = {inside.K, inside.C, inside.M};
  input_ = cut(linear.pencil, control_, read_);
  output_ = cut(linear.pencil, moved_, control_);
}

std::optional<Eigen::MatrixXcd> ControlSide::solve(Complex s, Eigen::MatrixXcd rhs) const {
  const SparseMatrixC matrix = linalg::evaluate(inside_, s);
  const auto solver = linalg::makeComplexSparseSolver(matrix);
  if (solver == nullptr || !solver->factorize(matrix).ok) return std::nullopt;
  for (int c = 0; c < rhs.cols(); ++c) {
    Eigen::VectorXcd x = rhs.col(c);
    solver->solve(x);
    rhs.col(c) = x;
  }
  if (!rhs.allFinite()) return std::nullopt;
  return rhs;
}

std::optional<Eigen::MatrixXcd> ControlSide::calcResponse(Complex s) const {
  const auto X = solve(s, -Eigen::MatrixXcd(input_.at(s)));
  if (!X) return std::nullopt;
  Eigen::MatrixXcd response(X->rows() + output_.K.rows(), X->cols());
  response << *X, output_.at(s) * *X;
  return response;
}

bool ControlSide::restore(Complex s, Eigen::VectorXcd& z) const {
  if (control_.empty()) return true;
  Eigen::VectorXcd seen(read_.size());
  for (std::size_t i = 0; i < read_.size(); ++i) seen[i] = z[read_[i]];
  const auto x = solve(s, -(input_.at(s) * seen));
  if (!x) return false;
  for (std::size_t i = 0; i < control_.size(); ++i) z[control_[i]] = (*x)(i, 0);
  return true;
}

EffectiveMatrices makeEffectiveMatrices(const model::Model& model, const LinearModel& linear,
                                        const ControlSide& side) {
  EffectiveMatrices result;
  result.unknowns = side.machine();
  if (!linear.delays.empty()) {
    result.failure =
        base::Failure{"a transport_delay is not PID-like, so there are no effective matrices",
                      "use `--method full`"};
    return result;
  }
  Laurent G;
  G.fill(Eigen::MatrixXd::Zero(side.moved().size(), side.read().size()));
  if (!side.moved().empty() && !side.read().empty()) {
    const std::optional<Laurent> fitted = choosePowers(side);
    if (!fitted) {
      result.failure = base::Failure{"the controller signals have no solution for given motions",
                                     "`flexloop check` lists loops without a solution"};
      return result;
    }
    const Laurent& powers = *fitted;
    const std::vector<bool> wrong = findWrongRows(side, powers);
    const auto controls = static_cast<Eigen::Index>(side.control().size());
    if (std::find(wrong.begin() + controls, wrong.end(), true) != wrong.end()) {
      describeRefusal(model, linear, side, wrong, result);
      return result;
    }
    for (int k = 0; k < 4; ++k) G[k] = powers[k].bottomRows(G[k].rows());
    for (std::size_t i = 0; i < side.control().size() && result.integrating.empty(); ++i) {
      const int unknown = side.control()[i];
      const bool acts =
          std::find(side.acting().begin(), side.acting().end(), unknown) != side.acting().end();
      if (acts && !powers[0].row(i).isZero(0.0))
        result.integrating = nameOf(model, linear, unknown);
    }
  }
  const std::vector<int> place = invert(side.machine(), linear.pencil.size());
  result.integral = spread(side, G[0], place);
  result.position = spread(side, G[1], place);
  result.velocity = spread(side, G[2], place);
  result.acceleration = spread(side, G[3], place);
  const std::vector<int>& kept = side.machine();
  result.Q = result.integral;
  result.K = cutMatrix(linear.pencil.K, kept, kept) + result.position;
  result.C = cutMatrix(linear.pencil.C, kept, kept) + result.velocity;
  result.M = cutMatrix(linear.pencil.M, kept, kept) + result.acceleration;
  return result;
}

std::vector<std::string> freedomNames(const system::System& system, const LinearModel& linear,
                                      const EffectiveMatrices& matrices) {
  std::map<int, int> uses, used;
  for (const int u : matrices.unknowns) ++uses[linear.unknowns[u]];
  std::vector<std::string> names;
  for (const int u : matrices.unknowns) {
    const int unknown = linear.unknowns[u];
    std::string name = unknown < 0 ? "force of a held freedom" : system.unknownName({unknown});
    if (uses[unknown] > 1) name += " " + std::to_string(++used[unknown]);
    names.push_back(std::move(name));
  }
  return names;
}

LinearModel makeUndampedModel(const LinearModel& linear, const EffectiveMatrices& matrices) {
  LinearModel model = keepMachine(linear, matrices, 0);
  model.pencil = {matrices.K, matrices.M, SparseMatrix(matrices.M.rows(), matrices.M.cols())};
  return model;
}

LinearModel makeDampedModel(const LinearModel& linear, const EffectiveMatrices& matrices) {
  const Factors Q = factorize(matrices.Q);
  const int n = static_cast<int>(matrices.K.rows()), added = static_cast<int>(Q.U.cols());
  Triplets inK, inC;
  for (int j = 0; j < added; ++j) {
    for (std::size_t i = 0; i < Q.rows.size(); ++i) inK.emplace_back(Q.rows[i], n + j, Q.U(i, j));
    for (std::size_t i = 0; i < Q.columns.size(); ++i) {
      inK.emplace_back(n + j, Q.columns[i], -Q.V(i, j));
    }
    inC.emplace_back(n + j, n + j, 1.0);
  }
  LinearModel model = keepMachine(linear, matrices, added);
  model.pencil = {enlarge(matrices.K, inK, n + added), enlarge(matrices.C, inC, n + added),
                  enlarge(matrices.M, {}, n + added)};
  return model;
}

}  // namespace flexloop::analysis
