// Inputs that come from outside of the model (docs/theory/37_foreign_models.md, section 37.5). Each is added to a signal,
//
//     (37.9)  r = … − w
//
// where … is what defines the signal. w is held: its value is in the history of the State, and a new one beside it,
// which the next sampling takes over. So a jump of an input is to a run what a sample is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "system/builder.hpp"
#include "system/element_roles.hpp"

namespace flexloop::control {

class ExternalInputs final : public system::ElementSet, public system::Sampling {
 public:
  void add(std::string name, system::UnknownIndex signal, system::Builder& builder);
  // By name; nothing if there is none.
  std::optional<int> find(const std::string& name) const;

  double value(const system::State& state, int element) const;
  // At once; for a state whose signals have not been solved yet.
  void set(int element, double value, system::State& state) const;
  // At the next sampling.
  void setNext(int element, double value, system::State& state) const;

  std::string_view type() const override { return "external input"; }
  int size() const override { return static_cast<int>(inputs_.size()); }
  int scalars(int) const override { return 1; }
  bool usesRate() const override { return false; }
  bool usesAcceleration() const override { return false; }
  // With itself, so that it counts as an equation of signals; the entry is zero.
  bool couples(int, int, int) const override { return true; }
  const std::string& name(int element) const override { return inputs_[element].name; }
  system::UnknownIndex scalar(int element, int) const override { return inputs_[element].signal; }

  void addResidual(const system::Motion& motion, const system::Environment& environment,
                   system::ResidualSums& sums) const override;
  void calcResidual(const system::Motion& motion, const system::Environment& environment,
                    int element, Eigen::VectorXd& local) const override;
  void calcTangents(const system::Motion& motion, const system::Environment& environment,
                    int element, system::Tangents& tangents) const override;
  void addTimeDerivatives(const system::Motion&, const system::Environment&,
                          system::TimeDerivatives&) const override {}

  int sampleLevels() const override { return 1; }
  void sample(const system::Motion& motion, const std::vector<bool>& dueClocks, int level,
              system::State& state) const override;
  void updateSamples(const system::Motion&, const std::vector<bool>&,
                     system::State&) const override {}

 private:
  struct Input {
    std::string name;
    system::UnknownIndex signal;
    int slot = 0;  // of w in the history; the next one follows
  };
  std::vector<Input> inputs_;
};

// Null if the system has none.
const ExternalInputs* findExternalInputs(const system::System& system);

}  // namespace flexloop::control
