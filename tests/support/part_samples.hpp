// Reduced parts that tests make by hand, without a mesh.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mechanics/parts/reduced_bodies.hpp"
#include "system/builder.hpp"

namespace flexloop::test {

// A cloud of points with random masses, also between different directions, of which the interfaces move all rigidly; with
// random stiffness, damping, modes and stiffening, and with foreshortening where it has modes. Nothing is symmetric that need not be.
mechanics::ReducedModel makeRandomPart(int interfaces, int modes, std::uint32_t seed);

// A rigid body at one interface, p_1 = 0.
mechanics::ReducedModel makeRigidPart(double mass, const math::Vec3<double>& centre,
                                      const math::Mat3<double>& inertia);

// A uniform beam along x between two interfaces at its ends, of Euler and Bernoulli with torsion and stretch, made of
// `elements` elements with cubic deflections, condensed to its ends and `modes` modes with both ends held. The matrices
// are integrals over its shape functions; sections have no rotary inertia but that about x. With `stiffening`, the
// geometric stiffness is that of the tension by spinning about an axis through the first end.
struct BeamPart {
  double length = 1.0, massPerLength = 1.0, polarInertia = 0.0;  // m, kg/m, kg m
  double EA = 1.0, GJ = 1.0, EIy = 1.0, EIz = 1.0;
};
mechanics::ReducedModel makeBeamPart(const BeamPart& beam, int elements, int modes,
                                     bool stiffening = false);

// Adds the part with nodes `name.1`, … at `place` times its interfaces, moving with the rigid `velocity` (twist of the
// part's origin, part axes). `q` holds the modal coordinates at the start.
mechanics::PartPlace addPart(system::Builder& builder, const std::string& name,
                             const mechanics::ReducedModel& model, const math::Frame<double>& place,
                             const math::Vec6<double>& velocity = math::Vec6<double>::Zero(),
                             const std::vector<system::FreeSet>& free = {},
                             double massDamping = 0.0);

}  // namespace flexloop::test
