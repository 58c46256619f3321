// A tree of rigid links, as files for robots describe it, and its text in the language of models.
#pragma once

#include <optional>
#include <string>
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
};

struct RobotJoint {
  enum class Kind { kHinge, kSlider, kPlanar, kFixed, kFree };
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
  std::optional<double> lower{}, upper{};           // [rad, m]
  double damping = 0.0, friction = 0.0;
  double rotorInertia = 0.0, rotorRatio = 1.0;
  std::optional<Mimic> mimic{};
};

struct Robot {
  std::string name, file;
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;  // each link is the child of one at most
  int root = 0;                    // the link that is the child of none
  std::vector<std::string> notes;  // what of the file is not in here
};

struct RobotOptions {
  bool isFree = false;  // the root may move; otherwise it is fixed to ground
  bool weld = false;    // links on fixed joints keep nodes of their own
};

// Adds notes on what the model cannot express.
std::string writeRobotModel(Robot& robot, const RobotOptions& options);

}  // namespace flexloop::language
