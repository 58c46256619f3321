// A node: a frame H = (R, x) on SE(3) of which some freedoms are free.
//
// Elements see only the body twist v = (Rᵀx', ω) and right-trivialised increments H ← H·exp(δ).
// The unknowns u of a node are related to them by a change of variables at the node
// (docs/theory/03_nodes.md):
//
//     v = A(R) u,      δ = A(R) dq,      r_u = A(R)ᵀ r,                                     (3.1)
//
// where each column of A is either fixed in the body, or fixed in ground (Rᵀe). Six body columns give
// the group SE(3) (A = I, no work at all), three ground translations with three body rotations give
// R³×SO(3), and held freedoms are columns that are absent.
#pragma once

#include <array>
#include <string>

#include "math/se3.hpp"

namespace flexloop::system {

using math::Frame;
using math::Mat6;
using math::Vec3;
using math::Vec6;

enum class Formulation { kSE3, kR3xSO3 };

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
  std::array<Column, 6> columns{};
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

// The label of freedom i of the node, such as "x" or "rz".
const char* freedomLabel(const Node& node, int i);

}  // namespace flexloop::system
