// The const system: nodes, unknowns with kinds and names, and element sets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "system/clock.hpp"
#include "system/element_roles.hpp"
#include "system/element_set.hpp"
#include "system/node.hpp"
#include "system/node_names.hpp"
#include "system/state.hpp"
#include "system/unknowns.hpp"

namespace flexloop::system {

struct ScalarUnknown {
  UnknownIndex index;
  std::string name;      // of the unknown, such as "hinge1 force x"
  std::string equation;  // of its equation, such as "hinge1 position x"
};

class System {
 public:
  int unknowns() const { return static_cast<int>(kinds_.size()); }
  const std::vector<Kind>& kinds() const { return kinds_; }
  Kind kind(UnknownIndex u) const { return kinds_[u.value]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeIndex n) const { return nodes_[n.value]; }
  const NodeNames& nodeNames() const { return nodeNames_; }
  const std::vector<std::unique_ptr<ElementSet>>& sets() const { return sets_; }
  // Which sets do more than the contract asks for.
  const SetRoles& roles() const { return roles_; }
  const math::Vec3<double>& gravity() const { return gravity_; }
  const State& start() const { return start_; }
  // Times at which sources are not smooth, ascending: a time step should end there.
  const std::vector<double>& breaks() const { return breaks_; }
  // The same without end, for those that repeat.
  const std::vector<Clock>& periodicBreaks() const { return periodicBreaks_; }
  // The instants at which sampled blocks act.
  const std::vector<Clock>& clocks() const { return clocks_; }
  bool isRotation(UnknownIndex u) const { return rotation_[u.value]; }

  std::string unknownName(UnknownIndex u) const;
  std::string equationName(UnknownIndex u) const;

  // The configuration after the increment dq (one entry per unknown) from `from`: frames are
  // retracted, values of scalars are added. Only frames and values of `to` are written.
  void retract(const State& from, const Eigen::VectorXd& dq, State& to) const;
  // The same for a time step, of which the increment `expected` was known before (step_axes.hpp).
  void advance(const State& from, const Eigen::VectorXd& expected, const Eigen::VectorXd& dq,
               State& to) const;

 private:
  friend class Builder;

  std::vector<Node> nodes_;
  NodeNames nodeNames_;
  std::vector<Kind> kinds_;
  std::vector<bool> rotation_;
  std::vector<ScalarUnknown> scalars_;  // ascending by index; those that are not node freedoms
  std::vector<std::unique_ptr<ElementSet>> sets_;
  SetRoles roles_;
  std::vector<double> breaks_;
  std::vector<Clock> periodicBreaks_;
  std::vector<Clock> clocks_;
  math::Vec3<double> gravity_ = math::Vec3<double>::Zero();
  State start_;

  std::string nodeFreedom(UnknownIndex u) const;
  void addToScalars(const State& from, const Eigen::VectorXd& dq, State& to) const;
};

}  // namespace flexloop::system
