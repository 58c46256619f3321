// A tree of rigid links, as files for robots describe it, and its text in the language of models.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

namespace flexloop::language {

// x of a point in the outer frame: p + R times that in the inner one.
struct Frame {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero();

  Frame operator*(const Frame& inner) const { return {R * inner.R, p + R * inner.p}; }
};

struct RobotShape {
  enum class Kind { kBox, kCylinder, kSphere, kMesh };
  Kind kind = Kind::kBox;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();  // of a box [m]
  double radius = 0.0, length = 0.0;               // [m]; a cylinder is along z
  std::string file;
  double scale = 1.0;  // m per unit of the file
  Frame at;            // in the link
};

struct RobotLink {
  std::string name;
  int line = 0;
  double mass = 0.0;                                  // [kg]
  Eigen::Vector3d com = Eigen::Vector3d::Zero();      // [m], link axes
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // [kg m²] about the centre of mass, link axes
  std::optional<RobotShape> shape{};
  bool isInner = false;  // between two joints of one body
};

struct RobotJoint {
  enum class Kind { kHinge, kSlider, kPlanar, kBall, kFixed, kFree };
  // q = ratio · q of the other joint + offset
  struct Mimic {
    int joint = -1;
    double ratio = 1.0, offset = 0.0;
  };

  std::string name;
  int line = 0;
  Kind kind = Kind::kHinge;
  int parent = -1, child = -1;  // links
  Frame origin;                 // of the child in the parent, at coordinate zero
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();  // child axes
  Eigen::Vector3d at = Eigen::Vector3d::Zero();     // [m], its place in the child
  std::optional<double> lower{}, upper{};           // [rad, m]
  double damping = 0.0, friction = 0.0;
  double stiffness = 0.0, rest = 0.0;  // of a spring: relaxed at the coordinate `rest`
  double inertia = 0.0;                // that moves with the coordinate
  std::optional<std::pair<double, double>> driveLimits{};  // of all actuators together
  double rotorInertia = 0.0, rotorRatio = 1.0;
  std::optional<Mimic> mimic{};
};

// Closes a loop: a point of one link stays at a point of another, or the links stay as they are to each other.
struct RobotLoop {
  std::string name;
  bool isWeld = false;
  int first = -1, second = -1;                   // links
  Eigen::Vector3d at = Eigen::Vector3d::Zero();  // [m], in the first
};

// With the control u, the coordinate q and its rate v: gear · (gain u + offset + stiffness gear q + damping gear v).
struct RobotActuator {
  std::string name;
  int joint = -1;
  double gear = 1.0, gain = 1.0, offset = 0.0, stiffness = 0.0, damping = 0.0;
  std::optional<std::pair<double, double>> controlLimits{}, forceLimits{};
};

struct Robot {
  std::string name, file;
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;  // each link is the child of one at most
  std::vector<RobotLoop> loops{};
  std::vector<RobotActuator> actuators{};
  int root = 0;  // the link that is the child of none
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};
  std::vector<std::string> notes;  // what of the file is not in here
};

struct RobotOptions {
  bool isFree = false;  // the root may move; otherwise it is fixed to ground
  bool weld = false;    // links on fixed joints keep nodes of their own
};

// By its ending: a file of triangles that can be drawn.
bool isMeshFile(const std::string& name);
constexpr const char* kMeshFiles = "STL, glTF (.glb), OBJ and COLLADA (.dae) are read";

// Adds notes on what the model cannot express.
std::string writeRobotModel(Robot& robot, const RobotOptions& options);

}  // namespace flexloop::language
