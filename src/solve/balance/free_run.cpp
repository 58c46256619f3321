#include "solve/balance/free_run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include <Eigen/Geometry>

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

constexpr double kLittle = 0.3;  // of the work of the loads, done against what resists
constexpr double kFarTurn = 4.0 * std::numbers::pi;
constexpr double kFarMove = 100.0;  // sizes of the machine
constexpr double kSmallMove = 1e-6;
constexpr double kSame = 1e-3;     // relative difference of velocities of a rigid body
constexpr double kNothing = 0.02;  // component of a direction that is not worth mentioning

// Over motions.
double dot(const std::vector<Kind>& kinds, const Eigen::VectorXd& force,
           const Eigen::VectorXd& move) {
  double sum = 0.0;
  for (int u = 0; u < move.size(); ++u) {
    if (kinds[u] == Kind::kMotion) sum += force[u] * move[u];
  }
  return sum;
}

std::string describeDirection(Eigen::Vector3d direction) {
  direction.normalize();
  std::ostringstream text;
  text.precision(3);
  text << '[';
  for (int i = 0; i < 3; ++i) {
    text << (i > 0 ? ", " : "") << (std::abs(direction[i]) < kNothing ? 0.0 : direction[i]);
  }
  text << ']';
  return text.str();
}

// The velocity field of several nodes that move as one rigid body.
struct RigidMotion {
  bool isRigid = false;
  double extent = 0.0;
  Eigen::Vector3d turn = Eigen::Vector3d::Zero(), move = Eigen::Vector3d::Zero();  // of the centre
};

Eigen::Vector3d findSmallTurn(const State& from, const State& to, std::size_t node) {
  const Eigen::Matrix3d R = to.frames[node].R * from.frames[node].R.transpose();
  return 0.5 * Eigen::Vector3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
}

RigidMotion findRigidMotion(const State& from, const State& to) {
  RigidMotion motion;
  const std::size_t nodes = from.frames.size();
  if (nodes < 3) return motion;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (std::size_t i = 1; i < nodes; ++i) {  // behind the ground
    centre += from.frames[i].x / (nodes - 1.0);
    motion.move += (to.frames[i].x - from.frames[i].x) / (nodes - 1.0);
  }
  motion.turn = findSmallTurn(from, to, 1);
  double largest = motion.move.norm(), off = 0.0, twist = 0.0;
  for (std::size_t i = 1; i < nodes; ++i) {
    const Eigen::Vector3d arm = from.frames[i].x - centre, move = to.frames[i].x - from.frames[i].x;
    motion.extent = std::max(motion.extent, arm.norm());
    largest = std::max(largest, move.norm());
    off = std::max(off, (move - motion.move - motion.turn.cross(arm)).norm());
    twist = std::max(twist, (findSmallTurn(from, to, i) - motion.turn).norm());
  }
  motion.isRigid = off + motion.extent * twist <= kSame * largest;
  return motion;
}

std::string describeRigid(const RigidMotion& motion) {
  const double move = motion.move.norm(), turn = motion.extent * motion.turn.norm();
  std::string text = "the machine as a whole, and the loads ";
  if (move > kNothing * turn) text += "push it along " + describeDirection(motion.move);
  if (move > kNothing * turn && turn > kNothing * move) text += " and ";
  if (turn > kNothing * move) text += "turn it about " + describeDirection(motion.turn);
  return text;
}

}  // namespace

bool FreeRun::note(const State& from, const Eigen::VectorXd& r, const Eigen::VectorXd& delta) {
  const system::System& system = balance_.system();
  const Eigen::VectorXd loads = balance_.share() * balance_.calcAppliedLoads(from);
  const Eigen::VectorXd rest = r - loads;
  // By the mean of the forces at both ends of the last step.
  if (move_.size() > 0) {
    ofLoads_ -= 0.5 * dot(balance_.kinds(), loads_ + loads, move_);
    ofRest_ -= 0.5 * dot(balance_.kinds(), rest_ + rest, move_);
  }
  loads_ = loads;
  rest_ = rest;
  move_ = delta;
  double turn = 0.0;
  for (int u = 0; u < delta.size(); ++u) {
    const bool isTurn = balance_.kinds()[u] == Kind::kMotion && system.isRotation(UnknownIndex{u});
    if (isTurn) turn = std::max(turn, std::abs(delta[u]));
  }
  turn_ += turn;
  if (size_ == 0.0) size_ = balance_.size();
  // Other forces must not drive it either. What they seem to do in long steps has the error of these.
  const bool isFree = ofLoads_ > 0.0 && ofRest_ >= -kLittle * ofLoads_ && ofRest_ <= ofLoads_;
  if (!isFree) return false;
  return turn_ > kFarTurn || (size_ > 0.0 && balance_.size() > kFarMove * size_);
}

base::Failure FreeRun::describe(const State& from, const Eigen::VectorXd& delta) const {
  const State to = balance_.moved(from, kSmallMove / balance_.sizeOf(delta) * delta);
  const RigidMotion rigid = findRigidMotion(from, to);
  const std::string what =
      rigid.isRigid ? describeRigid(rigid)
                    : "the " + balance_.describeMotions(delta) + ", and the loads keep driving it";
  return base::numericalFailure(
      "nothing holds " + what + ": there is no equilibrium",
      "hold it with a joint, a spring or a controller; 'flexloop run' shows how it moves");
}

}  // namespace flexloop::solve
