#include "support/moving_machine.hpp"

#include <cmath>
#include <stdexcept>

#include "solve/initial_conditions.hpp"

namespace flexloop::test {
namespace {

// The measure and the component that `name` means.
std::pair<const system::Measure*, int> find(const BuiltSample& built, const std::string& name) {
  if (const auto found = built.measures.find(name); found != built.measures.end()) {
    return {found->second.get(), 0};
  }
  const std::size_t dot = name.rfind('.');
  const system::Measure* measure = built.measures.at(name.substr(0, dot)).get();
  return {measure, name.back() - 'x'};
}

}  // namespace

MovingMachine::MovingMachine(const std::string& text)
    : built_(buildSample(text)), machine_(built_.system), state_(built_.system.start()) {
  machine_.begin(state_);
  const solve::StartReport report = solve::makeConsistent(machine_, state_);
  if (!report.ok()) throw std::runtime_error(messageOf(report.failure));
}

void MovingMachine::run(double end, double step) {
  solve::StepperOptions options;
  options.scheme = {solve::makeChungHulbert(0.9), solve::makeJansenWhitingHulbert(0.9)};
  solve::TimeStepper stepper(machine_, options, state_);
  stepper.start(state_, step);
  const int steps = static_cast<int>(std::lround((end - state_.time) / step));
  for (int i = 0; i < steps; ++i) {
    const solve::StepReport report = stepper.step(state_, step);
    if (!report.converged()) throw std::runtime_error(messageOf(report.failure));
  }
}

double MovingMachine::measure(const std::string& name) {
  const auto [measure, component] = find(built_, name);
  Eigen::VectorXd values(measure->components().size());
  measure->calcValue(machine_.assembler().calcMotion(state_), values.data());
  return values[component];
}

double MovingMachine::rate(const std::string& name) {
  const auto [measure, component] = find(built_, name);
  Eigen::VectorXd values(measure->components().size());
  measure->calcRate(machine_.assembler().calcMotion(state_), values.data());
  return values[component];
}

Eigen::Vector3d MovingMachine::vector(const std::string& name) {
  Eigen::Vector3d values;
  built_.measures.at(name)->calcValue(machine_.assembler().calcMotion(state_), values.data());
  return values;
}

}  // namespace flexloop::test
