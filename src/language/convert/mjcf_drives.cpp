#include "language/convert/mjcf_drives.hpp"

#include <algorithm>

namespace flexloop::language {
namespace {

using Eigen::Vector3d;
using pugi::xml_node;
using Kind = RobotJoint::Kind;

class Reader {
 public:
  Reader(MjcfSource& source, Robot& robot, LeftOut& left, ErrorList& errors)
      : source_(source), xml_(source.xml()), robot_(robot), left_(left), errors_(errors) {}

  void read() {
    for (const xml_node& section : source_.root().children("actuator")) {
      for (const xml_node& node : section.children()) readActuator(node);
    }
    for (const xml_node& section : source_.root().children("equality")) {
      for (const xml_node& node : section.children()) readEquality(node);
    }
  }

 private:
  void leaveOut(const xml_node& node, const std::string& what) { left_.add(xml_, node, what); }

  template <class Thing>
  int find(const std::vector<Thing>& things, const char* kind, const std::string& name,
           const xml_node& node) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < things.size(); ++i) {
      if (things[i].name == name) return static_cast<int>(i);
      known.push_back(things[i].name);
    }
    errors_.addUnknown(xml_.placeOf(node),
                       std::string(node.name()) + ": there is no " + kind + " " + quote(name), name,
                       known);
    return -1;
  }

  void readActuator(const xml_node& node) {
    const std::string kind = node.name();
    if (node.type() != pugi::node_element) return;
    if (kind != "motor" && kind != "position" && kind != "velocity" && kind != "general" &&
        kind != "damper") {
      return leaveOut(node, "actuators of type '" + kind + "' are left out");
    }
    if (!node.attribute("joint"))
      return leaveOut(node, "actuators that drive no joint are left out");
    RobotActuator actuator{.name = node.attribute("name").value()};
    if (actuator.name.empty()) {
      actuator.name = kind + std::to_string(robot_.actuators.size() + 1);
    }
    actuator.joint = find(robot_.joints, "joint", node.attribute("joint").value(), node);
    if (actuator.joint < 0) return;
    const Kind joint = robot_.joints[actuator.joint].kind;
    if (joint != Kind::kHinge && joint != Kind::kSlider) {
      return leaveOut(node, "actuators of ball joints and free joints are left out");
    }
    if (node.attribute("gear")) {
      const std::vector<double> gear = xml_.readNumbers(node, "gear", errors_);
      if (!gear.empty()) actuator.gear = gear[0];
    }
    if (!readLaw(node, kind, actuator)) return;
    actuator.controlLimits = readMjcfLimits(source_, node, "ctrlrange", "ctrllimited", errors_);
    actuator.forceLimits = readMjcfLimits(source_, node, "forcerange", "forcelimited", errors_);
    inheritRange(node, actuator);
    limitByJoint(node, actuator);
    robot_.actuators.push_back(std::move(actuator));
  }

  // Of a position or velocity: the range of the joint, narrower or wider.
  void inheritRange(const xml_node& node, RobotActuator& actuator) {
    const double share = xml_.readNumber(node, "inheritrange", 0.0, errors_);
    const RobotJoint& joint = robot_.joints[actuator.joint];
    if (share == 0.0 || actuator.controlLimits || !joint.lower || !joint.upper) return;
    const double middle = 0.5 * (*joint.lower + *joint.upper),
                 half = 0.5 * share * (*joint.upper - *joint.lower);
    actuator.controlLimits = {middle - half, middle + half};
  }

  // What a joint takes from all actuators together is that of the only one.
  void limitByJoint(const xml_node& node, RobotActuator& actuator) {
    const auto& limits = robot_.joints[actuator.joint].driveLimits;
    if (!limits || actuator.gear == 0.0) return;
    const bool isOther =
        std::any_of(robot_.actuators.begin(), robot_.actuators.end(),
                    [&](const RobotActuator& other) { return other.joint == actuator.joint; });
    if (isOther) {
      return leaveOut(node, "'actuatorfrcrange' of joints with several actuators counts for each");
    }
    const double a = limits->first / actuator.gear, b = limits->second / actuator.gear;
    auto both = actuator.forceLimits.value_or(std::pair{std::min(a, b), std::max(a, b)});
    both = {std::max(both.first, std::min(a, b)), std::min(both.second, std::max(a, b))};
    actuator.forceLimits = both;
  }

  bool readLaw(const xml_node& node, const std::string& kind, RobotActuator& actuator) {
    const auto number = [&](const char* key, double usual) {
      return xml_.readNumber(node, key, usual, errors_);
    };
    if (kind == "position") {
      actuator.gain = number("kp", 1.0);
      actuator.stiffness = -actuator.gain;
      actuator.damping = -number("kv", 0.0);
      if (node.attribute("dampratio")) {
        leaveOut(node, "'dampratio' of position actuators is left out: state 'kv'");
      }
    } else if (kind == "velocity") {
      actuator.gain = number("kv", 1.0);
      actuator.damping = -actuator.gain;
    } else if (kind == "general") {
      return readGeneral(node, actuator);
    } else if (kind == "damper") {
      leaveOut(node, "actuators of type 'damper' are left out");
      return false;
    }
    if (number("timeconst", 0.0) != 0.0) {
      leaveOut(node, "'timeconst' of actuators is left out: they follow at once");
    }
    return true;
  }

  bool readGeneral(const xml_node& node, RobotActuator& actuator) {
    const auto word = [&](const char* key, const char* usual) {
      const std::string text = node.attribute(key).value();
      return text.empty() ? std::string(usual) : text;
    };
    if (word("dyntype", "none") != "none" || word("gaintype", "fixed") != "fixed" ||
        (word("biastype", "none") != "none" && word("biastype", "none") != "affine")) {
      leaveOut(node, "general actuators with dynamics or laws of their own are left out");
      return false;
    }
    if (node.attribute("gainprm")) {
      const std::vector<double> gain = xml_.readNumbers(node, "gainprm", errors_);
      if (!gain.empty()) actuator.gain = gain[0];
    }
    if (word("biastype", "none") != "affine") return true;
    std::vector<double> bias = xml_.readNumbers(node, "biasprm", errors_);
    bias.resize(std::max<std::size_t>(bias.size(), 3));
    actuator.offset = bias[0];
    actuator.stiffness = bias[1];
    actuator.damping = bias[2];
    return true;
  }

  void readEquality(const xml_node& node) {
    const std::string kind = node.name();
    if (node.type() != pugi::node_element) return;
    const std::string active = node.attribute("active").value();
    if (active == "false") return leaveOut(node, "equalities that are not active are left out");
    if (kind == "joint") return readCoupling(node);
    if (kind == "connect" || kind == "weld") return readLoop(node, kind == "weld");
    leaveOut(node, "equalities of type '" + kind + "' are left out");
  }

  // q1 = c0 + c1 q2, counted from the pose of the file.
  void readCoupling(const xml_node& node) {
    const int own = find(robot_.joints, "joint", node.attribute("joint1").value(), node);
    if (!node.attribute("joint2")) {
      return leaveOut(node, "equalities that hold one joint are left out");
    }
    const int leader = find(robot_.joints, "joint", node.attribute("joint2").value(), node);
    if (own < 0 || leader < 0) return;
    std::vector<double> c{0.0, 1.0};
    if (node.attribute("polycoef")) c = xml_.readNumbers(node, "polycoef", errors_);
    c.resize(std::max<std::size_t>(c.size(), 2));
    if (std::any_of(c.begin() + 2, c.end(), [](double one) { return one != 0.0; })) {
      return leaveOut(node, "equalities of joints that are no straight lines are left out");
    }
    if (own == leader || robot_.joints[own].mimic) {
      return errors_.add(xml_.placeOf(node), "the joint '" + robot_.joints[own].name +
                                                 "' follows itself, or two others");
    }
    robot_.joints[own].mimic = RobotJoint::Mimic{leader, c[1], c[0]};
  }

  void readLoop(const xml_node& node, bool isWeld) {
    if (!node.attribute("body1")) {
      return leaveOut(node, "equalities between sites are left out");
    }
    const std::string other = node.attribute("body2").value();
    RobotLoop loop{.name = node.attribute("name").value(), .isWeld = isWeld};
    if (loop.name.empty()) {
      loop.name = std::string(node.name()) + std::to_string(robot_.loops.size() + 1);
    }
    loop.first = find(robot_.links, "body", node.attribute("body1").value(), node);
    loop.second = other.empty() ? 0 : find(robot_.links, "body", other, node);
    if (loop.first < 0 || loop.second < 0) return;
    if (isWeld && node.attribute("relpose")) {
      leaveOut(node, "'relpose' of welds is left out: bodies stay as they are placed");
    }
    if (!isWeld) loop.at = xml_.readVector(node, "anchor", Vector3d::Zero(), errors_);
    robot_.loops.push_back(std::move(loop));
  }

  MjcfSource& source_;
  XmlSource& xml_;
  Robot& robot_;
  LeftOut& left_;
  ErrorList& errors_;
};

}  // namespace

std::optional<std::pair<double, double>> readMjcfLimits(MjcfSource& source, const xml_node& node,
                                                        const char* key, const char* flag,
                                                        ErrorList& errors) {
  const std::string limited = node.attribute(flag).value();
  const bool isAutomatic = limited.empty() || limited == "auto";
  if (!node.attribute(key) || limited == "false") return std::nullopt;
  if (isAutomatic && source.option("autolimits") == "false") return std::nullopt;
  const std::vector<double> range = source.xml().readNumbers(node, key, errors);
  if (range.size() == 2 && range[0] < range[1]) return std::pair{range[0], range[1]};
  errors.add(source.xml().placeOf(node),
             std::string(node.name()) + ": '" + key + "' must be two numbers, the lower one first");
  return std::nullopt;
}

void readMjcfDrives(MjcfSource& source, Robot& robot, LeftOut& left, ErrorList& errors) {
  Reader(source, robot, left, errors).read();
}

}  // namespace flexloop::language
