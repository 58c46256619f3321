// What is read from a reduced part at a point of it (docs/theory/31_reduced_bodies.md, section 31.6), from rows of the
// shapes that recover it: `rows` times the coordinates (u_1, θ_1, …, u_n, θ_n, q) of reduced_model.hpp.
#pragma once

#include <memory>

#include "mechanics/parts/part_motion.hpp"
#include "mechanics/parts/reduced_matrices.hpp"
#include "system/measure.hpp"

namespace flexloop::mechanics {

// Where a measure belongs.
struct MeasuredPart {
  PartPlace place;
  std::shared_ptr<const ReducedMatrices> matrices;
};

// Motion of a point (31.16), or its displacement from where the rigid part would have it, in part axes.
class PartPointMeasure final : public system::Measure {
 public:
  enum class Quantity { kPosition, kVelocity, kAcceleration, kDeformation };

  // `arm` is the place p − p_1 in the undeformed part, `rows` are the three of its displacement. Components are in the axes
  // of the node `axes`, and `origin` (ground axes) is subtracted from a position; a deformation needs neither.
  PartPointMeasure(Quantity quantity, MeasuredPart part, const math::Vec3<double>& arm,
                   const Eigen::MatrixXd& rows, system::NodeIndex axes = system::kGround,
                   const math::Vec3<double>& origin = math::Vec3<double>::Zero());

  bool hasRate() const override { return quantity_ != Quantity::kAcceleration; }
  // The local freedoms are those of the part's nodes, of the axes, and the modes.
  std::vector<Term> terms() const override;
  void calc(const system::Motion& motion, const system::Environment& environment, bool rate,
            double* q) const override;
  void calcJets(const system::Motion& motion, const system::Environment& environment,
                const Term& term, const system::JetSeeds& seeds, math::Jet* q) const override;

 private:
  template <class S, class View>
  math::Vec3<S> calcAs(const View& view) const;

  Quantity quantity_;
  MeasuredPart part_;
  math::Vec3<double> arm_, origin_;
  Eigen::MatrixXd rows_;  // of z
  system::NodeIndex axes_;
};

// Stress at a point in part axes: six components, the equivalent stress of von Mises (31.17), or a principal stress (31.18).
class PartStressMeasure final : public system::Measure {
 public:
  enum class Quantity { kComponents, kVonMises, kPrincipal1, kPrincipal2, kPrincipal3 };

  // `rows` are the six of (xx, yy, zz, xy, yz, zx).
  PartStressMeasure(Quantity quantity, MeasuredPart part, const Eigen::MatrixXd& rows);

  std::vector<Term> terms() const override;
  void calc(const system::Motion& motion, const system::Environment& environment, bool rate,
            double* q) const override;
  void calcJets(const system::Motion& motion, const system::Environment& environment,
                const Term& term, const system::JetSeeds& seeds, math::Jet* q) const override;

 private:
  template <class S, class View>
  void calcAs(const View& view, S* q) const;

  Quantity quantity_;
  MeasuredPart part_;
  Eigen::MatrixXd rows_;  // of z
};

}  // namespace flexloop::mechanics
