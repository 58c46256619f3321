#include "mechanics/beam_element.hpp"

namespace flexloop::mechanics {

template <BeamInertia kInertia>
system::Energy BeamElement<kInertia>::energy(const Parameters<double>& p,
                                             const system::Local<double, 2, 0>& u,
                                             const system::Environment& environment) {
  const Ends<double> ends = calcEnds<double, double>(p, u);
  const math::Vec6<double> strain = ends.d / p.length - p.strain0;
  system::Energy energy;
  energy.potential = 0.5 * p.length * strain.dot(p.stiffness * strain);
  if constexpr (kInertia == BeamInertia::kConsistent) {
    const HalfTangent<double> half(ends.d);
    const math::Vec6<double> v_m =
        0.5 * (ends.v_A + ends.v_B + half.apply(ends.v_B - ends.v_A));
    const math::Frame<double> F_m =
        math::compose(ends.F_A, math::expSE3<double>(0.5 * ends.d));
    const auto add = [&](const math::Frame<double>& F, const math::Vec6<double>& v, double share) {
      const math::Vec3<double> moment(p.mass(5, 1), p.mass(3, 2), p.mass(4, 0));
      energy.kinetic += 0.5 * share * p.length * v.dot(p.mass * v);
      energy.potential -=
          share * p.length * environment.gravity.dot(p.mass(0, 0) * F.x + F.R * moment);
    };
    add(ends.F_A, ends.v_A, 1.0 / 6.0);
    add(F_m, v_m, 4.0 / 6.0);
    add(ends.F_B, ends.v_B, 1.0 / 6.0);
  }
  return energy;
}

template struct BeamElement<BeamInertia::kNone>;
template struct BeamElement<BeamInertia::kConsistent>;

}  // namespace flexloop::mechanics
