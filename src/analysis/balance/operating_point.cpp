#include "analysis/balance/operating_point.hpp"

#include <algorithm>

#include "analysis/balance/steady_motion.hpp"
#include "analysis/time/branch_settlement.hpp"
#include "analysis/time/run_point.hpp"
#include "analysis/time/time_analysis.hpp"
#include "solve/consistent_accelerations.hpp"
#include "solve/prepared_machine.hpp"
#include "solve/switch_settlement.hpp"
#include "system/switching.hpp"

namespace flexloop::analysis {
namespace {

using model::Model;
using model::OperatingPoint;

OperatingState findStart(const Model& model) {
  OperatingState found;
  found.state = model.start();
  const solve::MachineLoan machine = model.borrowMachine();
  machine->begin(found.state);
  found.failure = settleStart(*machine, found.state).failure;
  if (!found.failure) found.failure = solve::settleSwitches(*machine, found.state);
  if (found.failure) found.failure = base::withContext("at the start: ", *found.failure);
  return found;
}

OperatingState fromBalance(EquilibriumResult balance) {
  OperatingState found;
  found.failure = balance.report.failure;
  found.notes = std::move(balance.notes);
  found.state = std::move(balance.state);
  return found;
}

// What rolls without slip constrains velocities. About a rest that is a constraint of positions; in motion it is not, and what this leaves out is as
// large as the effects of the speed.
std::optional<base::Failure> describeRolling(const Model& model, const system::State& state) {
  const auto switches = system::findSwitches(model.system());
  if (switches.empty()) return {};
  const solve::MachineLoan machine = model.borrowMachine();
  const system::Motion& motion = machine->assembler().calcMotion(state);
  for (const system::Switch& s : switches) {
    if (!s.set->rolls(s.index, motion)) continue;
    return base::numericalFailure(
        "the " + s.name() +
            " rolls without slip: linear equations about a rolling motion are not available",
        "linearise about a rest, or give the contact a 'stiffness' in place of 'restitution'");
  }
  return {};
}

// aᵀ M a of the motions.
double weighAccelerations(const Model& model, const linalg::SparseMatrix& M,
                          const system::State& state) {
  Eigen::VectorXd a = state.acceleration;
  for (int u = 0; u < a.size(); ++u) {
    if (model.system().kinds()[u] != system::Kind::kMotion) a[u] = 0.0;
  }
  return a.dot(M * a);
}

// A scheme that damps nothing lets accelerations and multipliers swing from step to step, and stiff parts that the
// steps do not resolve would swing if their forces were believed. Of the accelerations of the scheme and those that
// the forces give, the smaller ones are without such swings (section 18.1).
system::State removeNumericalRinging(const Model& model, const system::State& state) {
  const solve::MachineLoan machine = model.borrowMachine();
  system::Assembler& assembler = machine->assembler();
  system::State forced = state;
  machine->begin(state);
  if (!solve::calcAccelerations(*machine, forced)) return state;
  if (!forced.acceleration.allFinite() || !forced.value.allFinite()) return state;
  Eigen::VectorXd residual;
  assembler.calcResidual(state, residual);
  linalg::SparseMatrix K, C, M;
  assembler.calcTangents(state, K, C, M);
  const bool isCalmer = weighAccelerations(model, M, forced) < weighAccelerations(model, M, state);
  return isCalmer ? forced : state;
}

class StateVisitor final : public Observer {
 public:
  explicit StateVisitor(const std::function<void(const system::State&)>& visit) : visit_(visit) {}

  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State&, const std::vector<double>&) override {}
  bool onStep(double) override { return true; }
  void onCheckpoint(const RunPoint& point) override { visit_(point.state); }

 private:
  const std::function<void(const system::State&)>& visit_;
};

}  // namespace

OperatingState visitStates(const Model& model, const std::vector<double>& times,
                           const std::function<void(const system::State& state)>& visit) {
  OperatingState found;
  if (!model.time()) {
    found.failure = base::numericalFailure(
        "the model has no 'analysis: time', which is needed for the state at a given time",
        "add 'analysis: {time: {end: 2, step: 1 ms}}'");
    return found;
  }
  std::vector<double> later;
  for (const double time : times) {
    if (time > 0.0) {
      later.push_back(time);
      continue;
    }
    found = findOperatingPoint(model, {model.time()->start, 0.0});
    if (!found.ok()) return found;
    visit(found.state);
  }
  if (later.empty()) return found;
  TimeSettings settings = *model.time();
  settings.end = later.back();
  std::optional<base::Failure> rolling;
  const std::function<void(const system::State&)> keep = [&](const system::State& state) {
    found.state = removeNumericalRinging(model, state);
    if (!rolling) rolling = describeRolling(model, found.state);
    if (!rolling) visit(found.state);
  };
  StateVisitor visitor(keep);
  const TimeReport report = runTime(model, settings, visitor, {nullptr, later});
  found.failure = report.failure ? report.failure : rolling;
  return found;
}

namespace {

OperatingState findState(const Model& model, const OperatingPoint& point) {
  switch (point.kind) {
    case OperatingPoint::Kind::kInitial:
      return findStart(model);
    case OperatingPoint::Kind::kEquilibrium:
      return fromBalance(findEquilibrium(model));
    case OperatingPoint::Kind::kSteady:
      return fromBalance(findSteadyMotion(model));
    case OperatingPoint::Kind::kTime:
      break;
  }
  return visitStates(model, {point.time}, [](const system::State&) {});
}

}  // namespace

OperatingState findOperatingPoint(const Model& model, const OperatingPoint& point) {
  OperatingState found = findState(model, point);
  if (!found.failure) found.failure = describeRolling(model, found.state);
  return found;
}

}  // namespace flexloop::analysis
