// What the commands on the linearised machine have in common: a model with the named inputs and outputs,
// and the state about which it is linearised.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/state_space.hpp"
#include "api/linear_machine.hpp"
#include "base/result.hpp"
#include "commands/commands.hpp"
#include "reports/response_text.hpp"

namespace flexloop::commands {

struct FrequencyRange {
  double low = 0.01, high = 100.0;  // [Hz]; these where there are no modes
};

// What `frf` and `linearize` compute. Only warnings go to the console. Throw base::InputError.
std::optional<base::Failure> findResponse(const FrfRequest& request, const Console& console,
                                          reports::ResponseReport& report);
std::optional<base::Failure> findStateSpace(const LinearizeRequest& request, const Console& console,
                                            analysis::StateSpaceResult& result);
// About the first modes, where the request does not say it.
std::optional<base::Failure> findRange(const FrfRequest& request, const Console& console,
                                       FrequencyRange& range);
// Whether the model of the request has what it names, and its options can be.
void checkRequest(const FrfRequest& request, const Console& console);
void checkRequest(const LinearizeRequest& request, const Console& console);

// What `frf` computes. Where that is not possible it is told.
Outcome calcFrf(const FrfRequest& request, const Console& console, reports::ResponseReport& report);

// The model, its state and its linear equations with inputs and outputs.
class LinearCommand {
 public:
  LinearCommand(const LinearRequest& request, const analysis::PortNames& names,
                const Console& console);

  // It fails where the state cannot be found. Sampled blocks hold their outputs, which is told where the analysis has
  // nothing else for them.
  [[nodiscard]] std::optional<base::Failure> linearize(bool hasSamples);
  void checkOperatingPoint() const;

  const model::Model& model() const { return machine_.model(); }
  const system::State& state() const { return machine_.state(); }
  const analysis::LinearModel& linear() const { return machine_.linear(); }
  const analysis::LinearPorts& ports() const { return machine_.ports(); }
  const analysis::SampledBlocks& sampled() const { return machine_.sampled(); }
  std::string title() const;

  bool isQuiet() const { return console_.quiet; }
  void warn(const std::string& what, const std::string& hint) const;
  void tell(const std::vector<std::string>& lines) const;

 private:
  void warnOfSamples() const;

  const LinearRequest& request_;
  const Console& console_;
  api::LinearMachine machine_;
};

}  // namespace flexloop::commands
