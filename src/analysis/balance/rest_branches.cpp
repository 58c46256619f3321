#include "analysis/balance/rest_branches.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "analysis/balance/read_outputs.hpp"
#include "control/blocks/block_set.hpp"
#include "solve/balance/followed_states.hpp"
#include "solve/balance/holding_states.hpp"
#include "solve/machine_size.hpp"
#include "solve/signal_system.hpp"

namespace flexloop::analysis {
namespace {

using solve::EquilibriumReport;
using system::Kind;
using system::State;

constexpr int kMoreRounds = 20;   // beyond three for each block that remembers anything
constexpr double kSame = 1e-10;   // share of the terms of an equation
constexpr double kSolved = 1e-9;  // the same of what a search has left of the equations of blocks
constexpr int kMostRepetitions = 20;  // until the equations of blocks are solved as well
constexpr int kLevels = 5;            // of blocks behind each other, for the size of a signal
constexpr int kBoxCalls = 10;         // of a black box, to see whether it rests
constexpr double kBoxStep = 1e-3;     // [s] between them
constexpr double kSameMemory = 1e-9;  // relative difference of what blocks remember

bool areSame(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::abs(x - y) <= kSameMemory * std::max(std::abs(x), std::abs(y));
  });
}

class RestBranches {
 public:
  RestBranches(system::Assembler& assembler, const control::BlockSet& blocks,
               const BalanceSearch& search, const State& start)
      : assembler_(assembler), blocks_(blocks), search_(search), start_(start) {}

  EquilibriumReport find(State& state, std::vector<std::string>& notes) {
    static_cast<void>(solve::SignalSystem(assembler_).solve(state));
    const State start = state;
    blocks_.beginRest(assembler_.calcMotion(state), state);
    const State begin = state;
    EquilibriumReport report = iterate(state);
    if (!report.ok()) report = tryFromStart(begin, state, std::move(report));
    if (!report.ok()) report = tryByValues(start, state, std::move(report));
    if (!report.ok()) report = tryMeanLines(begin, state, std::move(report), notes);
    if (!report.ok()) return report;
    keepIdleStates(state, notes);
    blocks_.endRest(assembler_.calcMotion(state), state);
    noteRestlessBoxes(state, notes);
    for (const int u : released_) {
      notes.push_back("'" + assembler_.system().unknownName({u}) +
                      "' yields before the machine comes to rest, so this is one of many "
                      "equilibria: which one is reached depends on the loading");
    }
    return report;
  }

 private:
  // What acts on nothing has the value of the start.
  void keepIdleStates(State& state, std::vector<std::string>& notes) {
    const system::System& system = assembler_.system();
    std::vector<int> idle = solve::findIdleStates(system.kinds(), calcStiffness(state));
    removeFollowed(state, idle);
    if (idle.empty()) return;
    for (const int u : idle) state.value[u] = start_.value[u];
    static_cast<void>(solve::SignalSystem(assembler_).solve(state));
    const Eigen::VectorXd terms = calcTerms(state);
    Eigen::VectorXd r;
    assembler_.calcResidual(state, r);
    for (const int u : idle) {
      if (std::abs(r[u]) <= kSolved * terms[u]) continue;
      std::ostringstream text;
      text << "'" << system.unknownName({u}) << "' is not at rest: it has no effect and changes by "
           << -r[u] << " per second";
      notes.push_back(text.str());
    }
  }

  // A black box without a clock takes part as it is at its first call; one that remembers may go on.
  void noteRestlessBoxes(const State& state, std::vector<std::string>& notes) {
    for (const int e : blocks_.remembering()) {
      const control::Block& block = blocks_.block(e);
      if (!block.isBox() || block.clock() >= 0 || !block.canGoBack()) continue;
      State trial = state;
      const std::vector<double> u = blocks_.read(e, assembler_.calcMotion(state)).u;
      std::vector<double> first(block.size().outputs), y(first.size());
      const control::BlockMemory memory = blocks_.memory(e, trial);
      for (int call = 0; call <= kBoxCalls; ++call) {
        const control::BlockPorts<double> own{
            state.time + call * kBoxStep, {}, u, memory.memory, memory.record, {}, y};
        block.calc(own);
        if (call == 0) first = y;
        block.remember(own, memory);
      }
      const std::vector<bool> isRead = findReadOutputs(assembler_, blocks_, e);
      for (std::size_t k = 0; k < y.size(); ++k) {
        if (!isRead[k]) y[k] = first[k];
      }
      if (!areSame(first, y)) {
        notes.push_back("black box '" + blocks_.name(e) +
                        "' is not at rest: its outputs change while its inputs are constant, so "
                        "this is not an equilibrium of the machine with it");
      }
    }
  }

  EquilibriumReport iterate(State& state) {
    const std::vector<double> first = state.history;
    std::vector<std::vector<double>> visited;
    const auto rounds = 3 * blocks_.remembering().size() + kMoreRounds;
    bool isSingle = false;
    State at = state;
    for (std::size_t round = 0;; ++round) {
      visited.push_back(at.history);
      EquilibriumReport report = balance(at);
      if (!report.ok()) return explain(first, at, std::move(report));
      State next = at;
      if (!switchBranches(at, isSingle, next)) {
        state = next;
        return finish(state, std::move(report));
      }
      const bool isKnown = std::any_of(visited.begin(), visited.end(), [&](const auto& history) {
        return areSame(history, next.history);
      });
      if (isKnown && isSingle) return failForCycle(at, next, std::move(report));
      if (round >= rounds) return failForCycle(at, next, std::move(report));
      // One block at a time ends where all at once go round in a circle.
      if (isKnown) {
        isSingle = true;
        visited.clear();
      }
      keepHeldStates(next);
      at = std::move(next);
    }
  }

  // A search judges motions; nonlinear blocks may need it again.
  EquilibriumReport balance(State& state) {
    released_.clear();
    EquilibriumReport report = search_(state);
    released_.insert(report.released.begin(), report.released.end());
    for (int k = 0; report.ok() && k < kMostRepetitions && !areBlocksSolved(state); ++k) {
      report = search_(state);
      released_.insert(report.released.begin(), report.released.end());
    }
    iterations_ += report.iterations;
    report.iterations = iterations_;
    return report;
  }

  // Goes to the branches that fit; false if none changes the equations.
  bool switchBranches(const State& at, bool isSingle, State& next) {
    bool matters = false;
    for (const int e : blocks_.remembering()) {
      if (!blocks_.settleAtRest(assembler_.calcMotion(at), e, next)) continue;
      // What a sampled block remembers is not in the residual.
      const bool isSampled = blocks_.block(e).clock() >= 0;
      matters = matters || isSampled;
      if (isSingle && (isSampled || !isSameResidual(at, next))) return true;
    }
    return matters || !isSameResidual(at, next);
  }

  // The sums of the terms of each equation without their signs. A signal may be a difference that is zero
  // at rest: its size is that of its own terms.
  Eigen::VectorXd calcTerms(const State& state) {
    const system::System& system = assembler_.system();
    const linalg::SparseMatrix K = calcStiffness(state);
    const linalg::SparseMatrix sizes = K.cwiseAbs();
    Eigen::VectorXd values = state.value.cwiseAbs();
    for (int u = 0; u < values.size(); ++u) {
      if (system.kinds()[u] != Kind::kMotion) continue;
      values[u] = system.isRotation({u}) ? 1.0 : size_;
    }
    Eigen::VectorXd terms = sizes * values;
    for (int k = 0; k < kLevels; ++k) {
      for (int u = 0; u < values.size(); ++u) {
        if (system.kinds()[u] == Kind::kSignal) values[u] = std::max(values[u], terms[u]);
      }
      terms = sizes * values;
    }
    return terms;
  }

  linalg::SparseMatrix calcStiffness(const State& state) {
    linalg::SparseMatrix K, C, M;
    Eigen::VectorXd r;
    assembler_.calcResidual(state, r);
    assembler_.calcTangents(state, K, C, M);
    return K;
  }

  bool isSameResidual(const State& a, const State& b) {
    Eigen::VectorXd of_a, of_b;
    assembler_.calcResidual(a, of_a);
    assembler_.calcResidual(b, of_b);
    const Eigen::VectorXd difference = (of_a - of_b).cwiseAbs();
    if (difference.isZero(0.0)) return true;
    return ((calcTerms(a) * kSame - difference).array() >= 0.0).all();
  }

  bool areBlocksSolved(const State& state) {
    const Eigen::VectorXd terms = calcTerms(state);
    const std::vector<Kind>& kinds = assembler_.system().kinds();
    const std::vector<int> idle = solve::findIdleStates(kinds, calcStiffness(state));
    Eigen::VectorXd r;
    assembler_.calcResidual(state, r);
    for (const int u : idle) r[u] = 0.0;
    for (int u = 0; u < r.size(); ++u) {
      const bool isBlock = kinds[u] == Kind::kSignal || kinds[u] == Kind::kState;
      if (isBlock && !(std::abs(r[u]) <= kSolved * terms[u])) return false;
    }
    return true;
  }

  // States that hold have the value of the start: rest says nothing of them. Those that follow the machine have changed with
  // it.
  void keepHeldStates(State& state) {
    const linalg::SparseMatrix K = calcStiffness(state);
    std::vector<int> held = solve::findHoldingStates(assembler_.system().kinds(), K);
    removeFollowed(state, held);
    for (const int u : held) state.value[u] = start_.value[u];
  }

  std::vector<int> findFollowed(const State& state) {
    std::vector<int> states;
    const linalg::SparseMatrix K = calcStiffness(state);
    const auto& kinds = assembler_.system().kinds();
    for (const auto& f : solve::FollowedStates(assembler_).find(state, kinds, K)) {
      states.push_back(f.state);
    }
    return states;
  }

  void removeFollowed(const State& state, std::vector<int>& states) {
    if (states.empty()) return;
    const std::vector<int> followed = findFollowed(state);
    std::erase_if(states,
                  [&](int u) { return std::binary_search(followed.begin(), followed.end(), u); });
  }

  // A state that grows wherever the machine is says most; else the branches that the balance is missing on.
  EquilibriumReport explain(const std::vector<double>& first, State& at, EquilibriumReport report) {
    static_cast<void>(solve::SignalSystem(assembler_).solve(at));
    const std::optional<base::Failure> failure = std::exchange(report.failure, std::nullopt);
    report = finish(at, std::move(report));
    if (!report.ok()) return report;
    report.failure = failure;
    addBranches(first, at.history, report);
    return report;
  }

  // A state that holds must have no rate, unless it acts on nothing.
  EquilibriumReport finish(const State& state, EquilibriumReport report) {
    const linalg::SparseMatrix K = calcStiffness(state);
    Eigen::VectorXd r;
    assembler_.calcResidual(state, r);
    const Eigen::VectorXd terms = calcTerms(state);
    const std::vector<Kind>& kinds = assembler_.system().kinds();
    const std::vector<int> idle = solve::findIdleStates(kinds, K), followed = findFollowed(state);
    std::vector<int> restless = solve::findHoldingStates(kinds, K);
    restless.insert(restless.end(), followed.begin(), followed.end());
    for (const int u : restless) {
      if (std::abs(r[u]) <= kSame * terms[u]) continue;
      if (std::binary_search(idle.begin(), idle.end(), u)) continue;
      const bool measuresSpeed = std::binary_search(followed.begin(), followed.end(), u);
      return failForGrowth(u, -r[u], measuresSpeed, std::move(report));
    }
    return report;
  }

  EquilibriumReport failForGrowth(int state, double rate, bool measuresSpeed,
                                  EquilibriumReport report) const {
    std::ostringstream text;
    text << "there is no equilibrium: '" << assembler_.system().unknownName({state})
         << "' changes at the constant rate " << rate << " 1/s wherever the machine is";
    report.failure = base::numericalFailure(
        text.str(), measuresSpeed
                        ? "it integrates a speed error, which is not zero while nothing moves: "
                          "'flexloop equilibrium --steady' finds the motion at that speed, if the "
                          "model starts with it; or make the reference zero at rest"
                        : "make its input zero at rest, or give it limits");
    return report;
  }

  // The blocks whose memory differs.
  std::string nameChanged(const std::vector<double>& a, const std::vector<double>& b) const {
    std::string names;
    for (const int e : blocks_.remembering()) {
      const int first = blocks_.historyOffset(e), count = blocks_.block(e).size().memory;
      if (std::equal(a.begin() + first, a.begin() + first + count, b.begin() + first)) continue;
      names += (names.empty() ? "'" : ", '") + blocks_.name(e) + "'";
    }
    return names;
  }

  void addBranches(const std::vector<double>& first, const std::vector<double>& now,
                   EquilibriumReport& report) const {
    const std::string names = nameChanged(first, now);
    if (names.empty()) return;
    report.failure = base::withContext(
        "there is no equilibrium with " + names + " at the limit or switched: ", *report.failure);
  }

  EquilibriumReport failForCycle(const State& at, const State& next,
                                 EquilibriumReport report) const {
    report.failure = base::numericalFailure(
        "there is no equilibrium: no branch of " + nameChanged(at.history, next.history) +
            " has an equilibrium at which that branch is valid",
        "a relay or switch in a loop keeps switching; 'flexloop run' shows the motion");
    return report;
  }

  // The branches that the values at the start have.
  EquilibriumReport tryFromStart(const State& begin, State& state, EquilibriumReport failed) {
    State other = begin;
    bool changes = false;
    for (const int e : blocks_.remembering()) {
      changes = blocks_.settleAtRest(assembler_.calcMotion(begin), e, other) || changes;
    }
    if (!changes || isSameResidual(begin, other)) return failed;
    EquilibriumReport report = iterate(other);
    if (!report.ok()) return failed;
    state = other;
    return report;
  }

  // Without branches of their own, limits follow from the values on the way.
  EquilibriumReport tryByValues(const State& start, State& state, EquilibriumReport failed) {
    State other = start;
    EquilibriumReport report = iterate(other);
    if (!report.ok()) return failed;
    state = other;
    return report;
  }

  EquilibriumReport tryMeanLines(const State& begin, State& state, EquilibriumReport failed,
                                 std::vector<std::string>& notes) {
    State other = begin;
    const std::vector<int> elements = blocks_.takeMeanLines(other);
    if (elements.empty()) return failed;
    EquilibriumReport report = iterate(other);
    if (!report.ok()) return failed;
    state = other;
    for (const int e : elements) {
      notes.push_back("the equilibrium is between two levels of '" + blocks_.name(e) +
                      "', which is replaced by its mean line; in a run it switches between them");
    }
    return report;
  }

  system::Assembler& assembler_;
  const control::BlockSet& blocks_;
  const BalanceSearch& search_;
  const State start_;
  const double size_ = solve::findFarthestNode(start_);
  int iterations_ = 0;
  std::set<int> released_;  // by the last balance
};

}  // namespace

EquilibriumReport settleAtRest(system::Assembler& assembler, const BalanceSearch& search,
                               State& state, std::vector<std::string>& notes) {
  const control::BlockSet* blocks = control::findBlocks(assembler.system());
  if (blocks == nullptr) return search(state);
  State found = state;
  const EquilibriumReport report =
      RestBranches(assembler, *blocks, search, state).find(found, notes);
  if (report.ok()) state = std::move(found);
  return report;
}

}  // namespace flexloop::analysis
