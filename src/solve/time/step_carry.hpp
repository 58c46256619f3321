// Steps in which the lag of the scheme changes. The impulse of a force that is on its way through the filter (9.9),
// f (a−v') with f = (½−αf)H, must neither be lost nor made: v + f (a−v') is to change by ∫v' dt alone. That takes
//
//     v₁ = … + h c (a₀−v'₀),   Δq = … + ½h² c (a₀−v'₀)                                          (9.27)
//
// and another γ (docs/theory/09_time.md, section 9.7); for states likewise.
#pragma once

#include "solve/time/scheme.hpp"

namespace flexloop::solve {

// c of motions and of states; zero where the lag stays.
struct StepCarry {
  double motion = 0.0, state = 0.0;
};

// `adapted` holds the parameters of the step (9.26), and has those of (9.27) afterwards.
StepCarry carryOver(const Scheme& scheme, const StepLength& step, Scheme& adapted);

}  // namespace flexloop::solve
