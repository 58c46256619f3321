// Friction in an impact (docs/theory/33_impacts.md, section 2). Friction with a given level is finite and has no part in it: what stuck is knocked loose. Friction that
// follows from the force of a constraint has an impulse that follows from the impulse of that constraint: it holds up to (32.2), or slips with (33.4).
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/assembler.hpp"
#include "system/state.hpp"
#include "system/switching.hpp"

namespace flexloop::solve {

class ImpactFriction {
 public:
  // Whether friction of contacts that were open slips at first, in the direction in which it arrives, or is held.
  enum class Arrival : std::uint8_t { kSlipping, kHeld };

  // As it is before the impact.
  ImpactFriction(system::Assembler& assembler, const std::vector<system::Switch>& switches,
                 const system::State& before, Arrival arrival);

  // What holds is a constraint, what slips is not. Friction of contacts that take no part is absent.
  void setBranches(system::State& state);
  // How many slip with an impulse, and these impulses for those of the multipliers.
  int slips() const;
  // For each of them, the multiplier that would hold it.
  std::vector<int> slipMultipliers() const;
  Eigen::VectorXd calcSlips(const system::State& state, const Eigen::VectorXd& impulse) const;
  // Adds what they do to the right side of the motions; `stiffness` has the columns of their forces.
  void addSlips(const linalg::SparseMatrix& stiffness, const Eigen::VectorXd& slips,
                Eigen::VectorXd& right) const;
  // The next change for the impulses of the multipliers, which gave these velocities and the energy of their jump; false: none is needed.
  bool change(system::State& after, const Eigen::VectorXd& impulse, double energy);
  // Friction of this stop slips as it moves after the impact: held, it makes the stop pull, and without the stop its gap closes.
  void yield(int stop, system::State& after);
  // What has been knocked loose, or has been stopped.
  void end(system::State& state) const;

 private:
  using Branch = system::Switching::Branch;
  struct Grip {
    const system::Switch* of = nullptr;
    Branch before = Branch::kFree;
    bool holds = false;
    bool isImpulsive = false;
    bool isIdle = false;     // the impact does not reach it
    double direction = 0.0;  // of its slip
    double held = 0.0;       // impulse that it did not hold
    int returns = 0;         // from slip to stick
    int aims = 0;            // of the direction of slip in a plane
    bool isNew = false;      // friction of a contact that was open
    bool isOut = false;      // friction of a contact that is not struck

    bool slips() const { return isImpulsive && !holds && !isOut; }
    bool mayGiveWay() const { return holds && !isIdle && !isOut; }
  };

  bool releaseGiven(const system::Motion& blow);
  bool releaseWorst(const system::Motion& blow, system::State& after);
  bool holdReversed(const system::Motion& after);
  bool turnDirections(const system::Motion& blow, system::State& after);
  bool keepIdle(const system::Motion& after, double energy);
  // A motion whose multipliers are impulses.
  system::State makeBlow(const system::State& state, const Eigen::VectorXd& impulse) const;
  double calcForce(const Grip& grip, const system::Motion& blow) const;
  system::SwitchReading read(const Grip& grip, const system::Motion& motion) const;
  void setBranch(const Grip& grip, Branch branch, system::State& state) const;

  system::Assembler& assembler_;
  const std::vector<system::Switch>& switches_;
  std::vector<Grip> grips_;
};

}  // namespace flexloop::solve
