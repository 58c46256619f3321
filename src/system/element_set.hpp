// The contract of elements. Elements of one type are held together in a set: contiguous parameters,
// one virtual call per set and evaluation, a loop inside that evaluates several elements at once.
//
// An element adds its residual r and its three tangents, dr = K d(value) + C d(rate) +
// M d(acceleration), over its local freedoms: six per node (body axes), then its scalar unknowns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

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

class ElementSet {
 public:
  virtual ~ElementSet() = default;

  virtual std::string_view type() const = 0;
  virtual int size() const = 0;
  virtual int nodesPerElement() const = 0;
  virtual int scalarsPerElement() const = 0;
  virtual int historyPerElement() const = 0;
  virtual bool usesRate() const = 0;
  virtual bool usesAcceleration() const = 0;
  // Whether the tangents may have an entry between two slots; a slot is a node or a scalar.
  virtual bool couples(int rowSlot, int columnSlot) const = 0;
  // The same, entry by entry of the local matrices; with `augmented`, penalties of constraints count.
  virtual bool fills(int row, int column, bool augmented) const {
    (void)augmented;
    const auto slotOf = [this](int i) {
      return i < 6 * nodesPerElement() ? i / 6 : i - 5 * nodesPerElement();
    };
    return couples(slotOf(row), slotOf(column));
  }

  virtual const std::string& name(int element) const = 0;
  virtual NodeIndex node(int element, int k) const = 0;
  virtual UnknownIndex scalar(int element, int k) const = 0;
  virtual int historyOffset(int element) const = 0;

  virtual void addResidual(const Motion&, const Environment&, ResidualSums&) const = 0;
  virtual void calcResidual(const Motion&, const Environment&, int element,
                            Eigen::VectorXd& local) const = 0;
  virtual void calcTangents(const Motion&, const Environment&, int element, Tangents&) const = 0;
  virtual void addTimeDerivatives(const Motion&, const Environment&, TimeDerivatives&) const = 0;
  virtual Energy energy(const Motion&, const Environment&, int element) const = 0;
  virtual bool hasEnergy() const = 0;
  // Renews what the element remembers, after a step is accepted.
  virtual void updateHistory(const Motion&, std::vector<double>& history) const = 0;
};

}  // namespace flexloop::system
