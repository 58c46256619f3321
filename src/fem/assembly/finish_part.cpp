#include "fem/assembly/finish_part.hpp"

#include <algorithm>

#include "base/text_format.hpp"
#include "fem/assembly/soft_directions.hpp"
#include "linalg/solvers/factored_matrix.hpp"

namespace flexloop::fem {
namespace {

using base::Failure;

// A node has at most six such directions, and each round finds at least one of every node that has some.
constexpr int kMostRounds = 7;

// The mean stiffness of a translation, as a power of two.
double findScale(const FreedomMap& map, const linalg::SparseMatrix& K) {
  double sum = 0.0;
  int count = 0;
  for (std::size_t freedom = 0; freedom < map.unknownOf.size(); ++freedom) {
    const int unknown = map.unknownOf[freedom];
    if (freedom % 6 >= 3 || unknown < 0) continue;
    sum += K.valuePtr()[K.outerIndexPtr()[unknown]];
    ++count;
  }
  return count == 0 ? 1.0 : linalg::roundToPower(sum / count);
}

double findSize(const Mesh& mesh) {
  Eigen::Vector3d low = mesh.points[0], high = mesh.points[0];
  for (const Eigen::Vector3d& point : mesh.points) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  return (high - low).norm();
}

// C and its transpose: entries below the diagonal, in the rows of the multipliers, which end each column.
void addMultipliers(const FreedomMap& map, double scale, linalg::SparseMatrix& K) {
  for (std::size_t i = 0; i < map.averaging.size(); ++i) {
    const int first = map.groups.first[map.nodeGroups() + i];
    for (std::size_t r = 0; r < map.averaging[i].size(); ++r) {
      for (const FreedomTerm& term : map.averaging[i][r]) {
        const int column = map.unknownOf[term.freedom], row = first + static_cast<int>(r);
        const int* begin = K.innerIndexPtr() + K.outerIndexPtr()[column];
        const int* end = K.innerIndexPtr() + K.outerIndexPtr()[column + 1];
        K.valuePtr()[std::lower_bound(begin, end, row) - K.innerIndexPtr()] += scale * term.factor;
      }
    }
  }
}

bool hasUnknowns(const FreedomMap& map, int freedom) {
  const FreedomRow row = map.dependence.rowFor(freedom);
  return std::any_of(row.begin(), row.end(),
                     [&](const FreedomTerm& term) { return map.unknownOf[term.freedom] >= 0; });
}

// A mass on a node that nothing holds would be lost, and so would inertia on a node of a solid, which has no rotations.
std::optional<Failure> checkMasses(const Mesh& mesh, const FreedomMap& map,
                                   std::vector<std::string>& warnings) {
  for (const PointMass& mass : mesh.masses) {
    const std::string node = std::to_string(mesh.nodeIds[mass.node]);
    for (int k = 0; k < 3; ++k) {
      if (mass.mass == 0.0 || hasUnknowns(map, 6 * mass.node + k)) continue;
      return Failure{"the mass at node " + node + " is attached to nothing",
                     "connect the node by an element or a rigid spider"};
    }
    const bool turns = mass.inertia.norm() > 0.0 || (mass.mass * mass.offset).norm() > 0.0;
    int rotations = 0;
    for (int k = 3; k < 6; ++k) rotations += hasUnknowns(map, 6 * mass.node + k) ? 1 : 0;
    if (turns && rotations < 3) {
      warnings.push_back("the mass at node " + node +
                         " has an inertia or an offset, but a rotation of the node carries no "
                         "stiffness: attach it by a rigid spider to several nodes");
    }
  }
  return {};
}

}  // namespace

Lists findStars(const FreedomMap& map) {
  Lists stars;
  for (const std::vector<FreedomRow>& rows : map.averaging) {
    std::vector<int> groups;
    for (const FreedomRow& row : rows) {
      for (const FreedomTerm& term : row) groups.push_back(map.groupOf[term.freedom / 6]);
    }
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    stars.items.insert(stars.items.end(), groups.begin(), groups.end());
    stars.close();
  }
  return stars;
}

std::vector<int> findStarCentres(const FreedomMap& map) {
  std::vector<int> centres;
  for (std::size_t i = 0; i < map.averaging.size(); ++i) {
    centres.push_back(map.nodeGroups() + static_cast<int>(i));
  }
  return centres;
}

base::Result<PartSystem> makePart(const Mesh& mesh,
                                  const std::vector<unsigned char>& stiffComponents,
                                  const std::vector<char>& hasScalarMass,
                                  const FillMatrices& fill) {
  std::vector<FreedomRow> held;
  std::vector<FreeMotion> motions;
  for (int round = 0; round < kMostRounds; ++round) {
    const base::Result<FreedomMap> found =
        makeFreedomMap(mesh, stiffComponents, hasScalarMass, held);
    if (!found) return found.failure();
    const FreedomMap& map = found.value();
    PartSystem part;
    if (auto failure = checkMasses(mesh, map, part.warnings)) return *failure;
    if (auto failure = fill(map, part)) return *failure;
    const double scale = findScale(map, part.K);
    const std::vector<SoftDirection> soft = findSoftDirections(map, part.K, scale, findSize(mesh));
    if (soft.empty()) {
      addMultipliers(map, scale, part.K);
      makeTransformation(map, part.T);
      part.multipliers = map.groups.rows - map.independents;
      part.unknownOf = map.unknownOf;
      part.points = mesh.points;
      part.freeMotions = std::move(motions);
      return part;
    }
    for (const SoftDirection& direction : soft) {
      held.push_back(direction.row);
      motions.push_back(direction.motion);
    }
  }
  return base::numericalFailure("the stiffness of single nodes is singular again and again",
                                "look for nodes that nothing holds");
}

}  // namespace flexloop::fem
