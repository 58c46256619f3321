#include "support/static_machine.hpp"

#include <stdexcept>
#include <vector>

#include "language/model_reader.hpp"
#include "linalg/solvers/sparse_solver.hpp"
#include "mechanics/register.hpp"
#include "model/build.hpp"

namespace flexloop::test {
namespace {

const system::Registry& beamRegistry() {
  static const system::Registry registry = [] {
    system::Registry made;
    mechanics::registerMechanics(made);
    return made;
  }();
  return registry;
}

model::Model makeModel(const std::string& text) {
  return model::buildModel(language::readModelText(text, "test", beamRegistry()), beamRegistry());
}

}  // namespace

StaticMachine::StaticMachine(const std::string& text)
    : model_(makeModel(text)), assembler_(model_.system()), state_(model_.system().start()) {}

bool StaticMachine::solve(int steps) {
  for (int k = 1; k <= steps; ++k) {
    assembler_.setLoadFactor(static_cast<double>(k) / steps);
    if (!solveStep()) return false;
  }
  return true;
}

bool StaticMachine::solveStep() {
  const int n = model_.system().unknowns();
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(n);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  linalg::SparseMatrix K = assembler_.pattern();
  const auto solver = linalg::makeSparseSolver(K);
  Eigen::VectorXd x;
  double last = 0.0;
  for (int k = 0; k < 60; ++k, ++iterations_) {
    assembler_.calcResidual(state_, x);
    assembler_.calcIterationMatrix(state_, {one, zero, zero, one}, nullptr, K);
    if (!solver->factorize(K).ok) return false;
    solver->solve(x);
    x = -x;
    const system::State from = state_;
    model_.system().retract(from, x, state_);
    // The increments stop shrinking where rounding begins.
    const double size = x.cwiseAbs().maxCoeff();
    if (size < 1e-12 || (size < 1e-8 && size > 0.3 * last)) return true;
    if (!(size < 1e6)) return false;
    last = size;
  }
  return false;
}

const math::Frame<double>& StaticMachine::frame(const std::string& node) const {
  const auto& nodes = model_.system().nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == node) return state_.frames[i];
  }
  throw std::out_of_range("no node " + node);
}

double StaticMachine::output(const std::string& name) {
  const auto& names = model_.outputs().names();
  std::vector<double> values;
  model_.outputs().calc(assembler_.calcMotion(state_), values);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return values[i];
  }
  throw std::out_of_range("no output " + name);
}

Eigen::VectorXd StaticMachine::calcResidual() {
  Eigen::VectorXd residual;
  assembler_.calcResidual(state_, residual);
  return residual;
}

}  // namespace flexloop::test
