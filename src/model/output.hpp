// What a run records: numbers that are read from the motion, each with a name.
#pragma once

#include <string>
#include <vector>

#include "system/measure.hpp"
#include "system/unknowns.hpp"

namespace flexloop::model {

// The components of one measure or of its time derivative, or the value of one signal.
struct Output {
  const system::Measure* measure = nullptr;
  bool rate = false;
  int component = -1;           // only this one; -1: all
  system::UnknownIndex signal;  // where there is no measure
  std::vector<std::string> names;
  std::string unit;  // empty where it is not known
};

class Outputs {
 public:
  void add(Output output);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& units() const { return units_; }
  int size() const { return static_cast<int>(names_.size()); }

  // One value per name.
  void calc(const system::Motion& motion, std::vector<double>& values) const;

 private:
  std::vector<Output> outputs_;
  std::vector<std::string> names_, units_;
};

}  // namespace flexloop::model
