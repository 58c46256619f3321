#include "fem/elements/solid_shapes.hpp"

#include <cassert>

namespace flexloop::fem {
namespace {

using Eigen::Vector3d;

// Nodes of the cube: corners, then edges of the lower face, of the upper face and upright.
constexpr double kHex[20][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
                                {1, -1, 1},   {1, 1, 1},   {-1, 1, 1}, {0, -1, -1}, {1, 0, -1},
                                {0, 1, -1},   {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},   {0, 1, 1},
                                {-1, 0, 1},   {-1, -1, 0}, {1, -1, 0}, {1, 1, 0},   {-1, 1, 0}};
constexpr double kTet[10][3] = {{0, 0, 0},     {1, 0, 0},     {0, 1, 0},   {0, 0, 1},
                                {0.5, 0, 0},   {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5},
                                {0.5, 0, 0.5}, {0, 0.5, 0.5}};
constexpr double kWedge[15][3] = {{0, 0, -1},   {1, 0, -1},  {0, 1, -1},    {0, 0, 1},
                                  {1, 0, 1},    {0, 1, 1},   {0.5, 0, -1},  {0.5, 0.5, -1},
                                  {0, 0.5, -1}, {0.5, 0, 1}, {0.5, 0.5, 1}, {0, 0.5, 1},
                                  {0, 0, 0},    {1, 0, 0},   {0, 1, 0}};
// Corners at the ends of edges.
constexpr int kTetEdges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

// One function as a product of factors with their own gradients.
struct Factor {
  double value;
  Vector3d gradient;
};

Factor operator*(const Factor& a, const Factor& b) {
  return {a.value * b.value, a.value * b.gradient + b.value * a.gradient};
}
Factor operator*(double a, const Factor& b) {
  return {a * b.value, a * b.gradient};
}
Factor operator+(const Factor& a, const Factor& b) {
  return {a.value + b.value, a.gradient + b.gradient};
}
Factor operator+(const Factor& a, double b) {
  return {a.value + b, a.gradient};
}

void set(ShapeValues& result, int node, const Factor& function) {
  result.N[node] = function.value;
  result.dN.row(node) = function.gradient.transpose();
}

// 1 + c x_k
Factor side(const Vector3d& xi, int k, double c) {
  return {1.0 + c * xi[k], c * Vector3d::Unit(k)};
}
// 1 − x_k²
Factor bubble(const Vector3d& xi, int k) {
  return {1.0 - xi[k] * xi[k], -2.0 * xi[k] * Vector3d::Unit(k)};
}

Factor trilinear(const Vector3d& xi, const double (&c)[3]) {
  return 0.125 * (side(xi, 0, c[0]) * side(xi, 1, c[1]) * side(xi, 2, c[2]));
}

void calcHex8(const Vector3d& xi, ShapeValues& result) {
  for (int i = 0; i < 8; ++i) set(result, i, trilinear(xi, kHex[i]));
}

void calcHex20(const Vector3d& xi, ShapeValues& result) {
  for (int i = 0; i < 8; ++i) {
    const double(&c)[3] = kHex[i];
    const Vector3d direction(c[0], c[1], c[2]);
    set(result, i, trilinear(xi, c) * Factor{direction.dot(xi) - 2.0, direction});
  }
  for (int i = 8; i < 20; ++i) {
    Factor function{0.25, Vector3d::Zero()};
    for (int k = 0; k < 3; ++k) {
      function = function * (kHex[i][k] == 0.0 ? bubble(xi, k) : side(xi, k, kHex[i][k]));
    }
    set(result, i, function);
  }
}

void calcPyramid5(const Vector3d& xi, ShapeValues& result) {
  for (int i = 0; i < 4; ++i) set(result, i, trilinear(xi, kHex[i]));
  set(result, 4, 0.5 * side(xi, 2, 1.0));
}

// Barycentric coordinate k of a triangle (dimension 2) or a tetrahedron (3); the first is what the others leave.
Factor barycentric(const Vector3d& xi, int k, int dimension) {
  if (k > 0) return {xi[k - 1], Vector3d::Unit(k - 1)};
  Factor first{1.0, Vector3d::Zero()};
  for (int i = 0; i < dimension; ++i) {
    first.value -= xi[i];
    first.gradient[i] = -1.0;
  }
  return first;
}

void calcTet(const Vector3d& xi, bool isQuadratic, ShapeValues& result) {
  for (int i = 0; i < 4; ++i) {
    const Factor L = barycentric(xi, i, 3);
    set(result, i, isQuadratic ? L * (2.0 * L + -1.0) : L);
  }
  if (!isQuadratic) return;
  for (int i = 0; i < 6; ++i) {
    set(result, 4 + i,
        4.0 * (barycentric(xi, kTetEdges[i][0], 3) * barycentric(xi, kTetEdges[i][1], 3)));
  }
}

void calcWedge6(const Vector3d& xi, ShapeValues& result) {
  for (int i = 0; i < 3; ++i) {
    const Factor L = barycentric(xi, i, 2);
    set(result, i, 0.5 * (L * side(xi, 2, -1.0)));
    set(result, 3 + i, 0.5 * (L * side(xi, 2, 1.0)));
  }
}

void calcWedge15(const Vector3d& xi, ShapeValues& result) {
  const Factor middle = bubble(xi, 2);
  for (int level = 0; level < 2; ++level) {
    const Factor end = side(xi, 2, level == 0 ? -1.0 : 1.0);
    for (int i = 0; i < 3; ++i) {
      const Factor L = barycentric(xi, i, 2), next = barycentric(xi, (i + 1) % 3, 2);
      set(result, 3 * level + i, 0.5 * (L * ((2.0 * L + -1.0) * end + -1.0 * middle)));
      set(result, 6 + 3 * level + i, 2.0 * (L * next * end));
    }
  }
  for (int i = 0; i < 3; ++i) set(result, 12 + i, barycentric(xi, i, 2) * middle);
}

}  // namespace

ShapeValues calcSolidShape(ElementShape shape, const Vector3d& xi) {
  assert(isSolid(shape));
  ShapeValues result;
  result.nodes = nodeCount(shape);
  result.N.setZero();
  result.dN.setZero();
  switch (shape) {
    case ElementShape::kTet4:
      calcTet(xi, false, result);
      break;
    case ElementShape::kTet10:
      calcTet(xi, true, result);
      break;
    case ElementShape::kPyramid5:
      calcPyramid5(xi, result);
      break;
    case ElementShape::kWedge6:
      calcWedge6(xi, result);
      break;
    case ElementShape::kWedge15:
      calcWedge15(xi, result);
      break;
    case ElementShape::kHex8:
      calcHex8(xi, result);
      break;
    default:
      calcHex20(xi, result);
      break;
  }
  return result;
}

Vector3d referencePoint(ElementShape shape, int node) {
  assert(isSolid(shape));
  switch (shape) {
    case ElementShape::kTet4:
    case ElementShape::kTet10:
      return Vector3d(kTet[node]);
    case ElementShape::kWedge6:
    case ElementShape::kWedge15:
      return Vector3d(kWedge[node]);
    case ElementShape::kPyramid5:
      return node == 4 ? Vector3d(0, 0, 1) : Vector3d(kHex[node]);
    default:
      return Vector3d(kHex[node]);
  }
}

}  // namespace flexloop::fem
