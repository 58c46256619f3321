#include "language/convert/mjcf_geoms.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>

namespace flexloop::language {
namespace {

namespace fs = std::filesystem;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using pugi::xml_node;

constexpr double kPi = std::numbers::pi;
constexpr double kUsualDensity = 1000.0;  // [kg/m³]

Matrix3d parallelAxis(double mass, const Vector3d& d) {
  return mass * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
}

// Of one kilogram of a material of one density, and its volume.
struct Solid {
  double volume = 0.0;
  Vector3d inertia = Vector3d::Zero();
};

Solid makeSolid(const std::string& type, const std::vector<double>& s) {
  const auto square = [](double x) { return x * x; };
  if (type == "sphere") {
    return {4.0 / 3.0 * kPi * s[0] * s[0] * s[0], Vector3d::Constant(0.4 * square(s[0]))};
  }
  if (type == "ellipsoid") {
    const double a = square(s[0]), b = square(s[1]), c = square(s[2]);
    return {4.0 / 3.0 * kPi * s[0] * s[1] * s[2], Vector3d(b + c, a + c, a + b) / 5.0};
  }
  if (type == "box") {
    const double a = square(s[0]), b = square(s[1]), c = square(s[2]);
    return {8.0 * s[0] * s[1] * s[2], Vector3d(b + c, a + c, a + b) / 3.0};
  }
  // Along z, with the half length h.
  const double r = s[0], h = s[1], rod = 2.0 * kPi * r * r * h;
  const double across = square(r) / 4.0 + square(h) / 3.0, along = square(r) / 2.0;
  if (type == "cylinder") return {rod, {across, across, along}};
  // A capsule: two halves of a ball at its ends.
  const double ball = 4.0 / 3.0 * kPi * r * r * r, share = ball / (rod + ball);
  const double ballAcross = 0.4 * square(r) + square(h) + 0.75 * h * r;
  const double capsule = (1.0 - share) * across + share * ballAcross;
  return {rod + ball, {capsule, capsule, (1.0 - share) * along + share * 0.4 * square(r)}};
}

std::size_t sizesOf(const std::string& type) {
  if (type == "sphere") return 1;
  if (type == "capsule" || type == "cylinder") return 2;
  return type == "box" || type == "ellipsoid" ? 3 : 0;
}

}  // namespace

MjcfGeoms::MjcfGeoms(MjcfSource& source, ErrorList& errors) : source_(source), errors_(errors) {
  readMeshes();
}

void MjcfGeoms::readMeshes() {
  std::error_code ignored;
  const fs::path folder = fs::absolute(source_.xml().file(), ignored).parent_path();
  std::string inside = source_.option("meshdir");
  if (inside.empty()) inside = source_.option("assetdir");
  for (const xml_node& asset : source_.root().children("asset")) {
    for (const xml_node& node : asset.children("mesh")) {
      const std::string name = node.attribute("file").value();
      Mesh mesh{.file = (folder / inside / name).lexically_normal().string(), .trouble = {}};
      const Vector3d scale = source_.xml().readVector(node, "scale", Vector3d::Ones(), errors_);
      mesh.scale = scale[0];
      if (!isMeshFile(name)) {
        mesh.trouble = kMeshFiles;
      } else if (scale[0] != scale[1] || scale[0] != scale[2] || !(scale[0] > 0.0)) {
        mesh.trouble = "its scale is not the same along all axes";
      } else if (!fs::is_regular_file(mesh.file, ignored)) {
        mesh.trouble = "there is no file '" + mesh.file + "'";
      }
      const std::string own = node.attribute("name").value();
      meshes_[own.empty() ? fs::path(name).stem().string() : own] = mesh;
    }
  }
}

MjcfGeoms::Size MjcfGeoms::readSize(const xml_node& geom) const {
  const XmlSource& xml = source_.xml();
  Size result{.type = geom.attribute("type").value(), .size = {}, .at = {}};
  if (result.type.empty()) result.type = "sphere";
  if (geom.attribute("mesh")) result.type = "mesh";  // others are fitted to it
  result.size = xml.readNumbers(geom, "size", errors_);
  result.at = source_.readFrame(geom, errors_);
  if (geom.attribute("fromto")) {
    const std::vector<double> ends = xml.readNumbers(geom, "fromto", errors_);
    if (ends.size() != 6) {
      errors_.add(xml.placeOf(geom), "geom: 'fromto' must be six numbers");
      return result;
    }
    const Vector3d from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
    const double half = 0.5 * (to - from).norm();
    result.at = {MjcfSource::turnZ(to - from), 0.5 * (from + to)};
    const double width = result.size.empty() ? 0.0 : result.size[0];
    result.size = result.type == "capsule" || result.type == "cylinder"
                      ? std::vector{width, half}
                      : std::vector{width, width, half};
  }
  const std::size_t needed = sizesOf(result.type);
  if (result.size.size() < needed) {
    errors_.add(xml.placeOf(geom), "geom: 'size' of a " + result.type + " must be " +
                                       std::to_string(needed) + " numbers");
    result.size.resize(needed, 1.0);
  }
  for (std::size_t k = 0; k < needed; ++k) {
    if (result.size[k] > 0.0) continue;
    errors_.add(xml.placeOf(geom), "geom: 'size' must be positive");
    result.size[k] = 1.0;
  }
  return result;
}

std::optional<MassOfGeom> MjcfGeoms::calcMass(const xml_node& geom, std::string& why) const {
  const Size size = readSize(geom);
  const XmlSource& xml = source_.xml();
  const double stated = xml.readNumber(geom, "mass", -1.0, errors_);
  const double density = xml.readNumber(geom, "density", kUsualDensity, errors_);
  if (stated == 0.0 || (stated < 0.0 && density == 0.0) || size.type == "plane")
    return MassOfGeom{};
  if (sizesOf(size.type) == 0) {
    why = "the mass of a geom of type '" + size.type + "' is left out: state an 'inertial'";
    return std::nullopt;
  }
  if (geom.attribute("shellinertia").as_bool()) {
    why = "the mass of a geom with 'shellinertia' is left out: state an 'inertial'";
    return std::nullopt;
  }
  const Solid solid = makeSolid(size.type, size.size);
  const double mass = stated > 0.0 ? stated : density * solid.volume;
  return MassOfGeom{mass, size.at.p,
                    mass * (size.at.R * solid.inertia.asDiagonal() * size.at.R.transpose())};
}

void MjcfGeoms::add(const MassOfGeom& part, MassOfGeom& sum) {
  const double mass = sum.mass + part.mass;
  if (mass == 0.0) return;
  const Vector3d com = (sum.mass * sum.com + part.mass * part.com) / mass;
  sum.inertia += part.inertia + parallelAxis(sum.mass, sum.com - com) +
                 parallelAxis(part.mass, part.com - com);
  sum.mass = mass;
  sum.com = com;
}

std::optional<RobotShape> MjcfGeoms::readShape(const xml_node& geom, std::string& why) const {
  using Kind = RobotShape::Kind;
  const Size size = readSize(geom);
  RobotShape shape{.file = {}, .at = size.at};
  if (size.type == "sphere") {
    shape.kind = Kind::kSphere;
    shape.radius = size.size[0];
  } else if (size.type == "box") {
    shape.size = 2.0 * Vector3d(size.size[0], size.size[1], size.size[2]);
  } else if (size.type == "cylinder" || size.type == "capsule") {
    shape.kind = Kind::kCylinder;
    shape.radius = size.size[0];
    shape.length = 2.0 * size.size[1];
  } else if (size.type == "mesh") {
    const auto mesh = meshes_.find(geom.attribute("mesh").value());
    if (mesh == meshes_.end() || !mesh->second.trouble.empty()) {
      why = "the mesh '" + std::string(geom.attribute("mesh").value()) + "' is left out: " +
            (mesh == meshes_.end() ? "it is not under 'asset'" : mesh->second.trouble);
      return std::nullopt;
    }
    shape.kind = Kind::kMesh;
    shape.file = mesh->second.file;
    shape.scale = mesh->second.scale;
  } else {
    why = "the shape of a geom of type '" + size.type + "' is left out";
    return std::nullopt;
  }
  return shape;
}

}  // namespace flexloop::language
