// The contract of elements. Elements of one type are held together in a set: contiguous parameters,
// one virtual call per set and evaluation, a loop inside that evaluates several elements at once.
//
// An element adds its residual r and its three tangents, dr = K d(value) + C d(rate) +
// M d(acceleration), over its local freedoms: six per node (body axes), then its scalar unknowns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "system/local.hpp"
#include "system/state.hpp"
#include "system/unknowns.hpp"

namespace flexloop::system {

// One node as elements see it; twist and twistRate are in body axes whatever the node's formulation.
struct NodeMotion {
  math::Frame<double> frame;
  math::Vec6<double> twist, twistRate;
};

// The whole system as elements see it.
struct Motion {
  double time = 0.0;
  std::vector<NodeMotion> nodes;
  const double* value = nullptr;  // by unknown
  const double* rate = nullptr;
  const double* acceleration = nullptr;
  const double* history = nullptr;
  const std::vector<double>* records = nullptr;
  Environment environment;  // for measures; elements are given theirs
};

struct ResidualSums {
  std::vector<math::Vec6<double>> nodes;  // by node, body axes
  Eigen::VectorXd scalars;                // by unknown
};

// Local tangents of one element, column-major n×n.
struct Tangents {
  Eigen::MatrixXd K, C, M;
};

// First and second time derivatives of the scalar rows along the motion, by unknown.
struct TimeDerivatives {
  Eigen::VectorXd first, second;
};

// The residual of one element with its time derivatives along the motion.
struct ResidualAlong {
  Eigen::VectorXd value, first, second;
};

// An energy, or its rate, that is a signal: the sum of kinetic and potential energies times weights.
struct EnergySignal {
  std::string name;
  UnknownIndex unknown;
  Energy weights;
  bool rate = false;
};

// A set says what its elements have; by default they have no nodes, no history and no energy.
class ElementSet {
 public:
  virtual ~ElementSet() = default;

  virtual std::string_view type() const = 0;
  virtual int size() const = 0;
  virtual int nodesPerElement() const { return 0; }
  virtual int scalars(int element) const = 0;  // how many; blocks of one set differ
  virtual bool usesRate() const = 0;
  virtual bool usesAcceleration() const = 0;
  // Whether the tangents may have an entry between two slots; a slot is a node or a scalar.
  virtual bool couples(int element, int rowSlot, int columnSlot) const = 0;
  // The same, entry by entry of the local matrices; with `augmented`, penalties of constraints count.
  virtual bool fills(int element, int row, int column, bool augmented) const {
    (void)augmented;
    const auto slotOf = [this](int i) {
      return i < 6 * nodesPerElement() ? i / 6 : i - 5 * nodesPerElement();
    };
    return couples(element, slotOf(row), slotOf(column));
  }

  virtual const std::string& name(int element) const = 0;
  virtual NodeIndex node(int element, int k) const {
    (void)element;
    (void)k;
    return {};
  }
  virtual UnknownIndex scalar(int element, int k) const = 0;
  virtual int historyOffset(int element) const {
    (void)element;
    return 0;
  }

  virtual void addResidual(const Motion&, const Environment&, ResidualSums&) const = 0;
  virtual void calcResidual(const Motion&, const Environment&, int element,
                            Eigen::VectorXd& local) const = 0;
  virtual void calcTangents(const Motion&, const Environment&, int element, Tangents&) const = 0;
  virtual void addTimeDerivatives(const Motion&, const Environment&, TimeDerivatives&) const = 0;
  // Types tell it whose forces can be measured as signals.
  virtual bool hasResidualAlong() const { return false; }
  virtual void calcResidualAlong(const Motion&, const Environment&, int element,
                                 ResidualAlong&) const {
    (void)element;
  }
  virtual bool hasEnergy() const { return false; }
  virtual Energy energy(const Motion&, const Environment&, int element) const {
    (void)element;
    return {};
  }
  virtual Energy energyRate(const Motion&, const Environment&, int element) const {
    (void)element;
    return {};
  }
  // The shares of `count` elements from `first` on in an energy that is a signal; null without energy.
  virtual std::unique_ptr<ElementSet> makeEnergyShares(const EnergySignal& signal, int first,
                                                       int count) const {
    (void)signal;
    (void)first;
    (void)count;
    return nullptr;
  }
  // Renews what the elements remember, after a step is accepted. The motion is that of the state.
  virtual void updateHistory(const Motion&, State&) const {}

  // Lets the past be as the present for all time, which a search for rest asks for.
  virtual void forgetPast(State&) const {}

  // What can jump. An element in one of several modes, as a relay is on or off, keeps the mode in the
  // history; it is right as long as none of its indicators is negative. Indicators that are `located`
  // ask for a step that ends where they change their sign.
  virtual int indicators() const { return 0; }
  virtual bool isLocated(int indicator) const {
    (void)indicator;
    return true;
  }
  virtual void calcIndicators(const Motion&, double* values) const { (void)values; }
  virtual void switchModes(const Motion&, State&) const {}

  // Sampled elements act at the instants of their clocks and hold their outputs in between. Those of
  // level 0 give their outputs first; those of a higher level read outputs of lower ones at the same
  // instant. When all outputs are there, `updateSamples` moves the discrete states on.
  virtual int sampleLevels() const { return 0; }
  virtual void sample(const Motion&, const std::vector<bool>& dueClocks, int level, State&) const {
    (void)dueClocks;
    (void)level;
  }
  virtual void updateSamples(const Motion&, const std::vector<bool>& dueClocks, State&) const {
    (void)dueClocks;
  }

  // What went wrong inside an element that is not ours, a black box.
  virtual std::optional<base::Failure> fault() const { return std::nullopt; }
};

}  // namespace flexloop::system
