#include "solve/initial_conditions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "solve/balance/infinite_slope.hpp"
#include "solve/drive_answers.hpp"
#include "solve/machine_size.hpp"
#include "solve/secant_search.hpp"
#include "solve/signal_terms.hpp"
#include "system/turn_counting.hpp"

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

constexpr int kMaxAssemblySteps = 50;
constexpr double kClosed = 1e-13;  // relative to the size of the machine
constexpr double kLargestTurn =
    0.5;  // [rad], or move as a share of that size, in one assembly step
// Relative changes of signals and rates from which on accelerations are found anew. Forces of smaller jumps count
// too (9.14), but accelerations that are recorded at that instant do not show them.
constexpr double kJump = 1e-6;
constexpr double kSamePosition = 1e-6;  // of a driven joint, relative to the size of the machine
constexpr int kMaxPasses = 10;
constexpr double kSamePass = 1e-10;  // relative difference of motions between passes
constexpr int kMaxAccelerationSteps = 50;
constexpr double kSameAcceleration = 1e-12;
constexpr double kSlowAcceleration = 0.1;
// With soft tangents what is linear takes some solutions too, until nothing improves.
constexpr int kSoftPasses = 4;
constexpr double kSoftStagnation = 0.5;
// Forces of stiff parts that cancel leave this share of round-off at most, below which nothing improves.
constexpr double kRoundOffAcceleration = 1e-6;

bool isAlgebraic(Kind kind) {
  return kind == Kind::kMultiplier || kind == Kind::kSignal;
}

double largestOf(const Eigen::VectorXd& x, const std::vector<Kind>& kinds, bool algebraic,
                 int* where = nullptr) {
  double largest = 0.0;
  for (int u = 0; u < x.size(); ++u) {
    if (isAlgebraic(kinds[u]) != algebraic || kinds[u] == Kind::kState) continue;
    if (std::abs(x[u]) > largest) {
      largest = std::abs(x[u]);
      if (where != nullptr) *where = u;
    }
  }
  return largest;
}

// As a share of the length of its part.
double findLargestGap(const Eigen::VectorXd& r, const PartSizes& parts,
                      const Eigen::VectorXd& gradients) {
  double largest = 0.0;
  for (int u = 0; u < r.size(); ++u) {
    if (!(gradients[u] > 0.0)) continue;
    largest = std::max(largest, std::abs(r[u]) / gradients[u] / parts.of(u).length);
  }
  return largest;
}

double findLargestMove(const PartSizes& parts, const Eigen::VectorXd& delta) {
  const std::vector<double> moves = parts.findLargestMoves(delta);
  return moves.empty() ? 0.0 : *std::max_element(moves.begin(), moves.end());
}

std::string singularity(const system::System& system, const linalg::SparseMatrix& matrix,
                        const linalg::FactorReport& report) {
  if (std::string steep = describeInfiniteSlope(system, matrix); !steep.empty()) return steep;
  if (report.singularColumn < 0) return "the constraints of the model cannot be solved together";
  return "the model does not determine the " +
         system.unknownName(UnknownIndex{report.singularColumn});
}

// Keeps only the rows of constraints and signals.
void keepAlgebraicRows(const std::vector<Kind>& kinds, Eigen::VectorXd& r) {
  for (int u = 0; u < r.size(); ++u) {
    if (!isAlgebraic(kinds[u])) r[u] = 0.0;
  }
}

bool closePositions(system::Assembler& assembler, MassSystem& massSystem, system::State& state,
                    StartReport& report) {
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  Eigen::VectorXd total = Eigen::VectorXd::Zero(system.unknowns());
  Eigen::VectorXd r, gradients;
  for (report.iterations = 0; report.iterations < kMaxAssemblySteps; ++report.iterations) {
    const linalg::FactorReport factored = massSystem.update(state, MassSystem::Use::kKinematics);
    if (!factored.ok) {
      report.trouble = singularity(system, massSystem.matrix(), factored);
      return false;
    }
    assembler.calcResidual(state, r);
    keepAlgebraicRows(kinds, r);
    if (report.iterations == 0) report.gap = largestOf(r, kinds, true);
    const PartSizes& parts = massSystem.parts();
    calcGradientSizes(system, massSystem.matrix(), parts.lengths(), gradients);
    const double gap = findLargestGap(r, parts, gradients);
    Eigen::VectorXd delta = -r;
    massSystem.solve(delta);
    for (int u = 0; u < delta.size(); ++u) {
      if (kinds[u] == Kind::kState || kinds[u] == Kind::kMultiplier) delta[u] = 0.0;
    }
    const double change = delta.allFinite() ? findLargestMove(parts, delta) : INFINITY;
    if (!std::isfinite(change)) break;
    if (change > kLargestTurn) delta *= kLargestTurn / change;
    const system::State before = state;
    system.retract(before, delta, state);
    system::countTurns(system, before, delta, state);
    total += delta;
    if (gap <= kClosed && change <= kClosed) {
      int where = 0;
      for (const auto* counter : system::findTurnCounters(system)) counter->start(state);
      report.positionChange = largestOf(total, kinds, false, &where);
      report.positionWhere = system.unknownName(UnknownIndex{where});
      return true;
    }
  }
  int where = 0;
  keepAlgebraicRows(kinds, r);
  largestOf(r, kinds, true, &where);
  report.trouble = "the mechanism cannot be assembled: the constraint '" +
                   system.equationName(UnknownIndex{where}) + "' stays open";
  return false;
}

// Motions take over the rates of the signals that drive them.
void closeVelocities(system::Assembler& assembler, MassSystem& massSystem, system::State& state,
                     StartReport& report) {
  const system::System& system = assembler.system();
  const std::vector<Kind>& kinds = system.kinds();
  system::TimeDerivatives derivatives;
  massSystem.signals().calcRates(state);
  Eigen::VectorXd total = Eigen::VectorXd::Zero(system.unknowns()), delta;
  for (int pass = 0; pass < (massSystem.isSoft() ? kSoftPasses : 1); ++pass) {
    assembler.calcTimeDerivatives(state, derivatives);
    delta = -derivatives.first;
    keepAlgebraicRows(kinds, delta);
    massSystem.solve(delta);
    for (int u = 0; u < delta.size(); ++u) {
      if (kinds[u] == Kind::kMotion || kinds[u] == Kind::kSignal) state.rate[u] += delta[u];
    }
    total += delta;
  }
  int where = 0;
  report.velocityChange = std::max(report.velocityChange, largestOf(total, kinds, false, &where));
  if (report.velocityWhere.empty()) report.velocityWhere = system.unknownName(UnknownIndex{where});
}

// So that drives that follow from states have their rates from the first pass on.
void calcStateRates(system::Assembler& assembler, system::State& state) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  Eigen::VectorXd r;
  assembler.calcResidual(state, r);
  for (int u = 0; u < r.size(); ++u) {
    if (kinds[u] == Kind::kState && std::isfinite(r[u])) state.rate[u] -= r[u];
  }
}

// Whether motions have the same velocities and accelerations.
bool areSameMotions(const PartSizes& parts, const system::State& a, const system::State& b) {
  const auto isSame = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
    const std::vector<double> changes = parts.findLargestMoves(x - y);
    const std::vector<double> moves = parts.findLargestMoves(y);
    return std::equal(changes.begin(), changes.end(), moves.begin(),
                      [](double change, double move) { return change <= kSamePass * move; });
  };
  return isSame(a.rate, b.rate) && isSame(a.acceleration, b.acceleration);
}

// Whether a signal follows from accelerations or from forces of joints.
bool feedsForcesBack(system::Assembler& assembler, const system::State& state) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  linalg::SparseMatrix K, C, M;
  assembler.calcTangents(state, K, C, M);
  const auto enters = [&](const linalg::SparseMatrix& matrix, Kind from) {
    for (int column = 0; column < matrix.cols(); ++column) {
      if (kinds[column] != from) continue;
      for (linalg::SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
        if (kinds[entry.row()] == Kind::kSignal && entry.value() != 0.0) return true;
      }
    }
    return false;
  };
  return enters(M, Kind::kMotion) || enters(K, Kind::kMultiplier);
}

// A second line is what helps.
std::string describeUndetermined(system::Assembler& assembler, MassSystem& massSystem,
                                 const system::State& state) {
  std::string text = "the accelerations are not determined";
  const linalg::FactorReport factored = massSystem.update(state, MassSystem::Use::kAccelerations);
  if (!factored.ok && factored.singularColumn >= 0) {
    text += ": nothing determines the " +
            assembler.system().unknownName(UnknownIndex{factored.singularColumn});
  }
  if (feedsForcesBack(assembler, state)) {
    return text + "\nfeedback of an acceleration or a force that cancels a mass? Change its gain";
  }
  return text +
         "\na mechanism at a dead point, where it can move on in several ways? Start a little "
         "beside "
         "it; or a motion that has no mass? Give the body one";
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

// With the second derivatives of drives as they are.
bool solveAccelerations(system::Assembler& assembler, MassSystem& massSystem,
                        system::State& state) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  Eigen::VectorXd r, x, met = Eigen::VectorXd::Zero(state.rate.size());
  system::TimeDerivatives derivatives;
  for (int u = 0; u < state.rate.size(); ++u) {
    if (kinds[u] == Kind::kMotion) state.acceleration[u] = 0.0;
    if (kinds[u] == Kind::kState) state.rate[u] = 0.0;
  }
  // Masses hardly change in body axes, so old factors find the accelerations at the many instants of a
  // sampled controller. Without signals all is linear, and new ones do it at once.
  const bool isLinear = massSystem.signals().isEmpty();
  bool isFresh = !isLinear && massSystem.reuse(MassSystem::Use::kAccelerations);
  double previous = 0.0;
  for (int iteration = 0; iteration < kMaxAccelerationSteps; ++iteration) {
    const bool isRenewed = !isFresh;
    if (isRenewed && !massSystem.update(state, MassSystem::Use::kAccelerations).ok) return false;
    isFresh = true;
    assembler.calcResidual(state, r);
    assembler.calcTimeDerivatives(state, derivatives);
    for (int u = 0; u < r.size(); ++u) {
      if (kinds[u] == Kind::kMultiplier) r[u] = derivatives.second[u];
    }
    // Multipliers that no motion determines are forgotten first; what that leaves open of others is mended after it.
    if (iteration == 0) massSystem.addPull(state.value, r);
    x = -r;
    massSystem.solve(x);
    massSystem.solveFollowing(r, x);
    for (int u = 0; u < x.size(); ++u) {
      double& unknown = kinds[u] == Kind::kMotion  ? state.acceleration[u]
                        : kinds[u] == Kind::kState ? state.rate[u]
                                                   : state.value[u];
      met[u] = std::max(met[u], std::abs(unknown));
      unknown += x[u];
      met[u] = std::max(met[u], std::abs(unknown));
    }
    if (!x.allFinite()) return false;
    if (isLinear && !massSystem.isSoft()) return true;
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
  if (!signals.solve(state).empty()) return false;
  signals.calcRates(state);
  signals.calcSecondRates(state);
  return true;
}

// Drives that follow from accelerations and forces, as behind a filter of the force in their joint: second derivatives for which
// these are what the drives make of them.
bool solveWithAnswers(system::Assembler& assembler, MassSystem& massSystem, system::State& state) {
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
    if (!solveAccelerations(assembler, massSystem, state)) return false;
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

// Where signals drive joints, velocities follow from rates of signals, which follow from states and
// motions: passes until they agree.
bool calcRatesAndAccelerations(system::Assembler& assembler, MassSystem& massSystem,
                               system::State& state, StartReport& report) {
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const system::State before = state;
    if (!massSystem.update(state, MassSystem::Use::kKinematics).ok) return false;
    closeVelocities(assembler, massSystem, state, report);
    if (!calcAccelerations(assembler, massSystem, state)) return false;
    if (!massSystem.signals().hasDrives()) return true;
    if (pass > 0 && areSameMotions(massSystem.parts(), before, state)) return true;
  }
  return true;
}

}  // namespace

bool calcAccelerationsWithoutAnswers(system::Assembler& assembler, MassSystem& massSystem,
                                     system::State& state) {
  SignalSystem& signals = massSystem.signals();
  if (signals.hasDrives() && !calcDriveDerivatives(signals, state)) return false;
  return solveAccelerations(assembler, massSystem, state);
}

bool calcAccelerations(system::Assembler& assembler, MassSystem& massSystem, system::State& state) {
  SignalSystem& signals = massSystem.signals();
  if (!signals.hasDrives() || signals.areDrivesGivenByTime()) {
    return calcAccelerationsWithoutAnswers(assembler, massSystem, state);
  }
  return calcDriveDerivatives(signals, state) && solveWithAnswers(assembler, massSystem, state);
}

StartReport makeConsistent(system::Assembler& assembler, MassSystem& massSystem,
                           system::State& state) {
  StartReport report;
  report.trouble = massSystem.signals().solve(state);
  if (!report.trouble.empty()) return report;
  if (!closePositions(assembler, massSystem, state, report)) return report;
  report.trouble = massSystem.signals().solve(state);
  if (!report.trouble.empty()) return report;
  if (massSystem.signals().hasDrives()) calcStateRates(assembler, state);
  report.ok = calcRatesAndAccelerations(assembler, massSystem, state, report);
  if (!report.ok) report.trouble = describeUndetermined(assembler, massSystem, state);
  if (const std::string fault = assembler.fault(); !fault.empty()) report.trouble = fault;
  return report;
}

namespace {

bool haveJumped(const std::vector<Kind>& kinds, const system::State& a, const system::State& b) {
  for (int u = 0; u < a.value.size(); ++u) {
    if (kinds[u] != Kind::kSignal) continue;
    const double size = std::max(std::abs(a.value[u]), std::abs(b.value[u]));
    if (std::abs(a.value[u] - b.value[u]) > kJump * size) return true;
  }
  return false;
}

// Where a branch has ended, as that of an integrator at its limit, states may take another rate though
// no signal jumps.
bool haveRatesJumped(const std::vector<Kind>& kinds, const system::State& state,
                     const Eigen::VectorXd& residual) {
  for (int u = 0; u < residual.size(); ++u) {
    if (kinds[u] != Kind::kState) continue;
    const double now = state.rate[u] - residual[u];
    if (std::abs(residual[u]) > kJump * std::max(std::abs(now), std::abs(state.rate[u]))) {
      return true;
    }
  }
  return false;
}

// The joint whose prescribed position is elsewhere after a jump, with what helps; or nothing.
std::string describeDriveJump(const system::System& system, MassSystem& massSystem,
                              const system::State& before, const system::State& after) {
  const std::vector<SignalSystem::Drive>& drives = massSystem.signals().drives();
  if (drives.empty()) return {};
  constexpr MassSystem::Use kUse = MassSystem::Use::kKinematics;
  if (!massSystem.reuse(kUse) && !massSystem.update(before, kUse).ok) return {};
  const double size = findMachineSize(system, after, massSystem.matrix());
  Eigen::VectorXd gradients;
  calcGradientSizes(system, massSystem.matrix(), size, gradients);
  for (const SignalSystem::Drive& drive : drives) {
    const double from = before.value[drive.signal], to = after.value[drive.signal];
    const double reach = gradients[drive.constraint] * size;
    const double allowed = kSamePosition * std::max({reach, std::abs(from), std::abs(to)});
    if (std::abs(to - from) <= allowed) continue;
    char text[64];
    std::snprintf(text, sizeof text, " jumps from %.6g to %.6g", from, to);
    return "the prescribed position of '" + system.equationName(UnknownIndex{drive.constraint}) +
           "' (signal '" + system.equationName(UnknownIndex{drive.signal}) + "')" + text +
           "\nno finite force moves a body at once: prescribe a smooth motion (s_curve, "
           "sine, a table, a filter behind the jump), or let an actuator follow the signal";
  }
  return {};
}

}  // namespace

JumpReport restartAfterJump(system::Assembler& assembler, MassSystem& massSystem,
                            system::State& state, const std::vector<bool>& dueClocks,
                            bool mustRestart) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  SignalSystem& signals = massSystem.signals();
  system::State next = state;
  JumpReport report;
  report.trouble = dueClocks.empty() ? signals.solve(next) : signals.sample(next, dueClocks);
  if (!report.trouble.empty()) return report;
  if (report.trouble = signals.solve(next); !report.trouble.empty()) return report;
  report.trouble = describeDriveJump(assembler.system(), massSystem, state, next);
  if (!report.trouble.empty()) return report;
  Eigen::VectorXd r;
  assembler.calcResidual(next, r);
  report.restarted = mustRestart || next.value != state.value;
  const bool isMaterial = mustRestart || signals.hasDrives() || haveJumped(kinds, state, next) ||
                          haveRatesJumped(kinds, next, r);
  if (isMaterial) {
    system::State consistent = next;
    if (calcAccelerations(assembler, massSystem, consistent)) next = std::move(consistent);
  }
  state = std::move(next);
  return report;
}

std::vector<double> calcDriveRates(MassSystem& massSystem, system::State state) {
  std::vector<double> rates;
  if (!massSystem.signals().solve(state).empty()) return rates;
  massSystem.signals().calcRates(state);
  for (const auto& drive : massSystem.signals().drives()) rates.push_back(state.rate[drive.signal]);
  return rates;
}

bool haveDriveRatesJumped(const std::vector<double>& before, const std::vector<double>& after) {
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const double size = std::max(std::abs(before[i]), std::abs(after[i]));
    if (std::abs(after[i] - before[i]) > kJump * size) return true;
  }
  return false;
}

bool followDriveRates(system::Assembler& assembler, MassSystem& massSystem, system::State& state) {
  StartReport report;
  return calcRatesAndAccelerations(assembler, massSystem, state, report);
}

}  // namespace flexloop::solve
