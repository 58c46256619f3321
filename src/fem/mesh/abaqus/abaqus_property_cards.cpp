// Materials, sections and masses of an .inp file.
#include <cmath>

#include "fem/mesh/abaqus/abaqus_parser.hpp"
#include "fem/mesh/number_text.hpp"
#include "mechanics/sections/section.hpp"

namespace flexloop::fem {
namespace {

BeamSection makeBeamSection(const mechanics::SectionShape& shape) {
  return {shape.area, shape.secondY, shape.secondZ, 0.0, shape.torsion, shape.shearY, shape.shearZ};
}

}  // namespace

bool AbaqusParser::beginMaterial() {
  if (!require("NAME")) return false;
  const std::string name = valueOf("NAME");
  if (!deck_.materials.emplace(toUpper(name), builder_.mesh().materials.size()).second) {
    return fail("the material '" + name + "' is given twice");
  }
  material_ = static_cast<int>(builder_.mesh().materials.size());
  MeshMaterial material;
  material.name = name;
  material.line = place_.line;
  builder_.mesh().materials.push_back(material);
  return true;
}

MeshMaterial* AbaqusParser::currentMaterial() {
  if (material_ < 0) {
    fail(std::string("*") + keyword_->name + " precedes any *MATERIAL");
    return nullptr;
  }
  return &builder_.mesh().materials[material_];
}

bool AbaqusParser::beginElastic() {
  const std::string type = toUpper(valueOf("TYPE"));
  if (!type.empty() && type != "ISO" && type != "ISOTROPIC") {
    return fail("elasticity of type " + type + " is not supported", "use an isotropic material");
  }
  return currentMaterial() != nullptr;
}

bool AbaqusParser::addElastic() {
  MeshMaterial* material = currentMaterial();
  if (material == nullptr) return false;
  if (material->E != 0.0) {
    warnOnce("of several temperatures the first is used: the material '" + material->name + "'");
    return true;
  }
  const auto E = real(0, "modulus of elasticity"), nu = E ? realOr(1, 0.0, "Poisson's ratio") : E;
  if (!E || !nu) return false;
  if (!(*E > 0.0))
    return fail("the modulus of elasticity of '" + material->name + "' must be positive");
  if (!(*nu > -1.0 && *nu < 0.5)) {
    return fail("Poisson's ratio of '" + material->name + "' must be between -1 and 0.5");
  }
  material->E = *E * builder_.units().modulus;
  material->nu = *nu;
  return true;
}

bool AbaqusParser::beginDensity() {
  return currentMaterial() != nullptr;
}

bool AbaqusParser::addDensity() {
  MeshMaterial* material = currentMaterial();
  if (material == nullptr) return false;
  if (material->rho != 0.0) return true;
  const auto rho = real(0, "density");
  if (!rho) return false;
  if (*rho < 0.0) return fail("the density of '" + material->name + "' is negative");
  material->rho = *rho * builder_.units().density;
  return true;
}

bool AbaqusParser::beginExpansion() {
  const std::string type = toUpper(valueOf("TYPE"));
  if (!type.empty() && type != "ISO" && type != "ISOTROPIC") {
    return fail("thermal expansion of type " + type + " is not supported",
                "use an isotropic material");
  }
  return currentMaterial() != nullptr;
}

bool AbaqusParser::addExpansion() {
  MeshMaterial* material = currentMaterial();
  if (material == nullptr) return false;
  if (material->expansion != 0.0) return true;
  const auto expansion = real(0, "coefficient of thermal expansion");
  if (!expansion) return false;
  material->expansion = *expansion;
  return true;
}

bool AbaqusParser::beginSection(AbaqusSection::Kind kind) {
  if (!require("ELSET")) return false;
  AbaqusSection section;
  section.kind = kind;
  section.place = place_;
  section.elementSet = scoped(valueOf("ELSET"));
  section.property.name = valueOf("ELSET");
  section.property.line = place_.line;
  section.material = valueOf("MATERIAL");
  section.shape = toUpper(valueOf("SECTION"));
  if (has("ORIENTATION")) warnOnce("ORIENTATION is not used: the materials are isotropic");
  deck_.sections.push_back(section);
  return true;
}

bool AbaqusParser::beginSolidSection() {
  return refuse({"COMPOSITE"}) && require("MATERIAL") && beginSection(AbaqusSection::Kind::kSolid);
}

bool AbaqusParser::beginShellSection() {
  if (!refuse({"COMPOSITE", "NODAL THICKNESS", "SHELL THICKNESS", "STACK DIRECTION"}) ||
      !require("MATERIAL") || !beginSection(AbaqusSection::Kind::kShell)) {
    return false;
  }
  AbaqusSection& section = deck_.sections.back();
  const std::string offset = toUpper(valueOf("OFFSET"));
  if (offset.empty()) return true;
  if (offset == "SPOS" || offset == "SNEG") {
    section.offsetRatio = offset == "SPOS" ? 0.5 : -0.5;
    return true;
  }
  const auto ratio = parseReal(offset);
  if (!ratio)
    return fail("the OFFSET '" + offset + "' is no number",
                "give it as a multiple of the thickness");
  section.offsetRatio = *ratio;
  return true;
}

bool AbaqusParser::beginBeamSection() {
  return refuse({"OFFSET1", "OFFSET2"}) && require("MATERIAL") && require("SECTION") &&
         beginSection(AbaqusSection::Kind::kBeam);
}

bool AbaqusParser::beginBeamGeneralSection() {
  if (!beginSection(AbaqusSection::Kind::kBeam)) return false;
  AbaqusSection& section = deck_.sections.back();
  if (section.shape.empty()) section.shape = "GENERAL";
  if (section.shape != "GENERAL" || !section.material.empty()) {
    return fail("of *BEAM GENERAL SECTION, only SECTION=GENERAL with its own moduli is supported",
                "use *BEAM SECTION with SECTION=RECT, CIRC or PIPE");
  }
  MeshMaterial material;
  material.name = section.property.name;
  material.line = place_.line;
  const auto density = has("DENSITY") ? parseReal(valueOf("DENSITY")) : 0.0;
  if (!density || *density < 0.0)
    return fail("the DENSITY of the section must be a number and not negative");
  material.rho = *density * builder_.units().density;
  section.property.material = static_cast<int>(builder_.mesh().materials.size());
  builder_.mesh().materials.push_back(material);
  return true;
}

bool AbaqusParser::addToSection() {
  AbaqusSection& section = deck_.sections.back();
  const int line = section.lines++;
  const std::string kind = std::string("*") + keyword_->name;
  if (section.kind == AbaqusSection::Kind::kSolid) {
    if (line > 0) return fail(kind + " has one line of data at most");
    return true;  // the thickness of plane elements, which are no structural ones here
  }
  if (section.kind == AbaqusSection::Kind::kShell) {
    if (line > 0) return fail(kind + " has one line of data: the thickness");
    const auto thickness = real(0, "thickness");
    if (!thickness) return false;
    if (!(*thickness > 0.0)) return fail("the thickness must be positive");
    section.property.thickness = *thickness * builder_.units().length;
    if (section.offsetRatio != 0.0) {
      section.property.offset = -section.offsetRatio * section.property.thickness;
    }
    return true;
  }
  if (line == 0) return section.shape == "GENERAL" ? addGeneralShape() : addShape();
  if (line == 1) return addDirection();
  if (line > 2 || section.property.material < 0) return fail(kind + " has too many lines of data");
  const auto E = real(0, "modulus of elasticity"), G = E ? real(1, "shear modulus") : E;
  if (!E || !G) return false;
  if (!(*E > 0.0) || !(*G > 0.0)) return fail("the moduli must be positive");
  MeshMaterial& material = builder_.mesh().materials[section.property.material];
  material.E = *E * builder_.units().modulus;
  material.nu = *E / (2.0 * *G) - 1.0;
  if (!(material.nu > -1.0)) return fail("the moduli do not belong to an isotropic material");
  return true;
}

// The axes n₁ and n₂ of the section are y and z.
bool AbaqusParser::addShape() {
  AbaqusSection& section = deck_.sections.back();
  const bool isCircle = section.shape == "CIRC", isPipe = section.shape == "PIPE";
  if (!isCircle && !isPipe && section.shape != "RECT") {
    return fail("beam sections of shape " + section.shape + " are not supported",
                "RECT, CIRC, PIPE and *BEAM GENERAL SECTION with SECTION=GENERAL are");
  }
  const double unit = builder_.units().length;
  const auto first = real(0, isCircle || isPipe ? "radius" : "width");
  const auto second = first && !isCircle ? real(1, isPipe ? "wall thickness" : "height") : first;
  if (!first || !second) return false;
  if (!(*first > 0.0) || !(*second > 0.0))
    return fail("the dimensions of the section must be positive");
  if (isPipe && *second >= *first) return fail("the wall of the pipe is thicker than its radius");
  const double a = *first * unit, b = *second * unit;
  section.property.beam = makeBeamSection(isCircle ? mechanics::makeCircle(2.0 * a)
                                          : isPipe ? mechanics::makeTube(2.0 * a, 2.0 * (a - b))
                                                   : mechanics::makeRectangle(a, b));
  return true;
}

// A, I₁₁, I₁₂, I₂₂, J with I₁₁ = ∫ x₂² dA; no shear strain.
bool AbaqusParser::addGeneralShape() {
  AbaqusSection& section = deck_.sections.back();
  if (section.property.material < 0) {
    return fail("*BEAM SECTION with SECTION=GENERAL is not supported", "use *BEAM GENERAL SECTION");
  }
  std::array<double, 5> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = real(i, "A, I11, I12, I22 or J of the section");
    if (!value) return false;
    values[i] = *value * (i == 0 ? builder_.units().area : builder_.units().secondMoment);
  }
  const auto [area, i11, i12, i22, torsion] = values;
  if (!(area > 0.0 && i11 > 0.0 && i22 > 0.0 && torsion > 0.0 && i11 * i22 > i12 * i12)) {
    return fail("A, I11, I22, J and I11*I22 - I12^2 of the section must be positive");
  }
  section.property.beam = BeamSection{area, i11, i22, i12, torsion, 0.0, 0.0};
  return true;
}

bool AbaqusParser::addDirection() {
  AbaqusSection& section = deck_.sections.back();
  Eigen::Vector3d direction;
  for (int i = 0; i < 3; ++i) {
    const auto value =
        realOr(i, i == 2 && fields_.empty() ? -1.0 : 0.0, "direction of the section");
    if (!value) return false;
    direction[i] = *value;
  }
  if (!(direction.norm() > 0.0)) return fail("the direction of the section has no length");
  direction.normalize();
  for (int i = 0; i < 3; ++i) section.direction[i] = static_cast<float>(direction[i]);
  return true;
}

bool AbaqusParser::endSection() {
  const AbaqusSection& section = deck_.sections.back();
  const bool isComplete = section.kind == AbaqusSection::Kind::kSolid ||
                          (section.kind == AbaqusSection::Kind::kShell ? section.lines > 0
                           : section.property.material >= 0            ? section.lines > 2
                                                                       : section.lines > 0);
  return isComplete || builder_.fail(section.place, "the section of '" + section.property.name +
                                                        "' has too few lines of data");
}

bool AbaqusParser::beginMass() {
  if (!require("ELSET") || !refuse({"ORIENTATION"})) return false;
  deck_.masses.push_back({scoped(valueOf("ELSET")), 0.0, {}, place_});
  return true;
}

bool AbaqusParser::addMass() {
  const auto mass = real(0, "mass");
  if (!mass) return false;
  if (*mass < 0.0) return fail("the mass is negative");
  deck_.masses.back().mass = *mass * builder_.units().mass;
  return true;
}

bool AbaqusParser::addRotaryInertia() {
  AbaqusMass& mass = deck_.masses.back();
  for (std::size_t i = 0; i < mass.inertia.size(); ++i) {
    const auto value = realOr(i, 0.0, "moment of inertia");
    if (!value) return false;
    mass.inertia[i] = *value * builder_.units().inertia;
  }
  return true;
}

}  // namespace flexloop::fem
