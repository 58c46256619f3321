#include "fem/matrices/part_matrices_file.hpp"

#include <filesystem>
#include <vector>

#include "base/text_format.hpp"
#include "fem/matrices/matrix_market.hpp"
#include "files/hdf5_file.hpp"
#include "files/mat_file.hpp"
#include "files/output_file.hpp"
#include "files/staged_file.hpp"

namespace flexloop::fem {
namespace {

using linalg::SparseMatrix;

struct OrderedRows {
  std::vector<int> nodes;         // that have rows
  std::vector<std::string> dofs;  // of each, as in node_table.hpp
  std::vector<int> rowOf;         // by unknown
};

OrderedRows orderRows(const PartSystem& part) {
  constexpr char kLetters[] = "xyzabc";
  OrderedRows rows;
  rows.rowOf.assign(part.unknowns(), -1);
  int row = 0;
  for (std::size_t n = 0; n < part.points.size(); ++n) {
    std::string dofs;
    for (int c = 0; c < 6; ++c) {
      const int unknown = part.unknownOf[6 * n + c];
      if (unknown < 0) continue;
      rows.rowOf[unknown] = row++;
      dofs += kLetters[c];
    }
    if (dofs.empty()) continue;
    rows.nodes.push_back(static_cast<int>(n));
    rows.dofs.push_back(dofs);
  }
  return rows;
}

SparseMatrix orderLower(const SparseMatrix& lower, const std::vector<int>& rowOf) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(lower.nonZeros());
  for (int j = 0; j < lower.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(lower, j); entry; ++entry) {
      const int a = rowOf[entry.row()], b = rowOf[j];
      entries.emplace_back(std::max(a, b), std::min(a, b), entry.value());
    }
  }
  SparseMatrix ordered(lower.rows(), lower.cols());
  ordered.setFromTriplets(entries.begin(), entries.end());
  return ordered;
}

// Rows [row column value], counted from 1.
Eigen::MatrixXd tripletsOf(const SparseMatrix& matrix) {
  Eigen::MatrixXd rows(matrix.nonZeros(), 3);
  Eigen::Index i = 0;
  for (int j = 0; j < matrix.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(matrix, j); entry; ++entry) {
      rows.row(i++) << entry.row() + 1.0, j + 1.0, entry.value();
    }
  }
  return rows;
}

Eigen::MatrixXd nodesOf(const Mesh& mesh, const OrderedRows& rows) {
  Eigen::MatrixXd nodes(rows.nodes.size(), 4);
  for (std::size_t i = 0; i < rows.nodes.size(); ++i) {
    const int n = rows.nodes[i];
    nodes.row(static_cast<Eigen::Index>(i)) << static_cast<double>(mesh.nodeIds[n]),
        mesh.points[n].transpose();
  }
  return nodes;
}

void addTable(files::Hdf5File& file, const char* name, const Eigen::MatrixXd& matrix) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = matrix;
  auto table = file.addTable(name, {static_cast<std::size_t>(rows.cols())}, 4096);
  table.append(rows.data(), static_cast<std::size_t>(rows.rows()));
}

std::string formatNodes(const Mesh& mesh, const OrderedRows& rows) {
  std::vector<std::string> setsOf(mesh.points.size());
  for (const auto& [name, nodes] : mesh.nodeSets) {
    if (name.find_first_of(" ,;") != std::string::npos) continue;  // would be read as several
    for (const int node : nodes) setsOf[node] += (setsOf[node].empty() ? "" : " ") + name;
  }
  std::string text = "node,x,y,z,dofs,sets\n";
  for (std::size_t i = 0; i < rows.nodes.size(); ++i) {
    const Eigen::Vector3d& p = mesh.points[rows.nodes[i]];
    text += std::to_string(mesh.nodeIds[rows.nodes[i]]);
    for (int a = 0; a < 3; ++a) text += "," + base::numberText(p[a]);
    text += "," + rows.dofs[i] + "," + setsOf[rows.nodes[i]] + "\n";
  }
  return text;
}

}  // namespace

std::optional<base::Failure> writePartMatrices(const std::string& path, const Mesh& mesh,
                                               const PartSystem& part) {
  if (part.multipliers > 0) {
    return base::Failure{
        "the matrices have rows of averaging spiders, which other programs do not know",
        "remove the averaging spiders from the mesh"};
  }
  const OrderedRows rows = orderRows(part);
  const SparseMatrix K = orderLower(part.K, rows.rowOf), M = orderLower(part.M, rows.rowOf);
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".mat") {
    files::MatFile file(path);
    file.write("K", tripletsOf(K));
    file.write("M", tripletsOf(M));
    file.write("nodes", nodesOf(mesh, rows));
    file.close();
  } else if (extension == ".h5") {
    files::StagedFile staged(path);
    files::Hdf5File file = files::Hdf5File::create(staged.name());
    addTable(file, "K", tripletsOf(K));
    addTable(file, "M", tripletsOf(M));
    addTable(file, "nodes", nodesOf(mesh, rows));
    file.close();
    staged.commit();
  } else {
    if (auto failure = writeMatrixMarket(path + ".K.mtx", K, "stiffness of " + mesh.file)) {
      return failure;
    }
    if (auto failure = writeMatrixMarket(path + ".M.mtx", M, "mass of " + mesh.file))
      return failure;
    files::writeTextFile(path + ".nodes.csv", formatNodes(mesh, rows));
  }
  return std::nullopt;
}

}  // namespace flexloop::fem
