// The share of one element in an energy that is a signal. The row of the signal y is the sum over
// elements (docs/theory/17_sensors_and_actuators.md, section 17.5):
//
//     r = y − Σ (w_T T + w_V V)   or, for the rate,   r = y − Σ (w_T T' + w_V V'),      (17.11)
//
// and each share is an element of its own: the row may be as long as the machine, local matrices stay
// small. A type whose energy shall be a signal instantiates EnergySignals in one file,
//
//     template struct system::EnergySignals<E>;
#pragma once

#include "system/elements.hpp"
#include "system/flow_view.hpp"

namespace flexloop::system {

template <class E, bool kRate>
struct EnergyShare {
  static constexpr const char* kType = "sensor";
  static constexpr int kNodes = E::kNodes, kScalars = E::kScalars + 1, kSignal = E::kScalars;
  static constexpr int kHistory = historyOf<E>();
  static constexpr bool kUsesRate = true, kUsesAcceleration = kRate;

  template <class S>
  struct Parameters {
    typename E::template Parameters<S> element;
    S kinetic, potential;  // weights
  };

  // The machine does not feel that it is measured.
  static constexpr bool couples(int row, int) { return row == kNodes + kSignal; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const Local<S, kNodes, kScalars, kHistory>& u,
                          const Environment& environment, Residual<S, kNodes, kScalars>& r) {
    if constexpr (kRate) {
      const auto energy = E::energy(p.element, makeFlow(withoutLast(u)), environment);
      r.scalar[kSignal] -= p.kinetic * energy.kinetic.first + p.potential * energy.potential.first;
    } else {
      const auto energy = E::energy(p.element, withoutLast(u), environment);
      r.scalar[kSignal] -= p.kinetic * energy.kinetic + p.potential * energy.potential;
    }
  }
};

template <class E>
Energy EnergySignals<E>::calcRate(const Elements<E>& set, const Motion& motion,
                                  const Environment& environment, int element) {
  LocalOf<E, math::Taylor2> local;
  seedTime(set.gather(motion, element), local);
  const auto energy = E::energy(set.parameters(element), local, environment);
  return {energy.kinetic.first, energy.potential.first};
}

template <class E>
std::unique_ptr<ElementSet> EnergySignals<E>::makeShares(const Elements<E>& set,
                                                         const EnergySignal& signal, int first,
                                                         int count) {
  const auto make = [&]<bool kRate>() {
    auto shares = std::make_unique<Elements<EnergyShare<E, kRate>>>();
    for (int e = first; e < first + count; ++e) {
      std::array<NodeIndex, E::kNodes> nodes;
      std::array<UnknownIndex, E::kScalars + 1> scalars;
      for (int k = 0; k < E::kNodes; ++k) nodes[k] = set.node(e, k);
      for (int k = 0; k < E::kScalars; ++k) scalars[k] = set.scalar(e, k);
      scalars[E::kScalars] = signal.unknown;
      shares->add(signal.name, nodes, scalars,
                  {set.parameters(e), signal.weights.kinetic, signal.weights.potential},
                  set.historyOffset(e));
    }
    return std::unique_ptr<ElementSet>(std::move(shares));
  };
  return signal.rate ? make.template operator()<true>() : make.template operator()<false>();
}

}  // namespace flexloop::system
