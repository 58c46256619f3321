// What a time stepper knows beside the state, so that a run can go on from a file with the same bits. `eachField` names
// every member once for all who write, read or compare them.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "math/so3.hpp"
#include "solve/mass_system.hpp"
#include "solve/time/motion_reach.hpp"
#include "solve/time/part_sizes.hpp"
#include "solve/time/scheme.hpp"
#include "solve/time/step_factors.hpp"

namespace flexloop::solve {

// What a step needs to know of the one before it.
struct StepMemory {
  Eigen::VectorXd acceleration,
      value;  // of states the rate x' takes the place of an acceleration
  // What its shifts have closed, by constraint, over h C of (9.10), and their size in units of the tolerance.
  Eigen::VectorXd gap;
  double closing = 0.0;
  // The same of the steps before it, vectors in the same axes, and their lengths; zero: none, or a jump lies between.
  Eigen::VectorXd accelerationBefore, valueBefore, gapBefore, gapEarlier;
  double stepBefore = 0.0, stepEarlier = 0.0;
  int slot = -1, steady = 0;   // of its factors, and for how many steps in a row they have served
  double guessError = 0.0;     // of accelerations and algebraic values, in units of the tolerance
  bool isCurved = false;       // a guess by three steps was much better than one by two
  bool isStep = false;         // false: a start, which assumes them
  bool isFirst = false;        // no step has put anything into the filter yet
  double step = 0.0;           // length, or what the start assumes
  double nominal = 0.0;        // nominal step of the lag at its end
  double errorConstant = 0.0;  // C of (9.10)
  int sinceRenewal = 0;        // steps
  bool hasJump = false;        // of v', x' and algebraic values since that step:
  Eigen::VectorXd jump;
  // What drives make of the jump of Φ'', by constraint, and of that of w beyond x', by state.
  Eigen::VectorXd driven;

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("acceleration", self.acceleration);
    visit("value", self.value);
    visit("gap", self.gap);
    visit("closing", self.closing);
    visit("acceleration_before", self.accelerationBefore);
    visit("value_before", self.valueBefore);
    visit("gap_before", self.gapBefore);
    visit("gap_earlier", self.gapEarlier);
    visit("step_before", self.stepBefore);
    visit("step_earlier", self.stepEarlier);
    visit("slot", self.slot);
    visit("steady", self.steady);
    visit("guess_error", self.guessError);
    visit("is_curved", self.isCurved);
    visit("is_step", self.isStep);
    visit("is_first", self.isFirst);
    visit("step", self.step);
    visit("nominal", self.nominal);
    visit("error_constant", self.errorConstant);
    visit("since_renewal", self.sinceRenewal);
    visit("has_jump", self.hasJump);
    visit("jump", self.jump);
    visit("driven", self.driven);
  }
};

// By unknown, what corrections are judged by; see the members of the same names of TimeStepper.
struct JudgedSizes {
  Eigen::VectorXd inertia, roundOff, recent, gradient, positionTerms, seen, size, digits,
      seenByDigits, normWeight;

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("inertia", self.inertia);
    visit("round_off", self.roundOff);
    visit("recent", self.recent);
    visit("gradient", self.gradient);
    visit("position_terms", self.positionTerms);
    visit("seen", self.seen);
    visit("size", self.size);
    visit("digits", self.digits);
    visit("seen_by_digits", self.seenByDigits);
    visit("norm_weight", self.normWeight);
  }
};

struct StepperMemory {
  StepMemory last;
  StepLength step;                      // of the weights
  int slot = -1;                        // of the factors in use; negative: none
  int digitsAge = 0;                    // steps
  double wish = 0.0;                    // nominal step
  double length = 0.0, meanMass = 0.0;  // of the machine
  JudgedSizes sizes;
  std::vector<PartSize> parts;
  std::vector<math::Vec3<double>> centres;  // of mass, by node; none: they are the nodes
  bool estimatesError = false;
  MotionReach::Record reach;  // where errors are estimated
  StepFactorCache::Record factors;
  MassSystem::Record massSystem;

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("last", self.last);
    visit("h", self.step.h);
    visit("nominal_before", self.step.nominal0);
    visit("nominal_after", self.step.nominal1);
    visit("slot", self.slot);
    visit("digits_age", self.digitsAge);
    visit("wish", self.wish);
    visit("length", self.length);
    visit("mean_mass", self.meanMass);
    visit("sizes", self.sizes);
    visit("parts", self.parts);
    visit("centres", self.centres);
    visit("estimates_error", self.estimatesError);
    visit("reach", self.reach);
    visit("factors", self.factors);
    visit("mass_system", self.massSystem);
  }
};

}  // namespace flexloop::solve
