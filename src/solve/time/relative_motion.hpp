// How nodes move against each other, seen from frames that move along with them: what vibrates in a machine that travels or
// spins is judged by how far it vibrates (docs/theory/09_time.md, section 9.7, (9.22) and (9.23)).
#pragma once

#include <vector>

#include "system/system.hpp"

namespace flexloop::solve {

// What a step leaves open of accelerations.
struct OpenAccelerations {
  double translation = 0.0, rotation = 0.0;
};

// Of a group of nodes, in a checkpoint.
struct GroupReach {
  math::Mat3<double> Q;  // of its frame
  double reach = 0.0;    // [m], or [rad] where turns alone count
  double place = 0.0;    // the largest distance from the origin

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("Q", self.Q);
    visit("reach", self.reach);
    visit("place", self.place);
  }
};

class RelativeMotion {
 public:
  // By unknown of a motion its part; see findParts.
  void begin(const system::System& system, const std::vector<int>& parts,
             const std::vector<math::Frame<double>>& start);
  // The machine has come to this state.
  void add(const system::State& state);

  // The groups of one kind, which have no node in common.
  int layers() const { return layers_; }
  // A step leads from a state that has been added to another one: finds the changes of relative accelerations, and by layer the
  // largest error as a share of how far the nodes of a group have moved against each other. `factor` times the change
  // of an acceleration is an error; what is open of accelerations is known by part.
  void compare(const system::State& from, const system::State& to, double factor,
               const std::vector<OpenAccelerations>& open);
  double error(int layer) const { return errors_[layer]; }
  // The changes of a layer by unknown, and the error with what is left of them.
  void write(int layer, const system::State& to, Eigen::VectorXd& changes) const;
  double judge(int layer, const system::State& to, const Eigen::VectorXd& changes, double factor,
               const std::vector<OpenAccelerations>& open);

  // What a checkpoint keeps of each group; back after `begin` with the start of the run.
  std::vector<GroupReach> record() const;
  void restore(const std::vector<GroupReach>& groups);

 private:
  using Vec3 = math::Vec3<double>;
  using Mat3 = math::Mat3<double>;

  struct Member {
    int node = 0;
    Vec3 place;  // at the start, from the mean of all that move
    Mat3 R;      // at the start
    bool moves = false, turns = false;
    Vec3 move, turn;  // of a step: changes of accelerations, in ground axes at its end
  };
  // Of a node in ground axes.
  struct Kinematics {
    Vec3 x, v, a, omega, alpha;
  };
  // Of the frame of a group in ground axes.
  struct Frame {
    Mat3 Q;
    Vec3 c, v, a, omega, alpha;
  };
  // Nodes with the weights of one fit.
  struct Group {
    std::vector<Member> members;
    int part = 0, layer = 0, moving = 0;
    double size = 0.0;  // the largest distance from the mean, twice
    double moveWeight = 0.0, turnWeight = 0.0;
    // Whether turns are judged; else moves.
    bool isTurn() const { return moveWeight == 0.0; }
    Mat3 inverse;        // of J, as far as it has one
    Mat3 Q;              // of the last state
    double reach = 0.0;  // [m], or [rad] where turns alone count
    double place = 0.0;  // the largest distance from the origin
    double now = 0.0;    // the reach with the step that is compared; zero: it is not judged
    Frame frame;         // at the end of that step
  };
  void addGroups(int layer, const std::vector<int>& groupOf, const std::vector<int>& parts,
                 const std::vector<math::Frame<double>>& start);
  void addFits(int layer, const std::vector<int>& nodes, int part,
               const std::vector<math::Frame<double>>& start);
  void calcKinematics(const system::State& state, std::vector<Kinematics>& nodes) const;
  static Vec3 findMean(const Group& group, const system::State& state);
  static void fit(const Group& group, const system::State& state, Mat3& Q);
  static Frame calcFrame(const Group& group, const std::vector<Kinematics>& nodes, const Mat3& Q);
  static double calcReach(const Group& group, const system::State& state, const Mat3& Q);
  static bool isFar(const Group& group, double reach);
  void compareGroup(const system::State& from, const system::State& to, Group& group);
  void removeRigid(Group& group) const;
  static double judgeGroup(const Group& group, double factor, const OpenAccelerations& open);

  const system::System* system_ = nullptr;
  std::vector<Group> groups_;
  int layers_ = 0;
  std::vector<double> errors_;         // of the last step, by layer
  std::vector<Kinematics> from_, to_;  // workspace, by node
};

}  // namespace flexloop::solve
