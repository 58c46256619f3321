// Static modes of a component, all from one factorisation of its stiffness with the boundary held.
//
//   constraint modes       Ψ_b = I,  K_ii Ψ_i = −K_ib                                       (30.7)
//   inertia relief         K_ii Y_i = (M R)_i,  Y_b = 0                                     (30.9)
//   response to loads f    with any part C of the boundary held, by the Schur complement S = Ψᵀ K Ψ:
//                          S u_b = Ψᵀ f  (u_C = 0),  u = Ψ u_b + K_ii⁻¹ f_i                 (30.8)
//
// Attachment modes and inertia-relief attachment modes are such responses, and are computed as such.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "fem/reduction/component.hpp"

namespace flexloop::fem {

class StaticModes {
 public:
  // The unknown at which elimination failed; -1 where it is not known.
  struct Singular {
    int unknown = -1;
    int negative = 0;  // eigenvalues of K_ii below zero
  };

  // The component must outlive the modes. A failure is a want of memory; see also singular().
  [[nodiscard]] std::optional<base::Failure> calculate(const Component& component,
                                                       const linalg::Progress& progress = {});
  // A part that its boundary does not hold, or a stiffness that is not positive, has no static modes.
  const std::optional<Singular>& singular() const { return singular_; }

  const std::vector<int>& interior() const { return interior_; }
  const Eigen::MatrixXd& constraint() const { return Psi_; }  // unknowns × boundary
  const Eigen::MatrixXd& relief() const { return relief_; }   // Y, unknowns × rigid motions
  const Eigen::MatrixXd& interfaceModes() const { return flexible_; }  // unknowns × modes, or none
  const Eigen::MatrixXd& boundaryStiffness() const { return S_; }
  const Eigen::MatrixXd& rigidMass() const { return rigidMass_; }  // Rᵀ M R
  const Eigen::MatrixXd& massTimesRigid() const { return MR_; }

  // A statically determinate part of the boundary, by place in it: held, it leaves no rigid motion.
  const std::vector<int>& determinate() const { return determinate_; }
  // ψ for unit forces at boundary freedoms that are not held, the determinate part held. Unknowns × (boundary − rigid).
  Eigen::MatrixXd attachment() const;
  // ψ for the loads M R, the determinate part held.
  Eigen::MatrixXd reliefAttachmentForm() const;
  // ψ = G e_j, unit forces at all boundary freedoms balanced by the inertia of rigid acceleration (30.10).
  Eigen::MatrixXd inertiaReliefAttachment() const;
  // To unit forces at these places of the boundary, with others held.
  Eigen::MatrixXd respondToForces(const std::vector<int>& places,
                                  const std::vector<int>& held) const;
  // To the loads of the component, with these places of the boundary held.
  Eigen::MatrixXd respondToLoads(const std::vector<int>& held) const;

 private:
  // From an interrupted reduction, or solved for.
  [[nodiscard]] std::optional<base::Failure> obtainColumns(const linalg::Progress& progress,
                                                           Eigen::MatrixXd& columns);
  // The columns Ψ, Y and responses to loads, unknowns × (boundary + motions + loads); empty where K_ii is singular.
  [[nodiscard]] std::optional<base::Failure> solveColumns(const linalg::Progress& progress,
                                                          Eigen::MatrixXd& columns);
  // False where it was stopped.
  bool findFlexible(const linalg::SymmetricFactors& factors, const linalg::Progress& progress);
  void findDeterminate();
  // u_b of (30.8) for loads Ψᵀ f, by column.
  Eigen::MatrixXd solveBoundary(const Eigen::MatrixXd& loads, const std::vector<int>& held) const;
  // Response with the determinate part held to forces e_b · boundaryLoads + M R · c.
  Eigen::MatrixXd respond(const Eigen::MatrixXd& boundaryLoads, const Eigen::MatrixXd& c) const;

  const Component* component_ = nullptr;
  std::vector<int> interior_, determinate_;
  Eigen::MatrixXd Psi_, relief_, loaded_, flexible_, S_, MR_, rigidMass_;
  std::optional<Singular> singular_;
};

}  // namespace flexloop::fem
