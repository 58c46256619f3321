#include <cmath>
#include <filesystem>

#include <Eigen/Eigenvalues>
#include <nlohmann/json.hpp>

#include "view/mesh_file.hpp"
#include "view/scene_parts.hpp"

namespace flexloop::view {
namespace {

using math::Mat3;
using math::Vec3;
using system::Item;

constexpr double kPointSize = 0.02;  // radius of a point mass, by the size of the machine
constexpr double kThinnest = 0.02;   // side of a flat box, by its longest one

Mat3<double> inertiaOf(const Item& item) {
  if (!item.has("inertia")) return Mat3<double>::Zero();
  std::vector<double> e = item.numbers("inertia");
  e.resize(6, 0.0);
  Mat3<double> J;
  J << e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2];
  return J;
}

Json makeOffset(const Vec3<double>& position, const Mat3<double>& R) {
  return {{"position", toJson(position)}, {"rotation", toJson(R)}};
}

// A box with the sides a, b, c and the mass m has J_x = m (b² + c²)/12 and so on, hence
// a² = 6 (J_y + J_z − J_x)/m along the principal axes.
void addEqualBox(const SceneSource& source, const Item& item, Json& entry) {
  const double mass = item.number("mass");
  const Vec3<double> com = item.vector("com");
  const Mat3<double> J = inertiaOf(item);
  if (!(mass > 0.0) || J.isZero(0.0)) {
    entry["shape"] = {{"type", "sphere"}, {"radius", kPointSize * source.size}};
    entry["offset"] = makeOffset(com, Mat3<double>::Identity());
    return;
  }
  const bool isDiagonal = (J - Mat3<double>(J.diagonal().asDiagonal())).isZero(0.0);
  Mat3<double> R = Mat3<double>::Identity();
  Vec3<double> moments = J.diagonal();
  if (!isDiagonal) {
    const Eigen::SelfAdjointEigenSolver<Mat3<double>> solver(J);
    moments = solver.eigenvalues();
    R = solver.eigenvectors();
    if (R.determinant() < 0.0) R.col(0) = -R.col(0);
  }
  Vec3<double> sides;
  for (int i = 0; i < 3; ++i) {
    sides[i] = std::sqrt(std::max(6.0 * (moments.sum() - 2.0 * moments[i]) / mass, 0.0));
  }
  sides = sides.cwiseMax(kThinnest * sides.maxCoeff());
  entry["shape"] = {{"type", "box"}, {"size", toJson(sides)}};
  entry["offset"] = makeOffset(com, R);
}

Mat3<double> rotationOf(const Item& shape) {
  if (!shape.has("rotation")) return Mat3<double>::Identity();
  const Item rotation = shape.child("rotation");
  const Vec3<double> axis = rotation.vector("axis").normalized();
  return math::expSO3<double>(axis * rotation.number("angle"));
}

Json makeMesh(const Item& shape) {
  namespace fs = std::filesystem;
  const base::Place& place = shape.placeOf("file");
  const fs::path folder = place.file != nullptr ? fs::path(*place.file).parent_path() : fs::path();
  const Mesh mesh =
      readMeshFile((folder / shape.text("file")).string(), shape.number("scale", 1.0));
  return {{"type", "mesh"}, {"positions", mesh.positions}, {"indices", mesh.indices}};
}

Json makeShape(const Item& shape) {
  const std::string& type = shape.text("type");
  if (type == "mesh") return makeMesh(shape);
  if (type == "sphere") return {{"type", type}, {"radius", shape.number("radius")}};
  if (type == "box") return {{"type", type}, {"size", toJson(Vec3<double>(shape.vector("size")))}};
  const Vec3<double> axis =
      shape.has("axis") ? Vec3<double>(shape.vector("axis").normalized()) : Vec3<double>::UnitZ();
  return {{"type", type},
          {"radius", shape.number("radius")},
          {"length", shape.number("length")},
          {"axis", toJson(axis)}};
}

// False, and told, where a mesh cannot be read: no reason not to see the rest.
bool addGivenShape(const SceneSource& source, const Item& item, Json& entry) {
  if (!item.has("shape")) return false;
  const Item shape = item.child("shape");
  try {
    entry["shape"] = makeShape(shape);
  } catch (const std::runtime_error& trouble) {
    source.troubles.push_back("bodies." + item.name() + " is drawn as a box: " + trouble.what() +
                              ".");
    return false;
  }
  // A mesh has its own origin; the others are about the centre of mass.
  const bool isMesh = shape.text("type") == "mesh";
  const Vec3<double> start = isMesh ? Vec3<double>::Zero() : Vec3<double>(item.vector("com"));
  entry["offset"] =
      makeOffset(shape.has("at") ? Vec3<double>(shape.vector("at")) : start, rotationOf(shape));
  return true;
}

}  // namespace

Json makeBodies(const SceneSource& source) {
  Json bodies = Json::array();
  forEachItem(source.model, "bodies", [&](const Item& item) {
    Json entry{{"name", item.name()},
               {"node", source.nodes.find(item.text("node"))},
               {"mass", item.number("mass")},
               {"com", toJson(Vec3<double>(item.vector("com")))}};
    entry["inertia"] = item.has("inertia") ? item.numbers("inertia") : std::vector<double>(3, 0.0);
    const bool isGiven = addGivenShape(source, item, entry);
    if (!isGiven) addEqualBox(source, item, entry);
    entry["given"] = isGiven;
    bodies.push_back(std::move(entry));
  });
  return bodies;
}

}  // namespace flexloop::view
