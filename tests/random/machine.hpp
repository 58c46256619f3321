// What the generator makes of a seed: the items of a model, what is recorded of it, and what checks must know.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "random/document.hpp"

namespace flexloop::random {

// Recorded numbers: those of one group are compared by one scale.
struct Output {
  std::string name;
  std::string group;
  Dimension dimension;
  bool isVector = false;  // three components in ground axes: NAME.x NAME.y NAME.z
  std::string measure;    // `measure: position, node: A` …; empty: a signal
};

// A share of the power that goes into the energy of bodies, beams, springs and gravity: a formula of signals.
struct Power {
  std::string formula;  // with `#1`, `#2` … for the signals
  std::vector<std::string> signals;
  std::vector<double> factors;        // values of `@1`, `@2` …
  std::vector<Dimension> dimensions;  // of the factors
};

// A joint as the checks see it.
struct JointFacts {
  std::string name, type;
  int first = 0, second = 0;  // of `nodes`
  Vector3d place, axis, secondAxis;
  double pitch = 0.0;
  bool isLocked = false;
  bool isDriven = false;
};

struct NodeFacts {
  std::string name;
  Vector3d position;
  Matrix3d R = Matrix3d::Identity();
  std::array<bool, 6> free{true, true, true, true, true, true};
  double mass = 1.0;     // of what it carries, roughly [kg]
  double inertia = 0.1;  // [kg m²]
};

// What a machine has that some checks cannot judge.
enum class Trait {
  kStiff,         // modes that no step resolves
  kUndamped,      // by the scheme, within a run
  kRinging,       // stiff and undamped
  kHeldFreedoms,  // along ground axes: only quarter turns keep them
  kJumps,         // forces that jump
  kEvents,        // located ends of branches
  kSampled,
  kDelayed,
  kKinked,  // blocks whose slope jumps: linear analyses depend on the side
  kDriven,
  kRedundant,     // constraints
  kNoPowerKnown,  // something exchanges energy that no sensor tells
  kTimed,         // depends on the time
  kBlackBox,      // with fixed numbers inside: has no other units
};

struct Machine {
  std::uint64_t seed = 0;
  std::vector<Item> items;
  std::vector<Item> balanceItems;  // sensors that only the balance of energy needs
  std::vector<Output> outputs;
  std::vector<Power> powers;
  std::vector<NodeFacts> nodes;  // ground first
  std::vector<JointFacts> joints;
  std::set<Trait> traits;
  Vector3d gravity = Vector3d::Zero();
  double end = 0.3;  // [s]
  int steps = 48;    // of the coarsest run
  double rho = 0.8;
  std::string constraints;  // empty: the default
  std::string formulation;

  bool has(Trait trait) const { return traits.contains(trait); }
};

Machine makeMachine(std::uint64_t seed);

}  // namespace flexloop::random
