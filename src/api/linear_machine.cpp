#include "api/linear_machine.hpp"

#include <utility>

#include "analysis/balance/operating_point.hpp"
#include "analysis/check/massless_findings.hpp"
#include "analysis/linear/turning_note.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "base/diagnostics.hpp"

namespace flexloop::api {
namespace {

std::vector<std::string> allOf(const analysis::PortNames& names) {
  std::vector<std::string> all = names.inputs;
  all.insert(all.end(), names.outputs.begin(), names.outputs.end());
  if (!names.cut.empty()) all.push_back(names.cut);
  return all;
}

}  // namespace

LinearMachine::LinearMachine(const ModelSource& source, analysis::PortNames names)
    : names_(std::move(names)), model_(loadModelWithPorts(source, allOf(names_))) {}

std::optional<base::Failure> LinearMachine::linearize(const model::OperatingPoint& about) {
  analysis::OperatingState found = analysis::findOperatingPoint(model_, about);
  if (const base::Diagnostics cause = analysis::explainMasslessMotions(model_); cause.hasErrors()) {
    throw base::InputError(cause);
  }
  if (found.failure) return found.failure;
  warnings_ = std::move(found.notes);
  state_ = std::move(found.state);
  sampled_ = analysis::findSampledBlocks(model_, state_);
  linear_ = analysis::linearize(model_, state_, {}, sampled_.boxElements());
  if (auto fault = analysis::findSampledFault(model_.system())) return fault;
  warnings_.insert(warnings_.end(), linear_.warnings.begin(), linear_.warnings.end());
  warnings_.insert(warnings_.end(), sampled_.warnings.begin(), sampled_.warnings.end());
  ports_ = analysis::makePorts(model_, linear_, names_);
  return std::nullopt;
}

std::string LinearMachine::describeAxes() const {
  if (linear_.turning.speed == 0.0) return {};
  const analysis::ModeResult modes = analysis::findModes(model_, state_, {});
  return analysis::describeTurning(linear_.turning, modes.modes, "linear equations");
}

}  // namespace flexloop::api
