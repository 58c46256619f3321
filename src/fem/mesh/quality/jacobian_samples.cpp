#include "fem/mesh/quality/jacobian_samples.hpp"

#include <array>
#include <cmath>

#include <Eigen/LU>

namespace flexloop::fem {
namespace {

using enum ElementShape;
using Point = Eigen::Vector3d;
using Powers = std::array<int, 3>;

constexpr int kTetEdges[][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
constexpr int kWedgeEdges[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                  {5, 3}, {0, 3}, {1, 4}, {2, 5}};
constexpr int kHexEdges[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
constexpr int kTriEdges[][2] = {{0, 1}, {1, 2}, {2, 0}};
constexpr int kQuadEdges[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};

std::vector<Point> cornersOf(ElementShape shape) {
  switch (cornerCount(shape)) {
    case 3:
      return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    case 4:
      if (isShell(shape)) return {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
      return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    case 6:
      return {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    default:
      return {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
              {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  }
}

template <std::size_t count>
void addMiddles(std::vector<Point>& points, const int (&edges)[count][2]) {
  for (const auto& edge : edges) points.push_back(0.5 * (points[edge[0]] + points[edge[1]]));
}

std::vector<Point> nodesOf(ElementShape shape) {
  std::vector<Point> points = cornersOf(shape);
  if (shape == kTet10) addMiddles(points, kTetEdges);
  if (shape == kWedge15) addMiddles(points, kWedgeEdges);
  if (shape == kHex20) addMiddles(points, kHexEdges);
  if (shape == kTri6) addMiddles(points, kTriEdges);
  if (shape == kQuad8) addMiddles(points, kQuadEdges);
  return points;
}

std::vector<Powers> monomialsOf(ElementShape shape) {
  std::vector<Powers> powers;
  const auto add = [&](int mostEach, const auto& test) {
    for (int x = 0; x <= mostEach; ++x) {
      for (int y = 0; y <= mostEach; ++y) {
        for (int z = 0; z <= mostEach; ++z) {
          if (test(x, y, z)) powers.push_back({x, y, z});
        }
      }
    }
  };
  // Serendipity: degree that counts squares only, at most 2 + what is linear.
  const auto squares = [](int x, int y, int z) { return (x == 2) + (y == 2) + (z == 2); };
  switch (shape) {
    case kTri3:
      add(1, [](int x, int y, int z) { return x + y <= 1 && z == 0; });
      break;
    case kTri6:
      add(2, [](int x, int y, int z) { return x + y <= 2 && z == 0; });
      break;
    case kQuad4:
      add(1, [](int, int, int z) { return z == 0; });
      break;
    case kQuad8:
      add(2, [&](int x, int y, int z) { return z == 0 && squares(x, y, z) <= 1; });
      break;
    case kTet4:
      add(1, [](int x, int y, int z) { return x + y + z <= 1; });
      break;
    case kTet10:
      add(2, [](int x, int y, int z) { return x + y + z <= 2; });
      break;
    case kWedge6:
      add(1, [](int x, int y, int) { return x + y <= 1; });
      break;
    case kWedge15:
      add(2, [](int x, int y, int z) { return x + y <= 2 && (z < 2 || x + y <= 1); });
      break;
    case kHex8:
      add(1, [](int, int, int) { return true; });
      break;
    default:
      add(2, [&](int x, int y, int z) { return squares(x, y, z) <= 1; });
  }
  return powers;
}

double power(double x, int exponent) {
  return exponent == 0 ? 1.0 : exponent == 1 ? x : x * x;
}

double slope(double x, int exponent) {
  return exponent == 0 ? 0.0 : exponent == 1 ? 1.0 : 2.0 * x;
}

std::vector<Point> integrationPointsOf(ElementShape shape) {
  std::vector<Point> points;
  const bool isQuadratic = nodeCount(shape) > cornerCount(shape);
  const double two = 1.0 / std::sqrt(3.0), three = std::sqrt(0.6);
  const std::vector<double> line =
      isQuadratic ? std::vector{-three, 0.0, three} : std::vector{-two, two};
  const std::vector<double> none{0.0};
  const int corners = cornerCount(shape);
  if (shape == kTet4) return {{0.25, 0.25, 0.25}};
  if (shape == kTet10) {
    constexpr double a = 0.58541020, b = 0.13819660;
    return {{b, b, b}, {a, b, b}, {b, a, b}, {b, b, a}};
  }
  const bool isTriangular = corners == 3 || corners == 6;
  if (isTriangular) {
    for (const double z : isSolid(shape) ? line : none) {
      points.insert(points.end(),
                    {{1.0 / 6, 1.0 / 6, z}, {2.0 / 3, 1.0 / 6, z}, {1.0 / 6, 2.0 / 3, z}});
    }
    return points;
  }
  for (const double x : line) {
    for (const double y : line) {
      for (const double z : isSolid(shape) ? line : none) points.emplace_back(x, y, z);
    }
  }
  return points;
}

JacobianSamples makeSamples(ElementShape shape) {
  const std::vector<Point> nodes = nodesOf(shape);
  const std::vector<Powers> powers = monomialsOf(shape);
  const auto count = static_cast<int>(nodes.size());
  Eigen::MatrixXd V(count, count);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < count; ++k) {
      V(i, k) = power(nodes[i][0], powers[k][0]) * power(nodes[i][1], powers[k][1]) *
                power(nodes[i][2], powers[k][2]);
    }
  }
  const Eigen::MatrixXd inverse = V.inverse();
  JacobianSamples samples;
  std::vector<Point> points = integrationPointsOf(shape);
  samples.integrationPoints = static_cast<int>(points.size());
  for (const Point& corner : cornersOf(shape)) points.push_back(corner);
  const int dimension = isSolid(shape) ? 3 : 2;
  for (const Point& p : points) {
    Eigen::MatrixXd slopes(count, dimension);
    for (int k = 0; k < count; ++k) {
      for (int d = 0; d < dimension; ++d) {
        double value = 1.0;
        for (int axis = 0; axis < 3; ++axis) {
          value *= axis == d ? slope(p[axis], powers[k][axis]) : power(p[axis], powers[k][axis]);
        }
        slopes(k, d) = value;
      }
    }
    samples.derivatives.push_back(inverse.transpose() * slopes);
  }
  return samples;
}

// At a base corner along its edges and to the apex.
JacobianSamples makePyramidSamples() {
  JacobianSamples samples;
  for (int i = 0; i < 4; ++i) {
    Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(5, 3);
    slopes.row(i).setConstant(-1.0);
    slopes((i + 1) % 4, 0) = slopes((i + 3) % 4, 1) = slopes(4, 2) = 1.0;
    samples.derivatives.push_back(slopes);
  }
  samples.integrationPoints = 4;  // a corner that is turned inside out is an error
  return samples;
}

}  // namespace

const JacobianSamples& samplesOf(ElementShape shape) {
  static const std::vector<JacobianSamples> all = [] {
    std::vector<JacobianSamples> samples(kElementShapes);
    for (int i = 0; i < kElementShapes; ++i) {
      const auto each = static_cast<ElementShape>(i);
      if (each == kBeam2) continue;
      samples[i] = each == kPyramid5 ? makePyramidSamples() : makeSamples(each);
    }
    return samples;
  }();
  return all[static_cast<int>(shape)];
}

}  // namespace flexloop::fem
