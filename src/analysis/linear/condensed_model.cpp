#include "analysis/linear/condensed_model.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "analysis/linear/frequency_response.hpp"
#include "linalg/roots/shift_invert.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;
using linalg::QuadraticPencil;
using linalg::SparseMatrix;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

constexpr double kSameResponse = 1e-8;
constexpr int kFirstShapes = 40;
constexpr double kMoreShapes = 1.8;
constexpr int kFrequencies = 16;
constexpr double kLowest = 1e-4;  // of the highest frequency
// So far right of the axis that resonances are finite.
constexpr double kDamping = 0.02;
// Of the terms of an entry, and of the entries on the diagonal beside it, what is round-off.
constexpr double kCancelled = 1e-13, kTiny = 1e-15;
constexpr double kMostNumbers = 2e8;
// Powers of K⁻¹M on what statics leaves, and what must be left of such a shape after all others.
constexpr int kMoments = 3;
constexpr double kNewShape = 1e-7;

// Motions that nothing but motions touches.
std::vector<bool> findInner(const LinearModel& linear, const system::System& system) {
  const int n = linear.pencil.size();
  std::vector<bool> isMotion(n), isInner(n);
  for (int u = 0; u < n; ++u) {
    const int unknown = linear.unknowns[u];
    isMotion[u] = unknown >= 0 && system.kinds()[unknown] == system::Kind::kMotion;
  }
  isInner = isMotion;
  for (const SparseMatrix* matrix : {&linear.pencil.K, &linear.pencil.C, &linear.pencil.M}) {
    for (int column = 0; column < n; ++column) {
      for (SparseMatrix::InnerIterator it(*matrix, column); it; ++it) {
        if (it.value() == 0.0) continue;
        if (!isMotion[it.row()]) isInner[column] = false;
        if (!isMotion[column]) isInner[it.row()] = false;
      }
    }
  }
  for (const linalg::DelayTerm& delay : linear.delays) {
    isInner[delay.row] = isInner[delay.column] = false;
  }
  return isInner;
}

SparseMatrix take(const SparseMatrix& matrix, const std::vector<int>& rows,
                  const std::vector<int>& columns) {
  std::vector<int> places(matrix.rows(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) places[rows[i]] = static_cast<int>(i);
  Triplets entries;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (SparseMatrix::InnerIterator it(matrix, columns[j]); it; ++it) {
      if (places[it.row()] >= 0)
        entries.emplace_back(places[it.row()], static_cast<int>(j), it.value());
    }
  }
  SparseMatrix part(static_cast<int>(rows.size()), static_cast<int>(columns.size()));
  part.setFromTriplets(entries.begin(), entries.end());
  return part;
}

class Condensation {
 public:
  Condensation(const LinearModel& linear, const system::System& system) : linear_(linear) {
    const std::vector<bool> isInner = findInner(linear, system);
    for (int u = 0; u < linear.pencil.size(); ++u) {
      (isInner[u] ? result_.inner : result_.kept).push_back(u);
    }
    for (const int u : result_.inner) groups_.push_back(linear.groups[u]);
  }

  Index kept() const { return std::ssize(result_.kept); }
  Index inner() const { return std::ssize(result_.inner); }

  // Ψ and its moments; false if the freedoms between are not held by the others.
  bool findStatics(Index room) {
    const SparseMatrix inside = take(linear_.pencil.K, result_.inner, result_.inner);
    const MatrixXd border = MatrixXd(take(linear_.pencil.K, result_.inner, result_.kept));
    const auto solver = linalg::makeSparseSolver(inside);
    if (!solver || !solver->factorize(inside).ok) return false;
    const auto solveAll = [&](MatrixXd& columns) {
      for (Index j = 0; j < columns.cols(); ++j) {
        if (!columns.col(j).isZero(0.0)) solver->solve(columns.col(j));
      }
    };
    statics_ = -border;
    solveAll(statics_);
    // As long as they are no more than half of what there is room for.
    const SparseMatrix mass = take(linear_.pencil.M, result_.inner, result_.inner);
    MatrixXd next = mass * statics_ + MatrixXd(take(linear_.pencil.M, result_.inner, result_.kept));
    std::vector<int> touching;
    for (Index j = 0; j < next.cols(); ++j) {
      if (!next.col(j).isZero(0.0)) touching.push_back(static_cast<int>(j));
    }
    next = next(Eigen::all, touching).eval();
    const Index rounds = std::min<Index>(kMoments, room / (2 * std::max<Index>(next.cols(), 1)));
    moments_.resize(inner(), rounds * next.cols());
    for (Index k = 0; k < rounds; ++k) {
      solveAll(next);
      next.colwise().normalize();
      moments_.middleCols(k * next.cols(), next.cols()) = next;
      next = (mass * next).eval();
    }
    return statics_.allFinite() && moments_.allFinite();
  }

  bool findShapes(int count) {
    QuadraticPencil inside;
    inside.K = take(linear_.pencil.K, result_.inner, result_.inner);
    inside.C = take(linear_.pencil.M, result_.inner, result_.inner);
    inside.M.resize(inside.K.rows(), inside.K.cols());
    linalg::NearestOptions options;
    options.count = count;
    const linalg::NearestResult found = linalg::findNearest(inside, options);
    shapes_.resize(inner(), 0);
    MatrixXd shapes(inner(), 2 * std::ssize(found.pairs));
    Index k = 0;
    for (const linalg::Eigenpair& pair : found.pairs) {
      shapes.col(k++) = pair.vector.real();
      // Where the machine turns, pairs of shapes.
      if (pair.vector.imag().norm() > 1e-6 * pair.vector.real().norm()) {
        shapes.col(k++) = pair.vector.imag();
      }
    }
    shapes_ = shapes.leftCols(k);
    for (Index j = 0; j < k; ++j) {
      const double mass = shapes_.col(j).dot(inside.C * shapes_.col(j));
      if (mass > 0.0) shapes_.col(j) /= std::sqrt(mass);
    }
    addMoments(inside.C);
    return found.converged();
  }

  const CondensedModel& make() {
    result_.shapes = static_cast<int>(shapes_.cols());
    result_.columns.resize(inner(), kept() + shapes_.cols());
    result_.columns << statics_, shapes_;
    LinearModel& reduced = result_.linear;
    reduced.pencil.K = reduce(linear_.pencil.K);
    reduced.pencil.C = reduce(linear_.pencil.C);
    reduced.pencil.M = reduce(linear_.pencil.M);
    reduced.unknowns.clear();
    reduced.groups.clear();
    for (const int u : result_.kept) reduced.unknowns.push_back(linear_.unknowns[u]);
    reduced.unknowns.resize(kept() + shapes_.cols(), -1);
    reduced.groups.resize(reduced.unknowns.size(), 0);
    const std::vector<int> places = result_.places(linear_.pencil.size());
    reduced.delays = linear_.delays;
    for (linalg::DelayTerm& delay : reduced.delays) {
      delay.row = places[delay.row];
      delay.column = places[delay.column];
    }
    reduced.warnings = linear_.warnings;
    return result_;
  }

  CondensedModel& result() { return result_; }

 private:
  // What is not a combination of the shapes becomes one of them, orthogonal to all others by the masses.
  void addMoments(const SparseMatrix& mass) {
    Index known = shapes_.cols();
    shapes_.conservativeResize(inner(), known + moments_.cols());
    for (Index j = 0; j < moments_.cols(); ++j) {
      Eigen::VectorXd shape = moments_.col(j);
      const double whole = std::sqrt(std::abs(shape.dot(mass * shape)));
      double rest = whole;
      for (int round = 0; round < 2; ++round) {
        const Eigen::VectorXd shares = shapes_.leftCols(known).transpose() * (mass * shape);
        shape -= shapes_.leftCols(known) * shares;
        rest = std::sqrt(std::abs(shape.dot(mass * shape)));
      }
      if (!(rest > kNewShape * whole)) continue;
      shapes_.col(known++) = shape / rest;
    }
    shapes_.conservativeResize(inner(), known);
  }

  // Tᵀ X T
  SparseMatrix reduce(const SparseMatrix& X) const {
    const MatrixXd& T = result_.columns;
    const Index n = T.cols();
    const SparseMatrix oo = take(X, result_.inner, result_.inner);
    const SparseMatrix oi = take(X, result_.inner, result_.kept);
    const SparseMatrix io = take(X, result_.kept, result_.inner);
    MatrixXd all = MatrixXd::Zero(n, n);
    all.topLeftCorner(kept(), kept()) = MatrixXd(take(X, result_.kept, result_.kept));
    MatrixXd terms = all.cwiseAbs();
    const MatrixXd size = T.cwiseAbs();
    const MatrixXd right = T.transpose() * oi, left = io * T;
    all += T.transpose() * (oo * T);
    all.leftCols(kept()) += right;
    all.topRows(kept()) += left;
    terms += size.transpose() * (oo.cwiseAbs() * size);
    terms.leftCols(kept()) += size.transpose() * oi.cwiseAbs();
    terms.topRows(kept()) += io.cwiseAbs() * size;
    const Eigen::VectorXd diagonal = terms.diagonal().cwiseSqrt();
    Triplets entries;
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        const double roundOff =
            std::max(kCancelled * terms(i, j), kTiny * diagonal[i] * diagonal[j]);
        if (std::abs(all(i, j)) > roundOff) {
          entries.emplace_back(static_cast<int>(i), static_cast<int>(j), all(i, j));
        }
      }
    }
    SparseMatrix reduced(static_cast<int>(n), static_cast<int>(n));
    reduced.setFromTriplets(entries.begin(), entries.end());
    return reduced;
  }

  const LinearModel& linear_;
  std::vector<int> groups_;
  MatrixXd statics_, shapes_, moments_;
  CondensedModel result_;
};

LinearPorts makeProbe(const LinearModel& linear, const std::vector<int>& inputs,
                      const std::vector<int>& outputs, const std::vector<int>& groups) {
  LinearPorts ports;
  ports.pencil = linear.pencil;
  ports.groups = groups;
  ports.F.setZero(linear.pencil.size(), std::ssize(inputs));
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    ports.F(inputs[k], static_cast<Index>(k)) = 1.0;
  }
  ports.outputs = outputs;
  return ports;
}

std::vector<int> translate(const std::vector<int>& unknowns, const std::vector<int>& places) {
  std::vector<int> translated;
  for (const int u : unknowns) translated.push_back(places[u]);
  return translated;
}

// The largest difference by the response at the same frequency.
double compare(const LinearPorts& whole, const LinearPorts& condensed, double frequency) {
  ResponseSolver a(whole), b(condensed);
  double worst = 0.0;
  for (int i = 0; i < kFrequencies; ++i) {
    const double share = static_cast<double>(i) / (kFrequencies - 1);
    const Complex s = frequency * std::pow(kLowest, 1.0 - share) * Complex(kDamping, 1.0);
    Eigen::MatrixXcd Ha, Hb;
    MatrixXd roundOff;
    if (!a.calc(s, Ha, roundOff) || !b.calc(s, Hb)) continue;
    for (Index k = 0; k < Ha.size(); ++k) {
      const double difference = std::abs(Ha.data()[k] - Hb.data()[k]) - 100.0 * roundOff.data()[k];
      if (difference > 0.0) worst = std::max(worst, difference / std::abs(Ha.data()[k]));
    }
  }
  return worst;
}

}  // namespace

Eigen::VectorXcd CondensedModel::expand(const Eigen::VectorXcd& condensed) const {
  Eigen::VectorXcd whole(std::ssize(kept) + std::ssize(inner));
  const Eigen::VectorXcd between = columns * condensed;
  for (std::size_t i = 0; i < kept.size(); ++i) whole[kept[i]] = condensed[static_cast<Index>(i)];
  for (std::size_t i = 0; i < inner.size(); ++i) whole[inner[i]] = between[static_cast<Index>(i)];
  return whole;
}

std::vector<int> CondensedModel::places(int size) const {
  std::vector<int> all(size, -1);
  for (std::size_t i = 0; i < kept.size(); ++i) all[kept[i]] = static_cast<int>(i);
  return all;
}

CondensedModel condenseModel(const LinearModel& linear, const system::System& system,
                             const std::vector<int>& inputs, const std::vector<int>& outputs,
                             double frequency, int mostUnknowns) {
  Condensation condensation(linear, system);
  const auto reject = [&](const std::string& why) {
    CondensedModel none;
    none.failure = base::numericalFailure(
        "a sampled machine of " + std::to_string(linear.pencil.size()) +
            " unknowns is too large: " + why,
        "use fewer elements, '--bodies rigid', or continuous blocks instead of sampled ones");
    return none;
  };
  const Index room = mostUnknowns - condensation.kept();
  if (room < kFirstShapes) {
    return reject("joints, sensors and signals involve " + std::to_string(condensation.kept()) +
                  " of them, but at most " + std::to_string(mostUnknowns) + " are supported");
  }
  const double numbers = static_cast<double>(condensation.inner()) * mostUnknowns;
  if (numbers > kMostNumbers) return reject("its shapes would not fit into memory");
  if (!condensation.findStatics(room)) {
    return reject("some parts are not held by anything that joints, sensors or signals involve");
  }
  const LinearPorts whole = makeProbe(linear, inputs, outputs, linear.groups);
  const std::vector<int> places = condensation.result().places(linear.pencil.size());
  const auto most = static_cast<int>(std::min<Index>(
      room / 2, static_cast<Index>(0.1 * static_cast<double>(condensation.inner()))));
  for (int count = std::min(kFirstShapes, most);; count = static_cast<int>(kMoreShapes * count)) {
    count = std::min(count, most);
    if (!condensation.findShapes(count)) return reject("its shapes could not be found");
    const CondensedModel& made = condensation.make();
    const LinearPorts reduced =
        makeProbe(made.linear, translate(inputs, places), translate(outputs, places), {});
    condensation.result().difference = compare(whole, reduced, frequency);
    if (made.difference <= kSameResponse || count == most) return made;
  }
}

}  // namespace flexloop::analysis
