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

// A set says what its elements have; by default they have no nodes. What only some sets can do besides is in
// element_roles.hpp.
class ElementSet {
 public:
  virtual ~ElementSet() = default;

  virtual std::string_view type() const = 0;
  virtual int size() const = 0;
  virtual const std::string& name(int element) const = 0;

  // How many, and which; elements of one set may differ.
  virtual int nodes(int element) const {
    (void)element;
    return 0;
  }
  virtual int scalars(int element) const = 0;
  virtual NodeIndex node(int element, int k) const {
    (void)element;
    (void)k;
    return {};
  }
  virtual UnknownIndex scalar(int element, int k) const = 0;
  int freedoms(int element) const { return 6 * nodes(element) + scalars(element); }

  virtual bool usesRate() const = 0;
  virtual bool usesAcceleration() const = 0;
  // Whether the tangents may have an entry between two slots; a slot is a node or a scalar.
  virtual bool couples(int element, int rowSlot, int columnSlot) const = 0;
  // The same, entry by entry of the local matrices; with `augmented`, penalties of constraints count.
  virtual bool fills(int element, int row, int column, bool augmented) const {
    (void)augmented;
    const int count = nodes(element);
    const auto slotOf = [count](int i) { return i < 6 * count ? i / 6 : i - 5 * count; };
    return couples(element, slotOf(row), slotOf(column));
  }

  virtual void addResidual(const Motion&, const Environment&, ResidualSums&) const = 0;
  virtual void calcResidual(const Motion&, const Environment&, int element,
                            Eigen::VectorXd& local) const = 0;
  virtual void calcTangents(const Motion&, const Environment&, int element, Tangents&) const = 0;
  virtual void addTimeDerivatives(const Motion&, const Environment&, TimeDerivatives&) const = 0;
};

}  // namespace flexloop::system
