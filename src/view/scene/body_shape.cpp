#include "view/scene/body_shape.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <Eigen/Eigenvalues>

#include "mechanics/bodies/body_types.hpp"
#include "view/scene/contact_shape.hpp"
#include "view/scene/mesh_sources.hpp"

namespace flexloop::view {
namespace {

using math::Mat3;
using math::Vec3;
using system::Item;

constexpr double kPointSize = 0.02;       // radius of a point mass, by the size of the machine
constexpr double kThinnest = 0.02;        // side of a flat box, by its longest one
constexpr int kAround = 24, kAlong = 12;  // pieces of round surfaces

// A box with the sides a, b, c and the mass m has J_x = m (b² + c²)/12 and so on, hence
// a² = 6 (J_y + J_z − J_x)/m along the principal axes.
BodyShape makeEqualBox(const SceneSource& source, const Item& item) {
  BodyShape shape;
  shape.position = item.vector("com");
  const double mass = item.number("mass");
  const Mat3<double> J = mechanics::readInertia(item);
  if (!(mass > 0.0) || J.isZero(0.0)) {
    shape.type = "sphere";
    shape.radius = kPointSize * source.size;
    return shape;
  }
  shape.type = "box";
  Vec3<double> moments = J.diagonal();
  if (!(J - Mat3<double>(moments.asDiagonal())).isZero(0.0)) {
    const Eigen::SelfAdjointEigenSolver<Mat3<double>> solver(J);
    moments = solver.eigenvalues();
    shape.rotation = solver.eigenvectors();
    if (shape.rotation.determinant() < 0.0) shape.rotation.col(0) = -shape.rotation.col(0);
  }
  for (int i = 0; i < 3; ++i) {
    shape.size[i] = std::sqrt(std::max(6.0 * (moments.sum() - 2.0 * moments[i]) / mass, 0.0));
  }
  shape.size = shape.size.cwiseMax(kThinnest * shape.size.maxCoeff());
  return shape;
}

Mat3<double> rotationOf(const Item& shape) {
  if (!shape.has("rotation")) return Mat3<double>::Identity();
  const Item rotation = shape.child("rotation");
  const Vec3<double> axis = rotation.vector("axis").normalized();
  return math::expSO3<double>(axis * rotation.number("angle"));
}

Mesh readMesh(const SceneSource& source, const Item& item) {
  const double scale = item.number("scale", 1.0);
  const MeshPlace place = findMesh(source.files, item);
  if (source.files == nullptr || !source.files->isStored) return readMeshFile(place.path, scale);
  const model::SourceFile* file = source.files->findName(place.name);
  if (file != nullptr) return readMeshBytes(file->text, place.name, scale);
  throw std::runtime_error("the file '" + place.name + "' was not available when the model ran");
}

BodyShape makeGiven(const SceneSource& source, const Item& item, const Vec3<double>& com) {
  BodyShape shape;
  shape.isGiven = true;
  shape.type = item.text("type");
  const bool isMesh = shape.type == "mesh";
  if (isMesh) shape.mesh = readMesh(source, item);
  if (item.has("size")) shape.size = item.vector("size");
  if (item.has("axis")) shape.axis = item.vector("axis").normalized();
  shape.radius = item.number("radius", 0.0);
  shape.length = item.number("length", 0.0);
  // A mesh has its own origin; the others are about the centre of mass.
  if (!isMesh) shape.position = com;
  if (item.has("at")) shape.position = item.vector("at");
  shape.rotation = rotationOf(item);
  return shape;
}

void addPoint(const Vec3<double>& point, Mesh& mesh) {
  for (int i = 0; i < 3; ++i) mesh.positions.push_back(static_cast<float>(point[i]));
}

// Corners are numbered by the signs of x, y, z as binary digits.
Mesh makeBox(const Vec3<double>& size) {
  Mesh mesh;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3<double> signs((corner & 4) != 0 ? 0.5 : -0.5, (corner & 2) != 0 ? 0.5 : -0.5,
                             (corner & 1) != 0 ? 0.5 : -0.5);
    addPoint(signs.cwiseProduct(size), mesh);
  }
  mesh.indices = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                  2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
  return mesh;
}

// Rings about `axis`, each given by its radius and its place on the axis, with triangles between them.
Mesh makeRings(const std::vector<std::pair<double, double>>& rings, const Vec3<double>& axis) {
  const Vec3<double> u = axis.unitOrthogonal(), v = axis.cross(u);
  Mesh mesh;
  for (const auto& [radius, place] : rings) {
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kAround;
      addPoint(place * axis + radius * (std::cos(angle) * u + std::sin(angle) * v), mesh);
    }
  }
  for (std::uint32_t ring = 0; ring + 1 < rings.size(); ++ring) {
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const std::uint32_t a = ring * kAround + k, b = ring * kAround + (k + 1) % kAround;
      const std::uint32_t c = a + kAround, d = b + kAround;
      mesh.indices.insert(mesh.indices.end(), {a, b, d, a, d, c});
    }
  }
  return mesh;
}

Mesh makeSphere(double radius) {
  std::vector<std::pair<double, double>> rings;
  for (int i = 0; i <= kAlong; ++i) {
    const double angle = std::numbers::pi * i / kAlong;
    rings.emplace_back(radius * std::sin(angle), -radius * std::cos(angle));
  }
  return makeRings(rings, Vec3<double>::UnitZ());
}

Mesh makePlainMesh(const BodyShape& shape) {
  if (shape.type == "mesh") return shape.mesh;
  if (shape.type == "box") return makeBox(shape.size);
  if (shape.type == "sphere") return makeSphere(shape.radius);
  const double half = 0.5 * shape.length;
  return makeRings({{0.0, -half}, {shape.radius, -half}, {shape.radius, half}, {0.0, half}},
                   shape.axis);
}

}  // namespace

BodyShape findBodyShape(const SceneSource& source, const Item& body) {
  if (body.has("shape")) {
    try {
      return makeGiven(source, body.child("shape"), body.vector("com"));
    } catch (const std::runtime_error& error) {  // no reason not to see the rest
      source.problems.push_back("bodies." + body.name() + " is drawn as a box: " + error.what() +
                                ".");
    }
  }
  if (auto shape = findContactShape(source, body)) return *shape;
  return makeEqualBox(source, body);
}

Mesh makeBodyMesh(const BodyShape& shape) {
  Mesh mesh = makePlainMesh(shape);
  for (std::size_t i = 0; i < mesh.positions.size(); i += 3) {
    float* p = &mesh.positions[i];
    const Vec3<double> moved = shape.position + shape.rotation * Vec3<double>(p[0], p[1], p[2]);
    for (int k = 0; k < 3; ++k) p[k] = static_cast<float>(moved[k]);
  }
  return mesh;
}

}  // namespace flexloop::view
