// Dry friction of a contact (docs/theory/34_contact.md, section 34.3): an elastic bristle, stretched by s in the tangent plane, in
// series with a slider on the cone |T| ≤ μN. What it remembers is of the last accepted step, in axes of A. From there,
//
//     (34.14)  Δ = x − x_n + φ × ½(a + a_n),   φ = log(R R_nᵀ)       the displacement of B at the contact
//     (34.16)  e = s_n + Δ where it stuck, s_n + h v where it slid
//     (34.17)  T_e = k_t e + c_t v,   T = T_e min(1, μN/|T_e|),   force on B = −T
//
// all but φ in the tangent plane.
#pragma once

#include <algorithm>
#include <cmath>

#include "mechanics/contacts/contact_law.hpp"
#include "mechanics/contacts/friction_memory.hpp"
#include "mechanics/contacts/relative_contact.hpp"
#include "system/element_roles.hpp"
#include "system/gather.hpp"
#include "system/touching.hpp"

namespace flexloop::mechanics {

template <class S>
struct FrictionLaw {
  S sliding, sticking;  // coefficients μ, μ_s
  S inverseStribeck;    // 1/v_s [s/m]; zero: μ_s counts only until it slides
  S viscous;            // [s/m], of μ
  S stiffness;          // k_t [N/m]; zero: `ratio` of the normal stiffness
  S ratio;
  S damping;       // c_t [N s/m]
  S dampingShare;  // c_t per normal force [s/m]
  S isLocated;     // one: steps end where it begins to slide or to stick
};

// Whether the force jumps where sticking ends.
inline bool jumpsWhereItSlides(const FrictionLaw<double>& law) {
  return law.sticking > law.sliding && !(law.inverseStribeck > 0.0);
}

// What a set of friction elements does besides.
template <class Set>
class FrictionRole;

template <class Shape>
struct FrictionContact {
  static constexpr const char* kType = "friction";
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr int kHistory = kFrictionMemory;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;
  template <class S>
  using View = system::Local<S, 2, 0, kHistory>;

  template <class S>
  struct Parameters {
    typename Shape::template Parameters<S> shape;
    ContactLaw<S> law;
    FrictionLaw<S> friction;
  };

  // A bristle at the end of a step, before and after the slider has given way.
  template <class S>
  struct Grip {
    ContactPoint<S> at;
    math::Vec3<S> place, arm;  // x and a = c − x, axes of A
    math::Vec3<S> velocity;    // v in the tangent plane
    S stiffness, damping;      // k_t, c_t
    S step;                    // h; zero in all but steps
    S limit, pull;             // μN, |T_e|
    math::Vec3<S> before;      // s_n, turned into the present tangent plane
    math::Vec3<S> stretch;     // e
    math::Vec3<S> force;       // T
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const View<S>& u, const system::Environment&,
                          system::Residual<S, 2, 0>& r) {
    const Grip<S> grip = calcGrip<S, P>(p, u);
    addContactForce<S>(grip.at, -grip.force, r);
  }

  template <class S, class P>
  static Grip<S> calcGrip(const Parameters<P>& p, const View<S>& u) {
    using math::select;
    const FrictionMemory<S> memory(u.history);
    Grip<S> grip;
    grip.at = calcContactPoint<Shape, S>(p.shape, u);
    const Touch<S>& touch = grip.at.touch;
    grip.place = grip.at.G.x + grip.at.G.R * p.shape.centre;
    grip.arm = touch.point - grip.place;
    grip.velocity = inPlane<S>(touch.normal, grip.at.velocity);
    grip.step = math::notBelow(S(u.time - memory.time), 0.0);
    setLaw<S, P>(p, memory, grip);
    stretch<S>(memory, grip);
    const math::Vec3<S> trial = grip.stretch * grip.stiffness + grip.velocity * grip.damping;
    grip.pull = lengthOf<S>(trial);
    const S share = select(grip.pull > grip.limit, S(grip.limit / grip.pull), S(1.0));
    // Between steps, what slides has the direction of the last step and the slope of its velocity. (34.18)
    const math::Vec3<S> turned = inPlane<S>(
        touch.normal, memory.direction + (grip.velocity - memory.velocity) * memory.inverseSpeed());
    const math::Vec3<S> sliding = turned * S(grip.limit / lengthOf<S>(turned));
    const auto isBetween = !(grip.step > 0.0);
    const auto isFrozen = memory.slides() & isBetween;
    grip.force = selectVector<S>(isFrozen, sliding, math::Vec3<S>(trial * share));
    return grip;
  }

  static void updateHistory(const Parameters<double>& p, const View<double>& u, double* history) {
    const Grip<double> grip = calcGrip<double, double>(p, u);
    FrictionMemory<double> memory(u.history);
    const bool isNow = !(grip.step > 0.0);
    if (isNow && memory.isFresh()) return start(p, u, history);
    memory.fresh = 0.0;
    remember(p, grip, isNow, memory);
    memory.take(u.time, grip.at, grip.place, grip.arm);
    memory.write(history);
  }

  // A machine that has not moved yet: relaxed where the shapes rest on each other, fully stretched where they slide.
  static void start(const Parameters<double>& p, const View<double>& u, double* history) {
    View<double> fresh = u;
    fresh.history.fill(0.0);
    Grip<double> grip = calcGrip<double, double>(p, fresh);
    FrictionMemory<double> memory(fresh.history);
    memory.take(u.time, grip.at, grip.place, grip.arm);
    memory.fresh = 1.0;
    memory.stiffness = grip.stiffness;
    const double speed = grip.velocity.norm();
    const double sum = u.twist[0].norm() + u.twist[1].norm();
    const double size = u.twist[0].head<3>().norm() + u.twist[1].head<3>().norm() +
                        sum * (grip.at.touch.point.norm() + grip.at.onB.norm());
    if (grip.limit > 0.0 && speed > kAtRest * size) {
      memory.sliding = 1.0;
      memory.velocity = grip.velocity;
      memory.direction = grip.velocity / speed;
      // The limit is that of what sticks so far.
      const double growth = p.friction.viscous * speed;
      const double share = (p.friction.sliding + growth) / (p.friction.sticking + growth);
      memory.stretch = memory.direction * (share * grip.limit / grip.stiffness);
    }
    memory.write(history);
  }

  static bool isLocated(const Parameters<double>& p) { return p.friction.isLocated > 0.5; }

  static double calcMargin(const double* history) { return memoryOf(history).margin; }

  // What began to slide keeps its direction, and has the force of sliding.
  static void switchBranch(const Parameters<double>& p, double* history) {
    FrictionMemory<double> memory = memoryOf(history);
    if (!(memory.margin < 0.0)) return;
    if (!memory.slides()) {
      memory.stretch *= p.friction.sliding / p.friction.sticking;
      memory.velocity.setZero();
    }
    memory.sliding = 1.0 - memory.sliding;
    memory.margin = 0.0;
    memory.write(history);
  }

  static double calcDepth(const Parameters<double>& p, const View<double>& u) {
    return Shape::calc(p.shape, math::relative(u.frame[0], u.frame[1])).depth;
  }

  template <class Set>
  using Role = FrictionRole<Set>;

 private:
  // Of the velocities that cancel where shapes roll on each other: what is left of them by rounding.
  static constexpr double kAtRest = 1e-9;

  template <class S>
  static math::Vec3<S> inPlane(const math::Vec3<S>& n, const math::Vec3<S>& v) {
    return v - n * S(n.dot(v));
  }

  template <class S, class P>
  static void setLaw(const Parameters<P>& p, const FrictionMemory<S>& memory, Grip<S>& grip) {
    using math::select;
    const FrictionLaw<P>& f = p.friction;
    const S& depth = grip.at.touch.depth;
    const LawValues<S> values = calcLaw<S, P>(p.law, depth);
    const S normal = calcDamped<S>(values.elastic, p.law.damping, grip.at.depthRate());
    const S own = f.ratio * values.slope;
    const S greatest = select(own > memory.stiffness, own, memory.stiffness);  // (34.15)
    grip.stiffness = select(f.stiffness > 0.0, S(f.stiffness), greatest);
    grip.damping = f.damping + f.dampingShare * values.elastic;
    const S speed = lengthOf<S>(grip.velocity);
    const S relative = speed * f.inverseStribeck;
    const S decay = math::AnalyticLift<S>::template apply<Decay>(S(relative * relative));
    const S fading = select(f.inverseStribeck > 0.0, decay, S(0.0));
    const S held = select(memory.slides(), fading, S(1.0));
    grip.limit = (f.sliding + (f.sticking - f.sliding) * held + f.viscous * speed) * normal;
  }

  template <class S>
  static void stretch(const FrictionMemory<S>& memory, Grip<S>& grip) {
    using math::select;
    const math::Vec3<S>& n = grip.at.touch.normal;
    // A bristle that becomes stiffer keeps its force. One that was not there has none.
    const S scale = select(memory.stiffness > 0.0, S(memory.stiffness / grip.stiffness), S(1.0));
    grip.before = memory.stretchAt(n) * select(grip.stiffness > 0.0, scale, S(0.0));
    const math::Vec3<S> turn =
        math::logSO3<S>(math::Mat3<S>(grip.at.G.R * memory.turn.transpose()));
    const math::Vec3<S> mean = (grip.arm + memory.arm) * 0.5;
    const math::Vec3<S> moved =
        inPlane<S>(n, grip.place - memory.place + math::cross<S>(turn, mean));
    // Of a step in which they came together, only the part since then counts.
    const S& depth = grip.at.touch.depth;
    const auto isEntered = (memory.depth < 0.0) & (grip.step > 0.0) & (depth > 0.0);
    const S way = select(isEntered, S(depth - memory.depth), S(1.0));
    const S part = select(isEntered, S(depth / way), S(1.0));
    const math::Vec3<S> change = selectVector<S>(
        memory.slides(), math::Vec3<S>(grip.velocity * grip.step), math::Vec3<S>(moved * part));
    grip.stretch = grip.before + change;
  }

  static FrictionMemory<double> memoryOf(const double* history) {
    std::array<double, kFrictionMemory> slots;
    std::copy(history, history + kFrictionMemory, slots.begin());
    return FrictionMemory<double>(slots);
  }

  static void remember(const Parameters<double>& p, const Grip<double>& grip, bool isNow,
                       FrictionMemory<double>& memory) {
    if (!(grip.limit > 0.0) || !(grip.at.touch.depth > 0.0)) return memory.release();
    const bool isNew = !(memory.stiffness > 0.0);
    memory.stiffness = grip.stiffness;
    if (isNow && (memory.slides() || memory.margin < 0.0)) return;
    const bool givesWay = grip.pull > grip.limit;
    if (!isLocated(p) || isNow || isNew) {
      memory.sliding = givesWay ? 1.0 : 0.0;
      memory.margin = 0.0;
    } else {
      memory.margin = memory.slides() ? grip.velocity.dot(memory.direction)
                                      : (grip.limit - grip.pull) / grip.limit;
    }
    memory.velocity = grip.velocity;
    memory.direction = grip.force / lengthOf<double>(grip.force);
    // (34.19)
    const double h = grip.step;
    memory.stretch = !givesWay ? grip.stretch
                     : isNow   ? math::Vec3<double>(grip.force / grip.stiffness)
                               : math::Vec3<double>((h * grip.force + grip.damping * grip.before) /
                                                  (h * grip.stiffness + grip.damping));
  }
};

template <template <class> class Elements, class E>
class FrictionRole<Elements<E>>
    : public system::Gripping, public system::Idling, public system::Branching {
 public:
  int indicators() const override { return set().size(); }
  bool isLocated(int e) const override { return E::isLocated(set().parameters(e)); }
  void calcIndicators(const system::Motion& motion, double* values) const override {
    for (int e = 0; e < set().size(); ++e) {
      values[e] = isLocated(e) ? E::calcMargin(motion.history + set().historyOffset(e)) : 1.0;
    }
  }
  void switchBranches(const system::Motion&, system::State& state) const override {
    for (int e = 0; e < set().size(); ++e) {
      if (!isLocated(e)) continue;
      E::switchBranch(set().parameters(e), state.history.data() + set().historyOffset(e));
    }
  }
  bool sticks(const system::Motion& motion, int e) const override {
    const auto local = gather(motion, e);
    const auto grip = E::template calcGrip<double, double>(set().parameters(e), local);
    return grip.limit > 0.0 && !FrictionMemory<double>(local.history).slides();
  }
  bool isIdle(const system::Motion& motion, int e) const override {
    return !(E::calcDepth(set().parameters(e), gather(motion, e)) > 0.0);
  }
  void rememberRest(const system::Motion& motion, system::State& state) const override {
    for (int e = 0; e < set().size(); ++e) {
      double* history = state.history.data() + set().historyOffset(e);
      auto local = gather(motion, e);
      local.history[kFrictionMemory - 1] = 0.0;  // not fresh
      E::updateHistory(set().parameters(e), local, history);
    }
  }

 private:
  const Elements<E>& set() const { return static_cast<const Elements<E>&>(*this); }
  auto gather(const system::Motion& motion, int e) const {
    return system::gatherLocal<E::kHistory>(motion, std::array{set().node(e, 0), set().node(e, 1)},
                                            std::array<system::UnknownIndex, 0>{},
                                            set().historyOffset(e));
  }
};

}  // namespace flexloop::mechanics
