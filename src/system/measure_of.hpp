// A measure that states its value once, as a template on the scalar type, so that its exact time derivative and its
// tangents follow from the same lines:
//
//   struct Q {
//     static constexpr int kNodes, kScalars, kComponents;
//     template <class S> struct Parameters;
//     template <class S, class P>
//     static void calc(const Parameters<P>&, const Local<S,…>&, std::array<S, kComponents>&);
//     // and, where they make sense:
//     static constexpr int kHistory;
//     static constexpr bool kHasRate;  // false where the motion does not tell the time derivative
//     static constexpr std::array<const char*, kComponents> kNames;  // suffixes of the components
//   };
#pragma once

#include <array>
#include <string>
#include <vector>

#include "system/flow_view.hpp"
#include "system/gather.hpp"
#include "system/jet_view.hpp"
#include "system/measure.hpp"

namespace flexloop::system {

template <class Q>
constexpr int measureHistory() {
  if constexpr (requires { Q::kHistory; }) {
    return Q::kHistory;
  } else {
    return 0;
  }
}

template <class Q>
constexpr bool hasExactRate() {
  if constexpr (requires { Q::kHasRate; }) {
    return Q::kHasRate;
  } else {
    return true;
  }
}

template <class Q>
std::vector<std::string> measureNames() {
  if constexpr (requires { Q::kNames; }) return {Q::kNames.begin(), Q::kNames.end()};
  if constexpr (Q::kComponents == 1) return {""};
  static_assert(Q::kComponents == 1 || Q::kComponents == 3 || requires { Q::kNames; });
  return {"x", "y", "z"};
}

template <class Q>
class MeasureOf final : public Measure {
 public:
  using Parameters = typename Q::template Parameters<double>;
  static constexpr int kHistory = measureHistory<Q>();
  static_assert(Q::kComponents <= kMostComponents);

  MeasureOf(std::array<NodeIndex, Q::kNodes> nodes, std::array<UnknownIndex, Q::kScalars> scalars,
            int historyOffset, const Parameters& parameters)
      : Measure(measureNames<Q>()),
        nodes_(nodes),
        scalars_(scalars),
        historyOffset_(historyOffset),
        parameters_(parameters) {}

  bool hasRate() const override { return hasExactRate<Q>(); }

  std::vector<Term> terms() const override {
    return {{{nodes_.begin(), nodes_.end()}, {scalars_.begin(), scalars_.end()}}};
  }

  void calc(const Motion& motion, const Environment&, bool rate, double* q) const override {
    if constexpr (hasExactRate<Q>()) {
      if (rate) {
        const auto flow = calcAs<math::Flow<double>>(makeFlow(gather(motion)));
        for (int i = 0; i < Q::kComponents; ++i) q[i] = flow[i].first;
        return;
      }
    }
    const auto value = calcAs<double>(gather(motion));
    std::copy(value.begin(), value.end(), q);
  }

  void calcJets(const Motion& motion, const Environment&, const Term&, const JetSeeds& seeds,
                math::Jet* q) const override {
    LocalAs<math::Jet> local;
    makeJets(gather(motion), seeds, local);
    const auto jets = calcAs<math::Jet>(local);
    std::copy(jets.begin(), jets.end(), q);
  }

 private:
  template <class S>
  using LocalAs = Local<S, Q::kNodes, Q::kScalars, kHistory>;

  template <class S>
  std::array<S, Q::kComponents> calcAs(const LocalAs<S>& local) const {
    std::array<S, Q::kComponents> components;
    Q::template calc<S, double>(parameters_, local, components);
    return components;
  }

  LocalAs<double> gather(const Motion& motion) const {
    return gatherLocal<kHistory>(motion, nodes_, scalars_, historyOffset_);
  }

  std::array<NodeIndex, Q::kNodes> nodes_;
  std::array<UnknownIndex, Q::kScalars> scalars_;
  int historyOffset_ = 0;
  Parameters parameters_;
};

}  // namespace flexloop::system
