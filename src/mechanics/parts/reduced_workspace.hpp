// The insides of ReducedBodies: an element, and the vectors of one evaluation of it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mechanics/parts/reduced_bodies.hpp"

namespace flexloop::mechanics {

struct ReducedBodies::Workspace {
  PartMotion<double> part;
  Eigen::VectorXd y, dy;         // N
  Eigen::VectorXd momentumRate;  // M y', N
  Eigen::VectorXd momenta;       // M y, where there is damping by mass, N
  Eigen::VectorXd forces;        // r_z, n_z
  RotatingProducts products;
  StiffeningProducts stiffening;
  ShorteningProducts shortening;
  math::Vec3<double> meanRotation, meanRotationRate;  // ω̄, ω̄'
  math::Vec3<double> gravity;                         // in part axes
  math::Vec3<double> moment;                          // m c + 𝒮 z
  math::Vec6<double> momentum;                        // p_F
  math::Vec6<double> frameForce;                      // r_F

  explicit Workspace(const ReducedMatrices& matrices)
      : part(matrices.interfaces, matrices.modes),
        y(matrices.velocities()),
        dy(matrices.velocities()),
        momentumRate(matrices.velocities()),
        momenta(matrices.massDamping > 0.0 ? matrices.velocities() : 0),
        forces(matrices.coordinates),
        products(matrices.coordinates) {
    shortening.Bz.resize(matrices.coordinates, static_cast<Eigen::Index>(matrices.B.size()));
    shortening.shorter.resize(matrices.coordinates);
    shortening.elastic.resize(matrices.coordinates);
  }
};

struct ReducedBodies::Element {
  std::string name;
  PartPlace place;
  std::shared_ptr<const ReducedMatrices> matrices;
  std::shared_ptr<const PartRecovery> recovery;  // may be null
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Workspace>> idle;  // one is made with the element
};

// Lends a workspace of an element for as long as it lives.
class ReducedBodies::Loan {
 public:
  explicit Loan(const Element& element) : element_(element) {
    const std::scoped_lock lock(element_.mutex);
    if (element_.idle.empty()) {
      workspace_ = std::make_unique<Workspace>(*element_.matrices);
      return;
    }
    workspace_ = std::move(element_.idle.back());
    element_.idle.pop_back();
  }
  ~Loan() {
    const std::scoped_lock lock(element_.mutex);
    element_.idle.push_back(std::move(workspace_));
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  Workspace& operator*() { return *workspace_; }
  Workspace* operator->() { return workspace_.get(); }

 private:
  const Element& element_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace flexloop::mechanics
