#include "control/lpv/sampled_lpv_block.hpp"

namespace flexloop::control {

using Eigen::VectorXd;

namespace {

int countCopies(const LpvModel& model) {
  return model.layout.outputs == 1 ? 2 : 1;
}

BlockSize sizeOf(const LpvModel& model) {
  const LpvLayout& at = model.layout;
  const int outputs = countCopies(model) * at.outputs;
  return {.inputs = at.inputs + model.countParameters(),
          .outputs = outputs,
          .memory = outputs + at.states()};
}

}  // namespace

SampledLpvBlock::SampledLpvBlock(int clock, std::string name, LpvModel model, bool stops)
    : SampledBlock(clock, sizeOf(model)),
      name_(std::move(name)),
      model_(std::move(model)),
      stops_(stops),
      copies_(countCopies(model_)),
      last_(model_) {}

linalg::StateMatrices SampledLpvBlock::at(const BlockPorts<double>& p) const {
  const double* parameters = p.u.data() + model_.layout.inputs;
  return control::evaluate(model_,
                           std::vector<double>(parameters, parameters + model_.countParameters()));
}

void SampledLpvBlock::sample(const BlockPorts<double>& p, BlockMemory m) const {
  last_.store(p.u.data() + model_.layout.inputs);
  const linalg::StateMatrices s = at(p);
  const int outputs = model_.layout.outputs;
  const Eigen::Map<const VectorXd> x(m.memory + copies_ * outputs, s.A.rows());
  const Eigen::Map<const VectorXd> u(p.u.data(), model_.layout.inputs);
  const VectorXd y = s.C * x + s.D * u;
  for (int copy = 0; copy < copies_; ++copy) {
    std::copy(y.begin(), y.end(), m.memory + copy * outputs);
  }
}

void SampledLpvBlock::updateSample(const BlockPorts<double>& p, BlockMemory m) const {
  const linalg::StateMatrices s = at(p);
  Eigen::Map<VectorXd> x(m.memory + copies_ * model_.layout.outputs, s.A.rows());
  const Eigen::Map<const VectorXd> u(p.u.data(), model_.layout.inputs);
  const VectorXd next = s.A * x + s.B * u;
  x = next;
}

std::optional<base::Failure> SampledLpvBlock::fault() const {
  return stops_ ? last_.findFault(name_) : std::nullopt;
}

}  // namespace flexloop::control
