#include "solve/balance/followed_states.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "linalg/dense/pivoted_qr.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;

namespace {

using Row = std::vector<std::pair<int, double>>;

// Gauss and Legendre on [0, 1]: exact to 1e-12 for turns by a radian.
constexpr std::array<std::pair<double, double>, 5> kPoints{
    {{0.046910077030668004, 0.11846344252809454},
     {0.23076534494715845, 0.23931433524968324},
     {0.5, 0.28444444444444444},
     {0.7692346550528415, 0.23931433524968324},
     {0.953089922969332, 0.11846344252809454}}};
constexpr double kCancels = 1e-12;  // of the terms of a sum that is zero but for rounding

bool isBlockRow(Kind kind) {
  return kind == Kind::kSignal || kind == Kind::kState;
}

// The rows of signals and states.
std::vector<Row> findRows(const std::vector<Kind>& kinds, const linalg::SparseMatrix& A) {
  std::vector<Row> rows(A.rows());
  for (int column = 0; column < A.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(A, column); it; ++it) {
      const int row = static_cast<int>(it.row());
      if (it.value() != 0.0 && isBlockRow(kinds[row])) rows[row].emplace_back(column, it.value());
    }
  }
  return rows;
}

// What the equation of a state leads to, the state first; empty if that is a motion, a multiplier or the state itself.
std::vector<int> findSources(const std::vector<Kind>& kinds, const std::vector<Row>& rows,
                             int state) {
  std::vector<int> sources{state};
  std::vector<bool> isSource(rows.size(), false);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const auto& [column, value] : rows[sources[i]]) {
      if (!isBlockRow(kinds[column]) || column == state) return {};
      if (isSource[column]) continue;
      isSource[column] = true;
      sources.push_back(column);
    }
  }
  return sources;
}

// The sum of the equations of the sources that does not depend on any of them, with the factor one for the state's own: (10.12).
std::optional<Eigen::VectorXd> findWeights(const std::vector<Row>& rows,
                                           const std::vector<int>& sources) {
  const auto count = static_cast<Eigen::Index>(sources.size()) - 1;
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(count + 1);
  if (count == 0) return weights;
  std::map<int, Eigen::Index> place;
  for (Eigen::Index i = 0; i < count; ++i) place[sources[i + 1]] = i;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(count, count);  // transposed
  Eigen::VectorXd b = Eigen::VectorXd::Zero(count), scale = Eigen::VectorXd::Ones(count);
  for (const auto& [column, value] : rows[sources[0]]) b[place.at(column)] = -value;
  for (Eigen::Index i = 0; i < count; ++i) {
    for (const auto& [column, value] : rows[sources[i + 1]]) A(place.at(column), i) = value;
    const double largest = A.col(i).cwiseAbs().maxCoeff();
    if (largest > 0.0) scale[i] = 1.0 / largest;
  }
  const linalg::PivotedQr<double> qr(A * scale.asDiagonal());
  if (qr.rank() < A.rows()) return std::nullopt;
  weights.tail(count) = scale.cwiseProduct(Eigen::VectorXd(qr.solve(b)));
  return weights;
}

// The same sum of what depends on rates: by unknown its value and the size of its terms.
std::map<int, std::pair<double, double>> addRates(const std::vector<Row>& rates,
                                                  const std::vector<int>& sources,
                                                  const Eigen::VectorXd& weights) {
  std::map<int, std::pair<double, double>> sum;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const double weight = weights[static_cast<Eigen::Index>(i)];
    for (const auto& [column, value] : rates[sources[i]]) {
      sum[column].first += weight * value;
      sum[column].second += std::abs(weight * value);
    }
  }
  return sum;
}

}  // namespace

void FollowedStates::calcTangents(const State& state) {
  assembler_.calcResidual(state, residual_);
  assembler_.calcTangents(state, K_, C_, M_);
}

std::vector<FollowedState> FollowedStates::find(const State& state, const std::vector<Kind>& kinds,
                                                const linalg::SparseMatrix& K,
                                                const std::vector<double>& further) {
  std::vector<FollowedState> followed;
  if (std::find(kinds.begin(), kinds.end(), Kind::kState) == kinds.end()) return followed;
  const std::vector<Row> rows = findRows(kinds, K);
  std::vector<Row> rates;
  for (int u = 0; u < static_cast<int>(kinds.size()); ++u) {
    if (kinds[u] != Kind::kState) continue;
    const std::vector<int> sources = findSources(kinds, rows, u);
    if (sources.empty()) continue;
    if (rates.empty()) {
      calcTangents(state);
      rates = findRows(kinds, C_);
      for (const double factor : further) {
        rates.push_back({{static_cast<int>(rates.size()), factor}});
      }
    }
    const std::optional<Eigen::VectorXd> weights = findWeights(rows, sources);
    if (!weights) continue;
    const auto sum = addRates(rates, sources, *weights);
    const auto own = sum.find(u);
    if (own == sum.end() || own->second.first == 0.0) continue;
    FollowedState next{u, {}};
    bool moves = false;
    for (const auto& [column, value] : sum) {
      if (std::abs(value.first) <= kCancels * value.second) continue;
      next.row.emplace_back(column, value.first / own->second.first);
      moves = moves || kinds[column] == Kind::kMotion;
    }
    if (moves) followed.push_back(std::move(next));
  }
  return followed;
}

void FollowedStates::replaceRows(const std::vector<FollowedState>& followed,
                                 linalg::SparseMatrix& matrix) {
  if (followed.empty()) return;
  std::vector<bool> isFollowed(matrix.rows(), false);
  for (const FollowedState& f : followed) isFollowed[f.state] = true;
  for (int column = 0; column < matrix.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      if (isFollowed[it.row()]) it.valueRef() = 0.0;
    }
  }
  for (const FollowedState& f : followed) {
    for (const auto& [column, value] : f.row) matrix.coeffRef(f.state, column) = value;
  }
  matrix.makeCompressed();
}

// The rates of the unknowns are dq all along a retraction.
std::vector<std::pair<int, double>> FollowedStates::integrate(const State& from,
                                                              const Eigen::VectorXd& dq,
                                                              const Find& find) const {
  std::vector<std::pair<int, double>> changes;
  for (const FollowedState& f : find(from)) changes.emplace_back(f.state, 0.0);
  if (changes.empty()) return changes;
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(dq.size());
  for (const auto& [part, weight] : kPoints) {
    State between = from;
    assembler_.system().retract(from, part * dq, between);
    between.value = from.value;
    for (const FollowedState& f : find(between)) {
      for (const auto& [column, value] : f.row) {
        if (column != f.state) sums[f.state] -= weight * value * dq[column];
      }
    }
  }
  for (auto& [state, change] : changes) change = sums[state];
  return changes;
}

void FollowedStates::advance(const State& from, const Eigen::VectorXd& dq, State& to) {
  const auto findAt = [&](const State& state) {
    calcTangents(state);
    const linalg::SparseMatrix K = K_;
    return find(state, assembler_.system().kinds(), K);
  };
  for (const auto& [u, change] : integrate(from, dq, findAt)) to.value[u] = from.value[u] + change;
}

}  // namespace flexloop::solve
