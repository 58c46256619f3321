#include "fem/assembly/soft_directions.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

namespace flexloop::fem {
namespace {

using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using Vector6d = Eigen::Matrix<double, 6, 1>;
using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

// Stiffness of nothing but rounding: arms of 1e-16 of the coordinates have stiffnesses of 1e-32.
constexpr double kNoStiffness = 1e-24;
// The same where a rotation is compared with others of the same node.
constexpr double kNoRotation = 1e-20;
// Of a direction across the axes, where digits cancel.
constexpr double kCancelled = 1e-12;

// By node group; multiples of the identity cannot be singular and are left out.
std::vector<Block> findDiagonalBlocks(const FreedomMap& map, const linalg::SparseMatrix& K,
                                      double scale) {
  std::vector<Block> blocks(map.nodeGroups());
  for (int group = 0; group < map.nodeGroups(); ++group) {
    if (map.groups.isScalar[group] != 0) continue;
    const int first = map.groups.first[group], size = map.groups.size[group];
    Block& S = blocks[group];
    S.setZero(size, size);
    for (int j = 0; j < size; ++j) {
      const int start = K.outerIndexPtr()[first + j];
      for (int i = j; i < size; ++i) S(i, j) = S(j, i) = K.valuePtr()[start + i - j];
    }
  }
  for (const std::vector<FreedomRow>& rows : map.averaging) {
    for (const FreedomRow& row : rows) {
      for (const FreedomTerm& a : row) {
        for (const FreedomTerm& b : row) {
          const int group = map.groupOf[a.freedom / 6];
          if (a.freedom / 6 != b.freedom / 6 || blocks[group].size() == 0) continue;
          const int first = map.groups.first[group];
          blocks[group](map.unknownOf[a.freedom] - first, map.unknownOf[b.freedom] - first) +=
              scale * a.factor * b.factor;
        }
      }
    }
  }
  return blocks;
}

std::vector<int> freedomsOf(const FreedomMap& map, int group) {
  std::vector<int> freedoms;
  for (int k = 0; k < 6; ++k) {
    const int freedom = 6 * map.nodeOf[group] + k;
    if (map.unknownOf[freedom] >= 0) freedoms.push_back(freedom);
  }
  return freedoms;
}

// The direction across the axes with the least stiffness, if it has none.
void addCancelledDirection(const std::vector<int>& freedoms, const Block& S,
                           std::vector<SoftDirection>& result) {
  const Column scale = S.diagonal().cwiseSqrt();
  const Block normal = scale.cwiseInverse().asDiagonal() * S * scale.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Block> solver(normal);
  if (solver.eigenvalues()[0] > kCancelled) return;
  const Column v = solver.eigenvectors().col(0);
  FreedomRow row;
  FreeMotion motion{freedoms[0] / 6, Vector6d::Zero(), Vector6d::Zero()};
  for (int i = 0; i < v.size(); ++i) {
    if (std::abs(v[i]) <= 1e-9) continue;
    row.push_back({freedoms[i], scale[i] * v[i]});
    motion.row[freedoms[i] % 6] = scale[i] * v[i];
    motion.motion[freedoms[i] % 6] = v[i] / scale[i];
  }
  Eigen::Index largest = 0;
  v.cwiseAbs().maxCoeff(&largest);
  const auto leading = std::find_if(row.begin(), row.end(), [&](const FreedomTerm& term) {
    return term.freedom == freedoms[largest];
  });
  std::iter_swap(row.begin(), leading);
  result.push_back({std::move(row), motion});
}

}  // namespace

std::vector<SoftDirection> findSoftDirections(const FreedomMap& map, const linalg::SparseMatrix& K,
                                              double scale, double size) {
  std::vector<SoftDirection> result;
  const std::vector<Block> blocks = findDiagonalBlocks(map, K, scale);
  for (int group = 0; group < map.nodeGroups(); ++group) {
    const Block& S = blocks[group];
    if (S.size() == 0) continue;
    const std::vector<int> freedoms = freedomsOf(map, group);
    double rotation = 0.0;
    for (int i = 0; i < S.rows(); ++i) {
      if (freedoms[i] % 6 >= 3) rotation = std::max(rotation, S(i, i));
    }
    const std::size_t before = result.size();
    for (int i = 0; i < S.rows(); ++i) {
      const double least = freedoms[i] % 6 < 3 ? kNoStiffness * scale
                                               : std::max(kNoRotation * rotation,
                                                          kNoStiffness * scale * size * size);
      if (!(S(i, i) > least)) {
        const Vector6d axis = Vector6d::Unit(freedoms[i] % 6);
        result.push_back({{{freedoms[i], 1.0}}, {freedoms[i] / 6, axis, axis}});
      }
    }
    if (result.size() == before) addCancelledDirection(freedoms, S, result);
  }
  return result;
}

}  // namespace flexloop::fem
