// A node: a frame H = (R, x) on SE(3) of which some freedoms are free.
//
// Elements see only the body twist v = (Rᵀx', ω) and right-trivialised increments H ← H·exp(δ).
// The unknowns u of a node are related to them by a change of variables at the node
// (docs/theory/03_nodes.md):
//
//     v = A(R) u,      δ = A(R) dq,      r_u = A(R)ᵀ r,                                     (3.1)
//
// where each column of A is either fixed in the body, or fixed in ground (Rᵀe). Six body columns are
// the body twist itself (A = I, no work at all), three ground translations with three body rotations
// give R³×SO(3), and held freedoms are columns that are absent.
//
// How a time step moves the node is a second question. A node whose unknowns are its body twist may go
// along a screw, or straight: translations are then vectors in the axes that the body has at the start
// of the step, which is the step of R³×SO(3) with tangents in body axes (section 3.5).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "math/se3.hpp"

namespace flexloop::system {

using math::Frame;
using math::Mat6;
using math::Vec3;
using math::Vec6;

enum class Formulation {
  kLocal,   // body twist; a step goes straight in the axes of its start
  kSE3,     // body twist; a step goes along a screw
  kR3xSO3,  // velocity in ground axes, angular velocity in body axes
};

// As models write it; the words are in the order of the enumerators.
const std::vector<std::string>& formulationWords();
Formulation findFormulation(const std::string& word);

// Which of x y z rx ry rz are free; directions are those of ground at the start.
struct FreeSet {
  std::array<bool, 6> free{true, true, true, true, true, true};

  static FreeSet all() { return {}; }
  static FreeSet none() { return {{false, false, false, false, false, false}}; }
  int count() const;
  int translations() const { return free[0] + free[1] + free[2]; }
  int rotations() const { return free[3] + free[4] + free[5]; }
};

enum class NodeMap {
  kHeld,      // no unknowns
  kBody,      // six unknowns, the body twist itself
  kSubgroup,  // constant A: the free motions form a subgroup of SE(3)
  kMixed,     // some columns are fixed in ground
};

struct Column {
  Vec3<double> axis = Vec3<double>::Zero();  // in body axes, or in ground axes if inGround
  bool rotation = false;
  bool inGround = false;
};

struct Node {
  std::string name;
  Frame<double> start = Frame<double>::identity();  // configuration at the start
  NodeMap map = NodeMap::kHeld;
  int firstUnknown = 0;
  int count = 0;  // number of unknowns
  // Translations of a step are vectors in the axes of its start; only where rotations turn them.
  bool isStraight = false;
  // Whole turns of the expected rotation are left out of a step, since they change nothing (3.9).
  bool dropsTurns = false;
  std::array<Column, 6> columns{};

  int translations() const;
};

Node makeNode(std::string name, const Frame<double>& start, FreeSet free, Formulation formulation);

// A(R) of (3.1), 6×count in the first columns.
Mat6<double> calcMap(const Node& node, const Frame<double>& frame);

// The frame after the increment dq (count entries) from `frame`.
Frame<double> retract(const Node& node, const Frame<double>& frame, const double* dq);

// T of the node's own group in its own unknowns: d(increment at the end) = T(dq) d(dq); count×count.
Mat6<double> calcTangent(const Node& node, const double* dq);

// Body twist and its rate from the node's rates u and u'.
void calcTwist(const Node& node, const Frame<double>& frame, const double* u, const double* du,
               Vec6<double>& twist, Vec6<double>& twistRate);

// First-order change of twist and twistRate with the unknowns (3.4)–(3.6):
//   δtwist     = A δu + twistByValue dq
//   δtwistRate = A δu' + rateByRate δu + rateByValue dq
struct TwistDerivatives {
  Mat6<double> A, twistByValue, rateByRate, rateByValue;
};
TwistDerivatives calcTwistDerivatives(const Node& node, const Frame<double>& frame, const double* u,
                                      const double* du);

// The change of A(R)ᵀ r with dq at fixed r (3.7); count×count.
Mat6<double> calcMapStiffness(const Node& node, const Frame<double>& frame, const Vec6<double>& r);

// The Lie bracket [u, du] of the node's own group, in its unknowns (count entries).
Vec6<double> calcBracket(const Node& node, const double* u, const double* du);

// The frame after a step with the increment dq, of which `expected` is known beforehand (3.8), (3.9).
Frame<double> advance(const Node& node, const Frame<double>& frame, const double* expected,
                      const double* dq);
// T of the step: the increment at its end, in body axes there, by that of dq in the same axes.
Mat6<double> calcStepTangent(const Node& node, const double* expected, const double* dq);
// The same as calcTwistDerivatives where dq and δu, δu' are changes in the course of a step: vectors
// that a turn of the body at its end leaves as they are (3.10).
TwistDerivatives calcStepDerivatives(const Node& node, const Frame<double>& frame, const double* u,
                                     const double* du);
// The bracket of the group on which steps are made.
Vec6<double> calcStepBracket(const Node& node, const double* u, const double* du);
// The rotation of an increment in body axes, between two frames.
Vec3<double> calcTurn(const Node& node, const Frame<double>& from, const Frame<double>& to,
                      const double* dq);

// The label of freedom i of the node, such as "x" or "rz".
const char* freedomLabel(const Node& node, int i);

}  // namespace flexloop::system
