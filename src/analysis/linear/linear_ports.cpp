#include "analysis/linear/linear_ports.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "control/sources/source.hpp"

namespace flexloop::analysis {
namespace {

using linalg::SparseMatrix;

// The unknown of the pencil that represents a signal.
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

const control::SourceSet* findSources(const system::System& system) {
  for (const auto& set : system.sets()) {
    if (const auto* sources = dynamic_cast<const control::SourceSet*>(set.get())) return sources;
  }
  return nullptr;
}

// The rate of a function of time is another one, "r.rate", and that has "r.rate.rate".
void addRates(const model::Model& model, const LinearModel& linear, const std::string& name,
              int input, LinearPorts& ports) {
  const control::SourceSet* sources = findSources(model.system());
  if (sources == nullptr) return;
  std::string rate = name;
  for (int power = 1; sources->find(rate) != nullptr; ++power) {
    rate += ".rate";
    if (sources->find(rate) == nullptr) return;
    ports.rateInputs.push_back({findUnknown(model, linear, rate), input, power});
  }
}

}  // namespace

Eigen::MatrixXcd evaluateInputs(const LinearPorts& ports, std::complex<double> s) {
  Eigen::MatrixXcd F = ports.F.cast<std::complex<double>>();
  for (const linalg::DelayTerm& term : ports.delayedInputs) {
    F(term.row, term.column) += term.factor * std::exp(-s * term.delay);
  }
  for (const RateInput& rate : ports.rateInputs) F(rate.row, rate.input) += std::pow(s, rate.power);
  return F;
}

std::vector<Eigen::MatrixXd> makeInputPolynomial(const LinearPorts& ports) {
  std::vector<Eigen::MatrixXd> F{ports.F};
  for (const RateInput& rate : ports.rateInputs) {
    while (std::ssize(F) <= rate.power) {
      F.push_back(Eigen::MatrixXd::Zero(ports.F.rows(), ports.F.cols()));
    }
    F[rate.power](rate.row, rate.input) += 1.0;
  }
  return F;
}

Eigen::MatrixXd makeInputPattern(const LinearPorts& ports) {
  Eigen::MatrixXd pattern = (ports.F.array() != 0.0).cast<double>();
  for (const linalg::DelayTerm& term : ports.delayedInputs) pattern(term.row, term.column) = 1.0;
  for (const RateInput& rate : ports.rateInputs) pattern(rate.row, rate.input) = 1.0;
  return pattern;
}

LinearPorts makePorts(const model::Model& model, const LinearModel& linear,
                      const PortNames& names) {
  LinearPorts ports{linear.pencil, linear.groups, {}, linear.delays, {}, {}, {}, names};
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
      addRates(model, linear, names.inputs[i], static_cast<int>(i), ports);
    }
  }
  std::erase_if(ports.delays, [&](const linalg::DelayTerm& term) { return term.column == cut; });
  for (const std::string& name : names.outputs) {
    ports.outputs.push_back(findUnknown(model, linear, name));
  }
  return ports;
}

}  // namespace flexloop::analysis
