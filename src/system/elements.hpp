// A set of elements of one type E. E states its equations once, as a template on the scalar type:
//
//   struct E {
//     static constexpr const char* kType;            // as in the registry
//     static constexpr int kNodes, kScalars;         // local freedoms: 6·kNodes + kScalars
//     static constexpr bool kUsesRate, kUsesAcceleration;
//     template <class S> struct Parameters;          // members of type S only
//     template <class S, class P>
//     static void addResidual(const Parameters<P>&, const Local<S,…>&, const Environment&, Residual<S,…>&);
//     // and, where they make sense:
//     static constexpr int kHistory;
//     static constexpr bool couples(int rowSlot, int columnSlot);
//     static constexpr bool kHasSections;            // forces are measured at its sections, not at its nodes
//     static constexpr bool fills(int row, int column, bool augmented);   // finer than couples
//     template <class S, class P>
//     static EnergyOf<S> energy(const Parameters<P>&, const Local<S,…>&, const Environment&);
//     static void updateHistory(const Parameters<double>&, const Local<double,…>&, double* history);
//     static void calcTangents(const Parameters<double>&, const Local<double,…>&, const Environment&,
//                              Tangents&);           // only where faster than differentiation
//     template <class Set> using Role = …;           // a base class of the set with roles of the type's own
//     template <class S, class P>                    // of constraints, likewise
//     static void calcRates(const Parameters<P>&, const Local<S,…>&, const Environment&,
//                           std::array<S, kScalars>&);
//   };
//
// From these the set makes: the residual, four elements at once (S = Pack); the exact tangents, by
// forward differentiation of the same residual (S = Dual) unless E writes them out; the time
// derivatives of constraints (S = Taylor2). docs/decisions/0002 gives the reasons. What has an energy is measured by
// sensors of energy, and what acts between two nodes by sensors of force, as signals too: rates and
// gradients follow from the same lines (S = Flow<Pack>, Jet).
#pragma once

#include <array>
#include <cassert>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "math/dual.hpp"
#include "math/pack.hpp"
#include "math/taylor.hpp"
#include "system/element_roles.hpp"
#include "system/flow_view.hpp"
#include "system/gather.hpp"
#include "system/jet_view.hpp"

namespace flexloop::system {

template <class E>
constexpr int historyOf() {
  if constexpr (requires { E::kHistory; }) {
    return E::kHistory;
  } else {
    return 0;
  }
}

template <class E, class S>
using LocalOf = Local<S, E::kNodes, E::kScalars, historyOf<E>()>;
template <class E, class S>
using ResidualOf = Residual<S, E::kNodes, E::kScalars>;

template <class E>
concept HasRates = requires(typename E::template Parameters<double> p, LocalOf<E, double> u,
                            Environment environment, std::array<double, E::kScalars> rates) {
  E::template calcRates<double, double>(p, u, environment, rates);
};

template <class E>
concept HasEnergy = requires(typename E::template Parameters<double> p, LocalOf<E, double> u,
                             Environment environment) {
  E::energy(p, u, environment);
};

template <class E>
concept HasMemory = requires(typename E::template Parameters<double> p, LocalOf<E, double> u) {
  E::updateHistory(p, u, nullptr);
};

template <class E>
constexpr bool hasMeasuredForces() {
  if constexpr (requires { E::kHasSections; }) {
    return !E::kHasSections;
  } else {
    return E::kNodes == 2;
  }
}

// A role of element_roles.hpp as a base class, for those that have it.
template <class Role>
class Without {};
template <class Role, bool has>
using RoleIf = std::conditional_t<has, Role, Without<Role>>;

// Roles that only this type has, stated by itself.
template <class E, class Set>
struct OwnRole {
  using Type = Without<E>;
};
template <class E, class Set>
requires requires {
  typename E::template Role<Set>;
}
struct OwnRole<E, Set> {
  using Type = typename E::template Role<Set>;
};

// The members that play a role override those of the interface where E has the role, and are not
// instantiated where it has not.
template <class E>
class Elements final : public ElementSet,
                       public RoleIf<ConstraintRates, HasRates<E>>,
                       public RoleIf<Remembering, HasMemory<E>>,
                       public RoleIf<StoredEnergy, HasEnergy<E>>,
                       public RoleIf<MeasuredForces, hasMeasuredForces<E>()>,
                       public OwnRole<E, Elements<E>>::Type {
 public:
  using Parameters = typename E::template Parameters<double>;
  using PackParameters = typename E::template Parameters<math::Pack>;
  static constexpr int kWidth = math::Pack::kWidth;
  static constexpr int kFreedoms = 6 * E::kNodes + E::kScalars;
  static constexpr int kHistory = historyOf<E>();
  static_assert(sizeof(PackParameters) == kWidth * sizeof(Parameters),
                "Parameters may hold members of the scalar type only");

  // Returns the index of the new element.
  int add(std::string name, const std::array<NodeIndex, E::kNodes>& nodes,
          const std::array<UnknownIndex, E::kScalars>& scalars, const Parameters& parameters,
          int historyOffset = 0) {
    const int element = size();
    names_.push_back(std::move(name));
    nodes_.push_back(nodes);
    scalars_.push_back(scalars);
    parameters_.push_back(parameters);
    historyOffsets_.push_back(historyOffset);
    if (element % kWidth == 0) packs_.emplace_back();
    // Lanes that are not used yet repeat this element, so that they hold harmless numbers.
    for (int lane = element % kWidth; lane < kWidth; ++lane) {
      setLane(lane, parameters, packs_.back());
    }
    return element;
  }

  const Parameters& parameters(int element) const { return parameters_[element]; }

  std::string_view type() const override { return E::kType; }
  int size() const override { return static_cast<int>(parameters_.size()); }
  int nodes(int) const override { return E::kNodes; }
  int scalars(int) const override { return E::kScalars; }
  bool usesRate() const override { return E::kUsesRate; }
  bool usesAcceleration() const override { return E::kUsesAcceleration; }
  bool couples(int, int rowSlot, int columnSlot) const override {
    if constexpr (requires { E::couples(0, 0); }) {
      return E::couples(rowSlot, columnSlot);
    } else {
      return true;
    }
  }
  bool fills(int element, int row, int column, bool augmented) const override {
    if constexpr (requires { E::fills(0, 0, false); }) {
      (void)element;
      return E::fills(row, column, augmented);
    } else {
      return ElementSet::fills(element, row, column, augmented);
    }
  }
  const std::string& name(int element) const override { return names_[element]; }
  NodeIndex node(int element, int k) const override { return nodes_[element][k]; }
  UnknownIndex scalar(int element, int k) const override { return scalars_[element][k]; }
  int historyOffset(int element) const { return historyOffsets_[element]; }

  void addResidual(const Motion& motion, const Environment& environment,
                   ResidualSums& sums) const override {
    for (int first = 0; first < size(); first += kWidth) {
      const int lanes = std::min(kWidth, size() - first);
      LocalOf<E, math::Pack> local;
      gatherPack(motion, first, lanes, local);
      ResidualOf<E, math::Pack> residual;
      residual.setZero();
      E::template addResidual<math::Pack, math::Pack>(packs_[first / kWidth], local, environment,
                                                      residual);
      for (int lane = 0; lane < lanes; ++lane) scatterLane(residual, lane, first + lane, sums);
    }
  }

  void calcResidual(const Motion& motion, const Environment& environment, int element,
                    Eigen::VectorXd& result) const override {
    const auto residual = calcOne<double>(gather(motion, element), environment, element);
    result.resize(kFreedoms);
    for (int k = 0; k < E::kNodes; ++k) result.template segment<6>(6 * k) = residual.node[k];
    for (int k = 0; k < E::kScalars; ++k) result[6 * E::kNodes + k] = residual.scalar[k];
  }

  void calcTangents(const Motion& motion, const Environment& environment, int element,
                    Tangents& tangents) const override {
    const auto local = gather(motion, element);
    // What the type does not use stays zero from the first call on.
    const bool first = tangents.K.cols() != kFreedoms;
    tangents.K.setZero(kFreedoms, kFreedoms);
    if (E::kUsesRate || first) tangents.C.setZero(kFreedoms, kFreedoms);
    if (E::kUsesAcceleration || first) tangents.M.setZero(kFreedoms, kFreedoms);
    if constexpr (requires {
                    E::calcTangents(parameters_[element], local, environment, tangents);
                  }) {
      E::calcTangents(parameters_[element], local, environment, tangents);
    } else {
      differentiate(local, environment, element, tangents);
    }
  }

  void addTimeDerivatives(const Motion& motion, const Environment& environment,
                          TimeDerivatives& derivatives) const override {
    if constexpr (E::kScalars > 0) {
      for (int e = 0; e < size(); ++e) {
        LocalOf<E, math::Taylor2> local;
        seedTime(gather(motion, e), local);
        const auto residual = calcOne<math::Taylor2>(local, environment, e);
        for (int k = 0; k < E::kScalars; ++k) {
          const int row = scalars_[e][k].value;
          derivatives.first[row] += residual.scalar[k].first;
          derivatives.second[row] += residual.scalar[k].second;
        }
      }
    }
  }

  void addConstraintRates(const Motion& motion, const Environment& environment,
                          Eigen::VectorXd& rates) const {
    for (int first = 0; first < size(); first += kWidth) {
      const int lanes = std::min(kWidth, size() - first);
      LocalOf<E, math::Pack> local;
      gatherPack<true>(motion, first, lanes, local);
      std::array<math::Pack, E::kScalars> own;
      E::template calcRates<math::Pack, math::Pack>(packs_[first / kWidth], local, environment,
                                                    own);
      for (int lane = 0; lane < lanes; ++lane) {
        for (int k = 0; k < E::kScalars; ++k) {
          rates[scalars_[first + lane][k].value] += own[k][lane];
        }
      }
    }
  }

  void updateHistory(const Motion& motion, State& state) const {
    for (int e = 0; e < size(); ++e) {
      E::updateHistory(parameters_[e], gather(motion, e),
                       state.history.data() + historyOffsets_[e]);
    }
  }

  Energy energy(const Motion& motion, const Environment& environment, int element) const {
    return E::energy(parameters_[element], gather(motion, element), environment);
  }

  Energy sumEnergies(const Motion& motion, const Environment& environment, int first,
                     int count) const {
    Energy sum;
    forEachPack(motion, first, count, [&](const auto& pack, const auto& local, int from, int to) {
      const auto energy = calcEnergy(pack, local, environment);
      for (int i = from; i < to; ++i) sum += {energy.kinetic[i], energy.potential[i]};
    });
    return sum;
  }

  Energy sumEnergyRates(const Motion& motion, const Environment& environment, int first,
                        int count) const {
    Energy sum;
    forEachPack(motion, first, count, [&](const auto& pack, const auto& local, int from, int to) {
      const auto energy = calcEnergy(pack, makeFlow(local), environment);
      for (int i = from; i < to; ++i) sum += {energy.kinetic.first[i], energy.potential.first[i]};
    });
    return sum;
  }

  // Four directions at once: one element in all lanes, and each with another direction in place of time.
  void subtractEnergyGradient(const Motion& motion, const Environment& environment, int element,
                              const Energy& weights, Tangents& tangents) const {
    const auto local = gather(motion, element);
    PackParameters parameters;
    for (int lane = 0; lane < kWidth; ++lane) setLane(lane, parameters_[element], parameters);
    const Eigen::Index row = tangents.K.rows() - 1;
    for (int first = 0; first < 2 * kFreedoms; first += kWidth) {
      LocalOf<E, math::Flow<math::Pack>> seeded;
      lift(local, seeded);
      const int last = std::min(first + kWidth, 2 * kFreedoms);
      for (int j = first; j < last; ++j) {
        if (j < kFreedoms) {
          seedValue(local, j, j - first, seeded);
        } else {
          seedRate(j - kFreedoms, j - first, seeded);
        }
      }
      const auto energy = calcEnergy(parameters, seeded, environment);
      for (int j = first; j < last; ++j) {
        (j < kFreedoms ? tangents.K : tangents.C)(row, j % kFreedoms) -=
            weights.kinetic * energy.kinetic.first[j - first] +
            weights.potential * energy.potential.first[j - first];
      }
    }
  }

  EnergyOf<math::Jet> energyJet(const Motion& motion, const Environment& environment, int element,
                                const JetSeeds& seeds) const {
    LocalOf<E, math::Jet> local;
    makeJets(gather(motion, element), seeds, local);
    return calcEnergy(parameters_[element], local, environment);
  }

  void calcForceJets(const Motion& motion, const Environment& environment, int element,
                     const JetSeeds& seeds, std::array<math::Jet, 12>& forces) const {
    if constexpr (E::kScalars == 0) {
      LocalOf<E, math::Jet> local;
      makeJets(gather(motion, element), seeds, local);
      const auto residual = calcOne<math::Jet>(local, environment, element);
      for (int i = 0; i < 12; ++i) forces[i] = residual.node[i / 6][i % 6];
    } else {
      LocalOf<E, math::Taylor2> local;
      seedTime(gather(motion, element), local);
      const auto residual = calcOne<math::Taylor2>(local, environment, element);
      for (int i = 0; i < 12; ++i) {
        const math::Taylor2& f = residual.node[i / 6][i % 6];
        forces[i] = math::Jet(f.value, f.first, f.second, 0.0);
      }
    }
  }

 private:
  static constexpr int kDirections =
      kFreedoms * (1 + (E::kUsesRate ? 1 : 0) + (E::kUsesAcceleration ? 1 : 0));
  static constexpr int kChunk = std::min(kDirections, 12);

  LocalOf<E, double> gather(const Motion& motion, int element) const {
    return gatherLocal<kHistory>(motion, nodes_[element], scalars_[element],
                                 historyOffsets_[element]);
  }

  static void setLane(int lane, const Parameters& parameters, PackParameters& pack) {
    const auto* from = reinterpret_cast<const double*>(&parameters);
    auto* to = reinterpret_cast<math::Pack*>(&pack);
    for (std::size_t i = 0; i < sizeof(Parameters) / sizeof(double); ++i) to[i].set(lane, from[i]);
  }

  // One copy of the formula for all who evaluate it with the same scalar: formulas are long, and compilers
  // would write them out at each place.
  template <class AnyParameters, class AnyLocal>
  [[gnu::noinline]] static auto calcEnergy(const AnyParameters& p, const AnyLocal& local,
                                           const Environment& environment) {
    return E::energy(p, local, environment);
  }

  template <class S>
  [[gnu::noinline]] ResidualOf<E, S> calcOne(const LocalOf<E, S>& local,
                                             const Environment& environment, int element) const {
    ResidualOf<E, S> residual;
    residual.setZero();
    E::template addResidual<S, double>(parameters_[element], local, environment, residual);
    return residual;
  }

  // Calls `use` with parameters and local view of each pack that holds some of the elements, and with the
  // first of their lanes and the one behind the last.
  template <class Use>
  void forEachPack(const Motion& motion, int first, int count, const Use& use) const {
    for (int start = first - first % kWidth; start < first + count; start += kWidth) {
      LocalOf<E, math::Pack> local;
      gatherPack<true, true>(motion, start, std::min(kWidth, size() - start), local);
      use(packs_[start / kWidth], local, std::max(first - start, 0),
          std::min(first + count - start, kWidth));
    }
  }

  template <bool Rate = E::kUsesRate, bool Acceleration = E::kUsesAcceleration>
  void gatherPack(const Motion& motion, int first, int lanes, LocalOf<E, math::Pack>& local) const {
    std::array<int, kWidth> element;
    for (int lane = 0; lane < kWidth; ++lane) element[lane] = first + std::min(lane, lanes - 1);
    for (int k = 0; k < E::kNodes; ++k) {
      std::array<const NodeMotion*, kWidth> nodes;
      for (int lane = 0; lane < kWidth; ++lane) {
        nodes[lane] = &motion.nodes[nodes_[element[lane]][k].value];
      }
      gatherNode<Rate, Acceleration>(nodes, local.frame[k], local.twist[k], local.twistRate[k]);
    }
    for (int lane = 0; lane < kWidth; ++lane) {
      for (int k = 0; k < E::kScalars; ++k) {
        const int unknown = scalars_[element[lane]][k].value;
        local.value[k].set(lane, motion.value[unknown]);
        local.rate[k].set(lane, motion.rate[unknown]);
        local.acceleration[k].set(lane, motion.acceleration[unknown]);
      }
      for (int k = 0; k < kHistory; ++k) {
        local.history[k].set(lane, motion.history[historyOffsets_[element[lane]] + k]);
      }
    }
    local.time = math::Pack(motion.time);
  }

  void scatterLane(const ResidualOf<E, math::Pack>& residual, int lane, int element,
                   ResidualSums& sums) const {
    for (int k = 0; k < E::kNodes; ++k) {
      math::Vec6<double>& sum = sums.nodes[nodes_[element][k].value];
      for (int i = 0; i < 6; ++i) sum[i] += residual.node[k][i][lane];
    }
    for (int k = 0; k < E::kScalars; ++k) {
      sums.scalars[scalars_[element][k].value] += residual.scalar[k][lane];
    }
  }

  // Directions are numbered value, then rate, then acceleration of all local freedoms.
  void differentiate(const LocalOf<E, double>& local, const Environment& environment, int element,
                     Tangents& tangents) const {
    using D = math::Dual<kChunk>;
    constexpr int kRate = E::kUsesRate ? kFreedoms : kDirections;
    constexpr int kAcceleration = E::kUsesRate ? 2 * kFreedoms : kFreedoms;
    for (int first = 0; first < kDirections; first += kChunk) {
      LocalOf<E, D> seeded;
      lift(local, seeded);
      const int last = std::min(first + kChunk, kDirections);
      for (int j = first; j < last; ++j) {
        const int d = j - first;
        if (j < kFreedoms) {
          seedValue(local, j, d, seeded);
        } else if (j >= kRate && j < kRate + kFreedoms) {
          seedRate(j - kRate, d, seeded);
        } else {
          seedAcceleration(j - kAcceleration, d, seeded);
        }
      }
      const auto residual = calcOne<D>(seeded, environment, element);
      for (int j = first; j < last; ++j) {
        Eigen::MatrixXd& matrix =
            j < kFreedoms ? tangents.K
                          : (j >= kRate && j < kRate + kFreedoms ? tangents.C : tangents.M);
        auto column = matrix.col(j % kFreedoms);
        for (int k = 0; k < E::kNodes; ++k) {
          for (int i = 0; i < 6; ++i) column[6 * k + i] = residual.node[k][i].d[j - first];
        }
        for (int k = 0; k < E::kScalars; ++k) {
          column[6 * E::kNodes + k] = residual.scalar[k].d[j - first];
        }
      }
    }
  }

  std::vector<std::string> names_;
  std::vector<std::array<NodeIndex, E::kNodes>> nodes_;
  std::vector<std::array<UnknownIndex, E::kScalars>> scalars_;
  std::vector<int> historyOffsets_;
  std::vector<Parameters> parameters_;
  std::vector<PackParameters> packs_;
};

}  // namespace flexloop::system
