#include "analysis/sampled/cycle_map.hpp"

#include <map>

namespace flexloop::analysis {
namespace {

using Eigen::MatrixXd;

// All motions are in one dense matrix.
constexpr int kLargest = 1500;

void multiplyInstants(const SampledMap& map, const SampleCycle& cycle, CycleMap& result) {
  const std::size_t count = cycle.instants.size();
  MatrixXd rest = MatrixXd::Identity(map.size(), map.size());
  std::map<double, MatrixXd> flows;
  for (std::size_t i = 0; i < count; ++i) {
    const double wait = cycle.instants[i].wait;
    if (!flows.contains(wait)) flows[wait] = map.makeFlow(wait);
    rest = flows[wait] * rest;
    if (i + 1 < count) rest = map.makeInstant(cycle.instants[i + 1]).leftCols(map.size()) * rest;
  }
  const MatrixXd first = map.makeInstant(cycle.instants[0]).leftCols(map.size());
  std::vector<int> asked;
  for (int k = 0; k < map.size(); ++k) {
    if (!first.col(k).isZero(0.0)) asked.push_back(k);
  }
  result.dropped = map.size() - static_cast<int>(asked.size());
  result.first = first(Eigen::all, asked);
  result.rest = rest(asked, Eigen::all);
}

}  // namespace

CycleMap makeCycleMap(const Sampling& sampling, const SampledMap& map) {
  CycleMap result;
  result.period = sampling.cycle.period;
  if ((result.failure = map.machine().failure)) return result;
  multiplyInstants(map, sampling.cycle, result);
  if (!result.first.allFinite() || !result.rest.allFinite()) {
    result.failure = base::numericalFailure(
        "the machine moves too fast to be resolved from one sample to the next",
        "use a shorter sampling period, or damp the fastest motions");
    return result;
  }
  result.unknowns = map.makeUnknowns();
  result.A = map.machine().A;
  result.settled = map.machine().settled;
  return result;
}

CycleMap makeCycleMap(const SampledBlocks& blocks, const system::System& system,
                      const LinearModel& linear, const system::State& state) {
  CycleMap result;
  if (linear.pencil.size() > kLargest) {
    result.failure = base::numericalFailure(
        "with sampled blocks this is possible for at most " + std::to_string(kLargest) +
            " unknowns; this machine has " + std::to_string(linear.pencil.size()),
        "use fewer elements, '--bodies rigid', or continuous blocks instead of sampled ones");
    return result;
  }
  const Sampling sampling = makeSampling(blocks, system, linear, state);
  if (sampling.failure) {
    result.period = sampling.cycle.period;
    result.failure = sampling.failure;
    return result;
  }
  return makeCycleMap(sampling, SampledMap(sampling, system, linear, linear.pencil, {}, false));
}

}  // namespace flexloop::analysis
