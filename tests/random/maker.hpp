// Makes a machine part by part. Sizes are chosen so that motions are resolved by the coarsest steps: bodies of some 1 kg at
// distances of some 0.5 m, springs and loops of 5 to 30 rad/s, beams whose own modes are not much faster. Machines
// with kStiff have beams of real materials instead, and then only forces that grow smoothly from zero.
#pragma once

#include <string>
#include <vector>

#include "random/dice.hpp"
#include "random/machine.hpp"

namespace flexloop::random {

// A signal with what the blocks behind it must know.
struct Signal {
  std::string name;
  Dimension dimension = kNone;
  double size = 1.0;     // what it may reach
  bool hasRate = false;  // NAME.rate exists
  bool isSampled = false;
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : dice_(seed) { machine_.seed = seed; }
  Machine make();

 private:
  // What an actuator moves, and the sensors of that motion.
  struct Target {
    std::vector<Entry> entries;  // `joint: j1` …
    bool isRotation = false;
    Signal position, rate;
    double inertia = 1.0;  // kg or kg m²
  };

  // maker_structure.cpp
  void chooseSettings();
  void makeTree();
  void makeFourBar();
  void makeCarts();
  void closeLoops();
  int addNode(const Vector3d& position, const Matrix3d& R, bool isCarrying);
  void addBody(int node, double mass, double inertia);
  void addLink(int parent, int child);
  int countFreedoms(int first, int second) const;  // between two nodes of the tree
  void addNodeItems();
  void addOutputs();

  // maker_joints.cpp
  void addJoint(const std::string& type, int first, int second, const Vector3d& place,
                const Vector3d& axis, bool isPlain);
  void addCoordinateOptions(Item& item, const JointFacts& joint);
  void addCoordinate(std::vector<Entry>& entries, const JointFacts& joint, bool isRotation);
  void addDrive(std::vector<Entry>& entries, const JointFacts& joint, bool isRotation);

  // maker_beams.cpp
  void addBeam(int from, int to);
  std::string addSection(double length, double mass);

  // maker_forces.cpp
  void addSprings();
  void addSpring(int first, int second);
  void addBushing(int first, int second, double rate);
  void addLoads();
  void addPower(const std::string& formula, const std::vector<std::string>& signals,
                const std::vector<Number>& factors = {});
  std::string addBalanceSensor(Item sensor);

  // maker_sources.cpp
  Signal addSource(Dimension dimension, double size);
  Signal addSmoothStart(Dimension dimension, double size);  // from zero, without a jump of the rate
  Item newBlock(const std::string& type);
  Signal finish(Item item, Dimension dimension, double size);

  // maker_control.cpp
  void addControl();
  Target makeTarget();
  bool findJointTarget(Target& target);
  void findNodeTarget(Target& target);
  bool findDistanceTarget(Target& target);
  Signal addSensor(Item sensor, Dimension dimension, double size, bool hasRate);
  Signal addLaw(const Target& target);
  Signal addPid(const Target& target);
  Signal addSampledLaw(const Target& target);
  void addActuator(const Target& target, const Signal& input);

  // maker_blocks.cpp: a signal of the same dimension and about the same size
  Signal addFilter(const Signal& input);
  Signal addAlgebra(const Signal& input);
  Signal addLimit(const Signal& input);
  Signal addSwitching(const Signal& input);
  Signal addDelay(const Signal& input);
  Signal addHold(const Signal& input);

  std::string nodeName(int node) const { return machine_.nodes[node].name; }
  std::string newName(const std::string& prefix) { return prefix + std::to_string(++names_); }
  bool isStiff() const { return machine_.has(Trait::kStiff); }
  void note(Trait trait) { machine_.traits.insert(trait); }
  Number time(double from, double to) { return {dice_.logUniform(from, to), kTime}; }
  // Of a spring or controller that moves an inertia.
  double stiffness(double inertia) { return inertia * std::pow(dice_.uniform(5.0, 25.0), 2); }
  double damping(double inertia) { return inertia * dice_.uniform(0.2, 3.0); }

  Dice dice_;
  Machine machine_;
  std::vector<bool> isCarrying_;  // by node: a body or a beam gives it mass
  struct Link {
    int parent = -1, freedoms = 6;
  };
  std::vector<Link> links_;  // by node of the tree
  bool isMoving_ = false;    // has velocities at the start
  bool isAnchored_ = false;  // a spring holds every node
  int mobility_ = 0;
  int names_ = 0;
};

}  // namespace flexloop::random
