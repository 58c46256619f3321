#include "mechanics/sections/section_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
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

SectionShape readGeneral(const Item& item) {
  SectionShape shape;
  shape.area = item.number("A");
  shape.secondY = item.number("Iy");
  shape.secondZ = item.number("Iz");
  shape.torsion = item.number("J");
  if (item.has("Ay")) {
    shape.shearY = item.number("Ay") / shape.area;
    shape.shearZ = item.number("Az") / shape.area;
  }
  return shape;
}

// A rectangle of width w and height h has I_y/A = h²/12 and I_z/A = w²/12.
SectionOutline equivalentRectangle(double area, double secondY, double secondZ) {
  return {.width = std::sqrt(12.0 * secondZ / area), .height = std::sqrt(12.0 * secondY / area)};
}

SectionOutline outlineOfStiffness(const Item& item) {
  if (!item.has("stiffness")) {
    return equivalentRectangle(item.number("EA"), item.number("EIy"), item.number("EIz"));
  }
  const Eigen::MatrixXd C = item.matrix("stiffness");
  return equivalentRectangle(C(0, 0), C(4, 4), C(5, 5));
}

// What the types of sections differ in.
struct SectionType {
  std::string_view name;
  SectionShape (*shape)(const Item&);  // null: stiffnesses are given instead
  void (*check)(const Item&, Diagnostics&);
  SectionOutline (*outline)(const Item&);  // null: the rectangle of equal radii of gyration
};

const std::array<SectionType, 5> kTypes{{
    {"rectangle",
     [](const Item& item) { return makeRectangle(item.number("width"), item.number("height")); },
     nullptr,
     [](const Item& item) {
       return SectionOutline{.width = item.number("width"), .height = item.number("height")};
     }},
    {"circle", [](const Item& item) { return makeCircle(item.number("diameter")); }, nullptr,
     [](const Item& item) {
       const double d = item.number("diameter");
       return SectionOutline{.width = d, .height = d, .isRound = true};
     }},
    {"tube", [](const Item& item) { return makeTube(item.number("outer"), item.number("inner")); },
     checkTube,
     [](const Item& item) {
       const double d = item.number("outer");
       return SectionOutline{
           .width = d, .height = d, .hole = item.number("inner"), .isRound = true};
     }},
    {"general", readGeneral, checkGeneral, nullptr},
    {"stiffness", nullptr, checkStiffness, outlineOfStiffness},
}};

const SectionType& typeOf(const Item& section) {
  return *std::find_if(kTypes.begin(), kTypes.end(),
                       [&](const SectionType& type) { return type.name == section.type(); });
}

}  // namespace

std::optional<SectionShape> readSectionShape(const Item& section) {
  if (typeOf(section).shape == nullptr) return std::nullopt;
  SectionShape shape = typeOf(section).shape(section);
  if (section.has("shear_factor")) {
    const std::vector<double> factors = section.numbers("shear_factor");
    shape.shearY = factors.front();
    shape.shearZ = factors.back();
  }
  return shape;
}

SectionOutline readOutline(const Item& section) {
  if (typeOf(section).outline != nullptr) return typeOf(section).outline(section);
  const SectionShape shape = *readSectionShape(section);
  return equivalentRectangle(shape.area, shape.secondY, shape.secondZ);
}

void checkMaterial(const Item& item, Diagnostics& diagnostics) {
  if (item.has("nu") != item.has("G")) return;
  diagnostics.addError(
      item.place(),
      subjectOf(item) +
          (item.has("nu") ? "'nu' and 'G' cannot be combined" : "'nu' or 'G' is missing"),
      "give Poisson's ratio nu, from which G = E/(2 + 2 nu), or the shear modulus G");
}

void checkSection(const Item& section, Diagnostics& diagnostics) {
  if (typeOf(section).check != nullptr) typeOf(section).check(section, diagnostics);
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
  const std::optional<SectionShape> shape = readSectionShape(*section);
  if (!shape) return readStiffness(*section);
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
  return makeSection(*shape, readMaterial(*material));
}

}  // namespace flexloop::mechanics
