#include "view/scene/section_outline.hpp"

#include <cmath>
#include <numbers>

#include "mechanics/sections/section_reader.hpp"

namespace flexloop::view {
namespace {

constexpr int kCirclePoints = 32;

std::vector<OutlinePoint> makeCircle(double diameter) {
  std::vector<OutlinePoint> points;
  for (int i = 0; i < kCirclePoints; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kCirclePoints;
    points.push_back({0.5 * diameter * std::cos(angle), 0.5 * diameter * std::sin(angle)});
  }
  return points;
}

std::vector<OutlinePoint> makeRectangle(double width, double height) {
  const double y = 0.5 * width, z = 0.5 * height;
  return {{-y, -z}, {y, -z}, {y, z}, {-y, z}};
}

}  // namespace

SectionOutline makeOutline(const system::Item& section) {
  const mechanics::SectionOutline drawn = mechanics::readOutline(section);
  SectionOutline outline;
  outline.outlines.push_back(drawn.isRound ? makeCircle(drawn.width)
                                           : makeRectangle(drawn.width, drawn.height));
  if (drawn.hole > 0.0) outline.outlines.push_back(makeCircle(drawn.hole));
  if (const auto shape = mechanics::readSectionShape(section)) {
    outline.stress = {shape->area,       shape->secondY,     shape->secondZ,
                      0.5 * drawn.width, 0.5 * drawn.height, drawn.isRound};
  }
  return outline;
}

double calcLargestStress(const SectionOutline::Stress& section, const math::Vec6<double>& force) {
  const double axial = std::abs(force[0]) / section.area;
  const double aboutY = std::abs(force[4]) * section.z / section.secondY;
  const double aboutZ = std::abs(force[5]) * section.y / section.secondZ;
  return axial + (section.isRound ? std::hypot(aboutY, aboutZ) : aboutY + aboutZ);
}

}  // namespace flexloop::view
