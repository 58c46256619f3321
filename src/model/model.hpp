// The named machine, const after it is made: the system of equations, what it was made from, what a
// run records, and the settings of the analyses.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/description.hpp"
#include "model/measure_name.hpp"
#include "model/mode_settings.hpp"
#include "model/output.hpp"
#include "model/time_settings.hpp"
#include "solve/machine_pool.hpp"
#include "system/measure.hpp"
#include "system/system.hpp"

namespace flexloop::model {

// What buildModel hands over.
struct ModelParts {
  Description description;
  std::unique_ptr<const system::System> system;
  std::unique_ptr<solve::MachinePool> machines;  // of the system
  Measures measures;
  Outputs outputs;
  std::optional<TimeSettings> time;
  ModeSettings modes;
  std::vector<std::pair<std::string, system::UnknownIndex>> signals;  // as they came
  base::Diagnostics warnings;
  bool isConservative = false;
  system::State start;
};

class Model {
 public:
  explicit Model(ModelParts parts);

  const Description& description() const { return parts_.description; }
  // Stays where it is when the model is moved.
  const system::System& system() const { return *parts_.system; }
  // The machine prepared for an analysis, for as long as that takes.
  [[nodiscard]] solve::MachineLoan borrowMachine() const { return parts_.machines->borrow(); }
  // Where all analyses begin: as the nodes say, with the joints at their `start`.
  const system::State& start() const { return parts_.start; }
  const Outputs& outputs() const { return parts_.outputs; }
  // Nothing where the file has no `analysis: time`.
  const std::optional<TimeSettings>& time() const { return parts_.time; }

  // Its defaults where the file has no `analysis: modes`.
  const ModeSettings& modes() const { return parts_.modes; }

  // Signals by name; a sensor is one only if something reads it, or if Description::wantedSignals
  // names it. A signal may have several names; the first is its own.
  const std::vector<std::pair<std::string, system::UnknownIndex>>& signals() const {
    return parts_.signals;
  }
  std::optional<system::UnknownIndex> findSignal(std::string_view name) const;
  std::string signalName(system::UnknownIndex signal) const;

  // What is not wrong but hardly meant.
  const base::Diagnostics& warnings() const { return parts_.warnings; }

  int countItems(std::string_view section) const;
  // Whether the energy of the bodies, beams and springs stays the same: nothing dissipates, drives
  // or loads.
  bool isConservative() const { return parts_.isConservative; }

 private:
  ModelParts parts_;
};

}  // namespace flexloop::model
