// Flexible parts after reduction as elements (docs/theory/31_reduced_bodies.md): any number of interface nodes, the first of
// which carries the axes of the part, and modal coordinates q as scalars of second order. With v = (ν; ω) the twist of the
// first node, z the coordinates seen from it (31.1) and y = R_b v + z',
//
//     T = ½ yᵀM y + yᵀGω z + ½ zᵀSω z,     V = ½ zᵀK z − g·(m x_1 + R_1 (m c + 𝒮 z))             (31.4)
//     r_F = R_bᵀπ' + (0; h') − v̂ᵀp_F,      r_z = π' − Gωᵀy − Sω z + K z + D z'                   (31.9)
//
// less the forces of gravity (31.11), and with what stiffening adds (31.8). They act on the nodes by the transposed map of (31.2).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechanics/parts/part_motion.hpp"
#include "mechanics/parts/part_recovery.hpp"
#include "mechanics/parts/reduced_matrices.hpp"
#include "system/element_roles.hpp"

namespace flexloop::mechanics {

class ReducedBodies final : public system::ElementSet, public system::StoredEnergy {
 public:
  ReducedBodies();
  ~ReducedBodies() override;

  // One node by interface and one scalar of the kind motion by mode, in the order of the model. The axes of all nodes
  // are those of the part where it is not deformed, turned together as one likes. Parts that are alike may share the
  // matrices. Returns the index of the new element.
  int add(std::string name, PartPlace place, std::shared_ptr<const ReducedMatrices> matrices,
          std::shared_ptr<const PartRecovery> recovery = {});

  const ReducedMatrices& matrices(int element) const;
  const PartPlace& place(int element) const;
  std::shared_ptr<const ReducedMatrices> sharedMatrices(int element) const;
  // Null where nothing is recovered.
  const PartRecovery* recovery(int element) const;

  std::string_view type() const override { return "part"; }
  int size() const override { return static_cast<int>(elements_.size()); }
  const std::string& name(int element) const override;
  int nodes(int element) const override;
  int scalars(int element) const override;
  system::NodeIndex node(int element, int k) const override;
  system::UnknownIndex scalar(int element, int k) const override;
  bool usesRate() const override { return true; }
  bool usesAcceleration() const override { return true; }
  bool couples(int, int, int) const override { return true; }

  void addResidual(const system::Motion& motion, const system::Environment& environment,
                   system::ResidualSums& sums) const override;
  void calcResidual(const system::Motion& motion, const system::Environment& environment,
                    int element, Eigen::VectorXd& local) const override;
  void calcTangents(const system::Motion& motion, const system::Environment& environment,
                    int element, system::Tangents& tangents) const override;
  void addTimeDerivatives(const system::Motion& motion, const system::Environment& environment,
                          system::TimeDerivatives& derivatives) const override;

  system::Energy energy(const system::Motion& motion, const system::Environment& environment,
                        int element) const override;
  system::Energy sumEnergies(const system::Motion& motion, const system::Environment& environment,
                             int first, int count) const override;
  system::Energy sumEnergyRates(const system::Motion& motion,
                                const system::Environment& environment, int first,
                                int count) const override;
  void subtractEnergyGradient(const system::Motion& motion, const system::Environment& environment,
                              int element, const system::Energy& weights,
                              system::Tangents& tangents) const override;
  system::EnergyOf<math::Jet> energyJet(const system::Motion& motion,
                                        const system::Environment& environment, int element,
                                        const system::JetSeeds& seeds) const override;

 private:
  // Vectors of one evaluation. Residuals must not allocate, and several threads may evaluate the same set, so workspaces
  // are lent and given back.
  struct Workspace;
  class Loan;
  struct Element;

  static void stiffen(const ReducedMatrices& matrices, Workspace& work);
  static void damp(const ReducedMatrices& matrices, Workspace& work);
  void evaluate(const system::Motion& motion, const system::Environment& environment,
                const Element& element, bool forTangents, Workspace& work) const;

  std::vector<std::unique_ptr<Element>> elements_;
};

}  // namespace flexloop::mechanics
