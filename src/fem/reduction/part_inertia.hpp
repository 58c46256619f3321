// What a turning frame needs of the shapes of a part: G, Q and the loads of a spin.
#pragma once

#include <array>

#include "fem/assembly/part_system.hpp"
#include "mechanics/parts/reduced_model.hpp"

namespace flexloop::fem {

// (Eₐ U)ᵢ = eₐ × Uᵢ for the translations of all nodes; rotations become zero. U has six rows per node.
Eigen::MatrixXd turn(const Eigen::MatrixXd& U, int axis);

// Fills G and Q from the shapes U = T Φ of all nodal freedoms.
void fillTurningInertia(const PartSystem& part, const Eigen::MatrixXd& U,
                        mechanics::ReducedModel& model);

// The six pairs of axes, in the order xx yy zz xy yz zx.
constexpr std::array<std::array<int, 2>, 6> kAxisPairs{
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}}};

// Forces on the nodal freedoms in a steady spin with ωₐ ω_b = 1 about axes through `centre`, by pair of axes: −½ 𝓜 (Eₐ E_b + E_b Eₐ) x
// (30.15).
Eigen::MatrixXd makeSpinLoads(const PartSystem& part, const Eigen::Vector3d& centre);

}  // namespace flexloop::fem
