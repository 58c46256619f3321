#include "analysis/sampled/sampled_cut.hpp"

#include <algorithm>
#include <set>

#include "analysis/linear/linear_ports.hpp"
#include "linalg/state_space/dependence.hpp"

namespace flexloop::analysis {
namespace {

using linalg::SparseMatrix;

bool isSignal(const LinearModel& linear, const system::System& system, int unknown) {
  const int u = linear.unknowns[unknown];
  return u >= 0 && system.kinds()[u] == system::Kind::kSignal;
}

// What readers of a signal get.
Eigen::VectorXd readersOf(const SparseMatrix& K, int signal) {
  Eigen::VectorXd readers = -Eigen::VectorXd(K.col(signal));
  readers[signal] = 0.0;
  return readers;
}

Eigen::MatrixXd heldColumns(int size, const std::vector<SampledPorts>& blocks,
                            const linalg::DelayTerms& delays) {
  std::vector<int> held;
  for (const SampledPorts& block : blocks) {
    held.insert(held.end(), block.outputs.begin(), block.outputs.end());
  }
  for (const linalg::DelayTerm& delay : delays) held.push_back(delay.row);
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(size, std::max<std::size_t>(held.size(), 1));
  for (std::size_t k = 0; k < held.size(); ++k) F(held[k], static_cast<Eigen::Index>(k)) = 1.0;
  return F;
}

class CutSearch {
 public:
  CutSearch(const model::Model& model, const LinearModel& linear,
            const std::vector<SampledPorts>& blocks, int cut)
      : model_(model),
        linear_(linear),
        blocks_(blocks),
        cut_(cut),
        pencilOfCut_(pencilCutAt(cut)),
        ofCut_(pencilOfCut_, {}) {}

  // Nothing of the machine goes round the cut without being sampled.
  bool isPossible() const { return !ofCut_.findReached(readersOf(linear_.pencil.K, cut_))[cut_]; }

  bool isReplacedBy(int signal) const {
    const linalg::Dependence ofSignal(pencilCutAt(signal), {});
    if (!ofSignal.findReached(readersOf(linear_.pencil.K, signal))[cut_]) return false;
    const Eigen::MatrixXd held = heldColumns(linear_.pencil.size(), blocks_, linear_.delays);
    if (ofSignal.findReached(held)[cut_]) return false;
    const std::vector<bool> reached = ofCut_.findReached(readersOf(pencilOfCut_.K, signal));
    for (const SampledPorts& block : blocks_) {
      for (const int input : block.inputs) {
        if (reached[input] || input == signal) return false;
      }
    }
    return std::none_of(
        linear_.delays.begin(), linear_.delays.end(),
        [&](const linalg::DelayTerm& t) { return reached[t.column] || t.column == signal; });
  }

 private:
  linalg::QuadraticPencil pencilCutAt(int signal) const {
    const std::string name = model_.signalName({linear_.unknowns[signal]});
    return makePorts(model_, linear_, {{name}, {name}, name}).pencil;
  }

  const model::Model& model_;
  const LinearModel& linear_;
  const std::vector<SampledPorts>& blocks_;
  int cut_;
  linalg::QuadraticPencil pencilOfCut_;
  linalg::Dependence ofCut_;
};

}  // namespace

bool isAny(const std::vector<bool>& clocks) {
  return std::find(clocks.begin(), clocks.end(), true) != clocks.end();
}

bool jumps(const LinearModel& linear, const system::System& system,
           const std::vector<SampledPorts>& blocks, int signal) {
  const Eigen::SparseMatrix<double, Eigen::RowMajor> K = linear.pencil.K;
  std::set<int> seen{signal};
  std::vector<int> open{signal};
  while (!open.empty()) {
    const int row = open.back();
    open.pop_back();
    for (const SampledPorts& block : blocks) {
      const auto& outputs = block.outputs;
      if (std::find(outputs.begin(), outputs.end(), row) != outputs.end()) return true;
    }
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(K, row); it; ++it) {
      const int column = static_cast<int>(it.col());
      if (it.value() == 0.0 || !isSignal(linear, system, column)) continue;
      if (seen.insert(column).second) open.push_back(column);
    }
  }
  return false;
}

int findHeldSignalBefore(const model::Model& model, const LinearModel& linear,
                         const std::vector<SampledPorts>& blocks, int cut) {
  const CutSearch search(model, linear, blocks, cut);
  if (!search.isPossible()) return -1;
  for (int u = 0; u < linear.pencil.size(); ++u) {
    if (u == cut || !isSignal(linear, model.system(), u)) continue;
    if (!isAny(findHoldingClocks(linear, model.system(), blocks, u))) continue;
    if (search.isReplacedBy(u)) return u;
  }
  return -1;
}

}  // namespace flexloop::analysis
