#include "fem/parts/part_study.hpp"

#include <set>
#include <utility>

#include "fem/assembly/assemble_part.hpp"
#include "fem/assembly/rigid_body.hpp"
#include "fem/modes/part_modes.hpp"
#include "fem/parts/part_mesh.hpp"

namespace flexloop::fem {
namespace {

void countContent(PartStudy& study) {
  const Mesh& mesh = study.mesh;
  std::set<int> used(mesh.elementNodes.begin(), mesh.elementNodes.end());
  study.nodes = static_cast<int>(used.size());
  for (const MeshElement& element : mesh.elements) ++study.elements[nameOf(element.shape)];
  std::set<std::string> sets;
  for (const auto& [name, nodes] : mesh.nodeSets) sets.insert(name);
  for (const auto& [name, elements] : mesh.elementSets) sets.insert(name);
  study.sets.assign(sets.begin(), sets.end());
  study.extent = calcExtent(mesh);
}

base::Result<std::vector<int>> findClamped(const PartStudyRequest& request, const Mesh& mesh) {
  std::set<int> nodes;
  for (const std::string& name : request.clamp) {
    const base::Result<std::vector<int>> set = findSetNodes(mesh, name);
    if (!set) return set.failure();
    nodes.insert(set.value().begin(), set.value().end());
  }
  return std::vector<int>(nodes.begin(), nodes.end());
}

int countFree(const PartSystem& part, const std::vector<int>& held) {
  int count = part.unknowns() - part.multipliers;
  for (const int node : held) {
    for (int c = 0; c < 6; ++c) count -= part.unknownOf[6 * node + c] >= 0 ? 1 : 0;
  }
  return count;
}

std::optional<base::Failure> findFrequencies(const PartStudyRequest& request, PartStudy& study,
                                             const linalg::Progress& progress) {
  const base::Result<std::vector<int>> clamped = findClamped(request, study.mesh);
  if (!clamped) return clamped.failure();
  study.freedoms = countFree(study.system, clamped.value());
  if (request.modes == 0 || !(study.mass > 0.0)) return std::nullopt;
  const auto name = [&mesh = study.mesh](int freedom) {
    return "node " + std::to_string(mesh.nodeIds[freedom / 6]);
  };
  // Rigid motions come in addition.
  base::Result<PartModes> modes =
      findPartModes(study.system, clamped.value(), request.modes, name, progress);
  if (!modes) return modes.failure();
  study.frequenciesHz = modes.value().frequencies;
  return std::nullopt;
}

}  // namespace

base::Result<PartStudy> studyPart(const PartStudyRequest& request,
                                  const linalg::Progress& progress) {
  base::Result<MeshFile> file = makePartMesh(request.part);
  if (!file) return file.failure();
  PartStudy study;
  study.mesh = file.value().mesh;
  study.notes = file.value().notes;
  study.quality = checkQuality(study.mesh);
  study.notes.add(study.quality.messages);
  if (study.quality.messages.hasErrors()) {
    const base::Diagnostic& first = study.quality.messages.errors().front();
    return base::Failure{first.message, first.hint};
  }
  countContent(study);
  base::Result<PartSystem> system = assemblePart(study.mesh);
  if (!system) return system.failure();
  study.system = system.value();
  const MassProperties properties = calcMassProperties(study.system);
  study.mass = properties.mass;
  study.centre = properties.centre;
  study.inertia = properties.inertia;
  study.volume = calcVolume(study.mesh);
  if (!(study.mass > 0.0)) {
    study.notes.addWarning({}, "the part has no mass, so it has no modes",
                           "give its materials a density");
  }
  if (auto failure = findFrequencies(request, study, progress)) return *failure;
  return study;
}

}  // namespace flexloop::fem
