#include "analysis/sampled/sampled_roots.hpp"

#include <numbers>

#include "analysis/sampled/cycle_map.hpp"
#include "analysis/sampled/sampled_machine.hpp"
#include "linalg/roots/multipliers.hpp"
#include "linalg/roots/real_eigenpairs.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::MatrixXd;

// What is below this share of the largest entry does not take part in a motion without resistance.
constexpr double kNoPart = 1e-4;

int countAbove(const MatrixXd& A, double frequency) {
  int count = 0;
  for (const linalg::Eigenpair& pair : linalg::findRealEigenpairs(A)) {
    if (pair.value.imag() > frequency) ++count;
  }
  return count;
}

}  // namespace

SampledRoots findSampledRoots(const SampledBlocks& blocks, const system::System& system,
                              const LinearModel& linear, const system::State& state) {
  SampledRoots roots;
  const SampledMachine machine = makeSampledMachine(blocks, system, linear, state);
  roots.failure = machine.failure;
  roots.note = machine.note;
  if (roots.failure) return roots;
  const LinearModel& used = machine.linear();
  const CycleMap map = makeCycleMap(
      machine.sampling, SampledMap(machine.sampling, system, used, used.pencil, {}, false));
  if ((roots.failure = map.failure)) return roots;
  const linalg::Multipliers multipliers = linalg::findMultipliers(map.rest * map.first);
  roots.cycle = {map.period, multipliers.zeros + map.dropped + map.settled,
                 countAbove(map.A, std::numbers::pi / map.period)};
  const MatrixXd unknowns = map.unknowns * map.first;
  for (const linalg::Multiplier& multiplier : multipliers.found) {
    Eigen::VectorXcd u = unknowns * multiplier.vector;
    if (machine.condensed) u = machine.condensed->expand(u);
    if (multiplier.exponent == 0.0) {
      const double smallest = kNoPart * u.cwiseAbs().maxCoeff();
      u = (u.array().abs() < smallest).select(0.0, u).eval();
    }
    roots.pairs.push_back({multiplier.exponent / map.period, std::move(u), multiplier.residual});
  }
  return roots;
}

}  // namespace flexloop::analysis
