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

// A rectangle of width w and height h has I_y/A = h²/12 and I_z/A = w²/12.
double sideOf(double secondMoment, double area) {
  return std::sqrt(12.0 * secondMoment / area);
}

SectionOutline makeFromStiffness(const system::Item& section) {
  double EA = 0.0, EIy = 0.0, EIz = 0.0;
  if (section.has("stiffness")) {
    const Eigen::MatrixXd C = section.matrix("stiffness");
    EA = C(0, 0);
    EIy = C(4, 4);
    EIz = C(5, 5);
  } else {
    EA = section.number("EA");
    EIy = section.number("EIy");
    EIz = section.number("EIz");
  }
  return {{makeRectangle(sideOf(EIz, EA), sideOf(EIy, EA))}, std::nullopt};
}

}  // namespace

SectionOutline makeOutline(const system::Item& section) {
  if (section.type() == "stiffness") return makeFromStiffness(section);
  const mechanics::SectionShape shape = mechanics::readSectionShape(section);
  SectionOutline outline;
  outline.stress = {shape.area, shape.secondY, shape.secondZ};
  if (section.type() == "circle" || section.type() == "tube") {
    const bool isTube = section.type() == "tube";
    const double diameter = section.number(isTube ? "outer" : "diameter");
    outline.outlines.push_back(makeCircle(diameter));
    if (isTube && section.number("inner") > 0.0) {
      outline.outlines.push_back(makeCircle(section.number("inner")));
    }
    outline.stress->y = outline.stress->z = 0.5 * diameter;
    outline.stress->isRound = true;
    return outline;
  }
  const bool isRectangle = section.type() == "rectangle";
  const double width = isRectangle ? section.number("width") : sideOf(shape.secondZ, shape.area);
  const double height = isRectangle ? section.number("height") : sideOf(shape.secondY, shape.area);
  outline.outlines.push_back(makeRectangle(width, height));
  outline.stress->y = 0.5 * width;
  outline.stress->z = 0.5 * height;
  return outline;
}

double calcLargestStress(const SectionOutline::Stress& section, const math::Vec6<double>& force) {
  const double axial = std::abs(force[0]) / section.area;
  const double aboutY = std::abs(force[4]) * section.z / section.secondY;
  const double aboutZ = std::abs(force[5]) * section.y / section.secondZ;
  return axial + (section.isRound ? std::hypot(aboutY, aboutZ) : aboutY + aboutZ);
}

}  // namespace flexloop::view
