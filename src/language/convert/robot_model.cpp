#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>

#include <Eigen/Eigenvalues>

#include "base/text_format.hpp"
#include "language/convert/robot.hpp"
#include "math/so3.hpp"

namespace flexloop::language {
namespace {

using base::numberText;
using Eigen::Vector3d;
using Kind = RobotJoint::Kind;

std::string listText(const Vector3d& v) {
  return "[" + numberText(v[0]) + ", " + numberText(v[1]) + ", " + numberText(v[2]) + "]";
}

// Names of one kind: letters, digits and '_', all different, beginning with a letter.
class Names {
 public:
  std::string make(const std::string& wanted) {
    std::string name;
    for (const char c : wanted) {
      const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      const bool isOther = (c >= '0' && c <= '9') || c == '_' || c == '-';
      if (name.empty() && !isLetter) name = "x";
      name += isLetter || isOther ? c : '_';
    }
    if (name.empty()) name = "x";
    std::string unique = name;
    for (int k = 2; !used_.insert(unique).second; ++k) unique = name + "_" + std::to_string(k);
    return unique;
  }

  bool has(const std::string& name) const { return used_.contains(name); }

 private:
  std::set<std::string> used_{"ground", "true", "false", "null", "yes",
                              "no",     "on",   "off",   "y",    "n"};
};

// The section of a model: nothing if it is empty.
std::string section(const std::string& name, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = name + ":\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

class Writer {
 public:
  Writer(Robot& robot, const RobotOptions& options)
      : robot_(robot),
        options_(options),
        carriers_(robot.links.size()),
        placesOfLinks_(robot.links.size()),
        children_(robot.links.size()) {
    for (std::size_t i = 0; i < robot.joints.size(); ++i) {
      children_[robot.joints[i].parent].push_back(static_cast<int>(i));
      jointNames_.push_back(jointNameMaker_.make(robot.joints[i].name));
      places_.push_back(placeOf(static_cast<int>(i), 0));
    }
    coordinates_.resize(robot.joints.size());
    if (robot.loops.empty()) holdWhatHasNoMass(robot.root, 0);
  }

  std::string write() {
    const RobotLink& root = robot_.links[robot_.root];
    if (options_.isFree && root.mass == 0.0) {
      note(root.line, "the root link '" + root.name + "' is free and has no mass of its own");
    }
    addLink(robot_.root, {}, -1, {});
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) addMimic(static_cast<int>(i));
    for (const RobotLoop& loop : robot_.loops) addLoop(loop);
    for (const RobotActuator& actuator : robot_.actuators) addActuator(actuator);
    std::string text = "# Converted from " + robot_.file + ".\n";
    for (const std::string& note : robot_.notes) text += "# " + oneLine(note) + "\n";
    text += "flexloop: 1\ntitle: " + quoted(robot_.name.empty() ? robot_.file : robot_.name) +
            "\ngravity: " + listText(robot_.gravity) + "\n";
    text += section("nodes", nodes_) + section("bodies", bodies_) + section("joints", joints_);
    text += section("contacts", limits_) + section("sensors", sensors_);
    text += section("blocks", blocks_) + section("actuators", actuators_);
    return text + "analysis: {time: {end: 1, step: 1 ms}}\n";
  }

 private:
  // Whether anything resists the motion of a link and what hangs on it. Joints of those on which nothing does are fixed: nothing would
  // determine their motion.
  bool holdWhatHasNoMass(int link, int depth) {
    if (depth > static_cast<int>(robot_.links.size())) return true;  // reported
    bool resists = robot_.links[link].mass > 0.0 || !robot_.links[link].inertia.isZero(0.0);
    for (const int next : children_[link]) {
      RobotJoint& joint = robot_.joints[next];
      const bool hasMass = holdWhatHasNoMass(joint.child, depth + 1);
      const bool turns = joint.kind == Kind::kHinge || joint.kind == Kind::kSlider;
      const bool hasInertia = joint.inertia > 0.0 || joint.rotorInertia > 0.0 || isDriven(next);
      if (turns && !hasMass && !hasInertia) {
        joint.kind = Kind::kFixed;
        note(joint.line, "joint '" + joint.name + "' is fixed: nothing with mass hangs on it");
      }
      resists = resists || hasMass || hasInertia;
    }
    return resists;
  }

  // A mimic moves with a joint that may have a mass, and an actuator needs the joint.
  bool isDriven(int joint) const {
    return robot_.joints[joint].mimic.has_value() ||
           std::any_of(robot_.actuators.begin(), robot_.actuators.end(),
                       [&](const RobotActuator& one) { return one.joint == joint; }) ||
           std::any_of(robot_.joints.begin(), robot_.joints.end(), [&](const RobotJoint& other) {
             return other.mimic && other.mimic->joint == joint;
           });
  }

  // The node that carries a link, and where the link is in it.
  struct Carrier {
    std::string node;
    Frame frame;
  };

  static std::string oneLine(std::string text) {
    const auto isControl = [](unsigned char c) { return c < ' ' || c == 0x7f; };
    std::replace_if(text.begin(), text.end(), isControl, ' ');
    return text;
  }
  static std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : oneLine(text)) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result + "\"";
  }

  void note(int line, const std::string& text) {
    robot_.notes.push_back(robot_.file + ":" + std::to_string(line) + ": " + text);
  }

  // The coordinate at which the child is placed. Flexloop counts from there, so joints that mimic are placed where the others at
  // zero want them.
  double placeOf(int index, int depth) {
    const RobotJoint& joint = robot_.joints[index];
    if (!joint.mimic) return 0.0;
    if (depth > static_cast<int>(robot_.joints.size())) {
      note(joint.line,
           "joint '" + joint.name + "' mimics itself through others, which is left out");
      robot_.joints[index].mimic.reset();
      return 0.0;
    }
    return joint.mimic->offset + joint.mimic->ratio * placeOf(joint.mimic->joint, depth + 1);
  }

  void addLink(int index, const Frame& inGround, int by, const Carrier& parent) {
    placesOfLinks_[index] = inGround;
    const RobotLink& link = robot_.links[index];
    const bool isFixed = by >= 0 && robot_.joints[by].kind == Kind::kFixed;
    Carrier& carrier = carriers_[index];
    if (isFixed && !options_.weld) {
      carrier = {parent.node, parent.frame * robot_.joints[by].origin};
      addFixedFrame(index, carrier);
    } else {
      carrier = {nodeNames_.make(link.name), {}};
      addNode(carrier.node, inGround, by < 0 && !options_.isFree);
      if (by >= 0) addJoint(by, parent.node, carrier.node, inGround);
    }
    addBody(link, carrier);
    for (const int next : children_[index]) {
      const RobotJoint& joint = robot_.joints[next];
      Frame motion;
      if (joint.kind == Kind::kHinge) {
        motion.R = math::expSO3<double>(places_[next] * joint.axis);
        motion.p = joint.at - motion.R * joint.at;
      } else if (joint.kind == Kind::kSlider) {
        motion.p = places_[next] * joint.axis;
      }
      addLink(joint.child, inGround * joint.origin * motion, next, carrier);
    }
  }

  static std::string rotationText(const Eigen::Matrix3d& R) {
    const Vector3d turn = math::logSO3<double>(R);
    const double angle = turn.norm();
    if (angle == 0.0) return {};
    return ", rotation: {axis: " + listText(turn / angle) + ", angle: " + numberText(angle) + "}";
  }

  void addNode(const std::string& name, const Frame& frame, bool isHeld) {
    nodes_.push_back(name + ": {position: " + listText(frame.p) + rotationText(frame.R) +
                     (isHeld ? ", free: []}" : "}"));
  }

  // A frame without mass on a link, such as that of a tool.
  void addFixedFrame(int index, const Carrier& carrier) {
    const RobotLink& link = robot_.links[index];
    if (link.mass > 0.0 || !children_[index].empty()) return;
    sensors_.push_back(signalNames_.make(link.name) + ": {measure: position, node: " +
                       carrier.node + ", offset: " + listText(carrier.frame.p) + "}");
  }

  // The second moments ½ tr(I) − I of a body are not negative; files have inertias of which they are, and those are taken as zero.
  Eigen::Matrix3d calcPossibleInertia(const RobotLink& link) {
    constexpr double kTolerance = 1e-6;  // relative: inertias are given with few digits
    const Eigen::Matrix3d unit = Eigen::Matrix3d::Identity();
    const double half = 0.5 * link.inertia.trace();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(half * unit - link.inertia);
    const Vector3d moments = solver.eigenvalues();
    if (moments.minCoeff() >= -kTolerance * half) return link.inertia;
    note(link.line, "the link '" + link.name +
                        "' has an inertia that no body can have; its smaller moments are raised");
    const Eigen::Matrix3d second = solver.eigenvectors() * moments.cwiseMax(0.0).asDiagonal() *
                                   solver.eigenvectors().transpose();
    return second.trace() * unit - second;
  }

  void addBody(const RobotLink& link, const Carrier& carrier) {
    const bool hasInertia = !link.inertia.isZero(0.0);
    if (link.mass == 0.0 && !link.shape) return;
    const Eigen::Matrix3d I =
        carrier.frame.R * calcPossibleInertia(link) * carrier.frame.R.transpose();
    const Vector3d com = carrier.frame.p + carrier.frame.R * link.com;
    std::string text = bodyNames_.make(link.name) + ": {node: " + carrier.node +
                       ", mass: " + numberText(link.mass);
    if (!com.isZero(0.0)) text += ", com: " + listText(com);
    if (hasInertia) {
      text += ", inertia: [";
      for (const auto& [row, column] : {std::pair{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}) {
        text += (row + column == 0 ? "" : ", ") + numberText(I(row, column));
      }
      text += "]";
    }
    if (link.shape) text += ", shape: " + shapeText(*link.shape, carrier.frame * link.shape->at);
    bodies_.push_back(text + "}");
  }

  static std::string shapeText(const RobotShape& shape, const Frame& at) {
    using Shape = RobotShape::Kind;
    std::string text = "{type: ";
    if (shape.kind == Shape::kBox) text += "box, size: " + listText(shape.size);
    if (shape.kind == Shape::kSphere) text += "sphere, radius: " + numberText(shape.radius);
    if (shape.kind == Shape::kCylinder) {
      text +=
          "cylinder, radius: " + numberText(shape.radius) + ", length: " + numberText(shape.length);
    }
    if (shape.kind == Shape::kMesh) {
      text += "mesh, file: " + quoted(shape.file);
      if (shape.scale != 1.0) text += ", scale: " + numberText(shape.scale);
    }
    return text + ", at: " + listText(at.p) + rotationText(at.R) + "}";
  }

  void addJoint(int index, const std::string& parent, const std::string& child,
                const Frame& frame) {
    const RobotJoint& joint = robot_.joints[index];
    if (joint.kind == Kind::kFree) return;
    const std::string& name = jointNames_[index];
    const bool isHinge = joint.kind == Kind::kHinge, isSlider = joint.kind == Kind::kSlider;
    std::string text = name + ": {type: ";
    text += isHinge                       ? "hinge"
            : isSlider                    ? "slider"
            : joint.kind == Kind::kPlanar ? "planar"
            : joint.kind == Kind::kBall   ? "spherical"
                                          : "weld";
    text += ", between: [" + parent + ", " + child + "]";
    if (!joint.at.isZero(0.0)) text += ", at: " + listText(frame.p + frame.R * joint.at);
    if (isHinge || isSlider || joint.kind == Kind::kPlanar)
      text += ", axis: " + listText(frame.R * joint.axis);
    if (isHinge || isSlider) {
      if (joint.damping != 0.0) text += ", damping: " + numberText(joint.damping);
      if (joint.friction != 0.0) {
        text += std::string(", friction: {") + (isHinge ? "torque: " : "force: ") +
                numberText(joint.friction) + "}";
      }
      if (joint.stiffness != 0.0) {
        text += ", stiffness: " + numberText(joint.stiffness) + ", rest: " + numberText(joint.rest);
      }
      if (joint.inertia != 0.0) text += ", inertia: " + numberText(joint.inertia);
      if (joint.rotorInertia != 0.0) {
        text += ", rotor: {inertia: " + numberText(joint.rotorInertia) +
                ", ratio: " + numberText(joint.rotorRatio) + "}";
      }
      text += addLimits(joint, name);
      if (joint.mimic && joint.mimic->ratio == 0.0) text += ", locked: true";
      coordinates_[index] = signalNames_.make(joint.name);
      sensors_.push_back(coordinates_[index] + ": {measure: " +
                         (isHinge ? "angle" : "displacement") + ", joint: " + name + "}");
    } else if (joint.damping != 0.0 || joint.friction != 0.0) {
      note(joint.line, "damping and friction of joint '" + joint.name + "' are left out");
    }
    const RobotLink& link = robot_.links[joint.child];
    if (link.mass == 0.0 && !link.isInner && joint.kind != Kind::kFixed) {
      note(joint.line, "the link '" + link.name +
                           "' moves and has no mass of its own; the machine cannot move if nothing "
                           "with mass hangs on it");
    }
    joints_.push_back(text + "}");
  }

  // The keys of the joint that follow from them.
  std::string addLimits(const RobotJoint& joint, const std::string& name) {
    if (!joint.lower || !joint.upper) return {};
    if (joint.mimic) return {};  // the other joint has its own
    if (*joint.lower == *joint.upper) {
      if (*joint.lower != 0.0) {
        note(joint.line, "joint '" + joint.name + "' has no range and is locked at zero");
      } else {
        note(joint.line, "joint '" + joint.name + "' has no range and is locked");
      }
      return ", locked: true";
    }
    const bool isInside = *joint.lower <= 0.0 && *joint.upper >= 0.0;
    if (!isInside && !robot_.loops.empty()) {
      note(joint.line,
           "the range of joint '" + joint.name +
               "' is left out: zero is outside, and loops do not leave it another start");
      return {};
    }
    limits_.push_back(name + ": {type: limit, joint: " + name +
                      ", lower: " + numberText(*joint.lower) +
                      ", upper: " + numberText(*joint.upper) + ", restitution: 0}");
    if (isInside) return {};
    note(joint.line,
         "joint '" + joint.name + "' starts in the middle of its range, since zero is outside");
    return ", start: " + numberText(0.5 * (*joint.lower + *joint.upper));
  }

  void addMimic(int index) {
    const RobotJoint& joint = robot_.joints[index];
    if (!joint.mimic || joint.mimic->ratio == 0.0) return;
    const RobotJoint& other = robot_.joints[joint.mimic->joint];
    const auto moves = [](const RobotJoint& one) {
      return one.kind == Kind::kHinge || one.kind == Kind::kSlider;
    };
    if (!moves(joint) || !moves(other)) {
      return note(joint.line, "'mimic' of joint '" + joint.name +
                                  "' is left out: both joints must turn or slide");
    }
    if (places_[index] != 0.0) {
      note(joint.line, "joint '" + joint.name + "' is placed at its offset " +
                           numberText(places_[index]) + ", from where it counts");
    }
    const std::string& own = jointNames_[index];
    const std::string& leader = jointNames_[joint.mimic->joint];
    const std::string name = jointNameMaker_.make(joint.name + "_mimic");
    const double ratio = joint.mimic->ratio;
    const bool turns = joint.kind == Kind::kHinge, leaderTurns = other.kind == Kind::kHinge;
    if (turns && leaderTurns) {
      joints_.push_back(name + ": {type: gear, between: [" + leader + ", " + own +
                        "], ratio: " + numberText(ratio) + "}");
    } else if (leaderTurns) {
      joints_.push_back(rackText(name, leader, own, ratio));
    } else if (turns) {
      joints_.push_back(rackText(name, own, leader, 1.0 / ratio));
    } else {
      addPinion(name, leader, own, ratio);
    }
  }

  void addLoop(const RobotLoop& loop) {
    const std::string &first = carriers_[loop.first].node, &second = carriers_[loop.second].node;
    const Frame& place = placesOfLinks_[loop.first];
    joints_.push_back(jointNameMaker_.make(loop.name) +
                      ": {type: " + (loop.isWeld ? "weld" : "spherical") + ", between: [" + first +
                      ", " + second + "], at: " + listText(place.p + place.R * loop.at) + "}");
  }

  // Its control is a constant of its name, for a controller to take its place.
  void addActuator(const RobotActuator& actuator) {
    const RobotJoint& joint = robot_.joints[actuator.joint];
    // A sensor may have the name of the joint already.
    const bool isTaken = signalNames_.has(actuator.name);
    const std::string control =
        signalNames_.make(isTaken ? actuator.name + "_control" : actuator.name);
    std::string input = control;
    blocks_.push_back(control + ": {type: constant, value: 0}");
    if (const auto& limits = actuator.controlLimits) {
      input = signalNames_.make(actuator.name + "_limited");
      blocks_.push_back(input + ": {type: saturation, input: " + control + ", lower: " +
                        numberText(limits->first) + ", upper: " + numberText(limits->second) + "}");
    }
    const bool isLaw =
        actuator.offset != 0.0 || actuator.stiffness != 0.0 || actuator.damping != 0.0;
    double gain = actuator.gear * actuator.gain;
    if (isLaw) {
      const std::string law = signalNames_.make(actuator.name + "_law");
      const std::string& q = coordinates_[actuator.joint];
      blocks_.push_back(law + ": {type: expression, value: \"= " + numberText(actuator.gain) +
                        "*u + (" + numberText(actuator.offset) + ") + (" +
                        numberText(actuator.gear * actuator.stiffness) + ")*q + (" +
                        numberText(actuator.gear * actuator.damping) +
                        ")*v\", inputs: {u: " + input + ", q: " + q + ", v: " + q + ".rate}}");
      input = law;
      gain = actuator.gear;
    }
    std::string text = signalNames_.make(actuator.name + "_motor") +
                       ": {type: " + (joint.kind == Kind::kHinge ? "torque" : "force") +
                       ", joint: " + jointNames_[actuator.joint] + ", input: " + input +
                       ", gain: " + numberText(gain);
    if (const auto& limits = actuator.forceLimits) {
      const double g = actuator.gear, a = g * limits->first, b = g * limits->second;
      text += ", limits: [" + numberText(std::min(a, b)) + ", " + numberText(std::max(a, b)) + "]";
    }
    actuators_.push_back(text + "}");
  }

  static std::string rackText(const std::string& name, const std::string& pinion,
                              const std::string& rack, double radius) {
    return name + ": {type: rack, between: [" + pinion + ", " + rack +
           "], radius: " + numberText(radius) + "}";
  }

  // Two sliders are two racks on a pinion without mass that turns by one radian per metre of the first.
  void addPinion(const std::string& name, const std::string& leader, const std::string& own,
                 double ratio) {
    const std::string node = nodeNames_.make(name);
    nodes_.push_back(node + ": [0, 0, 0]");
    const std::string shaft = jointNameMaker_.make(name + "_shaft");
    joints_.push_back(shaft + ": {type: hinge, between: [ground, " + node + "], axis: [0, 0, 1]}");
    joints_.push_back(rackText(jointNameMaker_.make(name + "_leader"), shaft, leader, 1.0));
    joints_.push_back(rackText(name, shaft, own, ratio));
  }

  Robot& robot_;
  RobotOptions options_;
  std::vector<Carrier> carriers_;           // of the links
  std::vector<Frame> placesOfLinks_;        // in ground
  std::vector<std::vector<int>> children_;  // joints, of the links
  std::vector<std::string> jointNames_;
  std::vector<double> places_;  // of the joints: coordinates
  Names nodeNames_, bodyNames_, jointNameMaker_, signalNames_;
  std::vector<std::string> nodes_, bodies_, joints_, limits_, sensors_, blocks_, actuators_;
  std::vector<std::string> coordinates_;  // the sensors of the joints; empty: none
};

}  // namespace

bool isMeshFile(const std::string& name) {
  std::string ending = std::filesystem::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".stl" || ending == ".glb" || ending == ".obj" || ending == ".dae";
}

std::string writeRobotModel(Robot& robot, const RobotOptions& options) {
  return Writer(robot, options).write();
}

}  // namespace flexloop::language
