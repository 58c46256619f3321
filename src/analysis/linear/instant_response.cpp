#include "analysis/linear/instant_response.hpp"

#include <numeric>

#include "solve/prepared_machine.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::analysis {
namespace {

using linalg::SparseMatrix;
using system::Kind;
using system::UnknownIndex;

// Rows of constraints that depend on others are softened in S, and are satisfied after a few corrections.
constexpr int kCorrections = 4;

// What accelerates together is one: the freedoms of a node, and all that masses and constraints connect.
class Groups {
 public:
  explicit Groups(int count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  int find(int u) {
    while (parent_[u] != u) u = parent_[u] = parent_[parent_[u]];
    return u;
  }
  void join(int a, int b) { parent_[find(a)] = find(b); }

 private:
  std::vector<int> parent_;
};

bool isMechanical(Kind kind) {
  return kind == Kind::kMotion || kind == Kind::kMultiplier;
}

template <class Visit>
void visitEntries(const SparseMatrix& matrix, const Visit& visit) {
  for (int column = 0; column < matrix.cols(); ++column) {
    for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
      if (entry.value() != 0.0) visit(static_cast<int>(entry.row()), column);
    }
  }
}

// By unknown, or the first of its group, those that determine it at the same instant.
class InstantGraph {
 public:
  explicit InstantGraph(const model::Model& model)
      : system_(model.system()), groups_(system_.unknowns()), uses_(system_.unknowns()) {
    const solve::MachineLoan machine = model.borrowMachine();
    SparseMatrix K, C, M;
    Eigen::VectorXd residual;
    machine->assembler().calcResidual(model.start(), residual);
    machine->assembler().calcTangents(model.start(), K, C, M);
    joinNodes();
    visitEntries(M, [&](int row, int column) { join(row, column, Kind::kMotion); });
    visitEntries(K, [&](int row, int column) { join(row, column, Kind::kMultiplier); });
    visitEntries(M, [&](int row, int column) {
      if (kind(column) == Kind::kMotion) addUse(row, column);
    });
    visitEntries(K, [&](int row, int column) {
      if (kind(column) == Kind::kMultiplier || kind(column) == Kind::kSignal) addUse(row, column);
    });
    addSignals();
  }

  // All that an unknown acts on at once.
  std::vector<bool> findReached(int from) {
    std::vector<bool> reached(uses_.size(), false);
    std::vector<int> open{groups_.find(from)};
    reached[open.front()] = true;
    while (!open.empty()) {
      const int used = open.back();
      open.pop_back();
      for (const int user : uses_[used]) {
        if (!reached[user]) open.push_back(user);
        reached[user] = true;
      }
    }
    return reached;
  }

 private:
  Kind kind(int u) const { return system_.kind(UnknownIndex{u}); }

  void joinNodes() {
    for (const system::Node& node : system_.nodes()) {
      for (int k = 1; k < node.count; ++k) groups_.join(node.firstUnknown, node.firstUnknown + k);
    }
  }

  void join(int row, int column, Kind of) {
    if (kind(column) == of && isMechanical(kind(row))) groups_.join(row, column);
    if (kind(row) == of && isMechanical(kind(column)) && of == Kind::kMultiplier) {
      groups_.join(row, column);
    }
  }

  void addUse(int user, int used) {
    if (kind(user) == Kind::kState) return;
    uses_[groups_.find(used)].push_back(groups_.find(user));
  }

  // What a block on another branch may use counts too.
  void addSignals() {
    const system::SignalGraph graph(system_);
    for (int u = 0; u < system_.unknowns(); ++u) {
      if (kind(u) != Kind::kSignal) continue;
      for (const int used : graph.usedBy(u)) addUse(u, used);
    }
  }

  const system::System& system_;
  Groups groups_;
  std::vector<std::vector<int>> uses_;  // by what is used, its users
};

}  // namespace

base::Result<Eigen::MatrixXd> calcInstantResponse(const model::Model& model,
                                                  const system::State& state,
                                                  const std::vector<UnknownIndex>& inputs,
                                                  const std::vector<UnknownIndex>& outputs) {
  const solve::MachineLoan machine = model.borrowMachine();
  machine->begin(state);
  solve::MassSystem& masses = machine->massSystem();
  if (!masses.update(state, solve::MassSystem::Use::kAccelerations).ok) {
    return base::numericalFailure("accelerations are not determined at this instant");
  }
  Eigen::MatrixXd D(static_cast<Eigen::Index>(outputs.size()),
                    static_cast<Eigen::Index>(inputs.size()));
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    Eigen::VectorXd answer = Eigen::VectorXd::Zero(model.system().unknowns());
    for (int k = 0; k < (masses.isSoft() ? kCorrections : 1); ++k) {
      Eigen::VectorXd rest = masses.matrix() * answer;
      masses.addPull(-answer, rest);
      Eigen::VectorXd correction = -rest;
      correction[inputs[j].value] += 1.0;
      masses.solve(correction);
      answer += correction;
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      D(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = answer[outputs[i].value];
    }
  }
  if (!D.allFinite()) {
    return base::numericalFailure("the slopes of the outputs are not finite at this instant");
  }
  return D;
}

std::vector<std::vector<bool>> findInstantPaths(const model::Model& model,
                                                const std::vector<UnknownIndex>& inputs,
                                                const std::vector<UnknownIndex>& outputs) {
  InstantGraph graph(model);
  std::vector<std::vector<bool>> paths(outputs.size(), std::vector<bool>(inputs.size(), false));
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    const std::vector<bool> reached = graph.findReached(inputs[j].value);
    for (std::size_t i = 0; i < outputs.size(); ++i) paths[i][j] = reached[outputs[i].value];
  }
  return paths;
}

}  // namespace flexloop::analysis
