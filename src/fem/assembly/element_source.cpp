#include "fem/assembly/element_source.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/disjoint_sets.hpp"
#include "base/text_format.hpp"

namespace flexloop::fem {
namespace {

using base::Failure;
using base::formatText;

bool needsThickness(const Mesh& mesh, const MeshElement& element) {
  return isShell(element.shape) && !(mesh.properties[element.property].thickness > 0.0);
}

bool hasSection(const Property& property) {
  if (!property.beam) return false;
  const BeamSection& s = *property.beam;
  return s.A > 0.0 && s.Iy > 0.0 && s.Iz > 0.0 && s.J >= 0.0 && s.Iy * s.Iz > s.Iyz * s.Iyz;
}

// What is wrong with an element's data; the order is that of the messages.
enum class Lack { kNone, kMaterial, kModulus, kPoisson, kDensity, kThickness, kSection };

Lack findLack(const Mesh& mesh, const MeshElement& element) {
  if (element.property < 0 || mesh.properties[element.property].material < 0) {
    return Lack::kMaterial;
  }
  const Property& property = mesh.properties[element.property];
  const MeshMaterial& material = mesh.materials[property.material];
  if (!(material.E > 0.0) || !std::isfinite(material.E)) return Lack::kModulus;
  if (!(material.nu > -1.0 && material.nu < 0.5)) return Lack::kPoisson;
  const bool hasOtherMass = isShell(element.shape) && property.massPerArea > 0.0;
  const bool hasMass = material.rho > 0.0 || (material.rho == 0.0 && hasOtherMass);
  if (!hasMass || !std::isfinite(material.rho)) return Lack::kDensity;
  if (needsThickness(mesh, element)) return Lack::kThickness;
  if (element.shape == ElementShape::kBeam2 && !hasSection(property)) return Lack::kSection;
  return Lack::kNone;
}

std::string countText(int count) {
  if (count == 1) return {};
  return formatText(" and %d other%s", count - 1, count == 2 ? "" : "s");
}

Failure describeLack(const Mesh& mesh, Lack lack, int first, int count) {
  const std::string elements = nameElement(mesh, first) + countText(count);
  const int property = mesh.elements[first].property;
  const int index = property < 0 ? -1 : mesh.properties[property].material;
  const std::string material = index < 0 ? "" : "material '" + mesh.materials[index].name + "' of ";
  switch (lack) {
    case Lack::kMaterial:
      return {"no material for " + elements,
              "give the part a `material`, or `materials` by group or set"};
    case Lack::kModulus:
      return {material + elements + " has no modulus of elasticity E",
              "E must be positive, in the unit that the mesh file uses"};
    case Lack::kPoisson:
      return {
          material + elements + formatText(" has the Poisson ratio %g", mesh.materials[index].nu),
          "nu must be above -1 and below 0.5; take 0.499 for rubber"};
    case Lack::kDensity:
      return {material + elements + " has no density", "rho must be positive"};
    case Lack::kThickness:
      return {"no thickness for " + elements, "give the part a `thickness` by group or set"};
    default:
      return {"no usable cross-section for " + elements,
              "a beam needs A, Iy and Iz above zero, and Iyz² below Iy·Iz"};
  }
}

std::string fileName(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

ElementGeometry gatherElement(const Mesh& mesh, const MeshElement& element, ElementPoints& points) {
  const int* nodes = mesh.nodesOf(element);
  for (int i = 0; i < nodeCount(element.shape); ++i) points[i] = mesh.points[nodes[i]];
  ElementGeometry geometry;
  geometry.shape = element.shape;
  geometry.points = points.data();
  geometry.property = &mesh.properties[element.property];
  geometry.material = &mesh.materials[geometry.property->material];
  geometry.yAxis = Eigen::Vector3d(element.yAxis[0], element.yAxis[1], element.yAxis[2]);
  return geometry;
}

std::string nameElement(const Mesh& mesh, int element) {
  const MeshElement& e = mesh.elements[element];
  std::string text = formatText("element %lld (", static_cast<long long>(e.id)) + nameOf(e.shape);
  if (e.line > 0) text += formatText(", %s:%d", fileName(mesh.file).c_str(), e.line);
  for (const auto& [name, members] : mesh.elementSets) {
    if (!std::binary_search(members.begin(), members.end(), element)) continue;
    text += ", set '" + name + "'";
    break;
  }
  return text + ")";
}

std::optional<Failure> checkElements(const Mesh& mesh) {
  if (mesh.elements.empty())
    return Failure{"the mesh has no elements", "a part is made of elements"};
  struct Found {
    int first = -1, count = 0;
  };
  std::array<Found, 7> found;
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    const Lack lack = findLack(mesh, mesh.elements[i]);
    if (lack == Lack::kNone) continue;
    Found& entry = found[static_cast<std::size_t>(lack)];
    if (entry.count++ == 0) entry.first = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].count == 0) continue;
    return describeLack(mesh, static_cast<Lack>(i), found[i].first, found[i].count);
  }
  return {};
}

std::optional<Failure> checkConnected(const Mesh& mesh) {
  base::DisjointSets sets(static_cast<int>(mesh.points.size()));
  for (const MeshElement& element : mesh.elements) {
    const int* nodes = mesh.nodesOf(element);
    for (int i = 1; i < nodeCount(element.shape); ++i) sets.join(nodes[0], nodes[i]);
  }
  for (const Spider& spider : mesh.spiders) {
    for (const int node : spider.nodes) sets.join(spider.reference, node);
  }
  for (const Equation& equation : mesh.equations) {
    for (const Equation::Term& term : equation.terms) sets.join(equation.terms[0].node, term.node);
  }
  struct Piece {
    int first = -1, count = 0;
  };
  std::vector<Piece> pieces(mesh.points.size());
  int count = 0;
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    Piece& piece = pieces[sets.findRoot(mesh.nodesOf(mesh.elements[i])[0])];
    if (piece.count++ == 0) {
      piece.first = static_cast<int>(i);
      ++count;
    }
  }
  if (count < 2) return {};
  const auto smallest =
      std::min_element(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
        if ((a.count == 0) != (b.count == 0)) return a.count != 0;
        return a.count != b.count ? a.count < b.count : a.first < b.first;
      });
  return Failure{
      formatText("the mesh is in %d pieces that nothing joins; the smallest has %d element%s: ",
                 count, smallest->count, smallest->count == 1 ? "" : "s") +
          nameElement(mesh, smallest->first) + countText(smallest->count),
      "merge nodes at the same place, join the pieces by a rigid spider, or make each a part"};
}

Failure makeElementFailure(const Mesh& mesh, int first, int count, ElementFault fault) {
  std::string message = nameElement(mesh, first) + " " + describe(fault);
  if (count > 1)
    message += formatText(count == 2 ? "; so is %d other" : "; so are %d others", count - 1);
  return {message, "mend the mesh; `flexloop part` lists the quality of its elements"};
}

}  // namespace flexloop::fem
