// The forces of a tyre along the road (docs/theory/40_tyres.md, section 40.2). The contact is deflected by u and v against the rim, which
// are states of the tyre,
//
//     (40.6)  u'/S = −V_sx − V_ux u/σ_x,   v'/S = V_sy − V_uy v/σ_y,   S = 1 + (u/(σ_x κ_s))² + (v/(σ_y t_s))²
//     (40.7)  V_ux = max(|V_x|, |V_sx|/κ_max),   V_uy = max(|V_x|, |V_sy|/tan α_max)
//     (40.8)  κ = (u + τ u'/S)/σ_x,   tan α = (v + τ v'/S)/σ_y
//
// and the model of the tyre gives forces and moments for κ, α, γ and N. On a wheel of the other side than the measured one, α, γ, F_y,
// M_x and M_z have the opposite sign.
#pragma once

#include "mechanics/tyres/rolling.hpp"
#include "mechanics/tyres/tyre_support.hpp"
#include "system/jet_view.hpp"

namespace flexloop::mechanics {

// What a model of a tyre is given.
template <class S>
struct TyreSlip {
  S ratio;    // κ
  S tangent;  // tan α
  S camber;   // γ [rad]
  S load;     // N [N]
  S rolling;  // V_x [m/s]
  S sense;    // sign of V_x, falling to zero at standstill (40.9)
};

template <class S>
struct TyreForces {
  S Fx, Fy, Mx, My, Mz;
};

template <class S>
struct Relaxation {
  S lengthX, lengthY;  // σ [m]
  S slideX, slideY;    // κ_s, t_s: slip at which the slope of the origin would reach the friction
};

template <class S>
struct GripSettings {
  S mirror;                  // −1 on the other side than the measured one
  S lowSpeed;                // below it sense and shifts fade out [m/s]
  S delay;                   // τ [s]
  S lag;                     // one: deflections are states; zero: slip follows at once
  S leastSpeed;              // of V_ux and V_uy [m/s]; zero for states
  S mostDriven, mostBraked;  // κ_max for κ > 0 and κ < 0
  S mostTangent;             // tan α_max
};

template <class S>
S magnitudeOf(const S& x) {
  using math::select;
  return select(x > 0.0, x, select(x < 0.0, S(-x), S(0.0)));
}

//     (40.9)  s = r |r| (3 − 2 |r|),   r = V_x/V_l limited to ±1
template <class S, class P>
S calcSense(const S& speed, const P& low) {
  const S s = within<S>(S(speed / low), S(1.0));
  const S size = magnitudeOf<S>(s);
  return s * size * (3.0 - 2.0 * size);
}

template <class Set>
class RollingRole;

template <class Model, class Road>
struct TyreGrip {
  static constexpr const char* kType = "tyre";
  static constexpr int kNodes = 2, kDeflections = 2, kScalars = kDeflections + Road::kSignals;
  static constexpr int kHistory = 1;  // that of its support
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;
  template <class S>
  using View = system::Local<S, 2, kScalars, kHistory>;

  template <class S>
  struct Parameters {
    WheelOnRoad<S> wheel;
    GripSettings<S> grip;
    typename Model::template Parameters<S> model;
  };

  static constexpr bool couples(int rowSlot, int) { return rowSlot < kNodes + kDeflections; }

  template <class S>
  struct Grip {
    TyrePatch<S> at;
    S equationX, equationY;  // of the deflections, without their rates [m/s]
    S sliding;               // S
    TyreSlip<S> slip;
    TyreForces<S> force;
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const View<S>& u, const system::Environment&,
                          system::Residual<S, 2, kScalars>& r) {
    const Grip<S> grip = calcGrip<S, P>(p, u);
    const TyrePatch<S>& at = grip.at;
    const TyreForces<S>& f = grip.force;
    r.scalar[0] += p.grip.lag * u.rate[0] / grip.sliding + grip.equationX;
    r.scalar[1] += p.grip.lag * u.rate[1] / grip.sliding + grip.equationY;
    const math::Vec3<S> along = at.x * f.Fx, torque = at.x * f.Mx + at.y * f.My + at.normal * f.Mz;
    // A wheel that rolls freely passes no torque to its carrier.
    const math::Vec3<S> drop = (at.contact - at.centre) * S(p.wheel.spins);
    const math::Vec3<S> place = at.centre + drop;
    addWheelForce<S>(at.G, place, along, torque, r);
    addWheelForce<S>(at.G, at.contact, math::Vec3<S>(at.y * f.Fy),
                     math::Vec3<S>(S(0.0), S(0.0), S(0.0)), r);
  }

  template <class S, class P>
  static Grip<S> calcGrip(const Parameters<P>& p, const View<S>& u) {
    using math::atan2;
    using math::select;
    Grip<S> grip;
    const auto place = Road::template place<S, P>(p.wheel, u, kDeflections);
    grip.at = calcPatch<S, P>(p.wheel, place, u);
    const TyrePatch<S>& at = grip.at;
    const GripSettings<P>& g = p.grip;
    const Relaxation<S> relaxation =
        Model::template calcRelaxation<S, P>(p.model, at.load, atan2(at.sine, at.cosine));

    // In the air nothing deflects the tyre.
    const auto isOn = u.history[0] > 0.5;
    const S slipX = select(isOn, at.slipX, S(0.0)), slipY = select(isOn, at.slipY, S(0.0));
    const S rolled = math::notBelow(magnitudeOf<S>(at.rolling), 0.0);
    const S most = select(slipX > 0.0, S(g.mostBraked), S(g.mostDriven));
    const S slidX = magnitudeOf<S>(slipX) / most, slidY = magnitudeOf<S>(slipY) / g.mostTangent;
    const S least = g.leastSpeed;
    const S floor = select(rolled > least, rolled, least);
    const S speedX = select(slidX > floor, slidX, floor);
    const S speedY = select(slidY > floor, slidY, floor);
    const S ratio = u.value[0] / relaxation.lengthX, sideways = u.value[1] / relaxation.lengthY;
    grip.equationX = slipX + speedX * ratio;
    grip.equationY = speedY * sideways - slipY;
    const S partX = ratio / relaxation.slideX, partY = sideways / relaxation.slideY;
    grip.sliding = 1.0 + partX * partX + partY * partY;

    TyreSlip<S>& slip = grip.slip;
    slip.ratio = ratio - g.delay * grip.equationX / relaxation.lengthX;
    const S tangent = sideways - g.delay * grip.equationY / relaxation.lengthY;
    slip.tangent = tangent * g.mirror;
    slip.camber = atan2(at.sine, at.cosine) * g.mirror;
    slip.load = at.load;
    slip.rolling = at.rolling;
    slip.sense = calcSense<S, P>(at.rolling, g.lowSpeed);
    grip.force = Model::template calcForces<S, P>(p.model, slip);
    grip.force.Fy *= g.mirror;
    grip.force.Mx *= g.mirror;
    grip.force.Mz *= g.mirror;
    grip.force.My *= p.wheel.spins;
    slip.tangent = tangent;
    slip.camber *= g.mirror;
    return grip;
  }

  template <class S>
  static void read(const Parameters<double>& p, const View<S>& u, TyreReading<S>& reading) {
    const Grip<S> grip = calcGrip<S, double>(p, u);
    const TyreForces<S>& f = grip.force;
    reading.values = {f.Fx,
                      f.Fy,
                      grip.at.load,
                      f.Mx,
                      f.My,
                      f.Mz,
                      grip.slip.ratio,
                      atanOf<S>(grip.slip.tangent),
                      grip.slip.camber};
  }

  template <class Set>
  using Role = RollingRole<Set>;
};

template <template <class> class Elements, class E>
class RollingRole<Elements<E>> : public Rolling {
 public:
  void calcReading(const system::Motion& motion, int e,
                   TyreReading<double>& reading) const override {
    E::template read<double>(set().parameters(e), gather(motion, e), reading);
  }
  void calcReadingJets(const system::Motion& motion, int e, const system::JetSeeds& seeds,
                       TyreReading<math::Jet>& reading) const override {
    typename E::template View<math::Jet> local;
    system::makeJets(gather(motion, e), seeds, local);
    E::template read<math::Jet>(set().parameters(e), local, reading);
  }

 private:
  const Elements<E>& set() const { return static_cast<const Elements<E>&>(*this); }
  auto gather(const system::Motion& motion, int e) const {
    std::array<system::UnknownIndex, E::kScalars> scalars;
    for (int k = 0; k < E::kScalars; ++k) scalars[k] = set().scalar(e, k);
    return system::gatherLocal<E::kHistory>(motion, std::array{set().node(e, 0), set().node(e, 1)},
                                            scalars, set().historyOffset(e));
  }
};

}  // namespace flexloop::mechanics
