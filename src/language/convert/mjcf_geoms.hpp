// Shapes and masses of the geoms of a file of MuJoCo.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "language/convert/mjcf_source.hpp"

namespace flexloop::language {

// Mass properties about a point, in the axes of a link.
struct MassOfGeom {
  double mass = 0.0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre of mass
};

class MjcfGeoms {
 public:
  MjcfGeoms(MjcfSource& source, ErrorList& errors);

  // Nothing, and a reason, for what has none that is known.
  std::optional<MassOfGeom> calcMass(const pugi::xml_node& geom, std::string& why) const;
  std::optional<RobotShape> readShape(const pugi::xml_node& geom, std::string& why) const;

  static void add(const MassOfGeom& part, MassOfGeom& sum);

 private:
  struct Size {
    std::string type;
    std::vector<double> size;  // as the file has it: radii and half lengths
    Frame at;
  };
  struct Mesh {
    std::string file;
    double scale = 1.0;
    std::string trouble;  // why it cannot be drawn
  };
  Size readSize(const pugi::xml_node& geom) const;
  void readMeshes();

  MjcfSource& source_;
  ErrorList& errors_;
  std::map<std::string, Mesh> meshes_;
};

}  // namespace flexloop::language
