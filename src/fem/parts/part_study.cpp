#include "fem/parts/part_study.hpp"

#include <cmath>
#include <set>
#include <utility>

#include "fem/assembly/assemble_part.hpp"
#include "fem/assembly/held_nodes.hpp"
#include "fem/assembly/rigid_body.hpp"
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

base::Failure explain(const linalg::LowestModes& modes, const PartSystem& part, const Mesh& mesh) {
  if (modes.failure) return *modes.failure;
  std::string where;
  for (std::size_t i = 0; i < part.unknownOf.size() && modes.unknown >= 0; ++i) {
    if (part.unknownOf[i] != modes.unknown) continue;
    where = " at node " + std::to_string(mesh.nodeIds[i / 6]);
  }
  switch (modes.status) {
    case linalg::ModesStatus::kStopped:
      return {"stopped before the modes were found", {}, base::FailureKind::kNumerics};
    case linalg::ModesStatus::kIndefinite:
      return base::numericalFailure("the stiffness is not positive" + where,
                                    "a tangled element or a wrong equation is the usual reason");
    case linalg::ModesStatus::kSingular:
      return base::numericalFailure("there is neither stiffness nor mass" + where);
    default:
      return base::numericalFailure("the modes did not converge");
  }
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

std::optional<base::Failure> findFrequencies(const PartStudyRequest& request, PartStudy& study,
                                             const linalg::Progress& progress) {
  const base::Result<std::vector<int>> clamped = findClamped(request, study.mesh);
  if (!clamped) return clamped.failure();
  const HeldResult held = holdNodes(study.system, clamped.value());
  if (held.follower >= 0) {
    return base::Failure{"node " + std::to_string(study.mesh.nodeIds[held.follower]) +
                             " cannot be clamped: it follows a spider or an equation",
                         "clamp the reference node instead"};
  }
  const HeldSystem& system = held.system;
  study.freedoms = static_cast<int>(system.K.rows()) - system.multipliers;
  if (request.modes == 0 || !(study.mass > 0.0)) return std::nullopt;
  // Rigid motions come in addition; how many there are is known when they are found.
  linalg::ModeRequest wanted;
  wanted.count = std::min(request.modes + (clamped.value().empty() ? 6 : 0), study.freedoms);
  linalg::LowestModes modes =
      linalg::findLowestModes(system.K, system.M, system.multipliers, wanted, progress);
  const int missing = request.modes + modes.zeros - wanted.count;
  if (modes.status == linalg::ModesStatus::kFound && missing > 0) {
    wanted.count = std::min(wanted.count + missing, study.freedoms);
    modes = linalg::findLowestModes(system.K, system.M, system.multipliers, wanted, progress);
  }
  if (modes.status != linalg::ModesStatus::kFound) return explain(modes, study.system, study.mesh);
  for (Eigen::Index i = 0; i < modes.values.size(); ++i) {
    study.frequenciesHz.push_back(std::sqrt(std::max(modes.values[i], 0.0)) / (2.0 * M_PI));
  }
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
