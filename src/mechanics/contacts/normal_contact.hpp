// The normal force of a contact between a shape of node A and a shape of node B (docs/theory/34_contact.md, section 34.2):
//
//     (34.11)  force on B = N n at c, on A the opposite
#pragma once

#include "mechanics/contacts/contact_law.hpp"
#include "mechanics/contacts/relative_contact.hpp"
#include "system/element_roles.hpp"
#include "system/gather.hpp"
#include "system/jet_view.hpp"
#include "system/touching.hpp"

namespace flexloop::mechanics {

// What a set of normal contacts does besides: branches where the law has a kink at δ = 0, and depths.
template <class Set>
class NormalRole;

template <class Shape>
struct NormalContact {
  static constexpr const char* kType = Shape::kType;
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr int kHistory = 1;  // one while the shapes touch, where that is a branch
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;
  template <class S>
  using View = system::Local<S, 2, 0, kHistory>;

  template <class S>
  struct Parameters {
    typename Shape::template Parameters<S> shape;
    ContactLaw<S> law;
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const View<S>& u, const system::Environment&,
                          system::Residual<S, 2, 0>& r) {
    const auto at = calcContactPoint<Shape, S>(p.shape, u);
    const LawValues<S> values = calcLaw<S, P>(p.law, at.touch.depth);
    const S force = calcDamped<S>(values.elastic, p.law.damping, at.depthRate());
    addContactForce<S>(at, at.touch.normal * force, r);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const View<S>& u,
                                    const system::Environment&) {
    return {S(0.0), calcLawEnergy<S, P>(p.law, calcDepth<S>(p, u))};
  }

  template <class S, class P>
  static S calcDepth(const Parameters<P>& p, const View<S>& u) {
    return Shape::calc(p.shape, math::relative(u.frame[0], u.frame[1])).depth;
  }

  static bool hasKink(const Parameters<double>& p) { return mechanics::hasKink(p.law); }
  static double size(const Parameters<double>& p) { return p.shape.size; }

  template <class Set>
  using Role = NormalRole<Set>;
};

template <template <class> class Elements, class E>
class NormalRole<Elements<E>>
    : public system::Branching, public system::Touching, public system::Idling {
 public:
  int indicators() const override { return set().size(); }
  bool isLocated(int e) const override { return E::hasKink(set().parameters(e)); }

  //     (34.12)  g = δ while they touch, −δ while they do not; without a kink there is one branch only
  void calcIndicators(const system::Motion& motion, double* values) const override {
    for (int e = 0; e < set().size(); ++e) {
      const double depth = this->depth(motion, e);
      const bool touches = motion.history[set().historyOffset(e)] > 0.5;
      values[e] = !isLocated(e) ? 1.0 : (touches ? depth : -depth);
    }
  }
  void switchBranches(const system::Motion& motion, system::State& state) const override {
    for (int e = 0; e < set().size(); ++e) {
      state.history[set().historyOffset(e)] = depth(motion, e) > 0.0 ? 1.0 : 0.0;
    }
  }

  double depth(const system::Motion& motion, int e) const override {
    return E::template calcDepth<double>(set().parameters(e), gather(motion, e));
  }
  bool isIdle(const system::Motion& motion, int e) const override {
    return !(depth(motion, e) > 0.0);
  }
  math::Jet depthJet(const system::Motion& motion, int e,
                     const system::JetSeeds& seeds) const override {
    typename E::template View<math::Jet> local;
    system::makeJets(gather(motion, e), seeds, local);
    return E::template calcDepth<math::Jet>(set().parameters(e), local);
  }
  double size(int e) const override { return E::size(set().parameters(e)); }

 private:
  const Elements<E>& set() const { return static_cast<const Elements<E>&>(*this); }
  auto gather(const system::Motion& motion, int e) const {
    return system::gatherLocal<E::kHistory>(motion, std::array{set().node(e, 0), set().node(e, 1)},
                                            std::array<system::UnknownIndex, 0>{},
                                            set().historyOffset(e));
  }
};

}  // namespace flexloop::mechanics
