#include "fem/parts/obtain_part.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <utility>

#include "fem/assembly/assemble_part.hpp"
#include "fem/assembly/dependent_interfaces.hpp"
#include "fem/assembly/part_fields.hpp"
#include "fem/assembly/prestress.hpp"
#include "fem/mesh/quality/quality.hpp"
#include "fem/mesh/surface.hpp"
#include "fem/parts/given_matrices.hpp"
#include "fem/parts/part_key.hpp"
#include "fem/parts/part_mesh.hpp"
#include "fem/reduction/cache_room.hpp"
#include "fem/reduction/part_cache.hpp"
#include "fem/reduction/recovery.hpp"
#include "fem/reduction/reduce_part.hpp"

namespace flexloop::fem {
namespace {

constexpr std::chrono::minutes kPatience{10};  // with another program that reduces the same part
constexpr std::size_t kMostSurfaceNodes = 50'000;       // drawing more is too slow to be of use
constexpr std::size_t kMostSurfaceNumbers = 4'000'000;  // of all its rows: 16 MB in every result

struct Source {
  Mesh mesh;
  PartSystem system;
  std::vector<PartInterface> interfaces;
  base::Diagnostics notes;

  const Eigen::Vector3d& origin() const { return mesh.points[interfaces.front().node]; }
};

base::Result<Source> makeFromMatrices(const PartRequest& request) {
  base::Result<GivenMatrices> given = readGivenMatrices(*request.matrices, request.unit);
  if (!given) return given.failure();
  Source source;
  source.mesh = given.value().mesh;
  const int nodes = static_cast<int>(source.mesh.points.size());
  auto interfaces =
      addInterfaces(source.mesh, request.interfaces, {.perNode = given.value().freedomsPerNode});
  if (!interfaces) return interfaces.failure();
  source.interfaces = interfaces.value();
  auto system = makePartFromMatrices(source.mesh, nodes, given.value().K, given.value().M);
  if (!system) return system.failure();
  source.system = system.value();
  return source;
}

base::Result<Source> makeFromMesh(const PartRequest& request) {
  base::Result<MeshFile> file = makePartMesh(request);
  if (!file) return file.failure();
  Source source;
  source.mesh = file.value().mesh;
  source.notes = file.value().notes;
  const QualityReport quality = checkQuality(source.mesh);
  if (quality.messages.hasErrors()) {
    const base::Diagnostic& first = quality.messages.errors().front();
    return base::Failure{first.message, first.hint};
  }
  source.notes.add(quality.messages);
  if (auto failure = findFloatingPieces(source.mesh, quality)) return *failure;
  auto interfaces = addInterfaces(source.mesh, request.interfaces);
  if (!interfaces) return interfaces.failure();
  source.interfaces = interfaces.value();
  auto system = assemblePart(source.mesh);
  if (!system) return system.failure();
  source.system = system.value();
  return source;
}

PartReduction makeReduction(const PartRequest& request, const Source& source, bool compares,
                            const ReductionPieces& pieces) {
  PartReduction reduction;
  reduction.pieces = pieces;
  ReductionOptions& options = reduction.options;
  options.method = request.method;
  if (request.modes) options.modes = *request.modes;
  options.upTo = request.upTo;
  options.accuracy = request.accuracy;
  options.damping = request.damping;
  options.stiffening = request.hasStiffening;
  options.foreshortening = request.hasForeshortening;
  if (!compares) options.compared = 0;
  for (std::size_t i = 0; i < request.interfaces.size(); ++i) {
    const auto& held = request.held;
    if (std::find(held.begin(), held.end(), request.interfaces[i].name) != held.end()) {
      options.held.push_back(static_cast<int>(i));
    }
  }
  reduction.factors.threads = 0;
  reduction.geometricStiffness = [&mesh = source.mesh](const StressState& state) {
    return assemblePrestress(mesh, state);
  };
  reduction.name = [&mesh = source.mesh](int freedom) {
    constexpr const char* kNames[6] = {"x", "y", "z", "rx", "ry", "rz"};
    return "node " + std::to_string(mesh.nodeIds[freedom / 6]) + " " + kNames[freedom % 6];
  };
  return reduction;
}

// Numbers of nodes, or names of sets.
base::Result<std::vector<int>> findRecovered(const PartRequest& request, const Mesh& mesh) {
  std::set<int> nodes;
  for (const std::string& word : request.recover) {
    std::int64_t id = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (status == std::errc() && end == word.data() + word.size()) {
      const auto found = std::find(mesh.nodeIds.begin(), mesh.nodeIds.end(), id);
      if (found == mesh.nodeIds.end()) {
        return base::Failure{mesh.file + ": there is no node " + word + ", which 'recover' names"};
      }
      nodes.insert(static_cast<int>(found - mesh.nodeIds.begin()));
      continue;
    }
    const base::Result<std::vector<int>> set = findSetNodes(mesh, word);
    if (!set) return set.failure();
    nodes.insert(set.value().begin(), set.value().end());
  }
  return std::vector<int>(nodes.begin(), nodes.end());
}

Eigen::MatrixXd translationsOf(const Eigen::MatrixXd& rows) {
  Eigen::MatrixXd three(rows.rows() / 2, rows.cols());
  for (Eigen::Index n = 0; n < rows.rows() / 6; ++n) {
    three.middleRows(3 * n, 3) = rows.middleRows(6 * n, 3);
  }
  return three;
}

bool hasShells(const Mesh& mesh) {
  return std::any_of(mesh.elements.begin(), mesh.elements.end(),
                     [](const MeshElement& element) { return isShell(element.shape); });
}

// On the top, and where there are shells on the bottom too.
template <class Rows>
std::optional<base::Failure> recoverStresses(const Source& source, const Eigen::MatrixXd& Phi,
                                             const std::vector<int>& nodes, Rows& top,
                                             Rows& bottom) {
  const auto calc = [&](ShellSide side, Rows& rows) -> std::optional<base::Failure> {
    const auto stress = makeStressRows(source.mesh, source.system, Phi, nodes, side);
    if (!stress) return stress.failure();
    rows = stress.value().template cast<typename Rows::Scalar>();
    return std::nullopt;
  };
  if (source.mesh.elements.empty() || nodes.empty()) return std::nullopt;
  if (auto failure = calc(ShellSide::kTop, top)) return failure;
  return hasShells(source.mesh) ? calc(ShellSide::kBottom, bottom) : std::nullopt;
}

std::optional<base::Failure> recover(const PartRequest& request, const Source& source,
                                     const Eigen::MatrixXd& Phi,
                                     mechanics::RecoveredNodes& recovered) {
  const base::Result<std::vector<int>> nodes = findRecovered(request, source.mesh);
  if (!nodes) return nodes.failure();
  for (const int node : nodes.value()) {
    recovered.ids.push_back(source.mesh.nodeIds[node]);
    recovered.points.push_back(source.mesh.points[node] - source.origin());
  }
  recovered.displacement = translationsOf(makeDisplacementRows(source.system, Phi, nodes.value()));
  return recoverStresses(source, Phi, nodes.value(), recovered.stress, recovered.stressBelow);
}

// Thinned out where it has more points than can be drawn or kept.
SurfaceMesh chooseSurface(const Mesh& mesh, SurfaceMesh whole, std::size_t coordinates) {
  constexpr std::size_t kSolidRows = 9, kShellRows = 15;
  const std::size_t rows = hasShells(mesh) ? kShellRows : kSolidRows;
  const std::size_t most = std::min(
      kMostSurfaceNodes, kMostSurfaceNumbers / (rows * std::max<std::size_t>(1, coordinates)));
  return thinOut(std::move(whole), mesh, most);
}

std::optional<base::Failure> drawSurface(const Source& source, const Eigen::MatrixXd& Phi,
                                         mechanics::PartSurface& surface) {
  SurfaceMesh whole = makeSurface(source.mesh);
  surface.allPoints = static_cast<int>(whole.nodes.size());
  const SurfaceMesh mesh =
      chooseSurface(source.mesh, std::move(whole), static_cast<std::size_t>(Phi.cols()));
  std::vector<int> place(source.mesh.points.size(), -1);
  for (const int node : mesh.nodes) {
    place[node] = static_cast<int>(surface.points.size());
    surface.points.push_back(source.mesh.points[node] - source.origin());
  }
  for (const auto& t : mesh.triangles) {
    surface.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
  }
  surface.displacement = makeSurfaceRows(source.system, Phi, mesh.nodes);
  return recoverStresses(source, Phi, mesh.nodes, surface.stress, surface.stressBelow);
}

base::Result<StoredPart> computePart(const PartRequest& request, bool compares,
                                     const ReductionPieces& pieces,
                                     const linalg::Progress& progress) {
  base::Result<Source> made = request.matrices ? makeFromMatrices(request) : makeFromMesh(request);
  if (!made) return made.failure();
  const Source& source = made.value();
  if (auto failure = checkInterfaces(source.system, source.interfaces)) return *failure;
  if (auto failure = findDependentInterfaces(source.system, source.interfaces)) return *failure;
  base::Result<ReducedPart> reduced = reducePart(
      source.system, source.interfaces, makeReduction(request, source, compares, pieces), progress);
  if (!reduced) return reduced.failure();
  StoredPart part;
  part.warnings = source.notes.toText();
  part.model = reduced.value().model;
  part.report = reduced.value().report;
  part.request = findRequestKey(request);
  const Eigen::MatrixXd& Phi = reduced.value().Phi;
  if (auto failure = drawSurface(source, Phi, part.recovery.surface)) return *failure;
  if (auto failure = recover(request, source, Phi, part.recovery.nodes)) return *failure;
  return part;
}

// In the cache, where it can be had later without being computed again.
std::optional<StoredPart> findInCache(const PartCache& cache, const std::string& key) {
  std::optional<StoredPart> stored = cache.find(key);
  if (stored) stored->recovery.file = cache.fileFor(key);
  return stored;
}

// Not without end, and false where it was stopped.
bool waitFor(const files::FileLock& lock, const linalg::Progress& progress) {
  constexpr std::chrono::milliseconds kPause{100};
  for (std::chrono::milliseconds waited{0}; waited < kPatience; waited += kPause) {
    if (lock.lock(kPause)) return true;
    if (progress && !progress(0.0, "waiting for another program")) return false;
  }
  return true;
}

}  // namespace

base::Result<StoredPart> obtainPart(const PartRequest& request, bool compares,
                                    const linalg::Progress& progress) {
  if (!request.reduced.empty()) return readReducedPart(request.reduced);
  const PartCache cache;
  const std::string key = findPartKey(request, compares);
  if (key.empty() || cache.folder().empty()) return computePart(request, compares, {}, progress);
  if (const auto size = findCacheSize(); !size) return size.failure();
  if (std::optional<StoredPart> stored = findInCache(cache, key)) return *stored;
  // What `reduce` has compared with the full part is what a machine needs, too.
  if (!compares) {
    if (auto stored = findInCache(cache, findPartKey(request, true))) return *stored;
  }
  // Another program may be at it already.
  const files::FileLock lock = cache.lockFor(key);
  if (!waitFor(lock, progress)) {
    return base::Failure{"the reduction was interrupted", {}, base::FailureKind::kOther};
  }
  if (std::optional<StoredPart> stored = findInCache(cache, key)) return *stored;
  const ReductionPieces pieces(cache.fileFor(key), key);
  base::Result<StoredPart> part = computePart(request, compares, pieces, progress);
  if (!part) return part;
  StoredPart stored = part.value();
  stored.key = key;
  if (cache.keep(stored)) stored.recovery.file = cache.fileFor(key);
  pieces.remove();
  return stored;
}

}  // namespace flexloop::fem
