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

// A delay is exact at every frequency, so the pencil shall not have what its record happens to read.
std::vector<LinearDelay> takeDelays(const model::Model& model, const LinearModel& linear,
                                    SparseMatrix& K) {
  std::vector<LinearDelay> delays;
  for (const system::Item& item : model.description().items) {
    if (item.section() != "blocks" || item.type() != "transport_delay" || item.has("pade"))
      continue;
    const std::string source = item.names("input").front();
    if (!model.findSignal(source)) continue;  // a number
    const int equation = findUnknown(model, linear, item.name());
    const int unknown = findUnknown(model, linear, source);
    delays.push_back({item.name(), equation, unknown, -1, item.number("delay")});
    K.coeffRef(equation, unknown) = 0.0;
  }
  return delays;
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

}  // namespace

LinearPorts makePorts(const model::Model& model, const LinearModel& linear,
                      const PortNames& names) {
  LinearPorts ports{linear.pencil, linear.groups, {}, {}, {}, names};
  ports.delays = takeDelays(model, linear, ports.pencil.K);
  const int cut = names.cut.empty() ? -1 : findUnknown(model, linear, names.cut);
  Eigen::VectorXd readers;
  if (cut >= 0) readers = cutReaders(ports.pencil.K, cut);
  ports.F.setZero(ports.pencil.size(), static_cast<Eigen::Index>(names.inputs.size()));
  for (std::size_t i = 0; i < names.inputs.size(); ++i) {
    const int unknown = findUnknown(model, linear, names.inputs[i]);
    const auto column = static_cast<Eigen::Index>(i);
    if (unknown == cut) {
      ports.F.col(column) = readers;
      for (LinearDelay& delay : ports.delays) {
        if (delay.source == cut) delay.input = static_cast<int>(i);
      }
    } else {
      ports.F(unknown, column) = 1.0;
    }
  }
  for (LinearDelay& delay : ports.delays) {
    if (delay.source == cut) delay.source = -1;
  }
  for (const std::string& name : names.outputs) {
    ports.outputs.push_back(findUnknown(model, linear, name));
  }
  return ports;
}

}  // namespace flexloop::analysis
