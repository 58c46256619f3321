// The axes in which factors know the translations of nodes (docs/theory/31_reduced_bodies.md, section 31.4).
//
// The stiffness of a flexible part is constant in the axes of its first node, but translations of its other nodes are
// unknowns in their own axes. With P = R₁ᵀR_k, and P° when the factors S° were made,
//
//     S = Qᵀ S° Q,     Q = P°ᵀP in the rows and columns of the translations of node k.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "system/system.hpp"

namespace flexloop::solve {

class TranslationAxes {
 public:
  TranslationAxes() = default;
  explicit TranslationAxes(const system::System& system);

  // Of what is measured.
  Eigen::Index size() const { return 9 * static_cast<Eigen::Index>(nodes_.size()); }
  // P of all nodes one after the other, to be kept with the factors that are made in this state.
  Eigen::VectorXd measure(const system::State& state) const;
  // `then` is what was measured for the factors in use.
  void setTurns(const system::State& state, const Eigen::VectorXd& then);

  void toFactors(Eigen::VectorXd& rhs) const;
  void fromFactors(Eigen::VectorXd& x) const;

 private:
  struct Turning {
    int firstNode, node, translation;  // translation: the first of the three unknowns
  };
  math::Mat3<double> measure(const system::State& state, const Turning& turning) const;

  std::vector<Turning> nodes_;
  std::vector<math::Mat3<double>> turns_;
};

}  // namespace flexloop::solve
