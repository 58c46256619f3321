#include "analysis/modes/energy_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "analysis/linear/effective_matrices.hpp"
#include "analysis/linear/loop_margins.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/roots/all_roots.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "linalg/solvers/inertia.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::SparseMatrix;
using system::Kind;

// Of √(a_ii a_jj): a difference of two entries that is rounding.
constexpr double kSymmetric = 1e-12;
// A skew part of K may let a root grow by this share of its size, which is not called growing.
constexpr double kStable = 1e-10;
constexpr double kRoundOff = 1e-11;  // of the controllers' matrix at the ports
constexpr double kStiffened = 1e8;   // shows a direction in which dampers feed energy in
constexpr int kMostPorts = 60, kMostControl = 400;
constexpr double kHeld = 1e-9;
constexpr int kPointsOfArc = 48;
constexpr double kRatio = 2.0, kFarOut = 1e6;

// Motions and multipliers of the machine without its controllers.
class Machine {
 public:
  Machine(const system::System& system, const LinearModel& linear, const ControlSide& side)
      : place_(linear.pencil.size(), -1) {
    for (const int u : side.machine()) {
      place_[u] = static_cast<int>(groups_.size());
      groups_.push_back(linear.groups[u]);
      const int unknown = linear.unknowns[u];
      isMotion_.push_back(unknown >= 0 && system.kinds()[unknown] == Kind::kMotion);
      if (!isMotion_.back()) ++constraints_;
    }
    K_ = cut(linear.pencil.K);
    C_ = cut(linear.pencil.C);
    M_ = cut(linear.pencil.M);
    const SparseMatrix transposed = C_.transpose();
    damping_ = 0.5 * (C_ + transposed);
    damping_.prune([](Eigen::Index, Eigen::Index, double value) { return value != 0.0; });
  }

  int size() const { return static_cast<int>(groups_.size()); }
  bool isMotion(int u) const { return place_[u] >= 0 && isMotion_[place_[u]]; }
  bool isDamped() const { return damping_.nonZeros() > 0; }

  // M and K have a potential, and constraints act on positions alone.
  bool hasEnergy(double radius) const {
    for (int j = 0; j < size(); ++j) {
      for (const SparseMatrix* matrix : {&C_, &M_}) {
        for (SparseMatrix::InnerIterator it(*matrix, j); it; ++it) {
          if (it.value() != 0.0 && !(isMotion_[j] && isMotion_[it.row()])) return false;
        }
      }
      if (M_.coeff(j, j) < 0.0) return false;
    }
    return isSymmetric(M_, 0.0) && isSymmetric(K_, kStable * radius * radius);
  }

  // Whether K + r² M, on what constraints allow, and the dampers have no negative direction.
  bool isPositive(double radius) const {
    const SparseMatrix stiffness = K_ + radius * radius * M_;
    if (!isPositive(stiffness)) return false;
    return !isDamped() || isPositive(stiffness + kStiffened * radius * damping_);
  }

  // Eᵀ A⁻¹ E between the ports, for A = K + r² M.
  std::optional<Eigen::MatrixXd> calcCompliance(double radius,
                                                const std::vector<int>& ports) const {
    return solveAt(K_ + radius * radius * M_, ports);
  }

  // The same for the dampers; nothing where some motion meets none.
  std::optional<Eigen::MatrixXd> calcDampedCompliance(const std::vector<int>& ports) const {
    if (!isDamped()) return std::nullopt;
    // Constraints are in K.
    SparseMatrix constraints = K_;
    constraints.prune([&](Eigen::Index row, Eigen::Index column, double) {
      return !(isMotion_[row] && isMotion_[column]);
    });
    return solveAt(damping_ + constraints, ports);
  }

  Eigen::VectorXd findScales(double radius, const std::vector<int>& ports) const {
    Eigen::VectorXd scales(ports.size());
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const int p = place_[ports[i]];
      const double size = std::abs(K_.coeff(p, p)) + radius * radius * M_.coeff(p, p);
      scales[static_cast<Eigen::Index>(i)] = size > 0.0 ? 1.0 / std::sqrt(size) : 1.0;
    }
    return scales;
  }

 private:
  SparseMatrix cut(const SparseMatrix& matrix) const {
    std::vector<Eigen::Triplet<double, int>> entries;
    entries.reserve(matrix.nonZeros());
    for (int j = 0; j < matrix.outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) {
        if (place_[j] < 0 || place_[it.row()] < 0) continue;
        entries.emplace_back(place_[it.row()], place_[j], it.value());
      }
    }
    SparseMatrix part(size(), size());
    part.setFromTriplets(entries.begin(), entries.end());
    return part;
  }

  bool isSymmetric(const SparseMatrix& matrix, double byMass) const {
    const SparseMatrix transposed = matrix.transpose();
    const SparseMatrix skew = matrix - transposed;
    const Eigen::VectorXd diagonal = matrix.diagonal().cwiseAbs(), mass = M_.diagonal();
    for (int j = 0; j < skew.outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(skew, j); it; ++it) {
        const auto i = it.row();
        const double own = std::abs(matrix.coeff(static_cast<int>(i), j));
        const double rounding =
            kSymmetric * std::max(own, std::sqrt(diagonal[i]) * std::sqrt(diagonal[j]));
        const double allowed = byMass * std::sqrt(mass[i]) * std::sqrt(mass[j]);
        if (!(std::abs(it.value()) <= std::max(rounding, allowed))) return false;
      }
    }
    return true;
  }

  // Each constraint that is independent makes one negative pivot.
  bool isPositive(const SparseMatrix& matrix) const {
    const std::optional<int> negative = linalg::countNegativeEigenvalues(matrix);
    return negative && *negative == constraints_;
  }

  std::optional<Eigen::MatrixXd> solveAt(SparseMatrix matrix, const std::vector<int>& ports) const {
    constexpr double kSolved = 1e-6;
    matrix.makeCompressed();
    const auto solver = linalg::makeSparseSolver(matrix, linalg::SolverChoice::kAutomatic, groups_);
    if (solver == nullptr || !solver->factorize(matrix).ok) return std::nullopt;
    const auto n = static_cast<Eigen::Index>(ports.size());
    Eigen::MatrixXd compliance(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      Eigen::VectorXd right = Eigen::VectorXd::Zero(size());
      right[place_[ports[j]]] = 1.0;
      Eigen::VectorXd x = right;
      solver->solve(x);
      Eigen::VectorXd rest = right - matrix * x;
      solver->solve(rest);
      if (!(rest.norm() <= kSolved * x.norm())) return std::nullopt;
      x += rest;
      for (Eigen::Index i = 0; i < n; ++i) compliance(i, j) = x[place_[ports[i]]];
    }
    return 0.5 * (compliance + compliance.transpose());
  }

  std::vector<int> place_, groups_;
  std::vector<bool> isMotion_;
  int constraints_ = 0;
  SparseMatrix K_, C_, M_, damping_;
};

// What controllers take out of the machine: the Hermitian part of D(s)/s between the freedoms that they read and move.
class ControlPower {
 public:
  ControlPower(const ControlSide& side, const Machine& machine) : side_(side) {
    ports_ = side.read();
    ports_.insert(ports_.end(), side.moved().begin(), side.moved().end());
    std::sort(ports_.begin(), ports_.end());
    ports_.erase(std::unique(ports_.begin(), ports_.end()), ports_.end());
    dropIdle();
    ok_ = std::all_of(ports_.begin(), ports_.end(), [&](int u) { return machine.isMotion(u); }) &&
          ports_.size() <= kMostPorts;
  }

  bool ok() const { return ok_; }
  const std::vector<int>& ports() const { return ports_; }

  // Twice the real part of vᴴ (D(s)/s) v, as a matrix.
  std::optional<Eigen::MatrixXcd> calc(Complex s) const {
    const auto n = static_cast<Eigen::Index>(ports_.size());
    const auto response = side_.calcResponse(s);
    if (!response) return std::nullopt;
    Eigen::MatrixXcd D = Eigen::MatrixXcd::Zero(n, n);
    const auto moved = response->bottomRows(static_cast<Eigen::Index>(side_.moved().size()));
    for (std::size_t r = 0; r < side_.moved().size(); ++r) {
      for (std::size_t c = 0; c < side_.read().size(); ++c) {
        const Eigen::Index i = find(side_.moved()[r]), j = find(side_.read()[c]);
        if (i >= 0 && j >= 0) D(i, j) += moved(static_cast<int>(r), static_cast<int>(c)) / s;
      }
    }
    return D;
  }

 private:
  Eigen::Index find(int unknown) const {
    const auto it = std::lower_bound(ports_.begin(), ports_.end(), unknown);
    return it != ports_.end() && *it == unknown ? it - ports_.begin() : -1;
  }

  // Freedoms that are only watched, and inputs that nothing of the machine reaches.
  void dropIdle() {
    const auto response = side_.calcResponse(Complex(0.7390851, 0.9159655));
    if (!response) return;
    const auto moved = response->bottomRows(static_cast<Eigen::Index>(side_.moved().size()));
    std::vector<int> active;
    for (int r = 0; r < moved.rows(); ++r) {
      for (int c = 0; c < moved.cols(); ++c) {
        if (moved(r, c) == 0.0) continue;
        active.push_back(side_.moved()[r]);
        active.push_back(side_.read()[c]);
      }
    }
    std::sort(active.begin(), active.end());
    active.erase(std::unique(active.begin(), active.end()), active.end());
    ports_ = std::move(active);
  }

  const ControlSide& side_;
  std::vector<int> ports_;
  bool ok_ = false;
};

// Whether H + Hᴴ + 2A has no negative direction.
bool isPassive(const Eigen::MatrixXcd& H, const Eigen::MatrixXd& A) {
  const Eigen::MatrixXcd sum = H + A.cast<Complex>();
  const Eigen::MatrixXcd hermitian = sum + sum.adjoint();
  if (!hermitian.allFinite()) return false;
  const auto least = linalg::findLeastEigenvalue(hermitian);
  return least && *least >= -kRoundOff * sum.norm();
}

// What machine and controllers take up at the ports, for the motions that constraints allow there.
class PortCondition {
 public:
  PortCondition(const Machine& machine, const ControlPower& power, double radius)
      : machine_(machine), power_(power) {
    const std::optional<Eigen::MatrixXd> compliance = machine.calcCompliance(radius, power.ports());
    if (!compliance) return;
    // In units in which one is the stiffness of a freedom alone, compliances are one and more, or none.
    const Eigen::VectorXd scales = machine.findScales(radius, power.ports());
    const Eigen::MatrixXd scaled =
        scales.cwiseInverse().asDiagonal() * *compliance * scales.cwiseInverse().asDiagonal();
    if (!scaled.allFinite()) return;
    const auto found = linalg::findSymmetricEigensystem(scaled);
    if (!found) return;
    const auto held = (found->values.array() <= kHeld * found->values.maxCoeff()).count();
    const Eigen::MatrixXd free = found->vectors.rightCols(scales.size() - held);
    toPorts_ = scales.asDiagonal() * free;
    fromPorts_ = (scales.cwiseInverse().asDiagonal() * free).transpose();
    damping_ = reduce(machine.calcDampedCompliance(power.ports()))
                   .value_or(Eigen::MatrixXd::Zero(toPorts_.cols(), toPorts_.cols()));
    ok_ = true;
  }

  bool ok() const { return ok_; }

  // Beyond which it holds along the imaginary axis.
  double findLast(const std::vector<double>& axis) const {
    double last = 0.0;
    for (const double omega : axis) {
      if (!holdsAt(Complex(0.0, omega), damping_)) last = omega;
    }
    return last;
  }

  // On a quarter of a circle, where inertia and stiffness take energy up too.
  bool holdsOnArc(double radius) const {
    const auto stiffness = reduce(machine_.calcCompliance(radius, power_.ports()));
    if (!stiffness) return false;
    for (int k = 0; k < kPointsOfArc; ++k) {
      const double angle = 0.5 * std::numbers::pi * k / kPointsOfArc;
      const Eigen::MatrixXd taken = damping_ + std::cos(angle) / radius * *stiffness;
      if (!holdsAt(std::polar(radius, angle), taken)) return false;
    }
    return true;
  }

 private:
  // (18.21): no motion has less of vᵀ A v than this, with v at the ports.
  std::optional<Eigen::MatrixXd> reduce(const std::optional<Eigen::MatrixXd>& compliance) const {
    if (!compliance) return std::nullopt;
    const Eigen::MatrixXd A = fromPorts_ * *compliance * fromPorts_.transpose();
    if (linalg::PivotedQr<double>(A).rank() < A.rows()) return std::nullopt;
    return linalg::DenseLu<double>(A).inverse();
  }

  bool holdsAt(Complex s, const Eigen::MatrixXd& taken) const {
    const auto H = power_.calc(s);
    return H && isPassive(toPorts_.transpose() * *H * toPorts_, taken);
  }

  const Machine& machine_;
  const ControlPower& power_;
  Eigen::MatrixXd toPorts_, fromPorts_;  // scaled and free of what is held
  Eigen::MatrixXd damping_;
  bool ok_ = false;
};

// The poles of the controllers, none of which may grow.
std::optional<std::vector<Complex>> findPoles(const ControlSide& side) {
  if (side.control().empty()) return std::vector<Complex>();
  if (side.control().size() > kMostControl) return std::nullopt;
  const linalg::AllRoots roots = linalg::findAllRoots(side.inside(), 0.0, 0);
  if (!roots.ok) return std::nullopt;
  std::vector<Complex> poles;
  for (const linalg::Eigenpair& pair : roots.pairs) {
    const double size = std::abs(pair.value);
    const bool isZero = linalg::mayBeZero(pair);
    if (!isZero && pair.value.real() > kStable * size) return std::nullopt;
    if (!isZero) poles.push_back(pair.value);
  }
  return poles;
}

// The condition holds on the whole edge of the right half plane without a half circle of this radius, and so inside too.
double findPassiveRadius(const Machine& machine, const ControlPower& power,
                         const std::vector<Complex>& poles, double least) {
  double fastest = least;
  for (const Complex& pole : poles) fastest = std::max(fastest, std::abs(pole));
  const double far = kFarOut * fastest;
  const PortCondition condition(machine, power, least);
  if (!condition.ok()) return INFINITY;
  double radius = std::max(least, kRatio * condition.findLast(makeSearchGrid(least, far, poles)));
  if (radius >= far || !condition.holdsOnArc(far)) return INFINITY;
  while (!condition.holdsOnArc(radius)) {
    radius *= kRatio;
    if (radius >= far) return INFINITY;
  }
  return radius;
}

}  // namespace

double findGrowthBound(const system::System& system, const LinearModel& linear, double least) {
  if (!linear.delays.empty() || !(least > 0.0)) return INFINITY;
  const ControlSide side(system, linear);
  const Machine machine(system, linear, side);
  if (!machine.hasEnergy(least)) return INFINITY;
  const auto poles = findPoles(side);
  if (!poles) return INFINITY;
  const ControlPower power(side, machine);
  if (!power.ok()) return INFINITY;
  const double radius =
      power.ports().empty() ? least : findPassiveRadius(machine, power, *poles, least);
  if (!std::isfinite(radius)) return INFINITY;
  // At the size of a root that grows without oscillation K + r² M is singular, and rounding would decide.
  for (const double larger : {1.0, 1.001, 1.1}) {
    if (machine.isPositive(larger * radius)) return larger * radius;
  }
  return INFINITY;
}

}  // namespace flexloop::analysis
