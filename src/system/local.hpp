// What an element sees: its own nodes and scalar unknowns, in the scalar type S of the evaluation
// (double, Pack for several elements at once, Dual for tangents, Taylor2 for time derivatives, Jet for
// both).
#pragma once

#include <array>

#include "math/se3.hpp"

namespace flexloop::system {

// What acts on all elements alike.
struct Environment {
  math::Vec3<double> gravity = math::Vec3<double>::Zero();  // already times the load factor
  double loadFactor = 1.0;                                  // scales applied loads in load stepping
  // Augmented Lagrangian: constraint forces are Bᵀ(k λ + p Φ), constraint rows k Φ.
  double constraintScale = 1.0;    // k
  double constraintPenalty = 0.0;  // p
};

template <class S, int Nodes, int Scalars, int History = 0>
struct Local {
  std::array<math::Frame<S>, Nodes> frame;
  std::array<math::Vec6<S>, Nodes> twist;  // body axes, translation first
  std::array<math::Vec6<S>, Nodes> twistRate;
  std::array<S, Scalars> value, rate, acceleration;
  std::array<S, History> history;
  S time;
};

// The element's share of the residual: forces on its nodes in body axes, and one entry per scalar.
template <class S, int Nodes, int Scalars>
struct Residual {
  std::array<math::Vec6<S>, Nodes> node;
  std::array<S, Scalars> scalar;

  void setZero() {
    for (auto& f : node) f.setConstant(S(0.0));
    for (auto& s : scalar) s = S(0.0);
  }
};

template <class S>
struct EnergyOf {
  S kinetic = S(0.0);
  S potential = S(0.0);

  S total() const { return kinetic + potential; }
  EnergyOf& operator+=(const EnergyOf& other) {
    kinetic += other.kinetic;
    potential += other.potential;
    return *this;
  }
  friend EnergyOf operator*(const S& factor, const EnergyOf& energy) {
    return {factor * energy.kinetic, factor * energy.potential};
  }
};
using Energy = EnergyOf<double>;

}  // namespace flexloop::system
