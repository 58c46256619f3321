// What a joint or a spring does to its second node (docs/theory/17_sensors_and_actuators.md, section
// 17.2). Its elements add f = (f; m) to the residual of the node, where forces have the opposite
// sign, so in node axes the force on the node and the torque about the point p are
//
//     (17.3)  b = −f,   b = p × f − m,      and in the axes of another node   g = R_xᵀ R b
#pragma once

#include <vector>

#include "base/workspace_pool.hpp"
#include "system/builder.hpp"
#include "system/element_roles.hpp"
#include "system/measure.hpp"

namespace flexloop::mechanics {

class ReactionMeasure final : public system::Measure {
 public:
  enum class Kind { kForce, kTorque };

  // Of all elements in `parts`, whose second node is `node`; components in the axes of node `axes`.
  ReactionMeasure(Kind kind, const std::vector<system::Builder::Attachment>& parts,
                  system::NodeIndex node, const math::Vec3<double>& point, system::NodeIndex axes);

  // Multipliers have no rate.
  bool hasRate() const override { return canBeSignal() && scalars_.empty(); }
  // Whether all parts act between the same two nodes.
  bool canBeSignal() const override;

  // The local freedoms are those of the two ends, of the axes, and the scalars of all parts.
  std::vector<Term> terms() const override;
  void calc(const system::Motion& motion, const system::Environment& environment, bool rate,
            double* q) const override;
  void calcJets(const system::Motion& motion, const system::Environment& environment,
                const Term& term, const system::JetSeeds& seeds, math::Jet* q) const override;
  void subtractGradient(const system::Motion& motion, const system::Environment& environment,
                        const Term& term, const std::vector<double>& weights, bool rate,
                        system::Tangents& tangents) const override;

 private:
  struct Part {
    const system::ElementSet* set;
    const system::MeasuredForces* forces;  // null: only to be recorded
    int element;
  };

  // By part, so that nothing is allocated.
  struct Workspace {
    std::vector<Eigen::VectorXd> residuals;
    std::vector<system::Tangents> tangents;
  };
  using Loan = base::WorkspacePool<Workspace>::Loan;

  Loan borrow() const;
  template <class S>
  math::Vec3<S> calcInBody(const math::Vec6<S>& f) const;
  math::Vec6<double> calcSum(const system::Motion& motion, const system::Environment& environment,
                             Workspace& workspace) const;

  Kind kind_;
  std::vector<Part> parts_;
  system::NodeIndex node_, axes_;
  math::Vec3<double> point_;
  std::vector<system::UnknownIndex> scalars_;
  mutable base::WorkspacePool<Workspace> workspaces_;
};

}  // namespace flexloop::mechanics
