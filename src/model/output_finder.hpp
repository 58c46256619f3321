// Finds what the names of outputs mean. A part of build.hpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.hpp"
#include "model/model.hpp"
#include "system/builder.hpp"

namespace flexloop::model {

class OutputFinder {
 public:
  // The builder still knows the signals after it has handed over the measures.
  OutputFinder(const system::Builder& builder, const Measures& measures,
               base::Diagnostics& diagnostics)
      : builder_(builder), measures_(measures), diagnostics_(diagnostics) {}

  // What the description asks for; every sensor and every actuator if it does not say.
  Outputs find(const Description& description);
  // Of a signal by its name; empty where it is not known. After find().
  std::string unitOf(const std::string& signal) const;

 private:
  void rememberUnits(const Description& description);
  void addRequest(const OutputRequest& request, Outputs& outputs);
  // A sensor, a component `tip.x`, any of these with `.rate`, or a signal.
  bool findNamed(const std::string& name, Output& output) const;
  void reportUnknown(const OutputRequest& request, const std::string& name);

  const system::Builder& builder_;
  const Measures& measures_;
  base::Diagnostics& diagnostics_;
  std::map<std::string, std::string> units_;  // by sensor or actuator
};

}  // namespace flexloop::model
