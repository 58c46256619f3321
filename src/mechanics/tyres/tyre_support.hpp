// The load of a tyre: a force N n on the wheel at the lowest point D of its rim (docs/theory/40_tyres.md, section 40.1). It is zero
// while the wheel is off the road; both are branches, since the force has a kink there.
#pragma once

#include "mechanics/tyres/road.hpp"
#include "system/element_roles.hpp"
#include "system/gather.hpp"

namespace flexloop::mechanics {

// A force and a torque on B, given in axes of A with the force at a point, and the opposite on A.
template <class S, int Scalars>
void addWheelForce(const math::Frame<S>& G, const math::Vec3<S>& point, const math::Vec3<S>& force,
                   const math::Vec3<S>& torque, system::Residual<S, 2, Scalars>& r) {
  const math::Vec3<S> arm = point - G.x;
  const math::Vec3<S> aboutB = math::cross<S>(arm, force) + torque;
  r.node[0] += math::joined<S>(force, math::Vec3<S>(math::cross<S>(point, force) + torque));
  r.node[1] -= math::joined<S>(math::Vec3<S>(G.R.transpose() * force),
                               math::Vec3<S>(G.R.transpose() * aboutB));
}

// What a set of supports does besides: touching and being apart are branches.
template <class Set>
class SupportRole;

template <class Road>
struct TyreSupport {
  static constexpr const char* kType = "tyre load";
  static constexpr int kNodes = 2, kScalars = Road::kSignals;
  static constexpr int kHistory = 1;  // one while the wheel is on the road
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;
  template <class S>
  using View = system::Local<S, 2, kScalars, kHistory>;

  template <class S>
  struct Parameters {
    WheelOnRoad<S> wheel;
  };

  static constexpr bool couples(int rowSlot, int) { return rowSlot < kNodes; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const View<S>& u, const system::Environment&,
                          system::Residual<S, 2, kScalars>& r) {
    const auto place = Road::template place<S, P>(p.wheel, u, 0);
    const TyrePatch<S> at = calcPatch<S, P>(p.wheel, place, u);
    addWheelForce<S>(at.G, at.rim, at.normal * at.load, math::Vec3<S>(S(0.0), S(0.0), S(0.0)), r);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const View<S>& u,
                                    const system::Environment&) requires(kScalars == 0) {
    return {S(0.0), calcLawEnergy<S, P>(p.wheel.law, calcDepth<S, P>(p, u))};
  }

  template <class S, class P>
  static S calcDepth(const Parameters<P>& p, const View<S>& u) {
    return Road::template place<S, P>(p.wheel, u, 0).depth;
  }

  template <class Set>
  using Role = SupportRole<Set>;
};

template <template <class> class Elements, class E>
class SupportRole<Elements<E>> : public system::Branching {
 public:
  int indicators() const override { return set().size(); }
  bool isLocated(int) const override { return true; }
  void calcIndicators(const system::Motion& motion, double* values) const override {
    for (int e = 0; e < set().size(); ++e) {
      const double depth = calcDepth(motion, e);
      values[e] = motion.history[set().historyOffset(e)] > 0.5 ? depth : -depth;
    }
  }
  void switchBranches(const system::Motion& motion, system::State& state) const override {
    for (int e = 0; e < set().size(); ++e) {
      state.history[set().historyOffset(e)] = calcDepth(motion, e) > 0.0 ? 1.0 : 0.0;
    }
  }

 private:
  const Elements<E>& set() const { return static_cast<const Elements<E>&>(*this); }
  double calcDepth(const system::Motion& motion, int e) const {
    std::array<system::UnknownIndex, E::kScalars> scalars;
    for (int k = 0; k < E::kScalars; ++k) scalars[k] = set().scalar(e, k);
    const auto local = system::gatherLocal<E::kHistory>(
        motion, std::array{set().node(e, 0), set().node(e, 1)}, scalars, set().historyOffset(e));
    return E::template calcDepth<double, double>(set().parameters(e), local);
  }
};

}  // namespace flexloop::mechanics
