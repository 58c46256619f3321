#include "linalg/state_space/minimal_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/svd.hpp"
#include "linalg/roots/real_eigenpairs.hpp"
#include "linalg/state_space/block_diagonal.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kBalanceRounds = 30;
// Rounding makes two of a double root, this far apart by the size of the matrix: about the root of epsilon.
constexpr double kSameRoot = 3e-8;
// Couplings below so many times the round-off of nothing count as none: the first of these for which the
// response stays as it is.
constexpr double kMargins[] = {300.0, 30.0, 3.0};
constexpr double kSameResponse = 1e-10;
// Test points are compared with the response within this factor of the frequency.
constexpr double kVicinity = 10.0;
constexpr double kTestDamping = 1e-3;
constexpr int kTestPoints = 200;
// Roots below this share of the fastest may be none but round-off of zero.
constexpr double kStill = 1e-8;

// x = scale · z with rows and columns of A of equal size; powers of two change no digit.
VectorXd findBalance(MatrixXd A) {
  const Index n = A.rows();
  VectorXd scale = VectorXd::Ones(n);
  for (int round = 0; round < kBalanceRounds; ++round) {
    bool changed = false;
    for (Index i = 0; i < n; ++i) {
      const double self = std::abs(A(i, i));
      const double row = A.row(i).lpNorm<1>() - self, column = A.col(i).lpNorm<1>() - self;
      if (!(row > 0.0) || !(column > 0.0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (factor == 1.0) continue;
      A.row(i) /= factor;
      A.col(i) *= factor;
      scale[i] *= factor;
      changed = true;
    }
    if (!changed) break;
  }
  return scale;
}

// What of one block is kept.
struct Part {
  RootBlock block;  // of (A − shift)⁻¹
  Complex mean;     // of its roots
  MatrixXcd A, B, C;
  Complex root;                 // of A
  VectorXd noiseOfB, noiseOfC;  // by input and by output, of rounding (19.15)
  double noiseOfA = 0.0;
  MatrixXcd kept, lost;  // orthonormal: what stays, and what is reached but not seen

  Index size() const { return block.A.rows(); }
  int states(Index columns) const { return static_cast<int>(block.isReal ? columns : 2 * columns); }
};

// C (s − A)⁻¹ B of the columns `Q` of the block, with its conjugate.
MatrixXcd calcShare(const Part& part, const MatrixXcd& Q, Complex s) {
  const auto calcHalf = [&](Complex at) -> MatrixXcd {
    MatrixXcd pencil = -(Q.adjoint() * part.A * Q);
    pencil.diagonal().array() += at;
    return part.C * Q * solveDense(pencil, Q.adjoint() * part.B);
  };
  if (part.block.isReal) return calcHalf(s);
  return calcHalf(s) + calcHalf(std::conj(s)).conjugate();
}

// (19.15), without the factor for safety. `spread` is ‖E‖ E⁻¹ in balanced rows, and `sizes` are those of the
// inputs before they were balanced, by those after.
void findNoise(double rounding, const MatrixXd& spread, const VectorXd& sizes,
               std::vector<Part>& parts) {
  for (Part& part : parts) {
    const double inclination = part.block.Y.norm();
    part.noiseOfA = rounding * inclination;
    part.noiseOfB.setZero(part.B.cols());
    part.noiseOfC.setZero(part.C.rows());
    const auto add = [&](const Part& other, Complex mean) {
      const double mixing = rounding / std::max(std::abs(part.mean - mean), rounding);
      part.noiseOfB += mixing * inclination * other.B.colwise().norm().transpose();
      part.noiseOfC += mixing * other.block.Y.norm() * other.C.rowwise().norm();
    };
    for (const Part& other : parts) {
      if (&other != &part) add(other, other.mean);
      if (!other.block.isReal) add(other, std::conj(other.mean));
    }
    // Inputs and outputs have length one. B = E⁻¹F has the rounding of E and F, which E⁻¹ may enlarge.
    part.noiseOfB += kEpsilon * (part.block.Y * spread).norm() * sizes;
    part.noiseOfC.array() += kEpsilon;
  }
}

// Roots above the real axis have their inverses below it.
void conjugate(Part& part, RootBlock& block) {
  block.A = block.A.conjugate().eval();
  block.X = block.X.conjugate().eval();
  block.Y = block.Y.conjugate().eval();
  part.B = part.B.conjugate().eval();
  part.C = part.C.conjugate().eval();
  part.mean = std::conj(part.mean);
  part.root = std::conj(part.root);
}

std::vector<Part> makeParts(const MatrixXd& inverse, double shift, const StateMatrices& system) {
  const double closest = kSameRoot * inverse.norm();
  std::vector<Part> parts;
  for (RootBlock& block : findRootBlocks(inverse, closest)) {
    Part part;
    part.B = block.Y * system.B;
    part.C = system.C * block.X;
    part.mean = block.A.trace() / static_cast<double>(block.A.rows());
    part.root = shift + 1.0 / part.mean;
    if (std::abs(part.mean + 1.0 / shift) <= closest) part.root = 0.0;
    if (part.root.imag() < 0.0) conjugate(part, block);
    part.A = DenseLu<Complex>(block.A).inverse();
    part.A.diagonal().array() += shift;
    part.block = std::move(block);
    parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return std::abs(a.root) < std::abs(b.root); });
  return parts;
}

// Orthonormal columns; the first `reached` span what the inputs reach.
struct Staircase {
  MatrixXcd Q;
  Index reached = 0;
};

// Columns of B are in units of what counts as none. A is without its mean root, so that one root with several
// vectors has A = 0.
Staircase findReached(const MatrixXcd& A, const MatrixXcd& B, double noiseOfA) {
  const Index n = A.rows();
  Staircase stairs{MatrixXcd::Identity(n, n), 0};
  MatrixXcd turned = A, next = B;
  double smallest = 1.0;
  const double spread = A.norm();
  while (stairs.reached < n && next.cols() > 0) {
    const Index rest = n - stairs.reached;
    const Svd<Complex> svd = findSvd(next);
    const VectorXd& sizes = svd.values;
    Index rank = 0;
    while (rank < sizes.size() && sizes[rank] > smallest) ++rank;
    if (rank == 0) break;
    const MatrixXcd& U = svd.U;
    turned.bottomRows(rest) = (U.adjoint() * turned.bottomRows(rest)).eval();
    turned.rightCols(rest) = (turned.rightCols(rest) * U).eval();
    stairs.Q.rightCols(rest) = (stairs.Q.rightCols(rest) * U).eval();
    next = turned.block(stairs.reached + rank, stairs.reached, rest - rank, rank).eval();
    stairs.reached += rank;
    // Directions are known to the share of the weakest that counted, and so is what follows from them.
    smallest = std::max(noiseOfA, spread * smallest / sizes[rank - 1]);
  }
  return stairs;
}

// What is reached, and of this what is seen.
void choose(Part& part, double margin) {
  MatrixXcd A = part.block.A;
  A.diagonal().array() -= part.mean;
  const double noise = margin * part.noiseOfA;
  const Staircase reached =
      findReached(A, part.B * (margin * part.noiseOfB).cwiseInverse().asDiagonal(), noise);
  const MatrixXcd Qr = reached.Q.leftCols(reached.reached);
  const MatrixXcd seenC = (margin * part.noiseOfC).cwiseInverse().asDiagonal() * part.C * Qr;
  const Staircase seen = findReached((Qr.adjoint() * A * Qr).adjoint(), seenC.adjoint(), noise);
  part.kept = Qr * seen.Q.leftCols(seen.reached);
  part.lost = Qr * seen.Q.rightCols(reached.reached - seen.reached);
}

// (19.16): what is left out, by the largest response in the vicinity, the worst of all inputs and outputs.
double calcError(const std::vector<Part>& parts, const MatrixXd& D,
                 const std::vector<Complex>& points) {
  std::vector<MatrixXd> responses, errors;
  for (const Complex s : points) {
    MatrixXcd response = D.cast<Complex>(), error = MatrixXcd::Zero(D.rows(), D.cols());
    for (const Part& part : parts) {
      const MatrixXcd share = calcShare(part, MatrixXcd::Identity(part.size(), part.size()), s);
      response += share;
      if (part.kept.cols() == 0)
        error += share;
      else if (part.kept.cols() < part.size())
        error += share - calcShare(part, part.kept, s);
    }
    responses.push_back(response.cwiseAbs());
    errors.push_back(error.cwiseAbs());
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    MatrixXd largest = responses[i];
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double ratio = std::abs(points[k]) / std::abs(points[i]);
      if (ratio < kVicinity && ratio > 1.0 / kVicinity) largest = largest.cwiseMax(responses[k]);
    }
    const auto share = errors[i].array() / largest.array().max(std::numeric_limits<double>::min());
    worst = std::max(worst, share.size() > 0 ? share.maxCoeff() : 0.0);
  }
  return worst;
}

// The error of the response. Where even the least margin changes it, all is kept.
double chooseAll(std::vector<Part>& parts, const MatrixXd& D, const std::vector<Complex>& points,
                 bool all) {
  for (const double margin : kMargins) {
    if (all) break;
    for (Part& part : parts) choose(part, margin);
    const double error = calcError(parts, D, points);
    if (error <= kSameResponse) return error;
  }
  for (Part& part : parts) {
    part.kept = MatrixXcd::Identity(part.size(), part.size());
    part.lost.resize(part.size(), 0);
  }
  return 0.0;
}

std::vector<RootPart> describe(const std::vector<Part>& parts) {
  std::vector<RootPart> all;
  if (parts.empty()) return all;
  VectorXd mostB = VectorXd::Constant(parts[0].B.cols(), std::numeric_limits<double>::min());
  VectorXd mostC = VectorXd::Constant(parts[0].C.rows(), std::numeric_limits<double>::min());
  for (const Part& part : parts) {
    const VectorXd b = part.B.colwise().norm(), c = part.C.rowwise().norm();
    mostB = mostB.cwiseMax(b);
    mostC = mostC.cwiseMax(c);
  }
  for (const Part& part : parts) {
    const VectorXd b = part.B.colwise().norm(), c = part.C.rowwise().norm();
    RootPart one{part.root, part.states(part.size()), 0.0, 0.0};
    if (b.size() > 0) one.reach = b.cwiseQuotient(mostB).maxCoeff();
    if (c.size() > 0) one.sight = c.cwiseQuotient(mostC).maxCoeff();
    all.push_back(one);
  }
  return all;
}

// Re and Im of columns x as coordinates: x z + conj(x z) = Re x · 2 Re z − Im x · 2 Im z.
MatrixXd toReal(const Part& part, const MatrixXcd& columns) {
  if (part.block.isReal) return columns.real();
  MatrixXd both(columns.rows(), 2 * columns.cols());
  both << columns.real(), columns.imag();
  return both;
}

StateMatrices toReal(const Part& part) {
  const MatrixXcd A = part.kept.adjoint() * part.A * part.kept;
  const MatrixXcd B = part.kept.adjoint() * part.B, C = part.C * part.kept;
  if (part.block.isReal) return {A.real(), B.real(), C.real(), {}};
  const Index k = A.rows();
  StateMatrices real{MatrixXd(2 * k, 2 * k), MatrixXd(2 * k, B.cols()), toReal(part, C), {}};
  real.A << A.real(), A.imag(), -A.imag(), A.real();
  real.B << 2.0 * B.real(), -2.0 * B.imag();
  return real;
}

void append(MatrixXd& matrix, const MatrixXd& columns) {
  MatrixXd both(columns.rows(), matrix.cols() + columns.cols());
  if (matrix.cols() > 0) both.leftCols(matrix.cols()) = matrix;
  both.rightCols(columns.cols()) = columns;
  matrix = std::move(both);
}

void fill(const std::vector<Part>& parts, MinimalForm& form) {
  Index n = 0;
  for (const Part& part : parts) n += part.states(part.kept.cols());
  StateMatrices& system = form.system;
  system.A.setZero(n, n);
  system.B.resize(n, system.D.cols());
  system.C.resize(system.D.rows(), n);
  Index at = 0;
  for (const Part& part : parts) {
    const StateMatrices real = toReal(part);
    const Index k = real.A.rows();
    system.A.block(at, at, k, k) = real.A;
    system.B.middleRows(at, k) = real.B;
    system.C.middleCols(at, k) = real.C;
    at += k;
    append(form.right, toReal(part, part.block.X * part.kept));
    append(form.lost, toReal(part, part.block.X * part.lost));
  }
}

VectorXd invertSizes(const VectorXd& sizes) {
  return (sizes.array() > 0.0).select(sizes.cwiseInverse(), 1.0);
}

}  // namespace

std::vector<Complex> makeTestPoints(const std::vector<RootPart>& parts, int between) {
  double lowest = std::numeric_limits<double>::infinity(), highest = 0.0;
  std::vector<double> frequencies;
  for (const RootPart& part : parts) {
    const double size = std::abs(part.root);
    if (size == 0.0) continue;
    frequencies.push_back(size);
    lowest = std::min(lowest, size);
    highest = std::max(highest, size);
  }
  if (frequencies.empty()) lowest = highest = 1.0;
  const double decades = std::log10(highest / lowest) + 1.0;
  for (int i = 0; i <= between; ++i) {
    frequencies.push_back(0.1 * lowest * std::pow(10.0, decades * i / std::max(between, 1)));
  }
  std::vector<Complex> points;
  for (const double frequency : frequencies) {
    points.push_back(frequency * Complex(kTestDamping, 1.0));
  }
  return points;
}

StateMatrices balanceStates(const StateMatrices& system) {
  const VectorXd scale = findBalance(system.A), inverse = scale.cwiseInverse();
  return {inverse.asDiagonal() * system.A * scale.asDiagonal(), inverse.asDiagonal() * system.B,
          system.C * scale.asDiagonal(), system.D};
}

MatrixXcd calcResponse(const StateMatrices& system, Complex s) {
  MatrixXcd pencil = -system.A.cast<Complex>();
  pencil.diagonal().array() += s;
  return system.C * solveDense(pencil, system.B.cast<Complex>()) + system.D;
}

// The shift is between the slow and the fast, and at no root.
ShiftedInverse makeShiftedInverse(const MatrixXd& E, const MatrixXd& A, double scale,
                                  std::vector<Complex> roots) {
  if (E.rows() == 0) return {MatrixXd(0, 0), MatrixXd(0, 0), scale};
  const DenseLu<double> lu(E);
  if (roots.empty()) {
    double fastest = 0.0;
    for (const Eigenpair& root : findRealEigenpairs(lu.solve(A))) {
      roots.push_back(scale * root.value);
      fastest = std::max(fastest, std::abs(roots.back()));
    }
    std::erase_if(roots, [&](Complex root) { return std::abs(root) <= kStill * fastest; });
  }
  double slowest = std::numeric_limits<double>::infinity(), fastest = 0.0;
  for (const Complex& root : roots) {
    slowest = std::min(slowest, std::abs(root) / scale);
    fastest = std::max(fastest, std::abs(root) / scale);
  }
  double shift = fastest > 0.0 ? std::sqrt(slowest) * std::sqrt(fastest) : 1.0;
  const auto isAtRoot = [&](const Complex& root) {
    return std::abs(root / scale - shift) < 0.01 * shift;
  };
  while (std::any_of(roots.begin(), roots.end(), isAtRoot)) shift *= 1.1;
  return {solveDense(A - shift * E, E) / scale, E.norm() * lu.inverse(), shift * scale};
}

MinimalForm findMinimalForm(const StateMatrices& system, const ShiftedInverse& shifted, bool all) {
  MinimalForm form;
  form.scale = findBalance(shifted.inverse);
  const VectorXd inverse = form.scale.cwiseInverse();
  const MatrixXd balanced = inverse.asDiagonal() * shifted.inverse * form.scale.asDiagonal();
  StateMatrices scaled{{}, inverse.asDiagonal() * system.B, system.C * form.scale.asDiagonal(), {}};
  // Inputs and outputs have units of their own: each counts by its own size.
  const VectorXd sizesB = scaled.B.colwise().norm(), sizesC = scaled.C.rowwise().norm();
  scaled.B *= invertSizes(sizesB).asDiagonal();
  scaled.C = (invertSizes(sizesC).asDiagonal() * scaled.C).eval();
  const MatrixXd scaledD =
      invertSizes(sizesC).asDiagonal() * system.D * invertSizes(sizesB).asDiagonal();
  std::vector<Part> parts = makeParts(balanced, shifted.shift, scaled);
  const VectorXd sizes = system.B.colwise().norm().transpose().cwiseProduct(invertSizes(sizesB));
  findNoise(kEpsilon * balanced.norm(), inverse.asDiagonal() * shifted.spread, sizes, parts);
  const std::vector<RootPart> described = describe(parts);
  form.error = chooseAll(parts, scaledD, makeTestPoints(described, kTestPoints), all);
  form.system.D = system.D;
  form.right.resize(balanced.rows(), 0);
  form.lost.resize(balanced.rows(), 0);
  fill(parts, form);
  form.system.B *= sizesB.asDiagonal();
  form.system.C = (sizesC.asDiagonal() * form.system.C).eval();
  form.right = (form.scale.asDiagonal() * form.right).eval();
  form.lost = (form.scale.asDiagonal() * form.lost).eval();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    RootPart part = described[i];
    const int states = part.states;
    part.states = parts[i].states(parts[i].kept.cols());
    if (part.states > 0) form.kept.push_back(part);
    part.states = states - part.states;
    if (part.states > 0) form.leftOut.push_back(part);
  }
  return form;
}

}  // namespace flexloop::linalg
