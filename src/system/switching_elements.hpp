// A set of elements of one type E that are constraints which come and go: the elements of elements.hpp, and what is the same for all switches. The set
// of a type adds what system::Switching asks for.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "system/elements.hpp"
#include "system/switching.hpp"

namespace flexloop::system {

template <class E>
class SwitchingElements : public ElementSet,
                          public Switching,
                          public RoleIf<Remembering, HasMemory<E>>,
                          public RoleIf<MeasuredForces, hasMeasuredForces<E>()> {
 public:
  using Parameters = typename E::template Parameters<double>;

  int add(std::string name, const std::array<NodeIndex, E::kNodes>& nodes,
          const std::array<UnknownIndex, E::kScalars>& scalars, const Parameters& parameters,
          int history) {
    return elements_.add(std::move(name), nodes, scalars, parameters, history);
  }
  int historyOffset(int element) const { return elements_.historyOffset(element); }
  const Parameters& parameters(int element) const { return elements_.parameters(element); }

  std::string_view type() const override { return elements_.type(); }
  int size() const override { return elements_.size(); }
  const std::string& name(int e) const override { return elements_.name(e); }
  int nodes(int e) const override { return elements_.nodes(e); }
  int scalars(int e) const override { return elements_.scalars(e); }
  NodeIndex node(int e, int k) const override { return elements_.node(e, k); }
  UnknownIndex scalar(int e, int k) const override { return elements_.scalar(e, k); }
  bool usesRate() const override { return elements_.usesRate(); }
  bool usesAcceleration() const override { return elements_.usesAcceleration(); }
  bool couples(int e, int row, int column) const override {
    return elements_.couples(e, row, column);
  }
  void addResidual(const Motion& motion, const Environment& environment,
                   ResidualSums& sums) const override {
    elements_.addResidual(motion, environment, sums);
  }
  void calcResidual(const Motion& motion, const Environment& environment, int e,
                    Eigen::VectorXd& local) const override {
    elements_.calcResidual(motion, environment, e, local);
  }
  void calcTangents(const Motion& motion, const Environment& environment, int e,
                    Tangents& tangents) const override {
    elements_.calcTangents(motion, environment, e, tangents);
  }
  void addTimeDerivatives(const Motion& motion, const Environment& environment,
                          TimeDerivatives& derivatives) const override {
    elements_.addTimeDerivatives(motion, environment, derivatives);
  }
  // These two override those of the roles, where E has them.
  void calcForceJets(const Motion& motion, const Environment& environment, int e,
                     const JetSeeds& seeds, std::array<math::Jet, 12>& forces) const {
    elements_.calcForceJets(motion, environment, e, seeds, forces);
  }
  void updateHistory(const Motion& motion, State& state) const {
    elements_.updateHistory(motion, state);
  }

  double restitution(int) const override { return 0.0; }

 protected:
  // The branch is remembered as a number.
  Branch branchAt(int slot, const std::vector<double>& history) const {
    return static_cast<Branch>(std::lround(history[slot]));
  }

 private:
  Elements<E> elements_;
};

}  // namespace flexloop::system
