#include "fem/parts/part_mesh.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/nearest_word.hpp"
#include "fem/mesh/block_mesh.hpp"
#include "fem/mesh/kept_elements.hpp"
#include "fem/mesh/structural_elements.hpp"

namespace flexloop::fem {
namespace {

// What the request gives an element; -1 and 0: nothing.
struct Assignment {
  int material = -1;
  double thickness = 0.0;

  auto operator<=>(const Assignment&) const = default;
};

std::string listOf(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  return names.size() > kMost ? text + ", ..." : text;
}

class Assigner {
 public:
  Assigner(const PartRequest& request, Mesh& mesh)
      : request_(request), mesh_(mesh), assignments_(mesh.elements.size()) {}

  std::optional<base::Failure> assign() {
    if (request_.material) {
      const int material = addMaterial(*request_.material);
      for (std::size_t e = 0; e < assignments_.size(); ++e) {
        if (!hasMaterial(mesh_.elements[e])) assignments_[e].material = material;
      }
    }
    for (const auto& [group, given] : request_.materials) {
      const int material = addMaterial(given);
      const auto give = [&](std::size_t e) { assignments_[e].material = material; };
      if (auto failure = forGroup(group, "materials", give)) return failure;
    }
    for (const auto& [group, thickness] : request_.thickness) {
      if (auto failure = giveThickness(group, thickness)) return failure;
    }
    if (request_.shellThickness) giveShells(*request_.shellThickness);
    apply();
    return std::nullopt;
  }

 private:
  int addMaterial(const MeshMaterial& material) {
    mesh_.materials.push_back(material);
    return static_cast<int>(mesh_.materials.size()) - 1;
  }

  bool hasMaterial(const MeshElement& element) const {
    return element.property >= 0 && mesh_.properties[element.property].material >= 0;
  }

  std::optional<base::Failure> giveThickness(const std::string& group, double thickness) {
    bool hasShells = false;
    const auto give = [&](std::size_t e) {
      hasShells = hasShells || isShell(mesh_.elements[e].shape);
      assignments_[e].thickness = thickness;
    };
    if (auto failure = forGroup(group, "thickness", give)) return failure;
    if (hasShells) return std::nullopt;
    return base::Failure{
        mesh_.file + ": the group '" + group + "', which 'thickness' names, has no shells",
        "a thickness belongs to triangles and quadrilaterals; solids and beams have none"};
  }

  void giveShells(double thickness) {
    for (std::size_t e = 0; e < assignments_.size(); ++e) {
      const MeshElement& element = mesh_.elements[e];
      const bool hasThickness =
          assignments_[e].thickness > 0.0 ||
          (element.property >= 0 && mesh_.properties[element.property].thickness > 0.0);
      if (isShell(element.shape) && !hasThickness) assignments_[e].thickness = thickness;
    }
  }

  // Element sets, and names of properties that are no set. Calls `change` with the number of each element.
  template <class Change>
  std::optional<base::Failure> forGroup(const std::string& group, const char* key,
                                        const Change& change) {
    const auto set = mesh_.elementSets.find(group);
    if (set != mesh_.elementSets.end()) {
      for (const int e : set->second) change(static_cast<std::size_t>(e));
      return std::nullopt;
    }
    bool isThere = false;
    for (std::size_t e = 0; e < assignments_.size(); ++e) {
      const int property = mesh_.elements[e].property;
      if (property < 0 || mesh_.properties[property].name != group) continue;
      change(e);
      isThere = true;
    }
    if (isThere) return std::nullopt;
    return unknownGroup(group, key);
  }

  base::Failure unknownGroup(const std::string& group, const char* key) const {
    std::set<std::string> names;
    for (const auto& [name, elements] : mesh_.elementSets) names.insert(name);
    for (const Property& property : mesh_.properties) names.insert(property.name);
    names.erase("");
    const std::vector<std::string> known(names.begin(), names.end());
    const std::optional<std::string> nearest = base::findNearestWord(group, known);
    return {mesh_.file + ": there is no element group or set '" + group + "', which '" + key +
                "' names",
            nearest         ? "did you mean '" + *nearest + "'?"
            : known.empty() ? "the mesh has no groups of elements"
                            : "its groups: " + listOf(known)};
  }

  // Properties are shared, so elements that get the same of the same property share the new one.
  void apply() {
    std::map<std::pair<int, Assignment>, int> made;
    for (std::size_t e = 0; e < assignments_.size(); ++e) {
      const Assignment& assignment = assignments_[e];
      if (assignment == Assignment{}) continue;
      MeshElement& element = mesh_.elements[e];
      const auto [place, isNew] = made.try_emplace({element.property, assignment},
                                                   static_cast<int>(mesh_.properties.size()));
      if (isNew) {
        Property property = element.property >= 0 ? mesh_.properties[element.property] : Property{};
        if (assignment.material >= 0) property.material = assignment.material;
        if (assignment.thickness > 0.0) property.thickness = assignment.thickness;
        mesh_.properties.push_back(std::move(property));
      }
      element.property = place->second;
    }
  }

  const PartRequest& request_;
  Mesh& mesh_;
  std::vector<Assignment> assignments_;  // by element
};

// A bracket of tet4 has frequencies that are 80 % too high.
void warnOfStiffElements(MeshFile& file) {
  const auto& elements = file.mesh.elements;
  const auto count = std::count_if(elements.begin(), elements.end(), [](const MeshElement& e) {
    return e.shape == ElementShape::kTet4;
  });
  if (count == 0) return;
  file.notes.addWarning(
      {std::make_shared<const std::string>(file.mesh.file)},
      std::to_string(count) + " tetrahedra with 4 nodes: they are far too stiff in bending",
      "mesh with 10 nodes (second order)");
}

}  // namespace

base::Result<MeshFile> makePartMesh(const PartRequest& request) {
  MeshFile file;
  if (request.block) {
    file.mesh = makeBlock(request.block->size, request.block->elements, request.block->shape);
  } else {
    base::Result<MeshFile> read = readMesh(request.mesh, request.unit);
    if (!read) return read.failure();
    file = read.value();
  }
  if (!request.elements.empty()) {
    if (auto failure = keepElements(file.mesh, request.elements)) return *failure;
  }
  if (auto failure = Assigner(request, file.mesh).assign()) return *failure;
  StructuralChoice choice;
  for (const auto& [group, thickness] : request.thickness) choice.shells.insert(group);
  choice.allShells = request.shellThickness.has_value();
  selectStructuralElements(file.mesh, choice);
  warnOfStiffElements(file);
  return file;
}

}  // namespace flexloop::fem
