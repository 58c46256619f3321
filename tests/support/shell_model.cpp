#include "support/shell_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>

#include <Eigen/SparseCholesky>

#include "linalg/dense/eigenvalues.hpp"

namespace flexloop::test {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using fem::ElementShape;

bool isQuadratic(ElementShape shape) {
  return shape == ElementShape::kQuad8 || shape == ElementShape::kTri6;
}
bool isTriangle(ElementShape shape) {
  return shape == ElementShape::kTri3 || shape == ElementShape::kTri6;
}

using ElementMatrix =
    std::function<fem::ElementFault(int element, const fem::ElementGeometry&, Eigen::MatrixXd&)>;

Sparse assemble(const ShellModel& model, const ElementMatrix& calc) {
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<Eigen::Vector3d> storage;
  Eigen::MatrixXd A;
  const int n = model.nodesPerElement();
  for (int e = 0; e < model.elements(); ++e) {
    if (calc(e, model.geometry(e, storage), A) != fem::ElementFault::kNone) {
      throw std::runtime_error("bad element");
    }
    const int* nodes = model.elementNodes.data() + e * n;
    for (int j = 0; j < 6 * n; ++j) {
      for (int i = 0; i < 6 * n; ++i) {
        entries.emplace_back(6 * nodes[i / 6] + i % 6, 6 * nodes[j / 6] + j % 6, A(i, j));
      }
    }
  }
  const auto size = static_cast<Eigen::Index>(6 * model.points.size());
  Sparse matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Restriction to the free freedoms.
Sparse freeColumns(const ShellModel& model) {
  std::vector<Eigen::Triplet<double>> entries;
  int column = 0;
  for (int i = 0; i < static_cast<int>(model.held.size()); ++i) {
    if (model.held[static_cast<std::size_t>(i)] == 0) {
      entries.emplace_back(i, column++, 1.0);
    }
  }
  Sparse columns(static_cast<Eigen::Index>(model.held.size()), column);
  columns.setFromTriplets(entries.begin(), entries.end());
  return columns;
}

}  // namespace

fem::ElementGeometry ShellModel::geometry(int element,
                                          std::vector<Eigen::Vector3d>& storage) const {
  storage.clear();
  for (int i = 0; i < nodesPerElement(); ++i) {
    const int node = elementNodes[static_cast<std::size_t>(element * nodesPerElement() + i)];
    storage.push_back(points[static_cast<std::size_t>(node)]);
  }
  fem::ElementGeometry result;
  result.shape = shape;
  result.points = storage.data();
  result.material = &material;
  result.property = &property;
  return result;
}

void ShellModel::hold(const std::function<bool(const Eigen::Vector3d&)>& where,
                      unsigned components) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!where(points[i])) {
      continue;
    }
    for (unsigned c = 0; c < 6; ++c) {
      if ((components >> c & 1U) != 0) {
        held[6 * i + c] = 1;
      }
    }
  }
}

int ShellModel::nodeAt(const Eigen::Vector3d& place) const {
  const auto nearer = [&](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    return (a - place).squaredNorm() < (b - place).squaredNorm();
  };
  return static_cast<int>(std::min_element(points.begin(), points.end(), nearer) - points.begin());
}

void ShellModel::addForce(const Eigen::Vector3d& place, int component, double value) {
  force[6 * nodeAt(place) + component] += value;
}

void ShellModel::addAreaForce(const Eigen::Vector3d& perArea) {
  ShellModel unit = *this;
  unit.material.rho = 0;
  unit.property.massPerArea = 1;
  Eigen::VectorXd field = Eigen::VectorXd::Zero(force.size());
  for (Eigen::Index i = 0; i < field.size(); i += 6) {
    field.segment<3>(i) = perArea;
  }
  force += unit.mass() * field;
}

void ShellModel::addEdgeForce(const std::function<bool(const Eigen::Vector3d&)>& where,
                              const Eigen::Vector3d& total) {
  const int corners = isTriangle(shape) ? 3 : 4, n = nodesPerElement();
  struct Edge {
    int a, b, middle;
    double length;
  };
  std::vector<Edge> edges;
  double sum = 0;
  for (int e = 0; e < elements(); ++e) {
    const int* nodes = elementNodes.data() + e * n;
    for (int k = 0; k < corners; ++k) {
      const int a = nodes[k], b = nodes[(k + 1) % corners];
      const auto &pa = points[static_cast<std::size_t>(a)],
                 &pb = points[static_cast<std::size_t>(b)];
      if (where(pa) && where(pb)) {
        edges.push_back({a, b, isQuadratic(shape) ? nodes[corners + k] : -1, (pa - pb).norm()});
        sum += edges.back().length;
      }
    }
  }
  for (const auto& [a, b, middle, length] : edges) {
    const double share = length / sum, end = middle < 0 ? share / 2 : share / 6;
    force.segment<3>(6 * a) += end * total;
    force.segment<3>(6 * b) += end * total;
    if (middle >= 0) {
      force.segment<3>(6 * middle) += 2. / 3 * share * total;
    }
  }
}

Sparse ShellModel::stiffness() const {
  Eigen::MatrixXd M;
  return assemble(*this, [&M](int, const fem::ElementGeometry& geometry, Eigen::MatrixXd& K) {
    return fem::calcShellMatrices(geometry, K, M);
  });
}

Sparse ShellModel::mass() const {
  Eigen::MatrixXd K;
  return assemble(*this, [&K](int, const fem::ElementGeometry& geometry, Eigen::MatrixXd& M) {
    return fem::calcShellMatrices(geometry, K, M);
  });
}

Sparse ShellModel::geometricStiffness(const Eigen::VectorXd& displacement) const {
  const int n = nodesPerElement();
  Eigen::VectorXd own(6 * n);
  return assemble(*this, [&](int e, const fem::ElementGeometry& geometry, Eigen::MatrixXd& Kg) {
    for (int i = 0; i < n; ++i) {
      own.segment<6>(6 * i) =
          displacement.segment<6>(6 * elementNodes[static_cast<std::size_t>(e * n + i)]);
    }
    return fem::calcShellGeometricStiffness(geometry, own, 0, Kg);
  });
}

double ShellModel::bucklingFactor(const Eigen::VectorXd& displacement) const {
  const Sparse Z = freeColumns(*this);
  const Sparse K = Z.transpose() * stiffness() * Z;
  const Sparse Kg = Z.transpose() * geometricStiffness(displacement) * Z;
  Eigen::SimplicialLDLT<Sparse> solver(K);
  Eigen::VectorXd x(K.rows());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    x[i] = std::sin(1.0 + 12.9898 * static_cast<double>(i + 1));
  }
  double factor = 0;
  for (int round = 0; round < 500; ++round) {
    x = solver.solve(Eigen::VectorXd(-(Kg * x)));
    const double next = x.dot(K * x) / -x.dot(Kg * x);
    const bool isDone = std::abs(next - factor) < 1e-10 * std::abs(next);
    factor = next;
    x.normalize();
    if (isDone) {
      break;
    }
  }
  return factor;
}

Eigen::VectorXd ShellModel::solve() const {
  const Sparse Z = freeColumns(*this);
  const Sparse K = Z.transpose() * stiffness() * Z;
  Eigen::SimplicialLDLT<Sparse> solver(K);
  return Z * solver.solve(Eigen::VectorXd(Z.transpose() * force));
}

double ShellModel::displacement(const Eigen::VectorXd& solution, const Eigen::Vector3d& place,
                                int component) const {
  return solution[6 * nodeAt(place) + component];
}

std::vector<double> ShellModel::frequencies(int count, double shift) const {
  const Sparse Z = freeColumns(*this);
  const Sparse K = Z.transpose() * stiffness() * Z, M = Z.transpose() * mass() * Z;
  const double sigma = std::pow(2 * std::numbers::pi * shift, 2);
  const Sparse shifted = K + sigma * M;
  Eigen::SimplicialLDLT<Sparse> solver(shifted);
  const int size = std::min<int>(2 * count + 8, static_cast<int>(K.rows()));
  // Fixed numbers that no mode is orthogonal to; random ones would differ from run to run.
  Eigen::MatrixXd X(K.rows(), size);
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      X(i, j) = std::sin(1.0 + 12.9898 * static_cast<double>(i + 1) * static_cast<double>(j + 1));
    }
  }
  Eigen::VectorXd values = Eigen::VectorXd::Zero(count);
  for (int round = 0; round < 60; ++round) {
    X = solver.solve(Eigen::MatrixXd(M * X));
    // Orthonormal in the shifted stiffness, so that the eigenvalues of (K + σM)⁻¹ M, 1 / (ω² + σ), are those of Xᵀ M X.
    const Eigen::MatrixXd A = X.transpose() * (shifted * X);
    const Eigen::VectorXd scale = A.diagonal().cwiseSqrt().cwiseInverse();
    const auto basis =
        linalg::findSymmetricEigensystem(scale.asDiagonal() * A * scale.asDiagonal()).value();
    X = X * scale.asDiagonal() * basis.vectors *
        basis.values.cwiseSqrt().cwiseInverse().asDiagonal();
    const auto eigen = linalg::findSymmetricEigensystem(X.transpose() * (M * X)).value();
    X = X * eigen.vectors;
    const Eigen::VectorXd now = eigen.values.reverse().head(count);
    const bool isDone = (now - values).cwiseAbs().maxCoeff() < 1e-9 * now.maxCoeff() &&
                        ((now - values).array() / now.array()).abs().maxCoeff() < 1e-8;
    values = now;
    if (isDone) {
      break;
    }
  }
  std::vector<double> result;
  for (const double value : values) {
    const double square = std::max(1 / value - sigma, 0.0);
    result.push_back(std::sqrt(square) / (2 * std::numbers::pi));
  }
  return result;
}

ShellModel makeShellGrid(ElementShape shape, int m, int n, const SurfaceMap& map) {
  ShellModel model;
  model.shape = shape;
  addGrid(model, m, n, map);
  return model;
}

void addGrid(ShellModel& model, int m, int n, const SurfaceMap& map) {
  const int steps = isQuadratic(model.shape) ? 2 : 1;
  std::map<std::pair<int, int>, int> numbers;
  double size = 0;
  const std::size_t before = model.points.size();
  for (std::size_t i = 1; i < before; ++i) {
    size = std::max(size, (model.points[i] - model.points[0]).norm());
  }
  const auto node = [&](int i, int j) {
    if (const auto found = numbers.find({i, j}); found != numbers.end()) {
      return found->second;
    }
    const Eigen::Vector3d place =
        map(static_cast<double>(i) / (steps * m), static_cast<double>(j) / (steps * n));
    int number = static_cast<int>(model.points.size());
    for (std::size_t k = 0; k < before; ++k) {
      if ((model.points[k] - place).norm() < 1e-9 * size) {
        number = static_cast<int>(k);
      }
    }
    if (number == static_cast<int>(model.points.size())) {
      model.points.push_back(place);
    }
    numbers[{i, j}] = number;
    return number;
  };
  const auto add = [&](std::initializer_list<int> nodes) {
    model.elementNodes.insert(model.elementNodes.end(), nodes);
  };
  for (int b = 0; b < n; ++b) {
    for (int a = 0; a < m; ++a) {
      const int i = steps * a, j = steps * b, k = i + steps, l = j + steps;
      switch (model.shape) {
        case ElementShape::kQuad4:
          add({node(i, j), node(k, j), node(k, l), node(i, l)});
          break;
        case ElementShape::kQuad8:
          add({node(i, j), node(k, j), node(k, l), node(i, l), node(i + 1, j), node(k, j + 1),
               node(i + 1, l), node(i, j + 1)});
          break;
        case ElementShape::kTri3:
          add({node(i, j), node(k, j), node(k, l)});
          add({node(i, j), node(k, l), node(i, l)});
          break;
        default:
          add({node(i, j), node(k, j), node(k, l), node(i + 1, j), node(k, j + 1),
               node(i + 1, j + 1)});
          add({node(i, j), node(k, l), node(i, l), node(i + 1, j + 1), node(i + 1, l),
               node(i, j + 1)});
      }
    }
  }
  model.held.resize(6 * model.points.size(), 0);
  model.force = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(6 * model.points.size()));
}

}  // namespace flexloop::test
