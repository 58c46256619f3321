#include "reports/part_picture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <Eigen/Geometry>

#include "base/text_format.hpp"
#include "fem/mesh/surface.hpp"
#include "files/output_file.hpp"

namespace flexloop::reports {
namespace {

using Eigen::Vector3d;

constexpr double kWidth = 800.0, kHeight = 600.0, kMargin = 20.0;

// Axes of the picture, to the right, upwards and towards the eye: the view of an isometric drawing with z upwards.
struct View {
  Vector3d right = Vector3d(-1.0, 1.0, 0.0).normalized();
  Vector3d eye = Vector3d(1.0, 1.0, 0.8).normalized();
  Vector3d up = eye.cross(right);
};

struct Frame {
  Vector3d lower, upper;  // of the projected points

  double scale() const {
    const Vector3d size = upper - lower;
    return std::min((kWidth - 2 * kMargin) / std::max(size.x(), 1e-3 * size.norm()),
                    (kHeight - 2 * kMargin) / std::max(size.y(), 1e-3 * size.norm()));
  }
};

std::string drawTriangle(const std::array<Vector3d, 3>& p, const Frame& frame) {
  const Vector3d normal = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
  const int shade = static_cast<int>(130 + 110 * std::abs(normal.z()));
  std::string points;
  for (const Vector3d& q : p) {
    points += base::formatText("%.2f,%.2f ", kMargin + frame.scale() * (q.x() - frame.lower.x()),
                               kMargin + frame.scale() * (frame.upper.y() - q.y()));
  }
  return base::formatText("<polygon points=\"%s\" fill=\"rgb(%d,%d,%d)\"/>\n", points.c_str(),
                          shade - 30, shade - 10, shade);
}

}  // namespace

void writePartSvg(const std::string& path, const fem::Mesh& mesh) {
  const fem::SurfaceMesh surface = fem::makeSurface(mesh);
  const View view;
  const auto project = [&](int node) {
    const Vector3d& x = mesh.points[node];
    return Vector3d(view.right.dot(x), view.up.dot(x), view.eye.dot(x));
  };
  Frame frame{Vector3d::Constant(HUGE_VAL), Vector3d::Constant(-HUGE_VAL)};
  for (const int node : surface.nodes) {
    frame.lower = frame.lower.cwiseMin(project(node));
    frame.upper = frame.upper.cwiseMax(project(node));
  }
  std::vector<std::array<Vector3d, 3>> triangles;
  for (const auto& t : surface.triangles) {
    triangles.push_back({project(t[0]), project(t[1]), project(t[2])});
  }
  // The farthest first: what is nearer covers it.
  std::vector<std::size_t> order(triangles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto depth = [&](std::size_t i) {
      return triangles[i][0].z() + triangles[i][1].z() + triangles[i][2].z();
    };
    return std::pair(depth(a), a) < std::pair(depth(b), b);
  });
  std::string text = base::formatText(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "stroke=\"#345\" stroke-width=\"0.4\" stroke-linejoin=\"round\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\" stroke=\"none\"/>\n",
      kWidth, kHeight);
  for (const std::size_t i : order) text += drawTriangle(triangles[i], frame);
  files::writeTextFile(path, text + "</svg>\n");
}

}  // namespace flexloop::reports
