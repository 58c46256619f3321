// A whole model from its text, as the program builds it, and what a simulation of it ends with.
#pragma once

#include <string>
#include <vector>

#include "analysis/time_analysis.hpp"
#include "model/model.hpp"

namespace flexloop::test {

// Throws base::InputError if the model is wrong.
model::Model buildModel(const std::string& text);

// What buildModel throws, or "nothing".
std::string complaintOf(const std::string& text);

// Keeps the last record.
class LastRecord final : public analysis::Observer {
 public:
  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>& values) override;
  bool onStep(double) override { return true; }

  double time = 0.0;
  std::vector<double> outputs;
};

// The outputs at the end of `analysis: time`; throws std::runtime_error if the simulation fails.
std::vector<double> runToEnd(const std::string& text);

}  // namespace flexloop::test
