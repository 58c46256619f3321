#include "study/lpv/sparse_local_model.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/linear/frequency_response.hpp"
#include "analysis/modes/growing_roots.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "linalg/roots/shift_invert.hpp"
#include "linalg/roots/zero_structure.hpp"
#include "linalg/solvers/sparse_solver.hpp"
#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::study {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using linalg::Eigenpair;
using linalg::QuadraticPencil;
using linalg::SparseMatrix;
using Complex = std::complex<double>;

// By their size: roots that are nearer to each other are one part.
constexpr double kSameRoot = 1e-6;
// The last roots of a search may lack their partner on the other side; so many more than are kept are found.
constexpr int kSpareRoots = 4;
constexpr int kMostRounds = 6;
// Beyond those that are kept, so that motions that exchange their order are all there.
constexpr int kSpareStates = 2;
// Of searches for more than the first ones.
constexpr int kMostRestarts = 60;
// Of the unknowns: more roots would take a basis as large as the machine.
constexpr double kMostShare = 0.2;
// Of the terms: what is left of a chain at zero that ends.
constexpr double kEnds = 1e-9;
// Of the slowest root that is not zero: where the response of what is left out is taken, if there are roots at zero.
constexpr double kBesideZero = 0.1;

QuadraticPencil transpose(const QuadraticPencil& pencil) {
  return {pencil.K.transpose(), pencil.C.transpose(), pencil.M.transpose()};
}

// Vectors X of roots with K X + C X Λ + M X Λ² = 0.
struct RootSpace {
  MatrixXcd X, L;
};

base::Failure cannotSplit() {
  return base::numericalFailure(
      "motions of this large machine cannot be separated",
      "is a motion damped to the point where it stops oscillating, or nearly free? Use fewer "
      "elements, or hold what moves freely");
}

class Finder {
 public:
  Finder(const model::Model& model, const analysis::LinearModel& linear,
         const analysis::LinearPorts& ports, int order)
      : model_(model),
        linear_(linear),
        ports_(ports),
        rows_(findObservedRows(model, linear)),
        inputs_(analysis::makeInputPolynomial(ports)),
        transposed_(transpose(ports.pencil)),
        order_(order) {}

  base::Result<LocalModel> find() {
    const int most = std::max(1, static_cast<int>(kMostShare * ports_.pencil.size()));
    int count = std::min(most, order_ / 2 + 5);
    std::optional<LocalModel> enough;
    for (int round = 0; round < kMostRounds; ++round) {
      const auto failure = findParts(count, round == 0);
      if (failure && !enough) return *failure;
      if (failure) break;
      weighParts(local_);
      if (countSeen() >= order_) enough = local_;
      if (countSeen() >= order_ + kSpareStates || count == most) break;
      count = std::min(most, count + count / 2);
    }
    // A search for more may end among the many roots of what is damped in proportion to its stiffness.
    if (!enough) return tooFew();
    local_ = std::move(*enough);
    if (auto failure = addRest()) return *failure;
    local_.isWhole = false;
    judgeRest();
    return std::move(local_);
  }

 private:
  base::Failure tooFew() const {
    return {
        "--order " + std::to_string(order_) + " is too high: of the slowest " +
            std::to_string(local_.parts.size()) + " motions only " + std::to_string(countSeen()) +
            " states are reached by the inputs and seen by the outputs",
        "give '--order " + std::to_string(countSeen()) + "' or less, or other inputs and outputs"};
  }

  std::optional<base::Failure> findParts(int count, bool isFirst) {
    local_ = {};
    parts_.clear();
    const auto foundRight = findRoots(ports_.pencil, count, isFirst);
    if (!foundRight) return foundRight.failure();
    const auto foundLeft = findRoots(transposed_, count, isFirst);
    if (!foundLeft) return foundLeft.failure();
    std::vector<Eigenpair> right = foundRight.value(), left = foundLeft.value();
    roots_ = right;
    for (Eigenpair& root : roots_) {
      if (linalg::mayBeZero(root)) root.value = 0.0;
    }
    if (auto failure = addFreePart(right, left)) return failure;
    if (auto failure = pair(right, left)) return failure;
    assemble();
    return std::nullopt;
  }

  base::Result<std::vector<Eigenpair>> findRoots(const QuadraticPencil& pencil, int count,
                                                 bool isFirst) const {
    linalg::NearestOptions options;
    options.count = count;
    options.groups = ports_.groups;
    if (!isFirst) options.maxRestarts = kMostRestarts;
    linalg::NearestResult found = linalg::findNearest(pencil, options);
    if (found.failure) return *found.failure;
    return std::move(found.pairs);
  }

  // Roots at zero, whose vectors may be chains: K V₁ + C V₀ = 0 where the motion continues by itself.
  std::optional<base::Failure> addFreePart(std::vector<Eigenpair>& right,
                                           std::vector<Eigenpair>& left) {
    const auto expected = static_cast<int>(std::count_if(
        right.begin(), right.end(), [](const Eigenpair& p) { return linalg::mayBeZero(p); }));
    if (expected == 0) return std::nullopt;
    const auto scaling = linalg::findScalingForPivots(ports_.pencil);
    const QuadraticPencil scaled = linalg::applyScaling(ports_.pencil, scaling);
    const QuadraticPencil other = transpose(scaled);
    const auto zero = linalg::findZeroStructure(scaled, ports_.groups, expected);
    const auto zeroLeft = linalg::findZeroStructure(other, ports_.groups, expected);
    const Index k = zero.vectors.cols();
    if (!zero.ok || !zeroLeft.ok || zeroLeft.vectors.cols() != k) return cannotSplit();
    if (zero.multiplicity != k && zero.multiplicity != 2 * k) return cannotSplit();
    const auto isZero = [](const Eigenpair& p) { return linalg::mayBeZero(p); };
    std::erase_if(right, isZero);
    std::erase_if(left, isZero);
    if (k == 0) return std::nullopt;
    RootSpace V{zero.vectors.cast<Complex>(), MatrixXcd::Zero(k, k)};
    RootSpace W{zeroLeft.vectors.cast<Complex>(), MatrixXcd::Zero(k, k)};
    if (zero.multiplicity == 2 * k) {
      if (!addChain(scaled, W.X.real(), scaling.rate, V)) return cannotSplit();
      if (!addChain(other, V.X.leftCols(k).real(), scaling.rate, W)) return cannotSplit();
    }
    V.X = (scaling.columns.asDiagonal() * V.X).eval();
    W.X = (scaling.rows.asDiagonal() * W.X).eval();
    if (!addPart(V, W, true)) return cannotSplit();
    return std::nullopt;
  }

  // The second vectors of the chains, from K bordered by what it does not reach and by what it takes to nothing.
  static bool addChain(const QuadraticPencil& pencil, const MatrixXd& left, double rate,
                       RootSpace& V) {
    const Index n = pencil.size(), k = V.X.cols();
    const MatrixXd V0 = V.X.real(), right = -(pencil.C * V0);
    std::vector<Eigen::Triplet<double, int>> entries;
    for (int j = 0; j < pencil.K.outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(pencil.K, j); it; ++it) {
        entries.emplace_back(it.row(), it.col(), it.value());
      }
    }
    for (Index j = 0; j < k; ++j) {
      for (Index i = 0; i < n; ++i) {
        entries.emplace_back(static_cast<int>(i), static_cast<int>(n + j), left(i, j));
        entries.emplace_back(static_cast<int>(n + j), static_cast<int>(i), V0(i, j));
      }
    }
    SparseMatrix bordered(n + k, n + k);
    bordered.setFromTriplets(entries.begin(), entries.end());
    const auto solver = linalg::makeSparseSolver(bordered);
    if (solver == nullptr || !solver->factorize(bordered).ok) return false;
    MatrixXcd both(n, 2 * k);
    both.leftCols(k) = V.X;
    for (Index j = 0; j < k; ++j) {
      Eigen::VectorXd x = Eigen::VectorXd::Zero(n + k);
      x.head(n) = right.col(j);
      solver->solve(x);
      if (!x.allFinite()) return false;
      // The chain continues only if K reaches all of C V₀.
      const double size = right.col(j).norm();
      if ((pencil.K * x.head(n) - right.col(j)).norm() > kEnds * std::max(size, 1.0)) return false;
      both.col(k + j) = x.head(n).cast<Complex>() / rate;
    }
    V.X = both;
    V.L = MatrixXcd::Zero(2 * k, 2 * k);
    V.L.topRightCorner(k, k).setIdentity();
    return true;
  }

  // Equal roots of both sides as one part, the slowest first. The last ones may lack a partner.
  std::optional<base::Failure> pair(const std::vector<Eigenpair>& right,
                                    const std::vector<Eigenpair>& left) {
    std::vector<bool> isUsed(left.size(), false);
    for (std::size_t i = 0; i < right.size();) {
      const Complex root = right[i].value;
      const auto isSame = [&](const Eigenpair& p) {
        return std::abs(p.value - root) <= kSameRoot * std::abs(root);
      };
      std::vector<std::size_t> mine, others;
      for (std::size_t k = i; k < right.size() && isSame(right[k]); ++k) mine.push_back(k);
      for (std::size_t k = 0; k < left.size(); ++k) {
        if (!isUsed[k] && isSame(left[k])) others.push_back(k);
      }
      const bool isLast = i + kSpareRoots + mine.size() > right.size();
      RootSpace V = take(right, mine), W = take(left, others);
      if (mine.size() != others.size() || !addPart(V, W, root.imag() == 0.0)) {
        if (isLast) break;
        return cannotSplit();
      }
      for (const std::size_t k : others) isUsed[k] = true;
      i += mine.size();
    }
    if (parts_.empty()) return cannotSplit();
    return std::nullopt;
  }

  static RootSpace take(const std::vector<Eigenpair>& pairs, const std::vector<std::size_t>& of) {
    const Index k = std::ssize(of);
    if (k == 0) return {};
    RootSpace space{MatrixXcd(pairs[0].vector.size(), k), MatrixXcd::Zero(k, k)};
    for (Index j = 0; j < k; ++j) {
      const Eigenpair& pair = pairs[of[j]];
      space.X.col(j) = pair.vector;
      space.L(j, j) = pair.value;
      if (pair.value.imag() != 0.0) continue;
      // A real vector but for its phase.
      Index largest = 0;
      pair.vector.cwiseAbs().maxCoeff(&largest);
      const Complex phase = pair.vector[largest] / std::abs(pair.vector[largest]);
      space.X.col(j) = (pair.vector / phase).real().cast<Complex>();
    }
    return space;
  }

  // False where N is singular: the roots have no vectors of their own.
  bool addPart(const RootSpace& V, const RootSpace& W, bool isReal) {
    const QuadraticPencil& p = ports_.pencil;
    const MatrixXcd CX = p.C.cast<Complex>() * V.X, MX = p.M.cast<Complex>() * V.X;
    const MatrixXcd Yt = W.X.transpose();
    const MatrixXcd N = Yt * CX + W.L.transpose() * (Yt * MX) + Yt * MX * V.L;
    MatrixXcd reach = MatrixXcd::Zero(V.L.rows(), ports_.F.cols()), power = reach;
    const linalg::DenseLu<Complex> lu(N);
    for (std::size_t j = inputs_.size(); j-- > 0;) {
      reach = (V.L * reach + lu.solve(Yt * inputs_[j].cast<Complex>())).eval();
    }
    if (!reach.allFinite() || !lu.inverse().allFinite()) return false;
    parts_.push_back({V, reach, isReal});
    return true;
  }

  struct Part {
    RootSpace space;
    MatrixXcd reach;  // z' = Λ z + reach w
    bool isReal;
  };

  // Real states: z itself of real roots, and Re z and Im z of others.
  void assemble() {
    Index n = 0;
    for (const Part& part : parts_) n += part.space.L.rows() * (part.isReal ? 1 : 2);
    const Index outputs = std::ssize(ports_.outputs), seen = std::ssize(rows_.all);
    const Index rest = seen - rows_.meaningful;
    local_.system = {MatrixXd::Zero(n, n), MatrixXd(n, ports_.F.cols()), MatrixXd(outputs, n),
                     MatrixXd::Zero(outputs, ports_.F.cols())};
    local_.meaningful = 2 * rows_.meaningful;
    local_.observed.resize(local_.meaningful + rest, n);
    local_.motions.resize(rows_.motions, n);
    Index first = 0;
    for (const Part& part : parts_) {
      addStates(part, first);
      first += part.space.L.rows() * (part.isReal ? 1 : 2);
    }
    local_.M = takeMasses(ports_, rows_);
  }

  void addStates(const Part& part, Index first) {
    const RootSpace& V = part.space;
    const Index k = V.L.rows(), n = local_.system.A.rows();
    const MatrixXcd rates = V.X * V.L;
    const auto place = [&](const MatrixXcd& from, Index row, MatrixXd& to, Index at) {
      if (part.isReal) {
        to.row(at).segment(first, k) = from.row(row).real();
        return;
      }
      to.row(at).segment(first, k) = 2.0 * from.row(row).real();
      to.row(at).segment(first + k, k) = -2.0 * from.row(row).imag();
    };
    for (Index i = 0; i < std::ssize(ports_.outputs); ++i) {
      if (ports_.outputs[i] >= 0) {
        place(V.X, ports_.outputs[i], local_.system.C, i);
      } else {
        local_.system.C.row(i).segment(first, part.isReal ? k : 2 * k).setZero();
      }
    }
    for (Index i = 0; i < std::ssize(rows_.all); ++i) {
      const bool isMeant = i < rows_.meaningful;
      place(V.X, rows_.all[i], local_.observed, isMeant ? i : rows_.meaningful + i);
      if (isMeant) place(rates, rows_.all[i], local_.observed, rows_.meaningful + i);
      if (i < rows_.motions) place(V.X, rows_.all[i], local_.motions, i);
    }
    LocalPart local{part.isReal, V.L, MatrixXcd::Zero(n, k), MatrixXcd::Zero(k, n), {}};
    const MatrixXcd unit = MatrixXcd::Identity(k, k);
    MatrixXd& A = local_.system.A;
    A.block(first, first, k, k) = V.L.real();
    local_.system.B.middleRows(first, k) = part.reach.real();
    local.X.middleRows(first, k) = (part.isReal ? 1.0 : 0.5) * unit;
    local.Y.middleCols(first, k) = unit;
    if (!part.isReal) {
      const Complex i(0.0, 1.0);
      A.block(first, first + k, k, k) = -V.L.imag();
      A.block(first + k, first, k, k) = V.L.imag();
      A.block(first + k, first + k, k, k) = V.L.real();
      local_.system.B.middleRows(first + k, k) = part.reach.imag();
      local.X.middleRows(first + k, k) = -0.5 * i * unit;
      local.Y.middleCols(first + k, k) = i * unit;
    }
    local.root = V.L.diagonal().mean();
    const bool isFree = V.L.diagonal().isZero(0.0);
    local.damping = isFree ? 1.0 : -local.root.real() / std::abs(local.root);
    if (isFree) local_.free = 1;
    local_.parts.push_back(std::move(local));
  }

  int countSeen() const {
    constexpr double kNotSeen = 1e-9;
    int states = 0;
    for (std::size_t i = 0; i < local_.parts.size(); ++i) {
      const LocalPart& part = local_.parts[i];
      if (static_cast<int>(i) < local_.free || part.weight > kNotSeen) states += part.states();
    }
    return states;
  }

  // Whether anything else grows: by the energy of the machine, or by searching where it may (section 18.6).
  void judgeRest() {
    analysis::LinearModel machine = linear_;
    machine.pencil = ports_.pencil;
    machine.groups = ports_.groups;
    const analysis::GrowingRoots growing =
        analysis::findGrowingRoots(model_.system(), machine, roots_);
    local_.isRestStable = growing.isCertain;
    for (const Eigenpair& pair : growing.pairs) {
      const auto isKept = [&](const LocalPart& part) {
        return std::abs(part.root - pair.value) <= kSameRoot * std::abs(pair.value);
      };
      if (std::none_of(local_.parts.begin(), local_.parts.end(), isKept)) {
        local_.growing.push_back(pair.value);
      }
    }
  }

  // What is left out is at rest: its response at zero, or beside it where motions are free.
  std::optional<base::Failure> addRest() {
    double slowest = 0.0;
    for (std::size_t i = local_.parts.size(); i-- > static_cast<std::size_t>(local_.free);) {
      slowest = std::abs(local_.parts[i].root);
    }
    const double at = local_.free > 0 ? kBesideZero * (slowest > 0.0 ? slowest : 1.0) : 0.0;
    analysis::ResponseSolver machine(ports_);
    MatrixXcd H;
    if (!machine.calc(at, H)) {
      return base::numericalFailure("the response of the machine at rest could not be found",
                                    "is there a motion that is nearly free?");
    }
    local_.system.D = (H - linalg::calcResponse(local_.system, at)).real();
    return std::nullopt;
  }

  const model::Model& model_;
  const analysis::LinearModel& linear_;
  const analysis::LinearPorts& ports_;
  ObservedRows rows_;
  std::vector<MatrixXd> inputs_;
  QuadraticPencil transposed_;
  int order_;
  std::vector<Part> parts_;
  std::vector<Eigenpair> roots_;  // of the last search
  LocalModel local_;
};

}  // namespace

base::Result<LocalModel> makeSparseLocalModel(const model::Model& model,
                                              const analysis::LinearModel& linear,
                                              const analysis::LinearPorts& ports, int order) {
  return Finder(model, linear, ports, order).find();
}

}  // namespace flexloop::study
