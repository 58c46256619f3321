#include "analysis/linear_ports.hpp"

#include <algorithm>
#include <cassert>

namespace flexloop::analysis {
namespace {

using linalg::SparseMatrix;

// The unknown of the pencil that stands for a signal.
int findUnknown(const model::Model& model, const LinearModel& linear, const std::string& signal) {
  const std::optional<system::UnknownIndex> unknown = model.findSignal(signal);
  assert(unknown.has_value());
  const auto found = std::find(linear.unknowns.begin(), linear.unknowns.end(), unknown->value);
  assert(found != linear.unknowns.end());
  return static_cast<int>(found - linear.unknowns.begin());
}

// Nothing reads the signal any longer. Its own equation is y − h = 0, so that what differs from one on
// the diagonal is a block that reads its own output. Returns what the readers get from an input of one.
Eigen::VectorXd cutReaders(SparseMatrix& K, int signal) {
  Eigen::VectorXd readers = -Eigen::VectorXd(K.col(signal));
  readers[signal] += 1.0;
  for (SparseMatrix::InnerIterator it(K, signal); it; ++it) {
    it.valueRef() = it.row() == signal ? 1.0 : 0.0;
  }
  return readers;
}

// f e^{−sτ} y of the readers of y becomes −f e^{−sτ} w on the other side.
void cutDelayedReaders(LinearPorts& ports, int signal, int input) {
  for (const linalg::DelayTerm& term : ports.delays) {
    if (term.column == signal) {
      ports.delayedInputs.push_back({term.row, input, -term.factor, term.delay});
    }
  }
}

}  // namespace

LinearPorts makePorts(const model::Model& model, const LinearModel& linear,
                      const PortNames& names) {
  LinearPorts ports{linear.pencil, linear.groups, {}, linear.delays, {}, {}, names};
  const int cut = names.cut.empty() ? -1 : findUnknown(model, linear, names.cut);
  Eigen::VectorXd readers;
  if (cut >= 0) readers = cutReaders(ports.pencil.K, cut);
  ports.F.setZero(ports.pencil.size(), static_cast<Eigen::Index>(names.inputs.size()));
  for (std::size_t i = 0; i < names.inputs.size(); ++i) {
    const int unknown = findUnknown(model, linear, names.inputs[i]);
    const auto column = static_cast<Eigen::Index>(i);
    if (unknown == cut) {
      ports.F.col(column) = readers;
      cutDelayedReaders(ports, cut, static_cast<int>(i));
    } else {
      ports.F(unknown, column) = 1.0;
    }
  }
  std::erase_if(ports.delays, [&](const linalg::DelayTerm& term) { return term.column == cut; });
  for (const std::string& name : names.outputs) {
    ports.outputs.push_back(findUnknown(model, linear, name));
  }
  return ports;
}

}  // namespace flexloop::analysis
