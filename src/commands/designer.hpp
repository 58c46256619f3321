// The plant of a design, and a controller for it.
#pragma once

#include <complex>
#include <set>
#include <string>
#include <vector>

#include "commands/design_request.hpp"
#include "reports/design_text.hpp"

namespace flexloop::commands {

// Outputs: those that are measured, then those of --error.
struct DesignPlant {
  linalg::StateMatrices full;    // with all states of the machine
  linalg::StateMatrices design;  // those that are reached and seen, or fewer
  int measured = 0;
  Parameters parameters;  // of the model
};

// From what to what the machine is linearised. A notch is made for the loop that is cut at its signal.
analysis::PortNames readDesignPorts(DesignRequest& request, DesignMethod method);

// Throws api::Failed where there is nothing to control.
DesignPlant readPlant(const DesignRequest& request, const LinearCommand& command);

// Throws base::InputError where it is in use in the model.
const std::string& checkBlockName(const std::string& name, const model::Model& model);

// For the dynamic methods: lqg, h2, hinf, ppf and notch, with --order. Adds to the report what it has found.
linalg::StateMatrices makeController(const DesignRequest& request, DesignMethod method,
                                     const DesignPlant& plant, reports::DesignReport& report);

void requireSingle(const DesignRequest& request, const DesignPlant& plant);

// Margins, answers to steps and the rest, of the loop with all states. `before`: without the controller.
reports::LoopReport analyzeDesign(const analysis::ControlLoop& loop,
                                  const analysis::ControlLoop& before);

template <class T>
T need(const base::Result<T>& result) {
  if (!result) throw api::Failed(result.failure());
  return result.value();
}

// Throws if a motion of the machine grows in the closed loop exactly as it does without a controller: no control input reaches
// it, or no measured output sees it.
void requireReachable(const DesignPlant& plant,
                      const std::vector<std::complex<double>>& closedRoots);

}  // namespace flexloop::commands
