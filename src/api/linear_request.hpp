// What the commands on the linearised machine have in common: a model with the named inputs and outputs,
// and the state about which it is linearised.
#pragma once

#include <string>
#include <vector>

#include "analysis/linear_ports.hpp"
#include "api/commands.hpp"
#include "io/response_text.hpp"
#include "system/state.hpp"

namespace flexloop::api {

// The model in which all names are signals. A load without a signal gets one of its own name, which scales
// it. Throws base::InputError, with the nearest known word.
model::Model loadLinearModel(const LinearRequest& request, const std::vector<std::string>& names);

// What `frf` computes. Where that is not possible it is told.
Outcome calcFrf(const FrfRequest& request, const Console& console, io::ResponseReport& report);

// The model, its state and its linear equations with inputs and outputs.
class LinearCommand {
 public:
  LinearCommand(const LinearRequest& request, const analysis::PortNames& names,
                const Console& console);

  // False, and told, if the state cannot be found.
  bool linearize();

  const model::Model& model() const { return model_; }
  const system::State& state() const { return state_; }
  const analysis::LinearModel& linear() const { return linear_; }
  const analysis::LinearPorts& ports() const { return ports_; }
  std::string title() const;

  Outcome fail(Outcome outcome, const std::string& trouble, const std::string& hint) const;
  bool isQuiet() const { return console_.quiet; }
  void warn(const std::string& what, const std::string& hint) const;
  void tell(const std::vector<std::string>& lines) const;

 private:
  const LinearRequest& request_;
  analysis::PortNames names_;
  const Console& console_;
  model::Model model_;
  system::State state_;
  analysis::LinearModel linear_;
  analysis::LinearPorts ports_;
};

}  // namespace flexloop::api
