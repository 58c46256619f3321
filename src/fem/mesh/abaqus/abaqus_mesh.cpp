// From what an .inp file says to a mesh: sets, surfaces, sections and masses.
#include <algorithm>

#include "base/nearest_word.hpp"
#include "fem/mesh/abaqus/abaqus_deck.hpp"
#include "fem/mesh/abaqus/abaqus_types.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {
namespace {

using Kind = AbaqusSection::Kind;

const char* const kSectionNames[] = {"*SOLID SECTION", "*SHELL SECTION", "*BEAM SECTION"};

Kind kindOf(ElementShape shape) {
  return isSolid(shape) ? Kind::kSolid : isShell(shape) ? Kind::kShell : Kind::kBeam;
}

bool addMass(const AbaqusMass& mass, std::int64_t element, const AbaqusDeck& deck,
             MeshBuilder& builder) {
  const AbaqusNodes& at = deck.nodeElements.at(element);
  const int node = builder.requireNode(at.nodes[0], "element " + std::to_string(element), at.place);
  if (node < 0) return false;
  PointMass point;
  point.node = node;
  point.mass = mass.mass;
  const auto& [xx, yy, zz, xy, xz, yz] = mass.inertia;
  Eigen::Matrix3d inertia;
  inertia << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  point.inertia = deck.rotation * inertia * deck.rotation.transpose();
  builder.mesh().masses.push_back(point);
  return true;
}

// Element sets may hold masses and lines beside elements of the mesh.
std::vector<std::int64_t> listNodeElements(const IdSet& set, const AbaqusDeck& deck) {
  std::vector<std::int64_t> elements;
  for (const IdRange& range : set.ranges) {
    for (auto at = deck.nodeElements.lower_bound(range.first);
         at != deck.nodeElements.end() && at->first <= range.last; ++at) {
      const auto distance =
          static_cast<std::uint64_t>(at->first) - static_cast<std::uint64_t>(range.first);
      if (distance % static_cast<std::uint64_t>(range.step) == 0) elements.push_back(at->first);
    }
  }
  return elements;
}

IdSet withoutNodeElements(const IdSet& set, const AbaqusDeck& deck) {
  IdSet elements{set.name, {}};
  for (const IdRange& range : set.ranges) {
    if (range.first != range.last || !deck.nodeElements.contains(range.first))
      elements.ranges.push_back(range);
  }
  return elements;
}

// Of the lines of a set; empty after a failure, or without lines.
std::vector<int> collectLineNodes(const IdSet& set, const AbaqusDeck& deck, MeshBuilder& builder) {
  std::vector<int> nodes;
  for (const std::int64_t number : listNodeElements(set, deck)) {
    const AbaqusNodes& element = deck.nodeElements.at(number);
    for (const std::int64_t id : element.nodes) {
      const int node = builder.requireNode(id, "element " + std::to_string(number), element.place);
      if (node < 0) return {};
      if (element.nodes.size() > 1) nodes.push_back(node);
    }
  }
  return nodes;
}

bool makeMasses(AbaqusDeck& deck, MeshBuilder& builder) {
  AbaqusNames names(deck, builder);
  std::set<std::int64_t> used;
  for (const AbaqusMass& mass : deck.masses) {
    const IdSet* set = names.findElementSet(mass.elementSet);
    std::size_t before = used.size();
    for (const std::int64_t element :
         set != nullptr ? listNodeElements(*set, deck) : std::vector<std::int64_t>()) {
      if (deck.nodeElements.at(element).nodes.size() > 1) continue;
      if (!addMass(mass, element, deck, builder)) return false;
      used.insert(element);
    }
    if (used.size() == before) {
      return builder.fail(
          mass.place, "the set '" + mass.elementSet + "' has no element of type MASS or ROTARYI");
    }
  }
  for (const auto& [number, element] : deck.nodeElements) {
    if (element.nodes.size() == 1 && !used.contains(number)) {
      return builder.fail(element.place, "element " + std::to_string(number) + " (" +
                                             element.type->name + ") has no mass or inertia");
    }
  }
  return true;
}

// As in the file; with the instance in front where the assembly has a set of the same name.
std::string shownName(const std::map<std::string, IdSet>& sets, const std::string& key,
                      const AbaqusDeck& deck) {
  const std::string& name = sets.at(key).name;
  return key != toUpper(name) && sets.contains(toUpper(name)) ? deck.instance + "." + name : name;
}

bool makeSets(AbaqusDeck& deck, MeshBuilder& builder) {
  Mesh& mesh = builder.mesh();
  for (const auto& [key, set] : deck.nodeSets) {
    std::optional<std::vector<int>> nodes = builder.resolveNodes(set);
    if (!nodes) return false;
    mesh.nodeSets[shownName(deck.nodeSets, key, deck)] = std::move(*nodes);
  }
  for (const auto& [key, set] : deck.elementSets) {
    std::optional<std::vector<int>> members =
        builder.resolveElements(withoutNodeElements(set, deck));
    if (!members) return false;
    std::vector<int> nodes = collectLineNodes(set, deck, builder);
    const std::string name = shownName(deck.elementSets, key, deck);
    if (!nodes.empty() && !mesh.nodeSets.contains(name)) {
      const std::vector<int> others = collectNodes(mesh, *members);
      nodes.insert(nodes.end(), others.begin(), others.end());
      std::sort(nodes.begin(), nodes.end());
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      mesh.nodeSets[name] = std::move(nodes);
    }
    if (!members->empty()) mesh.elementSets[name] = std::move(*members);
  }
  return !builder.hasFailed();
}

bool addFace(const AbaqusSurface::Item& item, int element, MeshBuilder& builder,
             std::vector<int>& nodes) {
  const Mesh& mesh = builder.mesh();
  const MeshElement& e = mesh.elements[element];
  std::vector<int> places;
  if (isShell(e.shape) && (item.face.empty() || item.face == "SPOS" || item.face == "SNEG")) {
    for (int i = 0; i < nodeCount(e.shape); ++i) places.push_back(i);
  } else if (item.face.size() == 2 && item.face[0] == 'S') {
    places = listFaceNodes(e.shape, item.face[1] - '0');
  }
  if (places.empty()) {
    return builder.fail(item.place, "element " + std::to_string(e.id) + " (" + nameOf(e.shape) +
                                        ") has no face '" + item.face + "'");
  }
  for (const int place : places) nodes.push_back(mesh.nodesOf(e)[place]);
  return true;
}

// A surface is kept as the set of its nodes, under its name unless a node set has it.
bool makeSurfaces(AbaqusDeck& deck, MeshBuilder& builder) {
  AbaqusNames names(deck, builder);
  for (const AbaqusSurface& surface : deck.surfaces) {
    std::vector<int> nodes;
    for (const AbaqusSurface::Item& item : surface.items) {
      if (surface.isOfNodes) {
        const auto members = names.findNodes(item.set, item.place);
        if (!members) return false;
        nodes.insert(nodes.end(), members->begin(), members->end());
        continue;
      }
      const auto elements = names.findElements(item.set, item.place);
      if (!elements) return false;
      for (const int element : *elements) {
        if (!addFace(item, element, builder, nodes)) return false;
      }
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (names.findNodeSet(surface.name) == nullptr) builder.mesh().nodeSets[surface.name] = nodes;
    deck.surfaceNodes[toUpper(surface.name)] = std::move(nodes);
  }
  return true;
}

bool checkSectionOf(const MeshElement& element, const AbaqusType& type,
                    const AbaqusSection& section, MeshBuilder& builder) {
  const std::string name = "element " + std::to_string(element.id) + " (" + type.name + ")";
  if (type.kind == AbaqusType::Kind::kFacet) {
    return builder.fail(section.place,
                        name + " of the set '" + section.property.name +
                            "' is a plane or truss element, which is not supported",
                        "use shells (S3, S4, S6, S8) or beams (B31)");
  }
  if (kindOf(element.shape) == section.kind) return true;
  return builder.fail(
      section.place,
      name + " of the set '" + section.property.name + "' cannot have a " +
          kSectionNames[static_cast<int>(section.kind)],
      std::string("it takes a ") + kSectionNames[static_cast<int>(kindOf(element.shape))]);
}

bool assignSection(const AbaqusSection& section, AbaqusDeck& deck, MeshBuilder& builder) {
  Mesh& mesh = builder.mesh();
  Property property = section.property;
  if (property.material < 0) {
    const auto material = deck.materials.find(toUpper(section.material));
    if (material == deck.materials.end()) {
      std::vector<std::string> known;
      for (const MeshMaterial& other : mesh.materials) known.push_back(other.name);
      const auto nearest = base::findNearestWord(section.material, known);
      return builder.fail(section.place, "there is no material '" + section.material + "'",
                          nearest ? "did you mean '" + *nearest + "'?" : "");
    }
    property.material = material->second;
  }
  const auto elements = AbaqusNames(deck, builder).findElements(section.elementSet, section.place);
  if (!elements) return false;
  const Eigen::Vector3d n1 =
      deck.rotation * Eigen::Vector3d(section.direction[0], section.direction[1],
                                      section.lines > 1 ? section.direction[2] : -1.0);
  const int index = static_cast<int>(mesh.properties.size());
  mesh.properties.push_back(property);
  for (const int e : *elements) {
    MeshElement& element = mesh.elements[e];
    if (!checkSectionOf(element, *deck.typeOf[e], section, builder)) return false;
    if (element.property >= 0) {
      return builder.fail(section.place, "element " + std::to_string(element.id) +
                                             " has two sections: of '" +
                                             mesh.properties[element.property].name + "' and of '" +
                                             property.name + "'");
    }
    element.property = index;
    for (int i = 0; i < 3 && section.kind == Kind::kBeam; ++i)
      element.yAxis[i] = static_cast<float>(n1[i]);
  }
  return true;
}

}  // namespace

std::string AbaqusNames::withoutInstance(const std::string& name) const {
  const std::size_t dot = name.find('.');
  if (deck_.instance.empty() || dot == name.npos) return name;
  return toUpper(name.substr(0, dot)) == deck_.instance ? name.substr(dot + 1) : name;
}

IdSet* AbaqusNames::find(std::map<std::string, IdSet>& sets, const std::string& name) {
  auto found = sets.find(toUpper(name));
  if (found == sets.end()) found = sets.find(deck_.instance + "." + toUpper(name));
  return found == sets.end() ? nullptr : &found->second;
}

std::optional<std::vector<int>> AbaqusNames::findNodes(const std::string& name, FilePlace place) {
  if (const auto id = parseInteger(withoutInstance(name))) {
    return builder_.resolveNodes({name, {{*id, *id, 1, place}}});
  }
  if (const IdSet* set = findNodeSet(name)) return builder_.resolveNodes(*set);
  std::vector<std::string> known;
  for (const auto& set : deck_.nodeSets) known.push_back(set.second.name);
  const auto nearest = base::findNearestWord(name, known);
  builder_.fail(place, "there is no node set '" + name + "'",
                nearest ? "did you mean '" + *nearest + "'?" : "");
  return {};
}

std::optional<std::vector<int>> AbaqusNames::findElements(const std::string& name,
                                                          FilePlace place) {
  if (const auto id = parseInteger(withoutInstance(name))) {
    return builder_.resolveElements({name, {{*id, *id, 1, place}}});
  }
  if (const IdSet* set = findElementSet(name)) {
    return builder_.resolveElements(withoutNodeElements(*set, deck_));
  }
  std::vector<std::string> known;
  for (const auto& set : deck_.elementSets) known.push_back(set.second.name);
  const auto nearest = base::findNearestWord(name, known);
  builder_.fail(place, "there is no element set '" + name + "'",
                nearest ? "did you mean '" + *nearest + "'?" : "");
  return {};
}

int AbaqusNames::findOneNode(const std::string& name, FilePlace place) {
  const auto nodes = findNodes(name, place);
  if (!nodes) return -1;
  if (nodes->size() == 1) return nodes->front();
  builder_.fail(
      place, "the set '" + name + "' must have one node and has " + std::to_string(nodes->size()));
  return -1;
}

bool assignAbaqusSections(AbaqusDeck& deck, MeshBuilder& builder) {
  Mesh& mesh = builder.mesh();
  for (const AbaqusSection& section : deck.sections) {
    if (!assignSection(section, deck, builder)) return false;
  }
  // The others keep the name of their set, by which the model can give them a material.
  std::map<std::string, int> blocks;
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    if (mesh.elements[i].property >= 0 || deck.blockOf[i].empty()) continue;
    const auto [found, isNew] = blocks.emplace(deck.blockOf[i], mesh.properties.size());
    if (isNew) {
      Property property;
      property.name = deck.elementSets.at(deck.blockOf[i]).name;
      mesh.properties.push_back(property);
    }
    mesh.elements[i].property = found->second;
  }
  return true;
}

bool buildAbaqusMesh(AbaqusDeck& deck, MeshBuilder& builder) {
  if (!builder.resolveElementNodes()) return false;
  if (!makeSets(deck, builder) || !makeSurfaces(deck, builder)) return false;
  if (!assignAbaqusSections(deck, builder) || !makeMasses(deck, builder)) return false;
  if (!makeAbaqusConstraints(deck, builder)) return false;
  if (!deck.reducedTypes.empty()) {
    std::string types;
    for (const std::string& type : deck.reducedTypes) types += (types.empty() ? "" : ", ") + type;
    builder.warn(FilePlace{},
                 types + ": elements are fully integrated here, hexahedra with 8 nodes as C3D8I");
  }
  return !builder.hasFailed();
}

}  // namespace flexloop::fem
