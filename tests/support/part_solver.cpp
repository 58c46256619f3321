#include "support/part_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "math/quadrature.hpp"

namespace flexloop::test {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using linalg::SparseMatrix;

// Rows and columns of a lower triangle that are kept, as a full symmetric matrix.
SparseMatrix keep(const SparseMatrix& lower, const std::vector<int>& place, int size) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < lower.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(lower, j); entry; ++entry) {
      const int row = place[entry.row()], column = place[j];
      if (row < 0 || column < 0) continue;
      entries.emplace_back(row, column, entry.value());
      if (row != column) entries.emplace_back(column, row, entry.value());
    }
  }
  SparseMatrix result(size, size);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

struct Ritz {
  VectorXd values;
  MatrixXd vectors;
};

// K x = λ M x
Ritz solvePencil(const MatrixXd& K, const MatrixXd& M) {
  const Eigen::LLT<MatrixXd> factors(M);
  const MatrixXd half = factors.matrixL().solve(K);
  const MatrixXd A = factors.matrixL().solve(half.transpose());
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(0.5 * (A + A.transpose()));
  return {solver.eigenvalues(), factors.matrixU().solve(solver.eigenvectors())};
}

// Corners of the faces of the shapes, and of quadratic ones their middle nodes in the same order.
std::vector<std::vector<int>> facesOf(fem::ElementShape shape) {
  using fem::ElementShape;
  switch (shape) {
    case ElementShape::kHex8:
      return {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    case ElementShape::kHex20:
      return {{0, 1, 2, 3, 8, 9, 10, 11},   {4, 5, 6, 7, 12, 13, 14, 15},
              {0, 1, 5, 4, 8, 17, 12, 16},  {1, 2, 6, 5, 9, 18, 13, 17},
              {2, 3, 7, 6, 10, 19, 14, 18}, {3, 0, 4, 7, 11, 16, 15, 19}};
    case ElementShape::kTet4:
      return {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}};
    case ElementShape::kTet10:
      return {{0, 1, 2, 4, 5, 6}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {0, 2, 3, 6, 9, 7}};
    case ElementShape::kWedge6:
      return {{0, 1, 2}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
    case ElementShape::kWedge15:
      return {{0, 1, 2, 6, 7, 8},
              {3, 4, 5, 9, 10, 11},
              {0, 1, 4, 3, 6, 13, 9, 12},
              {1, 2, 5, 4, 7, 14, 10, 13},
              {2, 0, 3, 5, 8, 12, 11, 14}};
    default:
      return {{0, 1, 2, 3}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  }
}

struct FaceValues {
  std::vector<double> N, dr, ds;
};

// Triangles as collapsed squares: (r, s) in [−1, 1]² with barycentric coordinates from them.
FaceValues calcFace(int nodes, double r, double s) {
  FaceValues result;
  const auto evaluate = [&](double x, double y) {
    std::vector<double> N(nodes);
    if (nodes == 4 || nodes == 8) {
      constexpr double c[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
      for (int i = 0; i < 4; ++i) N[i] = 0.25 * (1 + c[i][0] * x) * (1 + c[i][1] * y);
      if (nodes == 8) {
        for (int i = 0; i < 4; ++i) N[i] *= c[i][0] * x + c[i][1] * y - 1.0;
        N[4] = 0.5 * (1 - x * x) * (1 - y), N[5] = 0.5 * (1 - y * y) * (1 + x);
        N[6] = 0.5 * (1 - x * x) * (1 + y), N[7] = 0.5 * (1 - y * y) * (1 - x);
      }
      return N;
    }
    const double L2 = 0.25 * (1 + x) * (1 - y), L3 = 0.5 * (1 + y), L1 = 1 - L2 - L3;
    const double L[3] = {L1, L2, L3};
    for (int i = 0; i < 3; ++i) {
      N[i] = nodes == 3 ? L[i] : L[i] * (2 * L[i] - 1);
      if (nodes == 6) N[3 + i] = 4 * L[i] * L[(i + 1) % 3];
    }
    return N;
  };
  result.N = evaluate(r, s);
  // Polynomials of low degree: central differences with a step of one half are combined to be exact to degree four.
  const auto slope = [&](int k, int i) {
    const auto difference = [&](double h) {
      const double dx = k == 0 ? h : 0.0, dy = k == 1 ? h : 0.0;
      return (evaluate(r + dx, s + dy)[i] - evaluate(r - dx, s - dy)[i]) / (2 * h);
    };
    return (4 * difference(0.25) - difference(0.5)) / 3;
  };
  for (int i = 0; i < nodes; ++i) {
    result.dr.push_back(slope(0, i));
    result.ds.push_back(slope(1, i));
  }
  return result;
}

}  // namespace

PartSolver::PartSolver(const fem::PartSystem& part, const std::vector<int>& held, double shift)
    : part_(part), shift_(shift) {
  std::vector<char> isHeld(part.unknowns(), 0);
  for (const int freedom : held) {
    if (part.unknownOf[freedom] >= 0) isHeld[part.unknownOf[freedom]] = 1;
  }
  std::vector<int> place(part.unknowns(), -1);
  for (int i = 0; i < part.unknowns(); ++i) {
    if (isHeld[i] != 0) continue;
    place[i] = static_cast<int>(kept_.size());
    kept_.push_back(i);
  }
  const auto size = static_cast<int>(kept_.size());
  K_ = keep(part.K, place, size);
  M_ = keep(part.M, place, size);
  const SparseMatrix shifted = K_ - shift * M_;
  solver_ = linalg::makeSparseSolver(shifted);
  if (!solver_->factorize(shifted).ok) throw std::runtime_error("K is singular");
}

MatrixXd PartSolver::solveUnknowns(MatrixXd right) {
  for (int j = 0; j < right.cols(); ++j) solver_->solve(right.col(j));
  return right;
}

VectorXd PartSolver::solve(const VectorXd& forces) {
  const VectorXd f = part_.T.transpose() * forces;
  VectorXd kept(kept_.size());
  for (std::size_t i = 0; i < kept_.size(); ++i) kept[i] = f[kept_[i]];
  kept = solveUnknowns(kept);
  VectorXd u = VectorXd::Zero(part_.unknowns());
  for (std::size_t i = 0; i < kept_.size(); ++i) u[kept_[i]] = kept[i];
  return part_.T * u;
}

std::vector<double> PartSolver::findFrequencies(int count) {
  const auto size = static_cast<Eigen::Index>(kept_.size());
  const Eigen::Index block = std::min<Eigen::Index>(2 * count + 8, size - part_.multipliers);
  MatrixXd X(size, block);
  std::uint64_t seed = 1;
  for (Eigen::Index j = 0; j < block; ++j) {
    for (Eigen::Index i = 0; i < size; ++i) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      X(i, j) = static_cast<double>(seed >> 40) / static_cast<double>(1U << 24) - 0.5;
    }
  }
  VectorXd values = VectorXd::Constant(block, -1.0);
  for (int round = 0; round < 200; ++round) {
    X = solveUnknowns(M_ * X);
    for (Eigen::Index j = 0; j < block; ++j) X.col(j) /= std::sqrt(X.col(j).dot(M_ * X.col(j)));
    const Ritz ritz = solvePencil(X.transpose() * (K_ * X), X.transpose() * (M_ * X));
    X = X * ritz.vectors;
    const double change = (ritz.values - values).head(count).cwiseAbs().maxCoeff();
    values = ritz.values;
    if (change < 1e-12 * values.head(count).cwiseAbs().maxCoeff()) break;
  }
  std::vector<double> result;
  for (int i = 0; i < count; ++i) {
    result.push_back(std::copysign(std::sqrt(std::abs(values[i])), values[i]) / (2 * M_PI));
  }
  return result;
}

std::vector<int> holdNodes(const std::vector<int>& nodes, unsigned components) {
  std::vector<int> freedoms;
  for (const int node : nodes) {
    for (int k = 0; k < 6; ++k) {
      if ((components >> k & 1U) != 0) freedoms.push_back(6 * node + k);
    }
  }
  return freedoms;
}

VectorXd findPencilEigenvalues(const MatrixXd& K, const MatrixXd& M) {
  return solvePencil(K, M).values;
}

VectorXd findSymmetricEigenvalues(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

VectorXd calcTraction(const fem::Mesh& mesh, const std::vector<int>& nodes,
                      const Vector3d& traction) {
  VectorXd forces = VectorXd::Zero(6 * static_cast<Eigen::Index>(mesh.points.size()));
  constexpr math::Quadrature<4> gauss = math::gaussPoints<4>();
  for (const fem::MeshElement& element : mesh.elements) {
    for (const std::vector<int>& face : facesOf(element.shape)) {
      std::vector<int> members;
      for (const int i : face) members.push_back(mesh.nodesOf(element)[i]);
      if (!std::all_of(members.begin(), members.end(), [&](int node) {
            return std::binary_search(nodes.begin(), nodes.end(), node);
          })) {
        continue;
      }
      for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
          const FaceValues values =
              calcFace(static_cast<int>(face.size()), gauss.points[a], gauss.points[b]);
          Vector3d r = Vector3d::Zero(), s = Vector3d::Zero();
          for (std::size_t i = 0; i < members.size(); ++i) {
            r += values.dr[i] * mesh.points[members[i]];
            s += values.ds[i] * mesh.points[members[i]];
          }
          const double area = r.cross(s).norm() * gauss.weights[a] * gauss.weights[b];
          for (std::size_t i = 0; i < members.size(); ++i) {
            forces.segment<3>(6 * members[i]) += area * values.N[i] * traction;
          }
        }
      }
    }
  }
  return forces;
}

}  // namespace flexloop::test
