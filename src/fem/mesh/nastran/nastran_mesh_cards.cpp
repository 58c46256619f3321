// Nodes, coordinate systems, elements and sets of Nastran bulk data.
#include <algorithm>

#include "fem/mesh/nastran/nastran_parser.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {
namespace {

using enum ElementShape;

// Nastran has the upright edges of hexahedra and pentahedra before those of the upper face.
constexpr int kHex20Order[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                               10, 11, 16, 17, 18, 19, 12, 13, 14, 15};
constexpr int kWedge15Order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11};

int orderOf(ElementShape shape, int place) {
  if (shape == kHex20) return kHex20Order[place];
  return shape == kWedge15 ? kWedge15Order[place] : place;
}

}  // namespace

bool NastranParser::readGrid() {
  const auto id = integer(0, "number of the node");
  const auto system = id ? integerOr(1, 0, "coordinate system") : id;
  const auto displacements =
      system ? integerOr(5, 0, "coordinate system of displacements") : system;
  if (!displacements) return false;
  Eigen::Vector3d point;
  for (int i = 0; i < 3; ++i) {
    const auto value = realOr(2 + i, 0.0, "coordinate");
    if (!value) return false;
    point[i] = *value;
  }
  if (!builder_.addNode(*id, point, card_.place)) return false;
  if (*system != 0) systems_.addNode(*id, *system, point, card_.place);
  if (*displacements > 0) rawDisplacementSystems_.emplace_back(*id, *displacements);
  if (isGiven(6))
    warnOnce("the supports in field 8 of GRID are not used: supports do not belong to a part");
  return true;
}

bool NastranParser::readGridDefaults() {
  for (const std::size_t i : {1, 5}) {
    const auto system = integerOr(i, 0, "coordinate system");
    if (!system) return false;
    if (*system != 0)
      return fail("default coordinate systems are not supported", "give them with each GRID");
  }
  return true;
}

// One or two systems per card.
bool NastranParser::readSystem1() {
  for (std::size_t first = 0; first < 8 && isGiven(first); first += 4) {
    const auto id = integer(first, "number of the coordinate system");
    if (!id) return false;
    NastranSystems::System system;
    system.kind = card_.name.back();
    system.place = card_.place;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto node = integer(first + 1 + i, "node of the coordinate system");
      if (!node) return false;
      if (*node <= 0) return fail("the number of a node must be positive");
      system.nodes[i] = *node;
    }
    if (!systems_.add(*id, system)) return false;
  }
  return isGiven(0) || fail("the number of the coordinate system is missing");
}

bool NastranParser::readSystem2() {
  const auto id = integer(0, "number of the coordinate system");
  const auto reference = id ? integerOr(1, 0, "reference system") : id;
  if (!reference) return false;
  NastranSystems::System system;
  system.kind = card_.name.back();
  system.place = card_.place;
  system.reference = *reference;
  for (int i = 0; i < 9; ++i) {
    const auto value = realOr(2 + i, 0.0, "coordinate");
    if (!value) return false;
    system.points(i % 3, i / 3) = *value;
  }
  return systems_.add(*id, system);
}

int NastranParser::addElement(ElementShape shape, std::size_t first) {
  const auto id = integer(0, "number of the element");
  const auto property = id ? integerOr(1, *id, "property") : id;
  if (!property) return -1;
  std::array<std::int64_t, 20> nodes{};
  const int count = nodeCount(shape);
  for (int i = 0; i < count; ++i) {
    const auto node = integer(first + orderOf(shape, i), "number of a node");
    if (!node) return -1;
    nodes[i] = *node;
  }
  const int element =
      builder_.addElement(shape, *id, {nodes.data(), static_cast<std::size_t>(count)}, card_.place);
  if (element >= 0) propertyOf_.push_back(*property);
  return element;
}

bool NastranParser::readSolid(ElementShape linear, ElementShape quadratic) {
  int given = 0;
  for (std::size_t i = 2; i < card_.fields.size(); ++i)
    given += isGiven(i) && text(i) != "0" ? 1 : 0;
  const int few = nodeCount(linear), many = nodeCount(quadratic);
  if (given == few && card_.fields.size() <= static_cast<std::size_t>(2 + many))
    return addElement(linear, 2) >= 0;
  if (given == many && card_.fields.size() == static_cast<std::size_t>(2 + many))
    return addElement(quadratic, 2) >= 0;
  return fail("element " + text(0) + " has " + std::to_string(given) + " nodes",
              few == many ? "it has " + std::to_string(few)
                          : "it has " + std::to_string(few) + ", or " + std::to_string(many) +
                                " with the middles of all edges");
}

bool NastranParser::readTetra() {
  return readSolid(kTet4, kTet10);
}
bool NastranParser::readPyramid() {
  return readSolid(kPyramid5, kPyramid5);
}
bool NastranParser::readPenta() {
  return readSolid(kWedge6, kWedge15);
}
bool NastranParser::readHexa() {
  return readSolid(kHex8, kHex20);
}

// `offset` and `thickness`: the fields of ZOFFS and of T1.
bool NastranParser::readShell(ElementShape shape, std::size_t offset, std::size_t thickness) {
  const int element = addElement(shape, 2);
  if (element < 0) return false;
  Variant variant;
  const auto distance = realOr(offset, 0.0, "offset ZOFFS");
  if (!distance) return false;
  variant.offset = *distance * builder_.units().length;
  for (int i = 0; i < cornerCount(shape); ++i) {
    if (!isGiven(thickness + i)) continue;
    const auto value = real(thickness + i, "thickness");
    if (!value) return false;
    const double metres = *value * builder_.units().length;
    if (!(metres > 0.0)) return fail("the thickness of element " + text(0) + " must be positive");
    if (variant.thickness != 0.0 && variant.thickness != metres) {
      return fail("element " + text(0) +
                  " has a different thickness at each corner, which is not supported");
    }
    variant.thickness = metres;
  }
  if (variant.offset != 0.0 || variant.thickness != 0.0) variants_[element] = variant;
  return true;
}

bool NastranParser::readTria3() {
  return readShell(kTri3, 6, 10);
}
bool NastranParser::readTria6() {
  return readShell(kTri6, 9, 10);
}
bool NastranParser::readQuad4() {
  return readShell(kQuad4, 7, 10);
}
bool NastranParser::readQuad8() {
  return readShell(kQuad8, 15, 10);
}

bool NastranParser::readBar() {
  const int element = addElement(kBeam2, 2);
  if (element < 0 || !readBarOffsets()) return false;
  RawBeam beam;
  beam.element = element;
  beam.first = *parseInteger(card_.fields[2]);
  if (isInteger(4) && !isGiven(5) && !isGiven(6)) {
    beam.node = *parseInteger(card_.fields[4]);
  } else {
    for (int i = 0; i < 3; ++i) {
      const auto value = realOr(4 + i, 0.0, "orientation vector");
      if (!value) return false;
      beam.vector[i] = *value;
    }
  }
  if (beam.node != 0 || beam.vector.norm() > 0.0) beams_.push_back(beam);
  return true;
}

// Hinges and offsets of the ends.
bool NastranParser::readBarOffsets() {
  for (std::size_t i = 8; i < std::min<std::size_t>(card_.fields.size(), 16); ++i) {
    const auto value = realOr(i, 0.0, "hinge or offset");
    if (!value) return false;
    if (*value != 0.0)
      return fail("element " + text(0) + ": hinges and offsets of beams are not supported");
  }
  return true;
}

// `$ node set 1 = CLAMP` directly before the card.
std::string NastranParser::commentName() const {
  const std::string upper = toUpper(card_.comment);
  const std::size_t equals = upper.find('=');
  if (equals == upper.npos || upper.find("SET") > equals) return {};
  return std::string(trim(std::string_view(card_.comment).substr(equals + 1)));
}

bool NastranParser::readSet1() {
  const auto id = integer(0, "number of the set");
  if (!id) return false;
  NodeList list;
  list.set.name = std::to_string(*id);
  list.name = commentName();
  const bool hasSkin = toUpper(text(1)) == "SKIN";
  if (hasSkin) return fail("SKIN is not supported");
  if (!addIds(list.set, 1, card_.fields.size())) return false;
  lists_.push_back(std::move(list));
  return true;
}

bool NastranParser::readSet3() {
  const auto id = integer(0, "number of the set");
  if (!id) return false;
  NodeList list;
  list.set.name = std::to_string(*id);
  list.name = commentName();
  list.isSure = true;
  const std::string kind = toUpper(text(1));
  if (kind != "GRID" && kind != "POINT" && kind != "ELEM" && kind != "ELEMENT") {
    return fail("sets of '" + kind + "' are not supported", "GRID and ELEM are");
  }
  list.isOfElements = kind.starts_with("ELEM");
  if (!addIds(list.set, 2, card_.fields.size())) return false;
  lists_.push_back(std::move(list));
  return true;
}

bool NastranParser::readSupport() {
  const auto id = integer(0, "number of the set");
  if (!id) return false;
  NodeList list;
  list.set.name = std::to_string(*id);
  list.name = commentName();
  list.isSupport = list.isSure = true;
  for (const std::size_t i : {1, 4}) {
    if (isGiven(i) && !addIds(list.set, i, i + 1)) return false;
  }
  warnOnce("SPC is not used: supports do not belong to a part; its nodes are kept as a set");
  lists_.push_back(std::move(list));
  return true;
}

bool NastranParser::readSupport1() {
  const auto id = integer(0, "number of the set");
  if (!id) return false;
  NodeList list;
  list.set.name = std::to_string(*id);
  list.name = commentName();
  list.isSupport = list.isSure = true;
  if (!addIds(list.set, 2, card_.fields.size())) return false;
  warnOnce("SPC1 is not used: supports do not belong to a part; its nodes are kept as a set");
  lists_.push_back(std::move(list));
  return true;
}

}  // namespace flexloop::fem
