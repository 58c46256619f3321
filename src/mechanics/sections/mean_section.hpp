// Strains of a two-node beam element in the axes of its mean section (docs/theory/07_beams.md,
// section 7.2). A linear moment turns the sections between the ends, on average by a = Φγ, so that the
// axial force acts along them and not along the sections of the ends. With the screw (x, γ) of d/L,
// ρ = √(x² + γ·γ) and G = Φ + Φᵀ − ΦᵀΦ = g I + G', the stretch
//
//     λ = x + g (ρ − x) + γ·G'γ/(2ρ)                                                     (7.7)
//
// takes the place of x; the other strains stay. The difference of chord and axis, ρ − x, is a strain
// that resists by itself, so that the element does not turn over.
#pragma once

#include "math/se3.hpp"

namespace flexloop::mechanics {

template <class S>
struct SectionTurn {
  S mean;                  // g
  S difference, coupling;  // G' = (difference, coupling; coupling, −difference)
  S stiffness;             // against ρ − x
};

template <class S, class P>
class MeanSection {
 public:
  using Vec2 = Eigen::Matrix<S, 2, 1>;
  using Vec6 = math::Vec6<S>;

  // Of the screw strain d/L and that of the unloaded shape.
  MeanSection(const SectionTurn<P>& turn, const math::Vec6<P>& strain0, const Vec6& screw)
      : strain_(screw - strain0) {
    using math::sqrt;
    const S x = screw[0];
    const Vec2 gamma = strain_.template segment<2>(1);
    const S rho = sqrt(S(x * x + gamma.squaredNorm()));
    const S inverse = 1.0 / rho;
    const Vec2 half(turn.difference * gamma[0] + turn.coupling * gamma[1],
                    turn.coupling * gamma[0] - turn.difference * gamma[1]);
    const S q = 0.5 * inverse * gamma.dot(half);
    slack_ = rho - x;
    strain_[0] += turn.mean * slack_ + q;
    slackX_ = x * inverse - 1.0;
    slackGamma_ = gamma * inverse;
    lambdaX_ = 1.0 + turn.mean * slackX_ - q * inverse * (1.0 + slackX_);
    lambdaGamma_ = (turn.mean - q * inverse) * slackGamma_ + half * inverse;
  }

  const Vec6& strain() const { return strain_; }
  // ρ − x
  const S& slack() const { return slack_; }

  // Rates for a rate of the screw.
  Vec6 apply(const Vec6& rate) const {
    Vec6 result = rate;
    result[0] = lambdaX_ * rate[0] + lambdaGamma_.dot(rate.template segment<2>(1));
    return result;
  }
  S applySlack(const Vec6& rate) const {
    return slackX_ * rate[0] + slackGamma_.dot(rate.template segment<2>(1));
  }

  // The force on the screw that has the power of σ and of the force on the slack.
  Vec6 applyTransposed(const Vec6& sigma, const S& slackForce) const {
    Vec6 result = sigma;
    result[0] = lambdaX_ * sigma[0] + slackX_ * slackForce;
    result.template segment<2>(1) += sigma[0] * lambdaGamma_ + slackForce * slackGamma_;
    return result;
  }

 private:
  Vec6 strain_;
  S slack_, lambdaX_, slackX_;  // …X, …Gamma: derivatives by x and γ
  Vec2 lambdaGamma_, slackGamma_;
};

}  // namespace flexloop::mechanics
