#include "fem/mesh/structural_elements.hpp"

#include <algorithm>

#include "fem/mesh/kept_elements.hpp"

namespace flexloop::fem {
namespace {

// By element: whether a set or property with one of these names has it.
std::vector<char> markElements(const Mesh& mesh, const std::set<std::string>& names) {
  std::vector<char> isNamed(mesh.elements.size(), 0);
  for (const std::string& name : names) {
    const auto set = mesh.elementSets.find(name);
    if (set == mesh.elementSets.end()) continue;
    for (const int element : set->second) isNamed[element] = 1;
  }
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    const int property = mesh.elements[i].property;
    if (property >= 0 && names.contains(mesh.properties[property].name)) isNamed[i] = 1;
  }
  return isNamed;
}

bool hasThickness(const Mesh& mesh, const MeshElement& element) {
  return element.property >= 0 && mesh.properties[element.property].thickness > 0.0;
}

bool hasSection(const Mesh& mesh, const MeshElement& element) {
  return element.property >= 0 && mesh.properties[element.property].beam.has_value();
}

std::vector<char> markStructural(const Mesh& mesh, const StructuralChoice& choice) {
  const std::vector<char> isNamedShell = markElements(mesh, choice.shells);
  const std::vector<char> isNamedBeam = markElements(mesh, choice.beams);
  const bool hasSolids = std::any_of(mesh.elements.begin(), mesh.elements.end(),
                                     [](const MeshElement& e) { return isSolid(e.shape); });
  std::vector<char> isKept(mesh.elements.size(), 0);
  bool isAny = false;
  for (std::size_t i = 0; i < mesh.elements.size(); ++i) {
    const MeshElement& element = mesh.elements[i];
    if (isShell(element.shape)) {
      isKept[i] =
          !hasSolids || choice.allShells || isNamedShell[i] != 0 || hasThickness(mesh, element);
    } else {
      isKept[i] = isSolid(element.shape) || isNamedBeam[i] != 0 || hasSection(mesh, element);
    }
    isAny = isAny || isKept[i] != 0;
  }
  if (!isAny) std::fill(isKept.begin(), isKept.end(), 1);
  return isKept;
}

}  // namespace

RemovedElements selectStructuralElements(Mesh& mesh, const StructuralChoice& choice) {
  const std::vector<char> isKept = markStructural(mesh, choice);
  RemovedElements removed;
  for (std::size_t i = 0; i < isKept.size(); ++i) {
    if (isKept[i] == 0) ++(isShell(mesh.elements[i].shape) ? removed.faces : removed.lines);
  }
  if (removed.faces + removed.lines == 0) return removed;
  for (auto& [name, elements] : mesh.elementSets) {
    const bool losesSome =
        std::any_of(elements.begin(), elements.end(), [&](int e) { return isKept[e] == 0; });
    if (losesSome && !mesh.nodeSets.contains(name))
      mesh.nodeSets[name] = collectNodes(mesh, elements);
  }
  keepMarked(mesh, isKept);
  return removed;
}

}  // namespace flexloop::fem
