#include "study/lpv/lpv_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/text_format.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/least_squares.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/dense/svd.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "study/lpv/rate_terms.hpp"

namespace flexloop::study {
namespace {

using control::LpvLayout;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

// Least cosine between the states of neighbours: below, nobody knows which is which.
constexpr double kLeastLikeness = 0.3;
// Of the largest: stiffness matrices with more are not symmetric.
constexpr double kAsymmetry = 1e-8;
// Of the largest: what signals must tell of every state.
constexpr double kIndependent = 1e-6;
// Of their kinetic energy: shapes with more that is out of phase are no standing waves, and have no rate terms.
constexpr double kTravelling = 2.5e-3;
// Rank of displacements of free motions, by squares.
constexpr double kNoRank = 1e-9;

// The states of parts as real numbers: x = X z, z = Y x.
struct RealBasis {
  MatrixXd X, Y;
};

RealBasis makeRealBasis(const LocalModel& local, const std::vector<int>& parts) {
  const Index n = local.system.A.rows();
  RealBasis basis{MatrixXd(n, countStates(local, parts)), MatrixXd(countStates(local, parts), n)};
  Index column = 0;
  const double root = std::sqrt(2.0);
  for (const int p : parts) {
    const LocalPart& part = local.parts[p];
    const Index k = part.A.rows();
    const double factor = part.isReal ? 1.0 : root;
    basis.X.middleCols(column, k) = factor * part.X.real();
    basis.Y.middleRows(column, k) = factor * part.Y.real();
    column += k;
    if (part.isReal) continue;
    basis.X.middleCols(column, k) = root * part.X.imag();
    basis.Y.middleRows(column, k) = -root * part.Y.imag();
    column += k;
  }
  return basis;
}

// The unitary factor R of P = R H.
MatrixXcd findPolar(const MatrixXcd& P, double& least) {
  const linalg::Svd<Complex> svd = linalg::findSvd(P);
  least = svd.values.size() == 0 ? 1.0 : svd.values.minCoeff() / svd.values.maxCoeff();
  return svd.U * svd.V.adjoint();
}

// Local coordinates in three groups: free motions, oscillations and other states.
struct FreeGroup {
  MatrixXd shapes;  // displacements, mass-normalised
  MatrixXd T;       // (η, v) = T Y x
  RealBasis basis;
};

struct OscillationGroup {
  MatrixXcd shapes, A, X, Y;
};

struct OtherGroup {
  MatrixXd T;
  RealBasis basis;
};

struct PointStates {
  FreeGroup free;
  OscillationGroup oscillations;
  OtherGroup others;
};

class Fitter {
 public:
  // Other states are projections on those of the reference, or `carried` along from neighbour to neighbour.
  Fitter(const std::vector<LocalModel>& points, const LpvSelection& selection, const LpvGrid& grid,
         bool carries)
      : points_(points),
        selection_(selection),
        grid_(grid),
        states_(points.size()),
        frames_(points.size()),
        carries_(carries) {}

  std::optional<base::Failure> run() {
    const int start = selection_.reference;
    isFreeInPairs_ = makeFree(start);
    startOscillations(start);
    startOthers(start);
    for (const auto& [from, to] : grid_.walk()) {
      if (auto failure = alignTo(from, to)) return failure;
    }
    return std::nullopt;
  }

  control::LpvModel makeModel(bool isCubic) {
    control::LpvModel model;
    const analysis::PortNames& names = points_.front().ports.names;
    bool isLine = true;
    for (const SweepAxis& axis : grid_.axes()) {
      model.axes.push_back({axis.name, axis.values});
      isLine = isLine && axis.values.size() == 2;
    }
    model.inputs = names.inputs;
    model.outputs = names.outputs;
    model.isCubic = isCubic && !isLine;
    const PointStates& first = states_.front();
    const Index free = isFreeInPairs_ ? first.free.shapes.cols() : 0;
    model.layout = {static_cast<int>(free + first.oscillations.A.rows()),
                    static_cast<int>(first.others.T.rows()), static_cast<int>(names.inputs.size()),
                    static_cast<int>(names.outputs.size())};
    std::vector<linalg::StateMatrices> systems;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      systems.push_back(makeSystem(static_cast<int>(i), free));
    }
    if (model.layout.pairs == 0) obstacle_ = "it has no motions";
    const auto rates = makeRates(free);
    model.noRates = obstacle_;
    model.layout.rates = obstacle_.empty() ? model.countParameters() : 0;
    control::LpvRows values = fillValues(systems, free, model);
    for (std::size_t p = 0; p < rates.size(); ++p) {
      for (int d = 0; d < model.layout.rates; ++d)
        addRates(rates[p][d], d, model.layout, values.row(static_cast<Index>(p)));
    }
    model.sets = control::makeSets(model.axes, values, model.isCubic);
    return model;
  }

 private:
  static void addRates(const MatrixXd& G, int parameter, const LpvLayout& at,
                       Eigen::Ref<Eigen::RowVectorXd> row) {
    for (int i = 0; i < at.pairs; ++i) {
      for (int k = 0; k < at.pairs; ++k) row[at.rate(parameter, i, k)] = G(i, k);
    }
  }

  // Displacements of free motions are half as many as their states, unless an integral is among them. Their mass-normalised
  // shapes are the eigenvectors of the mass matrix that they have (38.6).
  bool makeFree(int point) {
    const LocalModel& local = points_[point];
    FreeGroup& group = states_[point].free;
    const std::vector<int> parts = findFreeParts(local);
    group.basis = makeRealBasis(local, parts);
    const Index n = group.basis.X.cols(), k = n / 2;
    if (n == 0) {
      group.shapes.resize(local.motions.rows(), 0);
      group.T.resize(0, 0);
      return true;
    }
    const MatrixXd u = local.motions * group.basis.X;
    const auto masses = linalg::findSymmetricEigensystem(u.transpose() * local.M * u);
    if (n % 2 != 0 || !masses) return false;
    const Eigen::VectorXd values = masses->values.tail(k);
    if (!(values[0] > 0.0) || masses->values[n - k - 1] > kNoRank * values[0]) return false;
    const MatrixXd W = masses->vectors.rightCols(k);
    group.shapes = u * W * values.cwiseSqrt().cwiseInverse().asDiagonal();
    const MatrixXd L = values.cwiseSqrt().asDiagonal() * W.transpose();
    const MatrixXd A = group.basis.Y * local.system.A * group.basis.X;
    group.T.resize(n, n);
    group.T << L, L * A;
    return true;
  }

  // Mass-normalised, with the phase for which shapes are as real as they can be (38.7).
  void startOscillations(int point) {
    OscillationGroup& group = states_[point].oscillations;
    group = collect(point);
    const LocalModel& local = points_[point];
    for (Index k = 0; k < group.shapes.cols();) {
      Index size = 1;
      for (const int p : selection_.oscillations[point]) {
        if (starts_[point][p] == k) size = local.parts[p].A.rows();
      }
      const MatrixXcd u = group.shapes.middleCols(k, size);
      MatrixXd both(u.rows(), 2 * size);
      both << u.real(), u.imag();
      const auto masses = linalg::findSymmetricEigensystem(both.transpose() * local.M * both);
      if (masses) {
        const MatrixXd real = both * masses->vectors.rightCols(size);
        double least = 0.0;
        turn(group, k, findPolar(MatrixXcd(u.adjoint() * local.M * real), least));
      }
      k += size;
    }
  }

  // Coordinates turned by a unitary matrix from the column `first` on.
  static void turn(OscillationGroup& group, Index first, const MatrixXcd& R) {
    const Index k = R.cols();
    group.shapes.middleCols(first, k) = (group.shapes.middleCols(first, k) * R).eval();
    group.X.middleCols(first, k) = (group.X.middleCols(first, k) * R).eval();
    group.Y.middleRows(first, k) = (R.adjoint() * group.Y.middleRows(first, k)).eval();
    group.A.middleCols(first, k) = (group.A.middleCols(first, k) * R).eval();
    group.A.middleRows(first, k) = (R.adjoint() * group.A.middleRows(first, k)).eval();
  }

  OscillationGroup collect(int point) {
    const LocalModel& local = points_[point];
    const std::vector<int>& parts = selection_.oscillations[point];
    const Index n = local.system.A.rows(), q = countStates(local, parts) / 2;
    OscillationGroup group{MatrixXcd(local.motions.rows(), q), MatrixXcd::Zero(q, q),
                           MatrixXcd(n, q), MatrixXcd(q, n)};
    if (starts_.empty()) starts_.resize(points_.size());
    starts_[point].assign(local.parts.size(), -1);
    Index column = 0;
    for (const int p : parts) {
      const LocalPart& part = local.parts[p];
      const Index k = part.A.rows();
      const MatrixXcd u = local.motions * part.X;
      const double size =
          std::sqrt((u.adjoint() * local.M * u).trace().real() / static_cast<double>(k));
      starts_[point][p] = static_cast<int>(column);
      group.shapes.middleCols(column, k) = u / size;
      group.X.middleCols(column, k) = part.X / size;
      group.Y.middleRows(column, k) = part.Y * size;
      group.A.block(column, column, k, k) = part.A;
      column += k;
    }
    return group;
  }

  // Other states are projections of coordinates, rates and block states on those of the reference (38.8).
  void startOthers(int point) {
    const LocalModel& local = points_[point];
    const MatrixXd seen = local.observed * makeOtherBasis(point).X;
    scale_ = seen.rowwise().norm();
    // States of blocks, whose units may jump, only where nothing else tells the states apart.
    const Index rest = seen.rows() - local.meaningful;
    MatrixXd meant = seen.topRows(local.meaningful);
    for (Index i = 0; i < meant.rows(); ++i) {
      if (scale_[i] > 0.0) meant.row(i) /= scale_[i];
    }
    if (seen.cols() > 0 && meant.rows() > 0 &&
        linalg::PivotedQr<double>(meant).rank(kIndependent) == seen.cols()) {
      scale_.tail(rest).setZero();
    }
    const double most = scale_.size() == 0 ? 0.0 : scale_.maxCoeff();
    for (double& s : scale_) s = s > 1e-12 * most ? 1.0 / s : 0.0;
    frames_[point] = linalg::orthonormalize(scale_.asDiagonal() * seen);
    makeOthers(point, point);
  }

  RealBasis makeOtherBasis(int point) const {
    std::vector<int> parts = selection_.others[point];
    if (!isFreeInPairs_) {
      const std::vector<int> free = findFreeParts(points_[point]);
      parts.insert(parts.begin(), free.begin(), free.end());
    }
    return makeRealBasis(points_[point], parts);
  }

  // The least cosine between the states and those of the reference, or of the neighbour.
  double makeOthers(int from, int point) {
    const LocalModel& local = points_[point];
    OtherGroup& group = states_[point].others;
    group.basis = makeOtherBasis(point);
    const MatrixXd seen = scale_.asDiagonal() * (local.observed * group.basis.X);
    const MatrixXd own = linalg::orthonormalize(seen);
    double least = 1.0;
    frames_[point] = frames_[from];
    if (carries_ && own.size() > 0) {
      frames_[point] =
          own * findPolar(MatrixXd(own.transpose() * frames_[from]).cast<Complex>(), least).real();
    }
    group.T = frames_[point].transpose() * seen;
    if (group.T.size() == 0) return 1.0;
    return linalg::findSvd(MatrixXd(frames_[from].transpose() * own)).values.minCoeff();
  }

  std::optional<base::Failure> alignTo(int from, int to) {
    if (makeFree(to) != isFreeInPairs_) return noPairs(from, to);
    const LocalModel &a = points_[to], &b = points_[from];
    const auto obstacle = findObstacle(a.matter, b.matter, parameterBetween(from, to));
    if (obstacle && obstacle_.empty()) obstacle_ = *obstacle;
    double least = 1.0;
    if (isFreeInPairs_ && states_[to].free.shapes.cols() > 0) {
      const MatrixXcd P = calcLikeness(a, states_[to].free.shapes.cast<Complex>(), b,
                                       states_[from].free.shapes.cast<Complex>(), !obstacle);
      const MatrixXd R = findPolar(P, least).real().transpose();
      if (least < kLeastLikeness) return noPairs(from, to);
      FreeGroup& group = states_[to].free;
      const Index k = R.rows();
      group.shapes = (group.shapes * R.transpose()).eval();
      group.T.topRows(k) = (R * group.T.topRows(k)).eval();
      group.T.bottomRows(k) = (R * group.T.bottomRows(k)).eval();
    }
    states_[to].oscillations = collect(to);
    OscillationGroup& group = states_[to].oscillations;
    if (group.A.rows() > 0) {
      const MatrixXcd P =
          calcLikeness(a, group.shapes, b, states_[from].oscillations.shapes, !obstacle);
      const MatrixXcd R = findPolar(P, least);
      if (least < kLeastLikeness) return noPairs(from, to);
      turn(group, 0, R);
    }
    if (makeOthers(from, to) < kLeastLikeness) return noPairs(from, to);
    return std::nullopt;
  }

  // The name of the one in which they differ.
  std::string parameterBetween(int from, int to) const {
    for (std::size_t d = 0; d < grid_.axes().size(); ++d) {
      if (points_[from].at[d] != points_[to].at[d]) return grid_.axes()[d].name;
    }
    return grid_.axes().front().name;
  }

  // Displacements of the masses by η while v is zero (38.6); nothing if those by v matter.
  std::optional<MatrixXd> makeShapes(int point, Index free) const {
    const OscillationGroup& group = states_[point].oscillations;
    const linalg::SparseMatrix& M = points_[point].M;
    const MatrixXd real = group.shapes.real(), imaginary = group.shapes.imag();
    const Index k = group.A.rows();
    MatrixXd shapes(group.shapes.rows(), free + k);
    if (free > 0) shapes.leftCols(free) = states_[point].free.shapes;
    if (k == 0) return shapes;
    const double aside = (imaginary.transpose() * M * imaginary).trace();
    if (aside > kTravelling * (real.transpose() * M * real).trace()) return std::nullopt;
    const MatrixXd turned = linalg::DenseLu<double>(group.A.imag()).solve(group.A.real());
    shapes.rightCols(k) = real - imaginary * turned;
    return shapes;
  }

  // By point, the rate terms of all parameters; none where `obstacle_` says why.
  std::vector<std::vector<MatrixXd>> makeRates(Index free) {
    std::vector<MatrixXd> shapes;
    for (std::size_t i = 0; obstacle_.empty() && i < points_.size(); ++i) {
      auto found = makeShapes(static_cast<int>(i), free);
      if (!found) obstacle_ = "its motions are damped too differently to be standing waves";
      if (found) shapes.push_back(std::move(*found));
    }
    std::vector<std::vector<MatrixXd>> rates;
    for (std::size_t i = 0; obstacle_.empty() && i < points_.size(); ++i) {
      rates.push_back(calcRateTerms(points_, shapes, grid_, static_cast<int>(i)));
    }
    return rates;
  }

  base::Failure noPairs(int from, int to) const {
    return {"the poles at " + grid_.describe(points_[from].at) + " and at " +
                grid_.describe(points_[to].at) +
                " cannot be paired: their motions are too different",
            "use more points, another order, or a smaller range"};
  }

  // All groups as one system (38.2), and the static response of what is left out in D.
  linalg::StateMatrices makeSystem(int point, Index free) const {
    const LocalModel& local = points_[point];
    const linalg::StateMatrices& s = local.system;
    const PointStates& states = states_[point];
    const Index k = states.oscillations.A.rows(), q = free + k, r = states.others.T.rows();
    const Index n = 2 * q + r;
    linalg::StateMatrices out{MatrixXd::Zero(n, n), MatrixXd::Zero(n, s.B.cols()),
                              MatrixXd::Zero(s.C.rows(), n), s.D};
    const auto place = [&](Index first, Index rows, Index from, const MatrixXd& B,
                           const MatrixXd& C) {
      out.B.middleRows(first, rows) = B.middleRows(from, rows);
      out.C.middleCols(first, rows) = C.middleCols(from, rows);
    };
    if (free > 0) {
      const MatrixXd& T = states.free.T;
      const MatrixXd B = T * (states.free.basis.Y * s.B);
      const MatrixXd C = linalg::DenseLu<double>(T)
                             .solveTransposed((s.C * states.free.basis.X).transpose())
                             .transpose();
      place(0, free, 0, B, C);
      place(q, free, free, B, C);
    }
    if (k > 0) {
      const OscillationGroup& group = states.oscillations;
      MatrixXd T(2 * k, 2 * k), A(2 * k, 2 * k), B(2 * k, s.B.cols()), C(s.C.rows(), 2 * k);
      T << MatrixXd::Identity(k, k), MatrixXd::Zero(k, k), group.A.real(), -group.A.imag();
      T *= 2.0;
      A << group.A.real(), -group.A.imag(), group.A.imag(), group.A.real();
      const MatrixXcd b = group.Y * s.B, c = s.C * group.X;
      B << b.real(), b.imag();
      C << 2.0 * c.real(), -2.0 * c.imag();
      const linalg::DenseLu<double> lu(T.transpose());
      A = lu.solve((T * A).transpose()).transpose().eval();
      B = (T * B).eval();
      C = lu.solve(C.transpose()).transpose().eval();
      place(free, k, 0, B, C);
      place(q + free, k, k, B, C);
      out.A.block(q + free, free, k, k) = A.block(k, 0, k, k);
      out.A.block(q + free, q + free, k, k) = A.block(k, k, k, k);
    }
    if (r > 0) {
      const MatrixXd& T = states.others.T;
      const RealBasis& basis = states.others.basis;
      const linalg::DenseLu<double> lu(T.transpose());
      out.A.bottomRightCorner(r, r) =
          lu.solve((T * (basis.Y * s.A * basis.X)).transpose()).transpose();
      out.B.bottomRows(r) = T * (basis.Y * s.B);
      out.C.rightCols(r) = lu.solve((s.C * basis.X).transpose()).transpose();
    }
    out.A.block(0, q, q, q).setIdentity();
    addStatic(point, out.D);
    return out;
  }

  void addStatic(int point, MatrixXd& D) const {
    const LocalModel& local = points_[point];
    std::vector<bool> isKept(local.parts.size(), false);
    for (int i = 0; i < local.free; ++i) isKept[i] = true;
    for (const int p : selection_.oscillations[point]) isKept[p] = true;
    for (const int p : selection_.others[point]) isKept[p] = true;
    for (std::size_t i = 0; i < local.parts.size(); ++i) {
      if (isKept[i]) continue;
      const LocalPart& part = local.parts[i];
      const MatrixXcd b = part.Y * local.system.B;
      const MatrixXcd gain = (local.system.C * part.X) * linalg::solveDense(part.A, b);
      D -= (part.isReal ? 1.0 : 2.0) * gain.real();
    }
  }

  // Ω instead of K where all K are symmetric and none is negative.
  control::LpvRows fillValues(const std::vector<linalg::StateMatrices>& systems, Index free,
                              control::LpvModel& model) const {
    const LpvLayout& at = model.layout;
    const int q = at.pairs, n = at.states();
    std::vector<MatrixXd> stiffness, roots;
    for (const linalg::StateMatrices& s : systems) {
      const MatrixXd K = -s.A.block(q, 0, q, q);
      stiffness.push_back(K);
      const Index k = q - free;
      if ((K - K.transpose()).norm() > kAsymmetry * K.norm()) continue;
      const auto system = linalg::findSymmetricEigensystem(K.bottomRightCorner(k, k));
      if (k > 0 && (!system || !(system->values[0] > 0.0))) continue;
      MatrixXd root = MatrixXd::Zero(q, q);
      if (k > 0) {
        root.bottomRightCorner(k, k) =
            system->vectors * system->values.cwiseSqrt().asDiagonal() * system->vectors.transpose();
      }
      roots.push_back(std::move(root));
    }
    model.isRooted = roots.size() == systems.size();
    control::LpvRows values(std::ssize(systems), at.size());
    for (std::size_t p = 0; p < systems.size(); ++p) {
      const linalg::StateMatrices& s = systems[p];
      const MatrixXd& K = model.isRooted ? roots[p] : stiffness[p];
      auto row = values.row(static_cast<Index>(p));
      for (int i = 0; i < q; ++i) {
        for (int k = 0; k < q; ++k) {
          row[at.stiffness(i, k)] = K(i, k);
          row[at.damping(i, k)] = -s.A(q + i, q + k);
        }
      }
      for (int i = 0; i < at.others; ++i) {
        for (int k = 0; k < at.others; ++k) row[at.other(i, k)] = s.A(2 * q + i, 2 * q + k);
      }
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < at.inputs; ++k) row[at.input(i, k)] = s.B(i, k);
      }
      for (int i = 0; i < at.outputs; ++i) {
        for (int k = 0; k < n; ++k) row[at.output(i, k)] = s.C(i, k);
        for (int k = 0; k < at.inputs; ++k) row[at.direct(i, k)] = s.D(i, k);
      }
    }
    return values;
  }

  const std::vector<LocalModel>& points_;
  const LpvSelection& selection_;
  const LpvGrid& grid_;
  std::vector<PointStates> states_;
  std::vector<std::vector<int>>
      starts_;  // by point and part: its first column among the oscillations
  bool isFreeInPairs_ = true;
  Eigen::VectorXd scale_;         // of what is observed
  std::vector<MatrixXd> frames_;  // orthonormal, of the other states by point
  bool carries_;
  std::string obstacle_;  // why there are no rate terms
};

// Of machines whose slowest motions were found one by one.
void noteRest(const std::vector<LocalModel>& points, const LpvGrid& grid,
              std::vector<std::string>& notes) {
  const auto isOpen = [](const LocalModel& local) { return !local.isRestStable; };
  if (std::any_of(points.begin(), points.end(), isOpen)) {
    notes.push_back(
        "the machine is large or stiff: its slowest motions were found one by one, and that no "
        "faster "
        "one grows is not certain (`flexloop modes` says how far it looked)");
  }
  for (const LocalModel& local : points) {
    if (local.growing.empty()) continue;
    notes.push_back(
        "at " + grid.describe(local.at) +
        base::formatText(
            " a motion at %.4g Hz grows that is faster than those of the model, and not part of it",
            std::abs(local.growing[0].imag()) / (2.0 * std::numbers::pi)));
    return;
  }
}

void findRange(const std::vector<LocalModel>& points, const LpvSelection& selection, LpvFit& fit) {
  fit.slowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const auto* list : {&selection.oscillations[i], &selection.others[i]}) {
      for (const int p : *list) {
        const double rate = std::abs(points[i].parts[p].root);
        fit.slowest = std::min(fit.slowest, rate);
        fit.fastest = std::max(fit.fastest, rate);
      }
    }
  }
  if (fit.fastest == 0.0) fit.slowest = fit.fastest = 2.0 * std::numbers::pi;
}

}  // namespace

base::Result<LpvFit> fitLpv(const std::vector<LocalModel>& points, const LpvGrid& grid,
                            const LpvOptions& options) {
  const base::Result<LpvSelection> selection = selectParts(points, grid, options.order);
  if (!selection) return selection.failure();
  std::optional<Fitter> fitter(std::in_place, points, selection.value(), grid, false);
  if (fitter->run()) {
    fitter.emplace(points, selection.value(), grid, true);
    if (auto failure = fitter->run()) return *failure;
  }
  LpvFit fit{fitter->makeModel(options.isCubic), selection.value().notes};
  noteRest(points, grid, fit.notes);
  findRange(points, selection.value(), fit);
  return fit;
}

}  // namespace flexloop::study
