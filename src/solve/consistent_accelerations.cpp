#include "solve/consistent_accelerations.hpp"

#include <algorithm>
#include <cmath>

#include "solve/machine_size.hpp"
#include "solve/massless_motions.hpp"
#include "solve/secant_search.hpp"

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

constexpr int kMaxPasses = 10;
constexpr int kMasslessPasses = 8;
constexpr double kSlowMassless = 0.5;  // of the pass before: nothing determines it
constexpr double kSamePass = 1e-10;    // relative difference of motions between passes
constexpr int kMaxAccelerationSteps = 50;
constexpr double kSameAcceleration = 1e-12;
constexpr double kSlowAcceleration = 0.1;
constexpr double kSoftStagnation = 0.5;
// Forces of stiff parts that cancel leave this share of round-off at most, below which nothing improves.
constexpr double kRoundOffAcceleration = 1e-6;

// The largest force on each part that a signal makes by itself, as an actuator or a load does.
void addSignalForces(const system::System& system, const linalg::SparseMatrix& A,
                     const PartSizes& parts, const Eigen::VectorXd& sizes,
                     std::vector<double>& force) {
  const std::vector<Kind>& kinds = system.kinds();
  for (int column = 0; column < A.cols(); ++column) {
    if (kinds[column] != Kind::kSignal || sizes[column] == 0.0) continue;
    for (linalg::SparseMatrix::InnerIterator it(A, column); it; ++it) {
      const int row = static_cast<int>(it.row());
      if (kinds[row] != Kind::kMotion) continue;
      const int p = parts.part(row);
      const double lever = system.isRotation(UnknownIndex{row}) ? parts.all()[p].length : 1.0;
      force[p] = std::max(force[p], std::abs(it.value()) * sizes[column] / lever);
    }
  }
}

// By which corrections of accelerations, rates of states, multipliers and signals are judged, from the largest that have been
// met, so that what becomes zero is judged by what it was: motions and forces of a part as a whole, every rate and signal by
// itself and by the terms of its equation. Accelerations that cancel are judged by the forces and by the turning that would
// make them.
Eigen::VectorXd findSizes(const system::System& system, MassSystem& massSystem,
                          const system::State& state, Eigen::VectorXd sizes) {
  const std::vector<Kind>& kinds = system.kinds();
  const PartSizes& parts = massSystem.parts();
  Eigen::VectorXd gradients;
  calcGradientSizes(system, massSystem.matrix(), parts.lengths(), gradients);
  const std::vector<double> speed = parts.findLargestMoves(state.rate);
  std::vector<double> acceleration = parts.findLargestMoves(sizes), force(parts.count());
  for (int p = 0; p < parts.count(); ++p) {
    const PartSize& size = parts.all()[p];
    acceleration[p] = std::max({acceleration[p] * size.length, system.gravity().norm(),
                                speed[p] * speed[p] * size.length});
    force[p] = size.mass * acceleration[p];
  }
  for (int u = 0; u < sizes.size(); ++u) {
    if (kinds[u] != Kind::kMultiplier) continue;
    double& largest = force[parts.part(u)];
    largest = std::max(largest, gradients[u] * sizes[u]);
  }
  addSignalForces(system, massSystem.matrix(), parts, sizes, force);
  for (int u = 0; u < sizes.size(); ++u) {
    if (kinds[u] != Kind::kMotion && kinds[u] != Kind::kMultiplier) continue;
    const int p = parts.part(u);
    const PartSize& size = parts.all()[p];
    if (kinds[u] == Kind::kMotion) {
      const double whole =
          size.mass > 0.0 ? std::max(acceleration[p], force[p] / size.mass) : acceleration[p];
      sizes[u] = system.isRotation(UnknownIndex{u}) ? whole / size.length : whole;
    } else if (gradients[u] > 0.0) {
      sizes[u] = force[p] / gradients[u];
    }
  }
  massSystem.raiseToTerms(sizes);
  return sizes;
}

double compare(const Eigen::VectorXd& x, const Eigen::VectorXd& sizes) {
  double largest = 0.0;
  for (int u = 0; u < x.size(); ++u) {
    if (x[u] != 0.0) largest = std::max(largest, std::abs(x[u]) / sizes[u]);
  }
  return largest;
}

void forgetAccelerations(const system::System& system, system::State& state) {
  for (int u = 0; u < state.rate.size(); ++u) {
    if (system.kinds()[u] == Kind::kMotion) state.acceleration[u] = 0.0;
    if (system.kinds()[u] == Kind::kState) state.rate[u] = 0.0;
  }
}

// Constraints are those of accelerations.
void calcAccelerationResidual(system::Assembler& assembler, const system::State& state,
                              system::TimeDerivatives& derivatives, Eigen::VectorXd& r) {
  assembler.calcResidual(state, r);
  assembler.calcTimeDerivatives(state, derivatives);
  for (int u = 0; u < r.size(); ++u) {
    if (assembler.system().kinds()[u] == Kind::kMultiplier) r[u] = derivatives.second[u];
  }
}

// `met` are the largest that the unknowns have been.
void addCorrection(const system::System& system, const Eigen::VectorXd& x, system::State& state,
                   Eigen::VectorXd& met) {
  for (int u = 0; u < x.size(); ++u) {
    const Kind kind = system.kinds()[u];
    double& unknown = kind == Kind::kMotion  ? state.acceleration[u]
                      : kind == Kind::kState ? state.rate[u]
                                             : state.value[u];
    met[u] = std::max(met[u], std::abs(unknown));
    unknown += x[u];
    met[u] = std::max(met[u], std::abs(unknown));
  }
}

// After a solution x in which motions without mass had a small one: what constraints determine becomes exact. What is held by forces only has no acceleration that
// would be right, and keeps the one it has got.
bool refineMassless(PreparedMachine& machine, system::State& state, Eigen::VectorXd x) {
  system::Assembler& assembler = machine.assembler();
  const std::vector<int> massless = findMassless(machine.massSystem(), assembler.system().kinds());
  system::TimeDerivatives derivatives;
  Eigen::VectorXd r, met = x.cwiseAbs();
  std::vector<bool> isLeft(massless.size(), false);
  for (int pass = 0; pass < kMasslessPasses && !massless.empty(); ++pass) {
    const Eigen::VectorXd last = x;
    calcAccelerationResidual(assembler, state, derivatives, r);
    for (std::size_t i = 0; i < massless.size(); ++i) {
      if (isLeft[i]) r[massless[i]] = 0.0;
    }
    x = -r;
    machine.massSystem().solve(x);
    if (!x.allFinite()) return false;
    for (std::size_t i = 0; i < massless.size(); ++i) {
      const int u = massless[i];
      if (isLeft[i] || std::abs(x[u]) <= kSlowMassless * std::abs(last[u])) continue;
      if (pass > 0 && std::abs(x[u]) <= kSameAcceleration * met[u]) continue;
      isLeft[i] = true;
      x[u] = 0.0;
    }
    addCorrection(assembler.system(), x, state, met);
  }
  return true;
}

// With the second derivatives of drives as they are.
bool solveAccelerations(PreparedMachine& machine, system::State& state) {
  system::Assembler& assembler = machine.assembler();
  MassSystem& massSystem = machine.massSystem();
  Eigen::VectorXd r, x, met = Eigen::VectorXd::Zero(state.rate.size());
  system::TimeDerivatives derivatives;
  forgetAccelerations(assembler.system(), state);
  // Masses hardly change in body axes, so old factors find the accelerations at the many instants of a
  // sampled controller. Without signals all is linear, and new ones do it at once.
  const bool isLinear = massSystem.signals().isEmpty();
  bool isFresh = !isLinear && massSystem.reuse(MassSystem::Use::kAccelerations);
  double previous = 0.0;
  for (int iteration = 0; iteration < kMaxAccelerationSteps; ++iteration) {
    const bool isRenewed = !isFresh;
    if (isRenewed && !massSystem.update(state, MassSystem::Use::kAccelerations).ok) return false;
    isFresh = true;
    calcAccelerationResidual(assembler, state, derivatives, r);
    // Multipliers that no motion determines are forgotten first; what that leaves open of others is mended after it.
    if (iteration == 0) massSystem.addPull(state.value, r);
    x = -r;
    massSystem.solve(x);
    massSystem.solveFollowing(r, x);
    addCorrection(assembler.system(), x, state, met);
    if (!x.allFinite()) return false;
    if (isLinear && !massSystem.isSoft()) return refineMassless(machine, state, x);
    const double change = compare(x, findSizes(assembler.system(), massSystem, state, met));
    if (change <= kSameAcceleration) return true;
    if (isLinear && iteration > 0 && change > kSoftStagnation * previous) return true;
    if (iteration > 1 && change > kSlowAcceleration * previous) {
      if (isRenewed && change <= kRoundOffAcceleration) return true;
      isFresh = false;
    }
    previous = change;
  }
  return false;
}

bool calcDriveDerivatives(SignalSystem& signals, system::State& state) {
  if (signals.solve(state)) return false;
  signals.calcRates(state);
  signals.calcSecondRates(state);
  return true;
}

// Drives that follow from accelerations and forces, as behind a filter of the force in their joint: second derivatives for which
// these are what the drives make of them.
bool solveWithAnswers(PreparedMachine& machine, system::State& state) {
  MassSystem& massSystem = machine.massSystem();
  SignalSystem& signals = massSystem.signals();
  const auto count = static_cast<Eigen::Index>(signals.drives().size());
  Eigen::VectorXd asked(count), answer(count), largest = Eigen::VectorXd::Zero(count);
  const auto read = [&](const system::State& from, Eigen::VectorXd& to) {
    for (Eigen::Index i = 0; i < count; ++i) to[i] = from.acceleration[signals.drives()[i].signal];
    largest = largest.cwiseMax(to.cwiseAbs());
  };
  SecantSearch search;
  read(state, asked);
  for (Eigen::Index pass = 0; pass < kMaxPasses + count; ++pass) {
    if (!solveAccelerations(machine, state)) return false;
    system::State answered = state;
    if (!calcDriveDerivatives(signals, answered)) return false;
    read(answered, answer);
    if (((answer - asked).cwiseAbs().array() <= kSamePass * largest.array()).all()) return true;
    asked = search.next(asked, answer);
    if (!asked.allFinite()) return false;
    for (Eigen::Index i = 0; i < count; ++i) {
      state.acceleration[signals.drives()[i].signal] = asked[i];
    }
  }
  return true;
}

}  // namespace

bool calcAccelerationsWithoutAnswers(PreparedMachine& machine, system::State& state) {
  MassSystem& massSystem = machine.massSystem();
  SignalSystem& signals = massSystem.signals();
  if (signals.hasDrives() && !calcDriveDerivatives(signals, state)) return false;
  return solveAccelerations(machine, state);
}

bool calcAccelerations(PreparedMachine& machine, system::State& state) {
  MassSystem& massSystem = machine.massSystem();
  SignalSystem& signals = massSystem.signals();
  if (!signals.hasDrives() || signals.areDrivesGivenByTime()) {
    return calcAccelerationsWithoutAnswers(machine, state);
  }
  return calcDriveDerivatives(signals, state) && solveWithAnswers(machine, state);
}

}  // namespace flexloop::solve
