// What the commands on the linearised machine have in common: a model with the named inputs and outputs,
// and the state about which it is linearised.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/analyses.hpp"
#include "base/result.hpp"
#include "commands/command.hpp"
#include "commands/requests.hpp"

namespace flexloop::commands {

// About the first modes, where the request does not say it.
api::FrequencyRange findRange(const FrfRequest& request, const Console& console);
// Whether the model of the request has what it names, and its options can be.
void checkRequest(const FrfRequest& request, const Console& console);
void checkRequest(const LinearizeRequest& request, const Console& console);

// --from, --to
std::vector<Option> portOptions(LinearRequest& request);
// --about, --at
std::vector<Option> stateOptions(LinearRequest& request);
// --cut, --range, --points, --linear, --frequencies
std::vector<Option> frequencyOptions(FrfRequest& request);

// The model, its state and its linear equations with inputs and outputs.
class LinearCommand {
 public:
  LinearCommand(const LinearRequest& request, const analysis::PortNames& names,
                const Console& console);

  // Throws where the state cannot be found. Sampled blocks hold their outputs; a warning says so where the analysis has
  // nothing else for them.
  void linearize(bool hasSamples);
  void checkOperatingPoint() const;

  const api::LinearMachine& machine() const { return machine_; }
  std::string title() const;
  // `equilibrium`, `steady`, or empty: the state at a time.
  std::string about() const;

 private:
  void warnOfSamples() const;

  const LinearRequest& request_;
  const Console& console_;
  api::LinearMachine machine_;
};

}  // namespace flexloop::commands
