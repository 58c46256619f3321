// What Nastran bulk data need once all cards are read: systems, properties, sets and constraints by their numbers.
#include <algorithm>

#include <Eigen/Geometry>

#include "fem/mesh/nastran/nastran_parser.hpp"

namespace flexloop::fem {

bool NastranParser::build() {
  if (!systems_.placeNodes() || !builder_.resolveElementNodes()) return false;
  for (const auto& [id, system] : rawDisplacementSystems_) {
    const int node = builder_.requireNode(id, "GRID", FilePlace{});
    if (node < 0) return false;
    displacementSystems_[node] = system;
  }
  if (!makeProperties() || !makeBeamAxes() || !makeSets() || !makeMasses() || !makeSpiders() ||
      !makeEquations()) {
    return false;
  }
  applyMassFactor();
  return !builder_.hasFailed();
}

bool NastranParser::isTurned(int node) {
  const auto system = displacementSystems_.find(node);
  if (system == displacementSystems_.end()) return false;
  const auto axes = systems_.axesAt(system->second, builder_.mesh().points[node], FilePlace{});
  return !axes || !axes->isIdentity(1e-9);
}

bool NastranParser::checkProperty(int element, const PropertyCard& card) {
  const MeshElement& e = builder_.mesh().elements[element];
  using Kind = PropertyCard::Kind;
  const Kind kind = isSolid(e.shape) ? Kind::kSolid : isShell(e.shape) ? Kind::kShell : Kind::kBeam;
  if (kind == card.kind) return true;
  const char* const needed[] = {"PSOLID", "PSHELL", "PBAR or PBEAM"};
  return builder_.fail(builder_.placeOf(element),
                       "element " + std::to_string(e.id) + " (" + nameOf(e.shape) +
                           ") cannot have the property " + card.property.name,
                       std::string("it takes a ") + needed[static_cast<int>(kind)]);
}

// -1 after a failure. Elements with an offset or thickness of their own have a property of their own.
int NastranParser::makeProperty(int element) {
  Mesh& mesh = builder_.mesh();
  Property property;
  property.name = std::to_string(propertyOf_[element]);
  const auto found = properties_.find(propertyOf_[element]);
  if (found != properties_.end()) {
    const PropertyCard& card = found->second;
    const auto material = materials_.find(card.material);
    if (material == materials_.end()) {
      builder_.fail(card.place, "property " + card.property.name + " refers to the material " +
                                    std::to_string(card.material) +
                                    ", which the file does not have");
      return -1;
    }
    property = card.property;
    property.material = material->second;
    if (card.massPerLength != 0.0) {
      MeshMaterial heavier = mesh.materials[material->second];
      heavier.rho += card.massPerLength / card.property.beam->A;
      property.material = static_cast<int>(mesh.materials.size());
      mesh.materials.push_back(heavier);
    }
  } else if (!properties_.empty()) {
    warnOnce("the file has no property " + property.name + ", which elements refer to");
  }
  if (const auto variant = variants_.find(element); variant != variants_.end()) {
    property.offset = variant->second.offset;
    if (variant->second.thickness > 0.0) property.thickness = variant->second.thickness;
  }
  mesh.properties.push_back(property);
  return static_cast<int>(mesh.properties.size()) - 1;
}

bool NastranParser::makeProperties() {
  Mesh& mesh = builder_.mesh();
  std::map<std::tuple<std::int64_t, double, double>, int> made;
  for (int e = 0; e < static_cast<int>(mesh.elements.size()); ++e) {
    const auto variant = variants_.find(e);
    const Variant own = variant == variants_.end() ? Variant{} : variant->second;
    const std::tuple key{propertyOf_[e], own.offset, own.thickness};
    auto found = made.find(key);
    if (found == made.end()) {
      const int index = makeProperty(e);
      if (index < 0) return false;
      found = made.emplace(key, index).first;
    }
    const auto card = properties_.find(propertyOf_[e]);
    if (card != properties_.end() && !checkProperty(e, card->second)) return false;
    mesh.elements[e].property = found->second;
    mesh.elementSets[mesh.properties[found->second].name].push_back(e);
  }
  return true;
}

bool NastranParser::makeBeamAxes() {
  Mesh& mesh = builder_.mesh();
  for (const RawBeam& beam : beams_) {
    MeshElement& element = mesh.elements[beam.element];
    const FilePlace place = builder_.placeOf(beam.element);
    const std::string name = "element " + std::to_string(element.id);
    const int first = mesh.nodesOf(element)[0];
    Eigen::Vector3d vector = beam.vector;
    if (beam.node != 0) {
      const int node = builder_.requireNode(beam.node, name, place);
      if (node < 0) return false;
      vector = mesh.points[node] - mesh.points[first];
    } else if (const auto system = displacementSystems_.find(first);
               system != displacementSystems_.end()) {
      const auto axes = systems_.axesAt(system->second, mesh.points[first], place);
      if (!axes) return false;
      vector = *axes * vector;
    }
    const Eigen::Vector3d along = mesh.points[mesh.nodesOf(element)[1]] - mesh.points[first];
    const bool hasSection = mesh.properties[element.property].beam.has_value();
    const double across = along.cross(vector).norm();
    if (hasSection && !(across > 1e-6 * along.norm() * vector.norm())) {
      return builder_.fail(place, "the orientation vector of " + name + " is along the beam");
    }
    if (!(vector.norm() > 0.0)) continue;
    vector.normalize();
    for (int i = 0; i < 3; ++i) element.yAxis[i] = static_cast<float>(vector[i]);
  }
  return true;
}

bool NastranParser::makeSets() {
  Mesh& mesh = builder_.mesh();
  std::set<std::string> listed;
  for (const NodeList& list : lists_) {
    if (!list.isSupport) listed.insert(list.set.name);
  }
  for (NodeList& list : lists_) {
    const auto isAll = [&](const auto& has) {
      return std::all_of(list.set.ranges.begin(), list.set.ranges.end(), [&](const IdRange& range) {
        return range.first != range.last || has(range.first);
      });
    };
    if (!list.isSure) {
      list.isOfElements = !isAll([&](std::int64_t id) { return builder_.hasNode(id); }) &&
                          isAll([&](std::int64_t id) { return builder_.hasElement(id); });
    }
    const auto members =
        list.isOfElements ? builder_.resolveElements(list.set) : builder_.resolveNodes(list.set);
    if (!members) return false;
    const bool isTaken = list.isSupport && listed.contains(list.set.name);
    auto& sets = list.isOfElements ? mesh.elementSets : mesh.nodeSets;
    for (const std::string& name : {isTaken ? "SPC " + list.set.name : list.set.name, list.name}) {
      if (name.empty()) continue;
      std::vector<int> joined;
      std::vector<int>& set = sets[name];
      std::set_union(set.begin(), set.end(), members->begin(), members->end(),
                     std::back_inserter(joined));
      set = std::move(joined);
    }
  }
  return true;
}

bool NastranParser::makeMasses() {
  Mesh& mesh = builder_.mesh();
  std::set<std::int64_t> numbers;
  for (RawMass& raw : masses_) {
    const std::string name = "element " + std::to_string(raw.element);
    if (builder_.hasElement(raw.element) || !numbers.insert(raw.element).second) {
      return builder_.fail(raw.place, name + " is given twice");
    }
    raw.mass.node = builder_.requireNode(raw.node, name, raw.place);
    if (raw.mass.node < 0) return false;
    const Eigen::Vector3d& point = mesh.points[raw.mass.node];
    if (raw.system == -1) {
      raw.mass.offset -= point;  // the centre of mass is given in basic coordinates
    } else {
      const auto axes = systems_.axesAt(raw.system, point, raw.place);
      if (!axes) return false;
      raw.mass.offset = *axes * raw.mass.offset;
      raw.mass.inertia = *axes * raw.mass.inertia * axes->transpose();
    }
    mesh.masses.push_back(raw.mass);
  }
  return true;
}

bool NastranParser::makeSpiders() {
  for (RawSpider& raw : spiders_) {
    raw.spider.line = raw.place.line;
    raw.spider.reference = builder_.requireNode(raw.reference, raw.name, raw.place);
    if (raw.spider.reference < 0) return false;
    const auto nodes = builder_.resolveNodes(raw.nodes);
    if (!nodes) return false;
    raw.spider.nodes = *nodes;
    for (const auto& [weight, id] : raw.pairs) {
      raw.spider.nodes.push_back(builder_.requireNode(id, raw.name, raw.place));
      if (raw.spider.nodes.back() < 0) return false;
      raw.spider.weights.push_back(weight);
    }
    if (std::find(raw.spider.nodes.begin(), raw.spider.nodes.end(), raw.spider.reference) !=
        raw.spider.nodes.end()) {
      return builder_.fail(raw.place, raw.name + " has its reference node among the others");
    }
    // All three translations, and all three rotations, are the same whatever the axes.
    const auto isWhole = [](unsigned bits) {
      return ((bits & 7U) == 0 || (bits & 7U) == 7U) && ((bits >> 3) == 0 || (bits >> 3) == 7U);
    };
    for (const int node : raw.spider.nodes) {
      if (!isWhole(raw.spider.components) && isTurned(node)) {
        return builder_.fail(
            raw.place, raw.name + ": node " + std::to_string(builder_.mesh().nodeIds[node]) +
                           " has displacements in axes of its own, which is not supported here");
      }
    }
    if (!isWhole(raw.spider.referenceComponents) && isTurned(raw.spider.reference)) {
      return builder_.fail(raw.place,
                           raw.name +
                               ": its reference node has displacements in axes of its own, "
                               "which is not supported here");
    }
    builder_.mesh().spiders.push_back(std::move(raw.spider));
  }
  return true;
}

bool NastranParser::makeEquations() {
  std::set<std::int64_t> sets;
  for (const RawEquation& equation : equations_) sets.insert(equation.set);
  if (sets.empty()) return true;
  if (selectedEquations_) {
    sets = {*selectedEquations_};
    if (const auto sum = equationSums_.find(*selectedEquations_); sum != equationSums_.end()) {
      sets = {sum->second.begin(), sum->second.end()};
    }
  } else if (equationSums_.size() == 1) {
    sets = {equationSums_.begin()->second.begin(), equationSums_.begin()->second.end()};
  } else if (sets.size() > 1) {
    return builder_.fail(
        equations_.front().place, "there are several sets of MPC and none is selected",
        "select one in the case control, as MPC = " + std::to_string(*sets.begin()));
  }
  for (const RawEquation& raw : equations_) {
    if (!sets.contains(raw.set)) continue;
    Equation equation;
    equation.line = raw.place.line;
    for (const RawEquation::Term& term : raw.terms) {
      const int node = builder_.requireNode(term.node, "MPC", raw.place);
      if (node < 0) return false;
      if (isTurned(node)) {
        return builder_.fail(
            raw.place, "MPC: node " + std::to_string(term.node) +
                           " has displacements in axes of its own, which is not supported here");
      }
      equation.terms.push_back({node, term.component, term.factor});
    }
    builder_.mesh().equations.push_back(std::move(equation));
  }
  return true;
}

void NastranParser::applyMassFactor() {
  Mesh& mesh = builder_.mesh();
  for (MeshMaterial& material : mesh.materials) material.rho *= massFactor_;
  for (Property& property : mesh.properties) property.massPerArea *= massFactor_;
  for (PointMass& mass : mesh.masses) {
    mass.mass *= massFactor_;
    mass.inertia *= massFactor_;
  }
}

}  // namespace flexloop::fem
