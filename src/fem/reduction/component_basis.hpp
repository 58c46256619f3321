// Bases of component mode synthesis: the sets of modes of section 30.4, brought to the form
//
//   u = Φ z,   z = [u_b, q],   Φ = [Ψ X],   X_b = 0,   K = [S 0; 0 diag ω²],   X's mass = I                 (30.12)
//
// with the static columns Ψ, which have the least energy for a unit motion of one boundary freedom, and internal columns
// that leave the boundary where it is. Rigid motions of the boundary move all of the component rigidly, to the last digits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fem/reduction/static_modes.hpp"

namespace flexloop::fem {

enum class ReductionMethod {
  kCraigBampton,     // constraint modes
  kHintzConstraint,  // rigid, constraint, inertia relief
  kHintzAttachment,  // rigid, attachment, inertia relief in attachment form
  kInertiaRelief,    // rigid, inertia-relief attachment
  kFreeInterface,    // Rubin: rigid, free modes, residual flexibility
  kHybridInterface,  // Hintz's constraint modes, normal modes with some interfaces held
};

// What holds the component while it vibrates: all of the boundary, nothing, or a part of it.
enum class NormalModes { kFixed, kFree, kHybrid };

std::string nameOf(ReductionMethod method);  // as in models: craig_bampton
std::optional<ReductionMethod> findMethod(const std::string& name);
NormalModes usualModes(ReductionMethod method);

struct ComponentBasis {
  Eigen::MatrixXd Phi;     // unknowns × (boundary + internal); zero in the rows of multipliers
  Eigen::MatrixXd K, M;    // reduced
  Eigen::VectorXd omega2;  // of the internal columns, rising, 1/s²
  int dropped = 0;         // columns that depended on others

  int boundary() const { return static_cast<int>(K.rows() - omega2.size()); }
};

// Static columns of a method without those that all of them contain, the constraint modes. Unknowns × columns.
Eigen::MatrixXd additionalColumns(const Component& component, const StaticModes& statics,
                                  ReductionMethod method);

// `normal` are normal modes by column, unknowns × modes.
base::Result<ComponentBasis> makeBasis(const Component& component, const StaticModes& statics,
                                       ReductionMethod method, const Eigen::MatrixXd& normal);

// The same form for any columns V with matrices k and m in their coordinates, whose rows at the boundary have full rank:
// the columns of Z, z ↦ coordinates of V. Nothing where they have not, or k has a motion without energy that the boundary
// does not see.
struct BoundaryForm {
  Eigen::MatrixXd Z, K, M;
  Eigen::VectorXd omega2;
};
std::optional<BoundaryForm> bringToBoundary(const Eigen::MatrixXd& boundaryRows,
                                            const Eigen::MatrixXd& k, const Eigen::MatrixXd& m);

// MacNeal's variant of free-interface modes: as Rubin, with the mass of the residual columns left out.
std::optional<BoundaryForm> makeMacNeal(const Component& component, const StaticModes& statics,
                                        const Eigen::MatrixXd& freeModes,
                                        const Eigen::VectorXd& omega2);

}  // namespace flexloop::fem
