#include "language/convert/mjcf_reader.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "language/convert/left_out.hpp"
#include "language/convert/mjcf_drives.hpp"
#include "language/convert/mjcf_geoms.hpp"
#include "language/convert/mjcf_source.hpp"

namespace flexloop::language {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using pugi::xml_node;
using Kind = RobotJoint::Kind;

constexpr std::size_t kMostLinks = 2000;

class Reader {
 public:
  Reader(const std::string& text, const std::string& file)
      : source_(text, file), xml_(source_.xml()), geoms_(source_, errors_) {}

  Robot read() {
    const xml_node root = source_.root();
    robot_.name = root.attribute("model").value();
    robot_.file = xml_.file();
    robot_.links.push_back({.name = "world", .line = xml_.lineOf(root)});
    for (const xml_node& node : root.children("option")) {
      robot_.gravity = xml_.readVector(node, "gravity", robot_.gravity, errors_);
    }
    for (const xml_node& node : root.children("worldbody")) readInside(node, 0, {}, {});
    readMjcfDrives(source_, robot_, left_, errors_);
    for (const xml_node& node : root.children()) readOther(node);
    if (errors_.empty() && robot_.links.size() == 1) {
      errors_.add(xml_.placeOf(root), "the file has no bodies");
    }
    errors_.raiseIfAny();
    robot_.notes = left_.notes(xml_.file());
    return std::move(robot_);
  }

 private:
  void leaveOut(const xml_node& node, const std::string& what) { left_.add(xml_, node, what); }

  // What a body, or the world, contains. `at` is where a frame is in the link.
  void readInside(const xml_node& node, int link, const Frame& at,
                  const std::optional<MassOfGeom>& stated) {
    MassOfGeom sum;
    readParts(node, link, at, sum);
    if (link == 0) return;
    const MassOfGeom& mass = stated ? *stated : sum;
    robot_.links[link].mass = mass.mass;
    robot_.links[link].com = mass.com;
    robot_.links[link].inertia = mass.inertia;
  }

  void readParts(const xml_node& node, int link, const Frame& at, MassOfGeom& sum) {
    static const std::set<std::string> known{"joint", "freejoint", "inertial"};
    for (const xml_node& part : node.children()) {
      const std::string name = part.name();
      if (name == "body") {
        readBody(part, link, at);
      } else if (name == "geom") {
        readGeom(part, link, at, sum);
      } else if (name == "site") {
        readSite(part, link, at);
      } else if (name == "frame") {
        readParts(part, link, at * source_.readFrame(part, errors_), sum);
      } else if (!known.contains(name) && part.type() == pugi::node_element) {
        leaveOut(part, "'" + name + "' of a body is not understood and left out");
      }
    }
  }

  std::string nameOf(const xml_node& node, const char* usual, std::size_t number) const {
    const std::string name = node.attribute("name").value();
    return name.empty() ? usual + std::to_string(number) : name;
  }

  int addLink(const std::string& name, const xml_node& node, bool isInner) {
    if (robot_.links.size() == kMostLinks) {
      errors_.add(xml_.placeOf(node),
                  "the robot has more than " + std::to_string(kMostLinks) + " links");
    }
    if (robot_.links.size() < kMostLinks) {
      robot_.links.push_back({.name = name, .line = xml_.lineOf(node), .isInner = isInner});
    }
    return static_cast<int>(robot_.links.size()) - 1;
  }

  // A body hangs on its parent by its joints, one after the other.
  void readBody(const xml_node& node, int parent, const Frame& around) {
    if (robot_.links.size() >= kMostLinks) return;
    const std::string name = nameOf(node, "body", robot_.links.size());
    for (const RobotLink& link : robot_.links) {
      if (link.name == name && !link.isInner) {
        errors_.add(xml_.placeOf(node), "the body '" + name + "' is there twice");
      }
    }
    if (node.attribute("mocap").as_bool()) leaveOut(node, "'mocap' is left out: the body is fixed");
    if (node.attribute("gravcomp")) leaveOut(node, "'gravcomp' is left out");
    Frame origin = around * source_.readFrame(node, errors_);
    std::vector<xml_node> joints;
    for (const xml_node& part : node.children()) {
      const std::string kind = part.name();
      if (kind == "joint" || kind == "freejoint") joints.push_back(part);
    }
    for (std::size_t k = 0; k + 1 < joints.size(); ++k) {
      const int inner = addLink(name + "_" + std::to_string(k + 1), node, true);
      addJoint(joints[k], parent, inner, origin);
      parent = inner;
      origin = {};
    }
    const int link = addLink(name, node, false);
    if (joints.empty()) {
      robot_.joints.push_back({.name = name + "_weld",
                               .line = xml_.lineOf(node),
                               .kind = Kind::kFixed,
                               .parent = parent,
                               .child = link,
                               .origin = origin});
    } else {
      addJoint(joints.back(), parent, link, origin);
    }
    readInside(node, link, {}, readInertial(node));
  }

  std::optional<MassOfGeom> readInertial(const xml_node& body) {
    const xml_node node = body.child("inertial");
    if (!node || source_.option("inertiafromgeom") == "true") return std::nullopt;
    const Frame at = source_.readFrame(node, errors_);
    MassOfGeom mass{xml_.readNumber(node, "mass", 0.0, errors_), at.p, Matrix3d::Zero()};
    if (!(mass.mass > 0.0)) errors_.add(xml_.placeOf(node), "inertial: 'mass' must be positive");
    Matrix3d inertia = Matrix3d::Zero();
    if (node.attribute("fullinertia")) {
      const std::vector<double> n = xml_.readNumbers(node, "fullinertia", errors_);
      if (n.size() != 6) {
        errors_.add(xml_.placeOf(node), "inertial: 'fullinertia' must be six numbers");
      } else {
        inertia << n[0], n[3], n[4], n[3], n[1], n[5], n[4], n[5], n[2];
      }
    } else {
      inertia = xml_.readVector(node, "diaginertia", Vector3d::Zero(), errors_).asDiagonal();
    }
    mass.inertia = at.R * inertia * at.R.transpose();
    return mass;
  }

  void addJoint(const xml_node& node, int parent, int child, const Frame& origin) {
    static const std::vector<std::pair<std::string, Kind>> kinds{{"hinge", Kind::kHinge},
                                                                 {"slide", Kind::kSlider},
                                                                 {"ball", Kind::kBall},
                                                                 {"free", Kind::kFree}};
    std::string type = node.attribute("type").value();
    if (type.empty()) type = std::string(node.name()) == "freejoint" ? "free" : "hinge";
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const auto& known) { return known.first == type; });
    if (kind == kinds.end()) {
      errors_.addUnknown(xml_.placeOf(node), "joint: unknown type " + quote(type), type,
                         {"hinge", "slide", "ball", "free"});
      return;
    }
    RobotJoint joint{.name = nameOf(node, "joint", robot_.joints.size() + 1),
                     .line = xml_.lineOf(node),
                     .kind = kind->second,
                     .parent = parent,
                     .child = child,
                     .origin = origin};
    for (const RobotJoint& other : robot_.joints) {
      if (other.name == joint.name) {
        errors_.add(xml_.placeOf(node), "the joint '" + joint.name + "' is there twice");
      }
    }
    if (joint.kind == Kind::kFree && (parent != 0 || robot_.links[child].isInner)) {
      errors_.add(xml_.placeOf(node), "a free joint is the only one of a body of the world");
    }
    readMotion(node, joint);
    robot_.joints.push_back(std::move(joint));
  }

  void readMotion(const xml_node& node, RobotJoint& joint) {
    const auto number = [&](const char* key) { return xml_.readNumber(node, key, 0.0, errors_); };
    const bool isHinge = joint.kind == Kind::kHinge, isSlider = joint.kind == Kind::kSlider;
    const auto coordinate = [&](double value) { return isHinge ? source_.angle(value) : value; };
    joint.at = xml_.readVector(node, "pos", Vector3d::Zero(), errors_);
    joint.damping = number("damping");
    joint.friction = number("frictionloss");
    if (!isHinge && !isSlider) {
      if (node.attribute("range")) leaveOut(node, "the range of a ball joint is left out");
      if (number("stiffness") != 0.0) leaveOut(node, "the spring of a ball joint is left out");
      if (number("armature") != 0.0) leaveOut(node, "'armature' of a ball joint is left out");
      return;
    }
    joint.axis = xml_.readVector(node, "axis", Vector3d::UnitZ(), errors_);
    if (joint.axis.isZero(0.0)) {
      errors_.add(xml_.placeOf(node), "joint '" + joint.name + "': its axis is zero");
      joint.axis = Vector3d::UnitZ();
    }
    joint.axis.normalize();
    // Flexloop counts from the pose that the file has, MuJoCo from `ref` there.
    const double start = coordinate(number("ref"));
    if (start != 0.0) {
      leaveOut(node, "'ref' of joints is left out: coordinates are zero in the pose of the file");
    }
    joint.stiffness = number("stiffness");
    joint.rest = coordinate(number("springref")) - start;
    joint.inertia = number("armature");
    joint.driveLimits =
        readMjcfLimits(source_, node, "actuatorfrcrange", "actuatorfrclimited", errors_);
    if (node.attribute("springdamper")) leaveOut(node, "'springdamper' is left out");
    readRange(node, joint, start);
  }

  void readRange(const xml_node& node, RobotJoint& joint, double start) {
    const std::string limited = node.attribute("limited").value();
    const bool isAutomatic = limited.empty() || limited == "auto";
    if (!node.attribute("range") || limited == "false") return;
    if (isAutomatic && source_.option("autolimits") == "false") return;
    const std::vector<double> range = xml_.readNumbers(node, "range", errors_);
    if (range.size() != 2 || range[0] > range[1]) {
      errors_.add(xml_.placeOf(node),
                  "joint '" + joint.name + "': 'range' must be two numbers, the lower one first");
      return;
    }
    const bool isHinge = joint.kind == Kind::kHinge;
    joint.lower = (isHinge ? source_.angle(range[0]) : range[0]) - start;
    joint.upper = (isHinge ? source_.angle(range[1]) : range[1]) - start;
  }

  void readGeom(const xml_node& node, int link, const Frame& at, MassOfGeom& sum) {
    std::string why;
    if (link != 0) {
      std::optional<MassOfGeom> mass = geoms_.calcMass(node, why);
      if (!mass) {
        // Nothing is missing where the body states its inertia.
        if (!hasInertial(node)) leaveOut(node, why);
      } else {
        mass->com = at.p + at.R * mass->com;
        mass->inertia = at.R * mass->inertia * at.R.transpose();
        MjcfGeoms::add(*mass, sum);
      }
    }
    leaveOut(node,
             "contacts of geoms are left out; contacts between bodies are written in the model");
    if (link == 0) return;
    if (robot_.links[link].shape) {
      return leaveOut(node, "further geoms of a body are not drawn: a body has one shape");
    }
    why.clear();
    robot_.links[link].shape = geoms_.readShape(node, why);
    if (!robot_.links[link].shape) return leaveOut(node, why);
    robot_.links[link].shape->at = at * robot_.links[link].shape->at;
  }

  bool hasInertial(const xml_node& geom) const {
    for (xml_node node = geom.parent(); node; node = node.parent()) {
      if (std::string(node.name()) == "body") {
        return node.child("inertial") && source_.option("inertiafromgeom") != "true";
      }
    }
    return false;
  }

  // A frame without mass.
  void readSite(const xml_node& node, int link, const Frame& at) {
    if (std::string(node.attribute("name").value()).empty()) return;
    if (robot_.links.size() >= kMostLinks) return;
    const int site = addLink(node.attribute("name").value(), node, false);
    robot_.joints.push_back({.name = robot_.links[site].name + "_place",
                             .line = xml_.lineOf(node),
                             .kind = Kind::kFixed,
                             .parent = link,
                             .child = site,
                             .origin = at * source_.readFrame(node, errors_)});
  }

  void readOther(const xml_node& node) {
    static const std::set<std::string> known{"compiler", "option",    "default", "worldbody",
                                             "actuator", "equality",  "asset",   "visual",
                                             "size",     "statistic", "custom"};
    const std::string name = node.name();
    if (name.empty() || known.contains(name)) return;
    leaveOut(node, "'" + name + "' is not understood and left out");
  }

  MjcfSource source_;
  XmlSource& xml_;
  ErrorList errors_;
  MjcfGeoms geoms_;
  Robot robot_;
  LeftOut left_;
};

}  // namespace

bool isMjcf(const std::string& text, const std::string& file) {
  const XmlSource source(text, file);
  return std::string(source.root().name()) == "mujoco";
}

Robot readMjcf(const std::string& text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace flexloop::language
