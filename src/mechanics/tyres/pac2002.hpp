// The magic formula of 2002 (docs/theory/40_tyres.md, section 40.3), in the axes and with the signs of tyre files: F_y and M_z of a
// tyre on the side on which it was measured, κ > 0 driven, positive α if the wheel moves to its left. With the share
//
//     (40.10) F(B, C, E, x) = C atan(B x − E (B x − atan(B x))),   E ≤ 1
//
// curves are D sin F and D cos F. `c` holds the numbers by name; factors are multiplied where the formula has them.
#pragma once

#include <numbers>

#include "mechanics/contacts/power.hpp"
#include "mechanics/tyres/pac2002_coefficients.hpp"
#include "mechanics/tyres/tyre_grip.hpp"

namespace flexloop::mechanics {

struct Pac2002 {
  template <class S>
  struct Parameters {
    std::array<S, pac2002::kCount> c;
    S fixedX, fixedY;  // relaxation lengths over slopes, instead of (40.22) [m/N]; zero: none
  };

  // What all parts of the formula share. The nominal load is FNOMIN LFZO.
  template <class S, class P>
  struct Load {
    P nominal;
    S force;  // within the range of the file
    S share;  // of the load in it: beyond the range forces grow in proportion to the load
    S df;     // (force − nominal)/nominal
  };

  // Of the nominal load: below it the formula is used in proportion, also without a range.
  static constexpr double kLeastLoad = 1e-3;

  template <class S, class P>
  static Load<S, P> calcLoad(const Parameters<P>& p, const S& load) {
    using namespace pac2002;
    using math::select;
    Load<S, P> l;
    l.nominal = p.c[FNOMIN] * p.c[LFZO];
    const P smallest = l.nominal * kLeastLoad;
    const S least = select(p.c[FZMIN] > smallest, P(p.c[FZMIN]), smallest), most = p.c[FZMAX];
    l.force = select(load < least, least, select(load > most, most, load));
    l.share = load / l.force;
    l.df = (l.force - l.nominal) / l.nominal;
    return l;
  }

  template <class S>
  static S atMostOne(const S& E) {
    return math::notAbove(E, 1.0);
  }
  template <class S>
  static S signOf(const S& x) {
    using math::select;
    return select(x < 0.0, S(-1.0), S(1.0));
  }
  template <class S>
  static S curve(const S& B, const S& C, const S& E, const S& x) {
    const S slope = B * x;
    return C * atanOf<S>(S(slope - E * (slope - atanOf<S>(slope))));
  }
  // The share of a force that slip in the other direction leaves, one where that is zero.           (40.16)
  template <class S>
  static S weight(const S& B, const S& C, const S& E, const S& x, const S& shift) {
    using math::cos;
    return cos(curve<S>(B, C, E, S(x + shift))) / cos(curve<S>(B, C, E, shift));
  }

  template <class S>
  struct Longitudinal {
    S K, mu;
  };

  template <class S, class P>
  static Longitudinal<S> calcSlopeX(const Parameters<P>& p, const Load<S, P>& l, const S& camber) {
    using namespace pac2002;
    const auto& c = p.c;
    const S g = camber * c[LGAX];
    const S grown = math::AnalyticLift<S>::template apply<Decay>(S(-c[PKX3] * l.df));
    return {S(l.force * (c[PKX1] + c[PKX2] * l.df) * grown * c[LKX]),
            S((c[PDX1] + c[PDX2] * l.df) * (1.0 - c[PDX3] * g * g) * c[LMUX])};
  }

  // With g = LGAY γ.
  template <class S, class P>
  static S calcFrictionY(const Parameters<P>& p, const Load<S, P>& l, const S& g) {
    using namespace pac2002;
    const auto& c = p.c;
    return (c[PDY1] + c[PDY2] * l.df) * (1.0 - c[PDY3] * g * g) * c[LMUY];
  }

  template <class S, class P>
  static S calcSlopeY(const Parameters<P>& p, const Load<S, P>& l, const S& g) {
    using namespace pac2002;
    using math::sin;
    const auto& c = p.c;
    const S bend = sin(S(2.0 * atanOf<S>(S(l.force / (c[PKY2] * l.nominal)))));
    return c[PKY1] * l.nominal * bend * (1.0 - c[PKY3] * magnitudeOf<S>(g)) * c[LKY];
  }

  template <class S, class P>
  static Relaxation<S> calcRelaxation(const Parameters<P>& p, const S& load, const S& camber) {
    using namespace pac2002;
    using math::select;
    using math::sin;
    const auto& c = p.c;
    const Load<S, P> l = calcLoad<S, P>(p, load);
    const P radius = c[UNLOADED_RADIUS];
    const S decay = math::AnalyticLift<S>::template apply<Decay>(S(c[PTX3] * l.df));
    const S g = magnitudeOf<S>(camber) * c[LGAY];
    const S bend = sin(S(2.0 * atanOf<S>(S(l.force / (c[PTY2] * l.nominal)))));
    // (40.22)
    const S x = l.force * (c[PTX1] + c[PTX2] * l.df) * decay * (radius / l.nominal) * c[LSGKP];
    const S y = c[PTY1] * bend * (1.0 - c[PKY3] * g) * radius * c[LFZO] * c[LSGAL];
    const Longitudinal<S> along = calcSlopeX<S, P>(p, l, camber);
    const S gy = camber * c[LGAY];
    const S across = calcSlopeY<S, P>(p, l, gy);
    return {select(p.fixedX > 0.0, S(p.fixedX * along.K), x),
            select(p.fixedX > 0.0, S(p.fixedY * across), y), S(along.mu * l.force / along.K),
            S(calcFrictionY<S, P>(p, l, gy) * l.force / across)};
  }

  template <class S>
  struct Lateral {
    S K, shift, lift, force, mu, BC;  // K_y, S_Hy, S_Vy, F_y0, μ_y, B_y C_y
  };

  template <class S, class P>
  static std::array<S, 2> calcLongitudinal(const Parameters<P>& p, const Load<S, P>& l,
                                           const S& kappa, const S& camber, const S& fade) {
    using namespace pac2002;
    using math::sin;
    const auto& c = p.c;
    const auto [K, mu] = calcSlopeX<S, P>(p, l, camber);
    const S shift = fade * (c[PHX1] + c[PHX2] * l.df) * c[LHX];
    const S lift = fade * l.force * (c[PVX1] + c[PVX2] * l.df) * c[LVX] * c[LMUX];
    const S x = kappa + shift;
    const S C = c[PCX1] * c[LCX], D = mu * l.force;
    const S E = atMostOne<S>(
        S((c[PEX1] + (c[PEX2] + c[PEX3] * l.df) * l.df) * (1.0 - c[PEX4] * signOf<S>(x)) * c[LEX]));
    return {S(D * sin(curve<S>(S(K / (C * D)), C, E, x)) + lift), K};
  }

  template <class S, class P>
  static Lateral<S> calcLateral(const Parameters<P>& p, const Load<S, P>& l, const S& alpha,
                                const S& camber, const S& fade) {
    using namespace pac2002;
    using math::sin;
    const auto& c = p.c;
    const S g = camber * c[LGAY];
    Lateral<S> y;
    y.shift = fade * ((c[PHY1] + c[PHY2] * l.df) * c[LHY] + c[PHY3] * g);
    y.mu = calcFrictionY<S, P>(p, l, g);
    y.lift = fade * l.force *
             ((c[PVY1] + c[PVY2] * l.df) * c[LVY] + (c[PVY3] + c[PVY4] * l.df) * g) * c[LMUY];
    const S x = alpha + y.shift;
    const S C = c[PCY1] * c[LCY], D = y.mu * l.force;
    const S E = atMostOne<S>(
        S((c[PEY1] + c[PEY2] * l.df) * (1.0 - (c[PEY3] + c[PEY4] * g) * signOf<S>(x)) * c[LEY]));
    y.K = calcSlopeY<S, P>(p, l, g);
    const S B = y.K / (C * D);
    y.BC = B * C;
    y.force = D * sin(curve<S>(B, C, E, x)) + y.lift;
    return y;
  }

  // tan² a + r², as the angle with the sign of a.                                                   (40.20)
  template <class S>
  static S equivalent(const S& angle, const S& r) {
    using math::atan2;
    using math::cos;
    using math::sin;
    using math::sqrt;
    const S s = sin(angle), k = cos(angle), rk = r * k;
    const S square = math::notBelow(S(s * s + rk * rk), kShortestVector * kShortestVector);
    return atan2(S(sqrt(square)), magnitudeOf<S>(k)) * signOf<S>(angle);
  }

  template <class S>
  struct Aligning {
    S trail, residual;
  };

  template <class S, class P>
  static Aligning<S> calcAligning(const Parameters<P>& p, const Load<S, P>& l, const Lateral<S>& y,
                                  const TyreSlip<S>& slip, const S& alpha, const S& camber,
                                  const S& r, const S& fade) {
    using namespace pac2002;
    using math::cos;
    const auto& c = p.c;
    const S g = camber * c[LGAZ];
    const P stiffening = c[LKY] / c[LMUY];
    const S shift = fade * (c[QHZ1] + c[QHZ2] * l.df + (c[QHZ3] + c[QHZ4] * l.df) * g);
    const S B = (c[QBZ1] + (c[QBZ2] + c[QBZ3] * l.df) * l.df) *
                (1.0 + c[QBZ4] * g + c[QBZ5] * magnitudeOf<S>(g)) * stiffening;
    const S C = c[QCZ1];
    const S D = l.force * (c[QDZ1] + c[QDZ2] * l.df) * (1.0 + (c[QDZ3] + c[QDZ4] * g) * g) *
                c[UNLOADED_RADIUS] / l.nominal * c[LTR];
    const S a = equivalent<S>(S(alpha + shift), r);
    const S E = atMostOne<S>(
        S((c[QEZ1] + (c[QEZ2] + c[QEZ3] * l.df) * l.df) *
          (1.0 + (c[QEZ4] + c[QEZ5] * g) * (2.0 / std::numbers::pi) * atanOf<S>(S(B * C * a)))));
    const S along = cos(alpha) * slip.sense;
    const S residualB = c[QBZ9] * stiffening + c[QBZ10] * y.BC;
    const S residualD = l.force * c[UNLOADED_RADIUS] * c[LMUY] *
                        ((c[QDZ6] + c[QDZ7] * l.df) * c[LRES] + (c[QDZ8] + c[QDZ9] * l.df) * g);
    const S ar = equivalent<S>(S(alpha + y.shift + y.lift / y.K), r);
    return {S(D * cos(curve<S>(B, C, E, a)) * along),
            S(residualD * cos(atanOf<S>(S(residualB * ar))) * along)};
  }

  template <class S, class P>
  static TyreForces<S> calcForces(const Parameters<P>& p, const TyreSlip<S>& slip) {
    using namespace pac2002;
    using math::cos;
    using math::sin;
    const auto& c = p.c;
    const Load<S, P> l = calcLoad<S, P>(p, slip.load);
    const S fade = magnitudeOf<S>(slip.sense), &kappa = slip.ratio;
    const S alpha = atanOf<S>(slip.tangent);
    const S above = math::select(slip.camber > c[CAMMAX], S(c[CAMMAX]), slip.camber);
    const S camber = math::select(above < c[CAMMIN], S(c[CAMMIN]), above);
    const auto [alone, K] = calcLongitudinal<S, P>(p, l, kappa, camber, fade);
    const Lateral<S> y = calcLateral<S, P>(p, l, alpha, camber, fade);

    const S Bx = c[RBX1] * cos(atanOf<S>(S(c[RBX2] * kappa))) * c[LXAL];
    const S Ex = atMostOne<S>(S(c[REX1] + c[REX2] * l.df));
    const S Fx = alone * weight<S>(Bx, S(c[RCX1]), Ex, alpha, S(c[RHX1]));

    const S By = c[RBY1] * cos(atanOf<S>(S(c[RBY2] * (alpha - c[RBY3])))) * c[LYKA];
    const S Ey = atMostOne<S>(S(c[REY1] + c[REY2] * l.df));
    const S pushed = y.mu * l.force * (c[RVY1] + c[RVY2] * l.df + c[RVY3] * camber) *
                     cos(atanOf<S>(S(c[RVY4] * alpha))) *
                     sin(S(c[RVY5] * atanOf<S>(S(c[RVY6] * kappa)))) * c[LVYKA];
    const S left = y.force * weight<S>(By, S(c[RCY1]), Ey, kappa, S(c[RHY1] + c[RHY2] * l.df));
    const S Fy = left + pushed;

    const Aligning<S> z =
        calcAligning<S, P>(p, l, y, slip, alpha, camber, S(K / y.K * kappa), fade);
    const P radius = c[UNLOADED_RADIUS];
    const S arm =
        (c[SSZ1] + c[SSZ2] * Fy / l.nominal + (c[SSZ3] + c[SSZ4] * l.df) * camber) * radius * c[LS];
    const S speed = slip.rolling / c[LONGVL];
    const S square = speed * speed;
    TyreForces<S> f;
    f.Fx = l.share * Fx;
    f.Fy = l.share * Fy;
    f.Mz = l.share * (z.residual - z.trail * left + arm * Fx);
    f.Mx = slip.load * radius *
           (c[QSX1] * c[LVMX] * fade + (c[QSX3] * Fy / l.nominal - c[QSX2] * camber)) * c[LMX];
    f.My = -slip.load * radius * c[LMY] * slip.sense *
           (c[QSY1] + c[QSY2] * Fx / l.nominal + c[QSY3] * magnitudeOf<S>(speed) +
            c[QSY4] * square * square);
    return f;
  }
};

}  // namespace flexloop::mechanics
