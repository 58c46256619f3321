// A model with named inputs and outputs, linearised about one of its states.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/linear_ports.hpp"
#include "analysis/sampled/sampled_blocks.hpp"
#include "api/load.hpp"
#include "base/result.hpp"
#include "system/state.hpp"

namespace flexloop::api {

class LinearMachine {
 public:
  // The names are signals, or loads as inputs. Throws base::InputError, also below.
  LinearMachine(const ModelSource& source, analysis::PortNames names);

  // The failure is that of the state, which cannot be found. Sampled blocks hold their outputs.
  [[nodiscard]] std::optional<base::Failure> linearize(const model::OperatingPoint& about);

  const model::Model& model() const { return model_; }
  const system::State& state() const { return state_; }
  const analysis::LinearModel& linear() const { return linear_; }
  const analysis::LinearPorts& ports() const { return ports_; }
  const analysis::SampledBlocks& sampled() const { return sampled_; }
  // Of the state and of the equations; those of the model itself are not among them.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // In which axes the equations of a turning machine are, where that matters by its modes; otherwise empty.
  std::string describeAxes() const;

 private:
  analysis::PortNames names_;
  model::Model model_;
  system::State state_;
  analysis::SampledBlocks sampled_;
  analysis::LinearModel linear_;
  analysis::LinearPorts ports_;
  std::vector<std::string> warnings_;
};

}  // namespace flexloop::api
