// Normal force of a contact against its depth δ (docs/theory/34_contact.md, section 34.2): a power of it, or straight lines between the
// points (δ_i, N_i) of a table that begins with (0, 0) and whose last line goes on,
//
//     (34.8)  N₀ = k δⁿ for δ > 0, else 0
//     (34.9)  N₀ = Σ_i s_i (min(δ, δ_{i+1}) − δ_i)₊,   s_i = (N_{i+1} − N_i)/(δ_{i+1} − δ_i)
//     (34.10)  N = N₀ max(0, 1 + d δ')
#pragma once

#include <array>

#include "mechanics/contacts/power.hpp"
#include "mechanics/contacts/touch.hpp"

namespace flexloop::mechanics {

inline constexpr int kMostTableLines = 9;

template <class S>
struct ContactLaw {
  S stiffness;                                       // k [N/mⁿ]; zero with a table
  S exponent;                                        // n ≥ 1
  S damping;                                         // d [s/m]
  S lines;                                           // how many
  std::array<S, kMostTableLines> begin, end, slope;  // δ_i, δ_{i+1}, s_i; of unused lines zero
};

// A weaker kink at δ = 0 costs the step in which contact begins less than that step errs anyway.
inline bool hasKink(const ContactLaw<double>& law) {
  return law.lines > 0.0 || law.exponent < 1.5;
}

template <class S>
struct LawValues {
  S elastic, slope;  // N₀ and its derivative
};

template <class S, class P>
void addLines(const ContactLaw<P>& law, const S& depth, LawValues<S>& values) {
  using math::select;
  for (int i = 0; i < kMostTableLines; ++i) {
    const auto isBeyond = depth > S(law.end[i]);
    const auto isBefore = !(depth > S(law.begin[i]));
    const S on = select(isBeyond, S(law.end[i]), depth) - law.begin[i];
    values.elastic += select(isBefore, S(0.0), S(law.slope[i] * on));
    values.slope += select(isBefore | isBeyond, S(0.0), S(law.slope[i]));
  }
}

template <class S, class P>
LawValues<S> calcLaw(const ContactLaw<P>& law, const S& depth) {
  LawValues<S> values{S(law.stiffness * powerOf(depth, law.exponent)),
                      S(law.stiffness * law.exponent * powerOf(depth, P(law.exponent - 1.0)))};
  if (math::any(law.lines > 0.0)) addLines<S, P>(law, depth, values);
  return values;
}

// Its integral.
template <class S, class P>
S calcLawEnergy(const ContactLaw<P>& law, const S& depth) {
  using math::select;
  const P n = law.exponent + 1.0;
  S sum = (law.stiffness / n) * powerOf(depth, n);
  if (!math::any(law.lines > 0.0)) return sum;
  for (int i = 0; i < kMostTableLines; ++i) {
    const auto isBeyond = depth > S(law.end[i]);
    const S on = select(isBeyond, S(law.end[i]), depth) - law.begin[i];
    const S beyond = select(isBeyond, S(depth - law.end[i]), S(0.0));
    sum += select(depth > S(law.begin[i]), S(law.slope[i] * on * (0.5 * on + beyond)), S(0.0));
  }
  return sum;
}

template <class S, class P>
S calcDamped(const S& elastic, const P& damping, const S& rate) {
  return elastic * math::notBelow(S(1.0 + damping * rate), 0.0);
}

}  // namespace flexloop::mechanics
