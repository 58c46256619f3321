// A measure as a signal: the element with the unknown y and the equation
//
//     r = y − w·q(motion)   or, for its exact rate,   r = y − w·q'(motion)                       (17.1)
//
// where w picks a component or a direction. Its tangents are the rows that localise the sensor: an
// accelerometer fills M, a tachometer C, a joint force the columns of the multipliers.
#pragma once

#include "system/builder.hpp"
#include "system/flow_view.hpp"
#include "system/measure.hpp"

namespace flexloop::system {

template <class Q, bool kRate>
struct Sensor {
  static constexpr const char* kType = "sensor";
  static constexpr int kNodes = Q::kNodes, kScalars = Q::kScalars + 1, kSignal = Q::kScalars;
  static constexpr int kHistory = measureHistory<Q>();
  static constexpr bool kUsesRate = true, kUsesAcceleration = true;

  template <class S>
  struct Parameters {
    typename Q::template Parameters<S> quantity;
    std::array<S, Q::kComponents> weights;
  };

  // The machine does not feel that it is measured.
  static constexpr bool couples(int row, int) { return row == kNodes + kSignal; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const Local<S, kNodes, kScalars, kHistory>& u,
                          const Environment&, Residual<S, kNodes, kScalars>& r) {
    const Local<S, Q::kNodes, Q::kScalars, kHistory> seen = withoutLast(u);
    r.scalar[kSignal] += u.value[kSignal];
    if constexpr (kRate) {
      std::array<math::Flow<S>, Q::kComponents> q;
      Q::template calc<math::Flow<S>, P>(p.quantity, makeFlow(seen), q);
      for (int i = 0; i < Q::kComponents; ++i) r.scalar[kSignal] -= p.weights[i] * q[i].first;
    } else {
      std::array<S, Q::kComponents> q;
      Q::template calc<S, P>(p.quantity, seen, q);
      for (int i = 0; i < Q::kComponents; ++i) r.scalar[kSignal] -= p.weights[i] * q[i];
    }
  }
};

template <class Q>
bool MeasureOf<Q>::addSignal(const SignalRequest& request, Builder& builder) const {
  std::array<double, Q::kComponents> weights{};
  if constexpr (Q::kComponents == 3) {
    if (projected_) weights = {direction_[0], direction_[1], direction_[2]};
  }
  if (!projected_) weights[component_ >= 0 ? component_ : request.component] = 1.0;
  std::array<UnknownIndex, Q::kScalars + 1> scalars;
  for (int k = 0; k < Q::kScalars; ++k) scalars[k] = scalars_[k];
  scalars[Q::kScalars] = request.unknown;
  if (request.rate) {
    if constexpr (hasExactRate()) {
      builder.elements<Sensor<Q, true>>().add(request.name, nodes_, scalars, {parameters_, weights},
                                              historyOffset_);
    }
  } else {
    builder.elements<Sensor<Q, false>>().add(request.name, nodes_, scalars, {parameters_, weights},
                                             historyOffset_);
  }
  return true;
}

}  // namespace flexloop::system
