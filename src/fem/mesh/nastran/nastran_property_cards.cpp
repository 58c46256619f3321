// Materials, properties and masses of Nastran bulk data.
#include <cmath>

#include "fem/mesh/nastran/nastran_parser.hpp"
#include "fem/mesh/number_text.hpp"
#include "mechanics/sections/section.hpp"

namespace flexloop::fem {

// Two of E, G and ν give the third.
bool NastranParser::readMaterial() {
  const auto id = integer(0, "number of the material");
  const auto E = id ? realOr(1, 0.0, "modulus E") : std::nullopt;
  const auto G = E ? realOr(2, 0.0, "modulus G") : E;
  const auto nu = G ? realOr(3, 0.0, "Poisson's ratio") : G;
  const auto rho = nu ? realOr(4, 0.0, "density") : nu;
  const auto expansion = rho ? realOr(5, 0.0, "thermal expansion") : rho;
  if (!expansion) return false;
  MeshMaterial material;
  material.name = std::to_string(*id);
  material.line = card_.place.line;
  material.E = *E;
  material.nu = *nu;
  if (!isGiven(1)) material.E = 2.0 * *G * (1.0 + *nu);
  if (!isGiven(3) && *G > 0.0 && isGiven(1)) material.nu = *E / (2.0 * *G) - 1.0;
  if (!(material.E > 0.0))
    return fail("the modulus of material " + material.name + " must be positive");
  if (!(material.nu > -1.0 && material.nu < 0.5)) {
    return fail("Poisson's ratio of material " + material.name + " must be between -1 and 0.5");
  }
  const double shear = 0.5 * material.E / (1.0 + material.nu);
  if (isGiven(2) && std::abs(*G - shear) > 1e-2 * shear) {
    warnOnce("MAT1 " + material.name + ": G does not follow from E and nu; E and nu are used");
  }
  if (*rho < 0.0) return fail("the density of material " + material.name + " is negative");
  material.E *= builder_.units().modulus;
  material.rho = *rho * builder_.units().density;
  material.expansion = *expansion;
  if (!materials_.emplace(*id, builder_.mesh().materials.size()).second) {
    return fail("the material " + material.name + " is given twice");
  }
  builder_.mesh().materials.push_back(material);
  return true;
}

std::optional<NastranParser::PropertyCard> NastranParser::beginProperty(PropertyCard::Kind kind) {
  const auto id = integer(0, "number of the property");
  const auto material = id ? integer(1, "material") : id;
  if (!material) return {};
  PropertyCard card;
  card.kind = kind;
  card.material = *material;
  card.place = card_.place;
  card.property.name = std::to_string(*id);
  card.property.line = card_.place.line;
  return card;
}

bool NastranParser::addProperty(PropertyCard card) {
  const std::int64_t id = *parseInteger(card.property.name);
  if (properties_.emplace(id, card).second) return true;
  return fail("the property " + card.property.name + " is given twice");
}

bool NastranParser::readSolidProperty() {
  auto card = beginProperty(PropertyCard::Kind::kSolid);
  if (!card) return false;
  const std::string field = toUpper(text(6));
  if (!field.empty() && field != "SMECH")
    return fail("elements of type " + field + " are not structural");
  return addProperty(*card);
}

bool NastranParser::readShellProperty() {
  if (!isGiven(1)) return fail("the membrane material MID1 of property " + text(0) + " is missing");
  auto card = beginProperty(PropertyCard::Kind::kShell);
  if (!card) return false;
  const auto thickness = realOr(2, 0.0, "thickness");
  const auto bending = thickness ? integerOr(3, 0, "bending material MID2") : std::nullopt;
  const auto ratio = bending ? realOr(4, 1.0, "bending ratio 12I/T3") : std::nullopt;
  const auto mass = ratio ? realOr(7, 0.0, "non-structural mass") : ratio;
  if (!mass) return false;
  if (*bending != card->material) {
    return fail("property " + text(0) + ": MID2 must be the same material as MID1",
                "membranes without bending stiffness and layered shells are not supported");
  }
  if (std::abs(*ratio - 1.0) > 1e-6)
    return fail("property " + text(0) + ": 12I/T3 other than 1 is not supported");
  if (isGiven(10)) return fail("property " + text(0) + ": MID4 is not supported");
  if (*thickness < 0.0) return fail("the thickness of property " + text(0) + " is negative");
  card->property.thickness = *thickness * builder_.units().length;
  card->property.massPerArea = *mass * builder_.units().massPerArea;
  return addProperty(*card);
}

// A, I1, I2, I12, J in the unit of the file. Plane 1 is that of x and y: I1 = ∫ y² dA = Iz.
bool NastranParser::setSection(PropertyCard& card, const std::array<double, 5>& values,
                               double shear1, double shear2) {
  const auto [area, i1, i2, i12, torsion] = values;
  if (!(area > 0.0 && i1 > 0.0 && i2 > 0.0 && torsion > 0.0 && i1 * i2 > i12 * i12)) {
    return fail(
        "property " + card.property.name + ": A, I1, I2, J and I1*I2 - I12^2 must be positive",
        "a beam without bending or torsional stiffness is a mechanism");
  }
  const double s = builder_.units().secondMoment;
  card.property.beam = BeamSection{
      area * builder_.units().area, i2 * s, i1 * s, i12 * s, torsion * s, shear1, shear2};
  return true;
}

bool NastranParser::readBarProperty() {
  auto card = beginProperty(PropertyCard::Kind::kBeam);
  if (!card) return false;
  std::array<double, 8> v{};
  constexpr std::size_t kFields[] = {2, 3, 4, 18, 5, 6, 16, 17};  // A I1 I2 I12 J NSM K1 K2
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto value = realOr(kFields[i], 0.0, "number of the section");
    if (!value) return false;
    v[i] = *value;
  }
  card->massPerLength = v[5] * builder_.units().mass / builder_.units().length;
  return setSection(*card, {v[0], v[1], v[2], v[3], v[4]}, v[6], v[7]) && addProperty(*card);
}

// PBARL and PBEAML. The height of BAR is along y, its width along z.
bool NastranParser::readBarShape() {
  auto card = beginProperty(PropertyCard::Kind::kBeam);
  if (!card) return false;
  const std::string shape = toUpper(text(3));
  const std::size_t count = shape == "ROD" ? 1 : 2;
  if (shape != "ROD" && shape != "TUBE" && shape != "TUBE2" && shape != "BAR") {
    return fail("sections of type '" + shape + "' are not supported",
                "ROD, TUBE, TUBE2 and BAR are, and PBAR");
  }
  std::array<double, 2> size{};
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = real(8 + i, "dimension of the section");
    if (!value) return false;
    size[i] = *value * builder_.units().length;
    if (!(size[i] > 0.0)) return fail("the dimensions of the section must be positive");
  }
  const auto mass = realOr(8 + count, 0.0, "non-structural mass");
  if (!mass) return false;
  if (card_.fields.size() > 9 + count)
    return fail("property " + text(0) + ": tapered beams are not supported");
  if (shape.starts_with("TUBE") && size[1] >= size[0]) return fail("the tube has no bore");
  const double inner = shape == "TUBE2" ? size[0] - size[1] : size[1];
  const mechanics::SectionShape section = shape == "ROD" ? mechanics::makeCircle(2.0 * size[0])
                                          : shape == "BAR"
                                              ? mechanics::makeRectangle(size[1], size[0])
                                              : mechanics::makeTube(2.0 * size[0], 2.0 * inner);
  card->property.beam = BeamSection{section.area,    section.secondY, section.secondZ, 0.0,
                                    section.torsion, section.shearY,  section.shearZ};
  card->massPerLength = *mass * builder_.units().mass / builder_.units().length;
  return addProperty(*card);
}

// The section at end A, points of stress recovery, then sections at other stations with the same fields and at last
// K1 K2 S1 S2 NSI(A) NSI(B) CW(A) CW(B), M1(A) … N2(B). The beam must be the same along its length.
bool NastranParser::readBeamProperty() {
  auto card = beginProperty(PropertyCard::Kind::kBeam);
  if (!card) return false;
  std::array<double, 6> v{};  // A I1 I2 I12 J NSM
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto value = realOr(2 + i, 0.0, "number of the section");
    if (!value) return false;
    v[i] = *value;
  }
  std::size_t at = 8;
  const auto isStation = [&](std::size_t i) {
    const std::string word = toUpper(text(i));
    return word == "YES" || word == "YESA" || word == "NO";
  };
  if (!isStation(at)) at += 8;  // points of stress recovery
  while (isStation(at)) {
    const bool hasPoints = toUpper(text(at)) == "YES";
    for (std::size_t i = 0; i < v.size(); ++i) {
      const auto value = realOr(at + 2 + i, v[i], "number of the section");
      if (!value) return false;
      if (*value != v[i]) return fail("property " + text(0) + ": tapered beams are not supported");
    }
    at += hasPoints ? 16 : 8;
  }
  const auto shear1 = realOr(at, 1.0, "shear factor K1"),
             shear2 = realOr(at + 1, 1.0, "shear factor K2");
  if (!shear1 || !shear2) return false;
  for (std::size_t i = at + 8; i < std::min(card_.fields.size(), at + 16); ++i) {
    const auto value = realOr(i, 0.0, "offset of the section");
    if (!value) return false;
    if (*value != 0.0)
      return fail("property " + text(0) +
                  ": offsets of the neutral axis and of masses are not supported");
  }
  card->massPerLength = v[5] * builder_.units().mass / builder_.units().length;
  return setSection(*card, {v[0], v[1], v[2], v[3], v[4]}, *shear1, *shear2) && addProperty(*card);
}

// The products I21, I31, I32 are ∫ρ x y dV: the tensor has them with the opposite sign.
bool NastranParser::readMass() {
  RawMass raw;
  raw.place = card_.place;
  const auto element = integer(0, "number of the element"),
             node = element ? integer(1, "node") : element;
  const auto system = node ? integerOr(2, 0, "coordinate system") : node;
  const auto mass = system ? realOr(3, 0.0, "mass") : std::nullopt;
  if (!mass) return false;
  if (*mass < 0.0) return fail("the mass of element " + text(0) + " is negative");
  std::array<double, 9> v{};  // X1 X2 X3 I11 I21 I22 I31 I32 I33
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto value = realOr(i < 3 ? 4 + i : 5 + i, 0.0, "offset or moment of inertia");
    if (!value) return false;
    v[i] = *value * (i < 3 ? builder_.units().length : builder_.units().inertia);
  }
  raw.element = *element;
  raw.node = *node;
  raw.system = *system;
  raw.mass.mass = *mass * builder_.units().mass;
  raw.mass.offset = Eigen::Vector3d(v[0], v[1], v[2]);
  raw.mass.inertia << v[3], -v[4], -v[6], -v[4], v[5], -v[7], -v[6], -v[7], v[8];
  masses_.push_back(raw);
  return true;
}

}  // namespace flexloop::fem
