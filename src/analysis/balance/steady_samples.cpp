#include "analysis/balance/steady_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/least_squares.hpp"
#include "solve/signal_system.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::VectorXd;
using solve::EquilibriumReport;
using system::State;

constexpr int kMostCorrections = 30;
constexpr double kSame = 1e-10;  // share of the largest number that a block remembers or reads
constexpr double kNoSlope = 1e-9, kStopped = 1e-3;
const double kShare = std::cbrt(std::numeric_limits<double>::epsilon());

EquilibriumReport reject(EquilibriumReport report, std::string message) {
  report.failure = base::numericalFailure(std::move(message),
                                          "use '--at TIME' to linearise at an instant of a "
                                          "simulation in which the controllers have settled");
  return report;
}

}  // namespace

SteadySamples::SteadySamples(system::Assembler& assembler, const control::BlockSet& blocks,
                             const BalanceSearch& search)
    : assembler_(assembler), blocks_(blocks), search_(search) {
  for (const int e : blocks.sampled()) count_ += blocks.block(e).size().memory;
}

VectorXd SteadySamples::memoryOf(State& state) const {
  VectorXd all(count_);
  int first = 0;
  for (const int e : blocks_.sampled()) {
    const int count = blocks_.block(e).size().memory;
    all.segment(first, count) = Eigen::Map<const VectorXd>(blocks_.memory(e, state).memory, count);
    first += count;
  }
  return all;
}

void SteadySamples::setMemory(const VectorXd& memory, State& state) const {
  int first = 0;
  for (const int e : blocks_.sampled()) {
    const int count = blocks_.block(e).size().memory;
    Eigen::Map<VectorXd>(blocks_.memory(e, state).memory, count) = memory.segment(first, count);
    first += count;
  }
}

// The steady motion with the memories as they are, and what an instant makes of these.
EquilibriumReport SteadySamples::tryInstant(State& state, VectorXd& next) {
  EquilibriumReport report = search_(state);
  if (!report.ok()) return report;
  State after = state;
  const std::vector<bool> all(assembler_.system().clocks().size(), true);
  const auto failure = solve::SignalSystem(assembler_).sample(after, all);
  if (failure) return reject(report, failure->message);
  next = memoryOf(after);
  return report;
}

// Of what each block reads and remembers.
VectorXd SteadySamples::findSizes(const State& state, const VectorXd& memory,
                                  const VectorXd& next) const {
  VectorXd sizes(count_);
  int first = 0;
  for (const int e : blocks_.sampled()) {
    const int count = blocks_.block(e).size().memory;
    double size = 0.0;
    const control::BlockReading at = blocks_.read(e, assembler_.calcMotion(state));
    for (const double u : at.u) {
      size = std::max(size, std::abs(u));
    }
    for (int k = first; k < first + count; ++k) {
      size = std::max({size, std::abs(memory[k]), std::abs(next[k])});
    }
    sizes.segment(first, count).setConstant(size);
    first += count;
  }
  return sizes;
}

// Newton's method for Φ(m, u(m)) − m = 0, with slopes by differences. A memory that stays whatever happens, as the integral of
// a controller without one, stays.
bool SteadySamples::correct(const State& found, const VectorXd& next, const VectorXd& sizes,
                            VectorXd& memory) {
  Eigen::MatrixXd slopes = -Eigen::MatrixXd::Identity(count_, count_);
  Eigen::Array<bool, Eigen::Dynamic, 1> stays = next.array() == memory.array();
  for (int k = 0; k < count_; ++k) {
    if (sizes[k] == 0.0) continue;
    VectorXd other = memory, after;
    other[k] += kShare * sizes[k];
    State trial = found;
    setMemory(other, trial);
    if (!tryInstant(trial, after).ok()) return false;
    stays = stays && after.array() == other.array();
    slopes.col(k) += (after - next) / (other[k] - memory[k]);
  }
  for (int k = 0; k < count_; ++k) {
    if (stays[k]) slopes.row(k) = VectorXd::Unit(count_, k);
  }
  const VectorXd scales = (sizes.array() > 0.0).select(sizes, 1.0);
  const Eigen::MatrixXd scaled = scales.cwiseInverse().asDiagonal() * slopes * scales.asDiagonal();
  const VectorXd change = (next - memory).cwiseQuotient(scales);
  const VectorXd correction = linalg::solveSmallest(scaled, change, kNoSlope);
  memory -= scales.cwiseProduct(correction);
  // What no memory can stop continues.
  return memory.allFinite() && (scaled * correction - change).norm() <= kStopped * change.norm();
}

std::string SteadySamples::nameChanging(const VectorXd& change) const {
  int worst = 0;
  change.cwiseAbs().maxCoeff(&worst);
  for (const int e : blocks_.sampled()) {
    worst -= blocks_.block(e).size().memory;
    if (worst < 0) return blocks_.name(e);
  }
  return {};
}

EquilibriumReport SteadySamples::find(State& state) {
  for (const int e : blocks_.sampled()) {
    if (blocks_.block(e).hasHiddenMemory()) {
      return reject({}, "the memory of sampled black box '" + blocks_.name(e) +
                            "' in a steady motion is unknown");
    }
  }
  State found = state;
  VectorXd change = VectorXd::Ones(count_);
  for (int k = 0; k < kMostCorrections; ++k) {
    VectorXd memory = memoryOf(found), next;
    EquilibriumReport report = tryInstant(found, next);
    if (!report.ok()) return report;
    const VectorXd sizes = findSizes(found, memory, next);
    change = (sizes.array() > 0.0).select((next - memory).cwiseQuotient(sizes), 0.0);
    if (change.cwiseAbs().maxCoeff() <= kSame) {
      state = std::move(found);
      return report;
    }
    if (!correct(found, next, sizes, memory)) break;
    setMemory(memory, found);
  }
  return reject({}, "no steady motion was found: sampled block '" + nameChanging(change) +
                        "' keeps changing");
}

}  // namespace flexloop::analysis
