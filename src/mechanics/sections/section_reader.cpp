#include "mechanics/sections/section_reader.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "math/definiteness.hpp"
#include "system/builder.hpp"

namespace flexloop::mechanics {
namespace {

using base::Diagnostics;
using system::Item;

std::string subjectOf(const Item& item) {
  return item.section() + "." + item.name() + ": ";
}

ElasticMaterial readMaterial(const Item& item) {
  ElasticMaterial material;
  material.E = item.number("E");
  material.G = item.has("G") ? item.number("G") : material.E / (2.0 + 2.0 * item.number("nu", 0.0));
  material.rho = item.number("rho");
  return material;
}

// A 6×6 matrix that must be symmetric and positive definite; if `semi`, just so.
void checkMatrix(const Item& item, const char* key, bool semi, Diagnostics& diagnostics) {
  constexpr double kTolerance = 1e-9;
  const Eigen::MatrixXd A = item.matrix(key);
  const std::string subject = subjectOf(item) + "'" + key + "' ";
  const char* order = "the order is axial, shear y, shear z, torsion, bending y, bending z";
  if (A.rows() != 6 || A.cols() != 6) {
    diagnostics.addError(item.placeOf(key), subject + "needs six rows of six numbers", order);
    return;
  }
  if ((A - A.transpose()).norm() > kTolerance * A.norm()) {
    diagnostics.addError(item.placeOf(key), subject + "is not symmetric", order);
    return;
  }
  if (math::isPositiveDefinite(A, semi ? kTolerance : 0.0)) return;
  diagnostics.addError(item.placeOf(key), subject + "is not positive definite",
                       "some strain or motion would have zero or negative energy");
}

constexpr std::array<const char*, 6> kStiffnesses{"EA", "GAy", "GAz", "GJ", "EIy", "EIz"};

void checkStiffness(const Item& item, Diagnostics& diagnostics) {
  if (item.has("stiffness")) checkMatrix(item, "stiffness", false, diagnostics);
  if (item.has("mass")) checkMatrix(item, "mass", true, diagnostics);
  for (const char* key : kStiffnesses) {
    if (item.has(key) != item.has("stiffness")) continue;
    const bool twice = item.has(key);
    diagnostics.addError(twice ? item.placeOf(key) : item.place(),
                         subjectOf(item) + (twice ? "'stiffness' and '" : "'") + key +
                             (twice ? "' cannot be combined" : "' is missing"),
                         "give EA, GAy, GAz, GJ, EIy and EIz, or the 6x6 matrix 'stiffness'");
    return;
  }
  for (const char* key : {"rhoA", "rhoJ"}) {
    if (!item.has(key) || !item.has("mass")) continue;
    diagnostics.addError(item.placeOf(key),
                         subjectOf(item) + "'mass' and '" + key + "' cannot be combined",
                         "give rhoA and rhoJ, or the 6x6 matrix 'mass'");
  }
}

SectionMatrices readStiffness(const Item& item) {
  SectionMatrices section;
  if (item.has("stiffness")) {
    section.stiffness = item.matrix("stiffness");
  } else {
    for (std::size_t i = 0; i < 6; ++i) section.stiffness(i, i) = item.number(kStiffnesses[i]);
  }
  if (item.has("mass")) {
    section.mass = item.matrix("mass");
  } else {
    section.mass.diagonal().head<3>().setConstant(item.number("rhoA", 0.0));
    if (item.has("rhoJ")) section.mass.diagonal().tail<3>() = item.vector("rhoJ");
  }
  return section;
}

void checkTube(const Item& item, Diagnostics& diagnostics) {
  if (item.number("inner") < item.number("outer")) return;
  diagnostics.addError(item.placeOf("inner"),
                       subjectOf(item) + "the inner diameter is not smaller than the outer one",
                       "'outer' and 'inner' are diameters; use type circle for a solid section");
}

void checkGeneral(const Item& item, Diagnostics& diagnostics) {
  if (item.has("Ay") != item.has("Az")) {
    diagnostics.addError(item.place(), subjectOf(item) + "'Ay' and 'Az' must be given together");
  } else if (item.has("Ay") == item.has("shear_factor")) {
    diagnostics.addError(
        item.place(),
        subjectOf(item) + (item.has("Ay") ? "'Ay' and 'Az' cannot be combined with 'shear_factor'"
                                          : "its shear areas are missing"),
        "give the shear areas Ay and Az, or 'shear_factor: [ky, kz]'");
  }
}

}  // namespace

SectionShape readSectionShape(const Item& item) {
  SectionShape shape;
  if (item.type() == "rectangle") {
    shape = makeRectangle(item.number("width"), item.number("height"));
  } else if (item.type() == "circle") {
    shape = makeCircle(item.number("diameter"));
  } else if (item.type() == "tube") {
    shape = makeTube(item.number("outer"), item.number("inner"));
  } else {
    shape.area = item.number("A");
    shape.secondY = item.number("Iy");
    shape.secondZ = item.number("Iz");
    shape.torsion = item.number("J");
    if (item.has("Ay")) {
      shape.shearY = item.number("Ay") / shape.area;
      shape.shearZ = item.number("Az") / shape.area;
    }
  }
  if (item.has("shear_factor")) {
    const std::vector<double> factors = item.numbers("shear_factor");
    shape.shearY = factors.front();
    shape.shearZ = factors.back();
  }
  return shape;
}

void checkMaterial(const Item& item, Diagnostics& diagnostics) {
  if (item.has("nu") != item.has("G")) return;
  diagnostics.addError(
      item.place(),
      subjectOf(item) +
          (item.has("nu") ? "'nu' and 'G' cannot be combined" : "'nu' or 'G' is missing"),
      "give Poisson's ratio nu, from which G = E/(2 + 2 nu), or the shear modulus G");
}

void checkSection(const Item& item, Diagnostics& diagnostics) {
  if (item.type() == "tube") checkTube(item, diagnostics);
  if (item.type() == "general") checkGeneral(item, diagnostics);
  if (item.type() == "stiffness") checkStiffness(item, diagnostics);
}

std::optional<SectionMatrices> readSection(const Item& item, system::Builder& builder) {
  const Item* section = builder.findItem("sections", item.text("section"));
  if (section == nullptr) {
    builder.error(item.placeOf("section"),
                  subjectOf(item) + "there is no section '" + item.text("section") + "'");
    return std::nullopt;
  }
  Diagnostics told;  // the section's own maker reports them
  checkSection(*section, told);
  if (told.hasErrors()) return std::nullopt;
  if (section->type() == "stiffness") return readStiffness(*section);
  if (!item.has("material")) {
    builder.error(item.place(), subjectOf(item) + "'material' is missing",
                  "only a section of type stiffness needs no material");
    return std::nullopt;
  }
  const Item* material = builder.findItem("materials", item.text("material"));
  if (material == nullptr) {
    builder.error(item.placeOf("material"),
                  subjectOf(item) + "there is no material '" + item.text("material") + "'");
    return std::nullopt;
  }
  return makeSection(readSectionShape(*section), readMaterial(*material));
}

}  // namespace flexloop::mechanics
