// The heavy top of Brüls and Cardona (2010): the machine, and its motion by an independent method.
#pragma once

#include <memory>
#include <vector>

#include "math/se3.hpp"
#include "solve/time/time_stepper.hpp"
#include "system/system.hpp"

namespace flexloop::test {

// A body of 15 kg whose centre is 1 m from a spherical joint at the origin, spinning at 150 rad/s.
// The multipliers are minus the force of the pivot on the body, in ground axes.
std::unique_ptr<system::System> makeHeavyTop(system::Formulation formulation);

struct TopSample {
  double time = 0.0;
  math::Mat3<double> R;
  math::Vec3<double> x, velocity;  // of the centre, ground axes
  math::Vec3<double> omega;        // body axes
  math::Vec3<double> pivotForce;   // on the body, ground axes
};

// The motion from Euler's equations about the pivot and the rotation matrix, by the classical
// Runge–Kutta method with steps of `interval`/`substeps`; one sample per interval.
std::vector<TopSample> integrateHeavyTop(double end, double interval, int substeps);

struct TopError {
  double position = 0.0, velocity = 0.0, multiplier = 0.0;
};

// Largest errors over [from, end]; `steps` are repeated cyclically (in units of h).
TopError runHeavyTop(system::Formulation formulation, const solve::StepperOptions& options,
                     const std::vector<double>& steps, double from, double end,
                     const std::vector<TopSample>& reference);

}  // namespace flexloop::test
