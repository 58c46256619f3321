// What only some sets of elements do, besides the contract of element_set.hpp: each is an interface that
// a set implements or not. The system finds out once which sets have which role; nobody asks in a step.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "system/element_set.hpp"

namespace flexloop::math {
struct Jet;
}

namespace flexloop::system {

struct JetSeeds;  // jet_view.hpp

// Joints give the rates Φ' of their constraints, which steps with constraints on velocities need in every
// iteration, without the forces and second derivatives of addTimeDerivatives.
class ConstraintRates {
 public:
  virtual ~ConstraintRates() = default;
  // Adds to the rows of the multipliers.
  virtual void addConstraintRates(const Motion& motion, const Environment& environment,
                                  Eigen::VectorXd& rates) const = 0;
};

// Elements that remember something of accepted steps, in the history or the records of the State.
class Remembering {
 public:
  virtual ~Remembering() = default;
  // After a step is accepted. The motion is that of the state.
  virtual void updateHistory(const Motion& motion, State& state) const = 0;
  // Lets the past be as the present for all time, which a search for rest asks for.
  virtual void forgetPast(State& state) const { (void)state; }
};

// What can jump. An element on one of several branches, as a relay is on or off, keeps the branch in the
// history; it is right as long as none of its indicators is negative. Indicators that are `located` ask
// for a step that ends where they change their sign.
class Branching {
 public:
  virtual ~Branching() = default;
  virtual int indicators() const = 0;
  virtual bool isLocated(int indicator) const = 0;
  virtual void calcIndicators(const Motion& motion, double* values) const = 0;
  virtual void switchBranches(const Motion& motion, State& state) const = 0;
};

// Sampled elements act at the instants of their clocks and hold their outputs in between. Those of
// level 0 give their outputs first; those of a higher level read outputs of lower ones at the same
// instant. When all outputs are there, `updateSamples` moves the discrete states on.
class Sampling {
 public:
  virtual ~Sampling() = default;
  virtual int sampleLevels() const = 0;
  virtual void sample(const Motion& motion, const std::vector<bool>& dueClocks, int level,
                      State& state) const = 0;
  virtual void updateSamples(const Motion& motion, const std::vector<bool>& dueClocks,
                             State& state) const = 0;
};

// Elements with a kinetic or potential energy, which sensors measure.
class StoredEnergy {
 public:
  virtual ~StoredEnergy() = default;
  virtual Energy energy(const Motion& motion, const Environment& environment,
                        int element) const = 0;
  // The sum over `count` elements from `first` on, and that of the rates.
  virtual Energy sumEnergies(const Motion& motion, const Environment& environment, int first,
                             int count) const = 0;
  virtual Energy sumEnergyRates(const Motion& motion, const Environment& environment, int first,
                                int count) const = 0;
  // Subtracts the gradient of w_T T + w_V V from the last row of the tangents, whose first columns are the
  // local freedoms of the element.
  virtual void subtractEnergyGradient(const Motion& motion, const Environment& environment,
                                      int element, const Energy& weights,
                                      Tangents& tangents) const = 0;
  virtual EnergyOf<math::Jet> energyJet(const Motion& motion, const Environment& environment,
                                        int element, const JetSeeds& seeds) const = 0;
};

// Elements between two nodes whose forces sensors measure.
class MeasuredForces {
 public:
  virtual ~MeasuredForces() = default;
  // The twelve entries of the residual at the nodes. Those of elements with scalars have neither third
  // derivatives nor directions: the rates of multipliers are not known beyond the first, and gradients of
  // the force itself are in the tangents.
  virtual void calcForceJets(const Motion& motion, const Environment& environment, int element,
                             const JetSeeds& seeds, std::array<math::Jet, 12>& forces) const = 0;
};

// Elements made by others, such as black boxes.
class Foreign {
 public:
  virtual ~Foreign() = default;
  // What went wrong inside of one.
  virtual std::optional<base::Failure> fault() const = 0;
};

// The sets of a system by what they do, in the order of the sets.
struct SetRoles {
  std::vector<const Remembering*> remembering;
  std::vector<const Branching*> branching;
  std::vector<const Sampling*> sampling;
  std::vector<const Foreign*> foreign;
  struct Energetic {
    const StoredEnergy* energy;
    int elements;
  };
  std::vector<Energetic> energetic;
};
SetRoles findRoles(const std::vector<std::unique_ptr<ElementSet>>& sets);

}  // namespace flexloop::system
