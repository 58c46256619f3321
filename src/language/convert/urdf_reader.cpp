#include "language/convert/urdf_reader.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

#include "language/convert/left_out.hpp"
#include "language/convert/xml_source.hpp"
#include "math/so3.hpp"

namespace flexloop::language {
namespace {

namespace fs = std::filesystem;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using pugi::xml_node;

constexpr std::size_t kMostLinks = 2000;  // and joints

Matrix3d turn(int axis, double angle) {
  return math::expSO3<double>(angle * Vector3d::Unit(axis));
}

// A folder named after the package, at or above that of the file.
std::string findInPackage(const fs::path& start, const fs::path& inside) {
  std::error_code ignored;
  for (fs::path folder = start; !folder.empty(); folder = folder.parent_path()) {
    for (const fs::path& base : {folder, folder.parent_path()}) {
      if (fs::is_regular_file(base / inside, ignored)) return (base / inside).string();
    }
    if (folder == folder.root_path()) break;
  }
  return {};
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& file) : xml_(text, file) {}

  Robot read() {
    const xml_node root = xml_.root();
    if (std::string(root.name()) != "robot") {
      throw base::InputError(xml_.placeOf(root), "this is no URDF: its outermost element is '" +
                                                     std::string(root.name()) +
                                                     "' and not 'robot'");
    }
    robot_.name = root.attribute("name").value();
    robot_.file = xml_.file();
    checkCounts(root);
    for (const xml_node& node : root.children("link")) readLink(node);
    for (const xml_node& node : root.children("joint")) readJoint(node);
    for (const xml_node& node : root.children()) readOther(node);
    resolveMimics();
    if (errors_.empty()) findRoot();
    errors_.raiseIfAny();
    robot_.notes = left_.notes(xml_.file());
    return std::move(robot_);
  }

 private:
  // Links and joints are found by their names, one after the other.
  void checkCounts(const xml_node& root) const {
    for (const char* kind : {"link", "joint"}) {
      const auto all = root.children(kind);
      if (static_cast<std::size_t>(std::distance(all.begin(), all.end())) <= kMostLinks) continue;
      throw base::InputError(xml_.placeOf(root), "the robot has more than " +
                                                     std::to_string(kMostLinks) + " " + kind + "s");
    }
  }

  void leaveOut(const xml_node& node, const std::string& what) { left_.add(xml_, node, what); }

  Frame readFrame(const xml_node& owner) {
    const xml_node node = owner.child("origin");
    const Vector3d angles = xml_.readVector(node, "rpy", Vector3d::Zero(), errors_);
    // About fixed axes: x first, then y, then z.
    return {turn(2, angles[2]) * turn(1, angles[1]) * turn(0, angles[0]),
            xml_.readVector(node, "xyz", Vector3d::Zero(), errors_)};
  }

  int findLink(const std::string& name) const {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (robot_.links[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }

  void readLink(const xml_node& node) {
    RobotLink link{.name = node.attribute("name").value(), .line = xml_.lineOf(node)};
    if (link.name.empty()) errors_.add(xml_.placeOf(node), "a link has no name");
    if (findLink(link.name) >= 0) {
      errors_.add(xml_.placeOf(node), "the link '" + link.name + "' is there twice");
    }
    int visuals = 0;
    for (const xml_node& part : node.children()) {
      const std::string name = part.name();
      if (name == "inertial") {
        readInertia(part, link);
      } else if (name == "visual") {
        if (++visuals == 1) readShape(part, link);
        if (visuals > 1)
          leaveOut(part, "further visuals of a link are left out: a body has one shape");
      } else if (name == "collision") {
        leaveOut(part,
                 "collision shapes are left out; contacts between bodies are written in the model");
      } else {
        leaveOut(part, "'" + name + "' of a link is not understood and left out");
      }
    }
    robot_.links.push_back(std::move(link));
  }

  void readInertia(const xml_node& node, RobotLink& link) {
    const Frame at = readFrame(node);
    const xml_node inertia = node.child("inertia");
    link.mass = xml_.readNumber(node.child("mass"), "value", 0.0, errors_);
    if (!(link.mass >= 0.0)) {
      errors_.add(xml_.placeOf(node), "the link '" + link.name + "' has a negative mass");
    }
    const auto entry = [&](const char* name) {
      return xml_.readNumber(inertia, name, 0.0, errors_);
    };
    Matrix3d tensor;
    const double xy = entry("ixy"), xz = entry("ixz"), yz = entry("iyz");
    tensor << entry("ixx"), xy, xz, xy, entry("iyy"), yz, xz, yz, entry("izz");
    link.com = at.p;
    link.inertia = at.R * tensor * at.R.transpose();
    if (link.mass == 0.0 && !link.inertia.isZero(0.0)) {
      leaveOut(node, "the inertia of a link without mass is left out");
      link.inertia.setZero();
    }
  }

  void readShape(const xml_node& node, RobotLink& link) {
    RobotShape shape{.file = {}, .at = readFrame(node)};
    const xml_node geometry = node.child("geometry");
    if (const xml_node box = geometry.child("box")) {
      shape.size = xml_.readVector(box, "size", Vector3d::Zero(), errors_);
    } else if (const xml_node cylinder = geometry.child("cylinder")) {
      shape.kind = RobotShape::Kind::kCylinder;
      shape.radius = xml_.readNumber(cylinder, "radius", 0.0, errors_);
      shape.length = xml_.readNumber(cylinder, "length", 0.0, errors_);
    } else if (const xml_node sphere = geometry.child("sphere")) {
      shape.kind = RobotShape::Kind::kSphere;
      shape.radius = xml_.readNumber(sphere, "radius", 0.0, errors_);
    } else if (const xml_node mesh = geometry.child("mesh")) {
      shape.kind = RobotShape::Kind::kMesh;
      if (!readMesh(mesh, shape)) return;
    } else {
      return leaveOut(geometry, "a visual without box, cylinder, sphere or mesh is left out");
    }
    link.shape = std::move(shape);
  }

  bool readMesh(const xml_node& node, RobotShape& shape) {
    std::string name = node.attribute("filename").value();
    if (!isMeshFile(name)) {
      leaveOut(node, "the mesh '" + name + "' is left out: " + kMeshFiles);
      return false;
    }
    const Vector3d scale = xml_.readVector(node, "scale", Vector3d::Ones(), errors_);
    if (scale[0] != scale[1] || scale[0] != scale[2] || !(scale[0] > 0.0)) {
      leaveOut(node,
               "the mesh '" + name + "' is left out: its scale is not the same along all axes");
      return false;
    }
    shape.scale = scale[0];
    std::error_code ignored;
    const fs::path folder = fs::absolute(xml_.file(), ignored).parent_path();
    for (const char* start : {"package://", "model://", "file://"}) {
      if (name.starts_with(start)) name.erase(0, std::string(start).size());
    }
    shape.file = fs::path(name).is_absolute()
                     ? (fs::is_regular_file(name, ignored) ? name : std::string())
                     : findInPackage(folder, name);
    if (!shape.file.empty()) return true;
    leaveOut(node, "the mesh '" + name + "' is left out: there is no such file here or above");
    return false;
  }

  void readJoint(const xml_node& node) {
    static const std::map<std::string, RobotJoint::Kind> kinds{
        {"revolute", RobotJoint::Kind::kHinge},   {"continuous", RobotJoint::Kind::kHinge},
        {"prismatic", RobotJoint::Kind::kSlider}, {"fixed", RobotJoint::Kind::kFixed},
        {"floating", RobotJoint::Kind::kFree},    {"planar", RobotJoint::Kind::kPlanar}};
    RobotJoint joint;
    joint.name = node.attribute("name").value();
    joint.line = xml_.lineOf(node);
    const base::Place place = xml_.placeOf(node);
    const std::string type = node.attribute("type").value();
    const auto kind = kinds.find(type);
    if (kind == kinds.end()) {
      errors_.addUnknown(place, "joint '" + joint.name + "': unknown type " + quote(type), type,
                         {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"});
    } else {
      joint.kind = kind->second;
    }
    for (const RobotJoint& other : robot_.joints) {
      if (other.name == joint.name) {
        errors_.add(place, "the joint '" + joint.name + "' is there twice");
      }
    }
    joint.origin = readFrame(node);
    joint.parent = readEnd(node, joint, "parent");
    joint.child = readEnd(node, joint, "child");
    readMotion(node, type, joint);
    robot_.joints.push_back(std::move(joint));
  }

  int readEnd(const xml_node& node, const RobotJoint& joint, const char* end) {
    const std::string name = node.child(end).attribute("link").value();
    const int link = findLink(name);
    if (link >= 0) return link;
    std::vector<std::string> known;
    for (const RobotLink& one : robot_.links) known.push_back(one.name);
    errors_.addUnknown(
        xml_.placeOf(node),
        "joint '" + joint.name + "': there is no link " + quote(name) + " for its " + end, name,
        known);
    return -1;
  }

  void readMotion(const xml_node& node, const std::string& type, RobotJoint& joint) {
    joint.axis = xml_.readVector(node.child("axis"), "xyz", Vector3d::UnitX(), errors_);
    // Files have zeros where there is none.
    const bool hasAxis = type != "fixed" && type != "floating";
    if (joint.axis.isZero(0.0) && !hasAxis) joint.axis = Vector3d::UnitX();
    if (joint.axis.isZero(0.0)) {
      errors_.add(xml_.placeOf(node), "joint '" + joint.name + "': its axis is zero");
      joint.axis = Vector3d::UnitX();
    }
    joint.axis.normalize();
    if (const xml_node dynamics = node.child("dynamics")) {
      joint.damping = xml_.readNumber(dynamics, "damping", 0.0, errors_);
      joint.friction = xml_.readNumber(dynamics, "friction", 0.0, errors_);
    }
    if (const xml_node limit = node.child("limit")) readLimit(limit, type, joint);
    for (const xml_node& part : node.children()) {
      const std::string name = part.name();
      const bool isKnown = name == "origin" || name == "parent" || name == "child" ||
                           name == "axis" || name == "dynamics" || name == "limit" ||
                           name == "mimic";
      if (!isKnown) leaveOut(part, "'" + name + "' of a joint is not understood and left out");
    }
  }

  void readLimit(const xml_node& limit, const std::string& type, RobotJoint& joint) {
    if (limit.attribute("effort") || limit.attribute("velocity")) {
      leaveOut(limit, "limits of effort and velocity are left out: they belong to drives");
    }
    if (type != "revolute" && type != "prismatic") return;
    joint.lower = xml_.readNumber(limit, "lower", 0.0, errors_);
    joint.upper = xml_.readNumber(limit, "upper", 0.0, errors_);
    if (*joint.lower <= *joint.upper) return;
    errors_.add(xml_.placeOf(limit),
                "joint '" + joint.name + "': its lower limit is above the upper one");
  }

  void resolveMimics() {
    for (const xml_node& node : xml_.root().children("joint")) {
      const xml_node mimic = node.child("mimic");
      if (!mimic) continue;
      const std::string name = mimic.attribute("joint").value();
      RobotJoint* joint = findJoint(node.attribute("name").value());
      const RobotJoint* other = findJoint(name);
      if (joint == nullptr) continue;  // reported
      if (other == nullptr || other == joint) {
        errors_.add(xml_.placeOf(mimic),
                    "joint '" + joint->name + "' mimics " + quote(name) +
                        (other == nullptr ? ", which does not exist" : ", which is itself"));
        continue;
      }
      joint->mimic = RobotJoint::Mimic{static_cast<int>(other - robot_.joints.data()),
                                       xml_.readNumber(mimic, "multiplier", 1.0, errors_),
                                       xml_.readNumber(mimic, "offset", 0.0, errors_)};
    }
  }

  RobotJoint* findJoint(const std::string& name) {
    for (RobotJoint& joint : robot_.joints) {
      if (joint.name == name) return &joint;
    }
    return nullptr;
  }

  void readOther(const xml_node& node) {
    const std::string name = node.name();
    if (name.empty() || name == "link" || name == "joint") return;
    if (name == "transmission") return readTransmission(node);
    if (name.starts_with("xacro:")) {
      errors_.add(xml_.placeOf(node), "this is a xacro file and no URDF yet",
                  "expand it first: xacro robot.urdf.xacro > robot.urdf");
      return;
    }
    if (name == "material") return;
    leaveOut(node, "'" + name + "' is not understood and left out");
  }

  // What a motor adds to its joint: N² J. Plain URDF has no inertia of rotors; these are the words that are in use.
  void readTransmission(const xml_node& node) {
    const xml_node actuator = node.child("actuator");
    const auto number = [&](const char* key, double usual) {
      const xml_node value = actuator.child(key) ? actuator.child(key) : node.child(key);
      if (value.attribute("value")) return xml_.readNumber(value, "value", usual, errors_);
      if (value && *value.child_value() != 0) {
        pugi::xml_document copy;
        pugi::xml_node text = copy.append_child(key);
        text.append_attribute("value") = value.child_value();
        return xml_.readNumber(text, "value", usual, errors_);
      }
      return usual;
    };
    const double inertia = number("drake:rotor_inertia", number("rotorInertia", 0.0));
    const double ratio = number("drake:gear_ratio", number("mechanicalReduction", 1.0));
    const std::string name = node.child("joint").attribute("name").value();
    RobotJoint* joint = findJoint(name);
    if (joint == nullptr) {
      leaveOut(node, "transmissions of joints that do not exist are left out");
    } else if (inertia > 0.0) {
      joint->rotorInertia = inertia;
      joint->rotorRatio = ratio;
    } else {
      leaveOut(node, "transmissions without the inertia of a rotor are left out");
    }
  }

  // One link is the child of none, and all hang on it.
  void findRoot() {
    if (robot_.links.empty()) {
      errors_.add(xml_.placeOf(xml_.root()), "the robot has no links");
      return;
    }
    std::vector<int> parent(robot_.links.size(), -1);
    for (const RobotJoint& joint : robot_.joints) {
      if (parent[joint.child] >= 0) {
        errors_.add({std::make_shared<const std::string>(xml_.file()), joint.line, 0},
                    "the link '" + robot_.links[joint.child].name + "' is the child of two joints",
                    "URDF describes trees; close loops in the model");
      }
      parent[joint.child] = joint.parent;
    }
    std::vector<int> roots;
    for (std::size_t i = 0; i < parent.size(); ++i) {
      if (parent[i] < 0) roots.push_back(static_cast<int>(i));
    }
    if (roots.size() > 1) {
      errors_.add(
          {std::make_shared<const std::string>(xml_.file()), robot_.links[roots[1]].line, 0},
          "the links '" + robot_.links[roots[0]].name + "' and '" + robot_.links[roots[1]].name +
              "' are not connected",
          "every link but one must be the child of a joint");
    }
    // A ring of joints that hangs on nothing.
    for (std::size_t i = 0; i < parent.size(); ++i) {
      int at = static_cast<int>(i);
      for (std::size_t k = 0; k <= parent.size() && at >= 0; ++k) at = parent[at];
      if (at < 0) continue;
      errors_.add({std::make_shared<const std::string>(xml_.file()), robot_.links[i].line, 0},
                  "the link '" + robot_.links[i].name + "' is its own ancestor");
      return;
    }
    if (!roots.empty()) robot_.root = roots[0];
  }

  XmlSource xml_;
  ErrorList errors_;
  Robot robot_;
  LeftOut left_;
};

}  // namespace

Robot readUrdf(const std::string& text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace flexloop::language
