#include "mechanics/bodies/skew_freedoms.hpp"

#include <algorithm>
#include <vector>

#include "mechanics/joints/joint_makers.hpp"

namespace flexloop::mechanics {
namespace {

using math::Vec3;

// The axis of ground that a direction is along, either way; -1 if it is along none.
int findGroundAxis(const Vec3<double>& direction) {
  constexpr double kParallel = 1e-9;
  for (int i = 0; i < 3; ++i) {
    if (math::cross<double>(direction, Vec3<double>::Unit(i)).norm() <= kParallel) return i;
  }
  return -1;
}

// Free motions along (or about) axes of Q as such along axes of ground; false if they are not the same.
bool turnFree(const math::Mat3<double>& Q, const bool* given, bool* turned) {
  const int count = given[0] + given[1] + given[2];
  if (count == 0 || count == 3) {
    std::copy(given, given + 3, turned);
    return true;
  }
  // A plane is as good as its normal.
  const bool isPlane = count == 2;
  int axis = 0;
  while (given[axis] == isPlane) ++axis;
  const int found = findGroundAxis(Q.col(axis));
  for (int i = 0; i < 3; ++i) turned[i] = (i == found) != isPlane;
  return found >= 0;
}

// Two free rotations are a first and a second one, like those of a universal joint, and must stay so.
bool keepsOrder(const math::Mat3<double>& Q, const bool* rotations) {
  if (rotations[0] + rotations[1] + rotations[2] != 2) return true;
  std::vector<int> found;
  for (int i = 0; i < 3; ++i) {
    if (rotations[i]) found.push_back(findGroundAxis(Q.col(i)));
  }
  return found[0] >= 0 && found[0] < found[1];
}

// The one that is free, or held where two are free.
int findSingle(const bool* given) {
  const bool isPlane = given[0] + given[1] + given[2] == 2;
  int axis = 0;
  while (given[axis] == isPlane) ++axis;
  return axis;
}

Guide findGuide(int translations, int rotations, bool isSameAxis) {
  if (rotations != 1) return Guide::kNone;
  if (translations == 0) return Guide::kHinge;
  if (!isSameAxis) return Guide::kNone;
  if (translations == 1) return Guide::kCylinder;
  return translations == 2 ? Guide::kPlanar : Guide::kNone;
}

}  // namespace

std::optional<GuidedFreedoms> findGuidedFreedoms(const system::FreeSet& given,
                                                 const math::Mat3<double>& Q) {
  const bool* move = given.free.data();
  const bool* turn = move + 3;
  GuidedFreedoms result;
  result.free = given;
  bool* moves = result.free.free.data();
  const bool areMovesRight = turnFree(Q, move, moves);
  const bool areTurnsRight = turnFree(Q, turn, moves + 3) && keepsOrder(Q, turn);
  if (areMovesRight && areTurnsRight) return result;
  const int translations = move[0] + move[1] + move[2];
  if (areTurnsRight) {
    std::fill(moves, moves + 3, true);
    result.guide = translations == 1 ? Guide::kLine : Guide::kPlane;
    result.axis = Q.col(findSingle(move));
    return result;
  }
  const int rotations = turn[0] + turn[1] + turn[2];
  const int axis = findSingle(turn);
  const bool isSameAxis = translations % 3 != 0 && findSingle(move) == axis;
  result.free = system::FreeSet::all();
  result.guide = findGuide(translations, rotations, isSameAxis);
  result.axis = Q.col(axis);
  if (result.guide == Guide::kNone) return std::nullopt;
  return result;
}

void addGuide(const std::string& name, system::NodeIndex node, const GuidedFreedoms& freedoms,
              const Vec3<double>& position, system::Builder& builder) {
  const math::Frame<double> J{makeAxesAlong(freedoms.axis), position};
  const Connection c = connect({system::kGround, node}, J, builder);
  switch (freedoms.guide) {
    case Guide::kNone:
      break;
    case Guide::kLine:
      addRows<PointOnLineRows>(name, c, builder);
      break;
    case Guide::kPlane:
      addRows<PointOnPlaneRows>(name, c, builder);
      break;
    case Guide::kHinge:
      addRows<HingeRows>(name, c, builder);
      break;
    case Guide::kCylinder:
      addRows<CylindricalRows>(name, c, builder);
      break;
    case Guide::kPlanar:
      addRows<PlanarRows>(name, c, builder);
      break;
  }
}

}  // namespace flexloop::mechanics
