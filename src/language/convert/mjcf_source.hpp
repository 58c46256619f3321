// A file of MuJoCo (MJCF) whose elements have all of their attributes, with those of their default classes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "language/convert/robot.hpp"
#include "language/convert/xml_source.hpp"

namespace flexloop::language {

class MjcfSource {
 public:
  // Throws base::InputError for what is no XML or no MJCF.
  MjcfSource(const std::string& text, const std::string& file);

  XmlSource& xml() { return xml_; }
  pugi::xml_node root() const { return xml_.root(); }
  // What `compiler` says; empty if it does not.
  std::string option(const char* name) const;
  bool isDegrees() const { return option("angle") != "radian"; }
  // An angle of the file, in rad.
  double angle(double value) const;
  // Where an element is in that around it: pos, and one of quat, euler, axisangle, xyaxes and zaxis.
  Frame readFrame(const pugi::xml_node& node, ErrorList& errors) const;
  // The shortest turn of the z axis into a direction; about x where it is turned round.
  static Eigen::Matrix3d turnZ(const Eigen::Vector3d& direction);

 private:
  using Attributes = std::map<std::string, std::string>;
  using Class = std::map<std::string, Attributes>;  // by element

  // Puts the contents of other files in the place of `include`.
  void include(pugi::xml_node node, int depth);
  void readClass(const pugi::xml_node& node, Class inherited);
  void fill(const pugi::xml_node& node, const std::string& around);
  std::optional<Eigen::Matrix3d> readRotation(const pugi::xml_node& node, ErrorList& errors) const;
  Eigen::Matrix3d turnByEuler(const Eigen::Vector3d& angles) const;

  XmlSource xml_;
  int included_ = 0;
  std::map<std::string, Class> classes_;
};

}  // namespace flexloop::language
