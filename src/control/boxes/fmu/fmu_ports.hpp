// The inputs or outputs of an FMU that are connected.
#pragma once

#include <vector>

#include "control/boxes/fmu/fmu_instance.hpp"
#include "control/boxes/fmu/fmu_plan.hpp"

namespace flexloop::control {

// Variables of the same type are set and read together.
class FmuPorts {
 public:
  explicit FmuPorts(const std::vector<FmuPort>& ports);
  void set(FmuInstance& instance, const double* values);  // in SI
  void get(FmuInstance& instance, double* values);

 private:
  struct Group {
    FmuType type;
    std::vector<std::uint32_t> references;
    std::vector<int> ports, places;  // one for each number: its port, and where it is among all
    std::vector<double> values;
  };
  std::vector<FmuPort> ports_;
  std::vector<Group> groups_;
};

}  // namespace flexloop::control
