// An instance as both versions of FMI see it. Nothing is thrown out of here: what goes wrong is a status, and a message for the
// log of the host.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "fmu/co_simulation.hpp"
#include "fmu/model_exchange.hpp"
#include "fmu/variables.hpp"

namespace flexloop::fmi {

// The values are those of both standards.
enum Status { kOk = 0, kWarning = 1, kDiscard = 2, kError = 3, kFatal = 4 };

using Log = std::function<void(Status status, const char* category, const std::string& message)>;

struct InstanceOptions {
  std::string name, token, resources;  // the resources as a path
  fmu::Kind kind = fmu::Kind::kCoSimulation;
  bool isLogging = false;
  Log log;
};

class Instance {
 public:
  // Null where there is none to give; the log says why.
  static std::unique_ptr<Instance> make(InstanceOptions options);

  void setLogging(bool isOn) { options_.isLogging = isOn; }
  // Before the initialisation.
  Status setStart(double start);
  Status enterInitialization();
  Status exitInitialization();
  Status terminate();
  Status reset();

  Status getNumbers(std::span<const unsigned> references, double* values);
  Status setNumbers(std::span<const unsigned> references, const double* values);
  Status getDirectionalDerivative(std::span<const unsigned> unknowns,
                                  std::span<const unsigned> knowns, const double* seed,
                                  double* result);
  // States of the FMU are their bytes.
  Status save(std::string*& state);
  Status restore(const std::string& state);
  Status keep(std::string bytes, std::string*& state);

  // lastTime is how far it has come, whatever the status.
  Status doStep(double from, double length, double& lastTime);
  double time() const { return machine_->time(); }

  // Of model exchange.
  std::size_t states() const { return counts_.states; }
  std::size_t indicators() const { return counts_.indicators; }
  Status setTime(double time);
  Status setStates(std::span<const double> states);
  Status getStates(std::span<double> states);
  Status getNominals(std::span<double> nominals);
  Status getDerivatives(std::span<double> derivatives);
  Status getIndicators(std::span<double> indicators);
  Status handleEvent(fmu::EventReport& report);
  Status completeStep(bool& isEventDue);
  // Changes of mode, which need nothing to be done.
  Status checkExchange();

  // Of what this kind of FMU does not have.
  Status refuse(const std::string& what);
  // Runs the action; exceptions and failures become statuses: that of the numerics may be another one than an error.
  Status guard(const std::function<std::optional<base::Failure>()>& action,
               Status ofNumerics = kError);

 private:
  enum class Phase { kInstantiated, kInitialization, kRunning, kTerminated };

  Instance(InstanceOptions options, std::unique_ptr<fmu::Machine> machine);
  base::Result<double> getNumber(unsigned reference);
  std::optional<base::Failure> setNumber(unsigned reference, double value);
  std::optional<base::Failure> setParameter(std::size_t index, double value);
  base::Failure refuseVariable(unsigned reference, const char* why) const;
  void writeLog(Status status, const base::Failure& failure) const;
  void writeNotes();
  std::optional<base::Failure> withExchange(
      const std::function<std::optional<base::Failure>(fmu::ModelExchange&)>& action);
  Status getList(std::span<double> target, const char* what,
                 const std::function<base::Result<std::vector<double>>(fmu::ModelExchange&)>& get);
  base::Result<std::vector<double>> calcSlopes(std::span<const unsigned> unknowns,
                                               std::span<const unsigned> knowns,
                                               const double* seed);
  fmu::CoSimulation* coSimulation() { return dynamic_cast<fmu::CoSimulation*>(machine_.get()); }

  InstanceOptions options_;
  std::unique_ptr<fmu::Machine> machine_;
  fmu::VariableCounts counts_;
  Phase phase_ = Phase::kInstantiated;
  bool hasFailed_ = false;  // and has not been brought back
};

// From a URI of the scheme `file`, or a path.
std::string readLocation(const std::string& location);

}  // namespace flexloop::fmi
