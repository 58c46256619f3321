#include "fem/reduction/matrix_tables.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using files::Hdf5File;

namespace {

constexpr std::size_t kChunkNumbers = 16384;

// No more rows in a chunk than there are: chunks are written whole.
std::size_t chunkRows(Eigen::Index rows, Eigen::Index columns) {
  const std::size_t most =
      kChunkNumbers / static_cast<std::size_t>(std::max<Eigen::Index>(1, columns));
  return std::clamp<std::size_t>(most, 1,
                                 static_cast<std::size_t>(std::max<Eigen::Index>(1, rows)));
}

void requireFinite(const std::vector<double>& numbers, const std::string& name) {
  for (const double number : numbers) {
    if (!std::isfinite(number)) throw WrongContent("'" + name + "' has numbers that are none");
  }
}

}  // namespace

void writeMatrix(Hdf5File& file, const std::string& name, const MatrixXd& matrix) {
  files::Hdf5Table table = file.addTable(name, {static_cast<std::size_t>(matrix.cols())},
                                         chunkRows(matrix.rows(), matrix.cols()));
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = matrix;
  if (rows.size() > 0) table.append(rows.data(), static_cast<std::size_t>(rows.rows()));
}

void writeVector(Hdf5File& file, const std::string& name, const VectorXd& vector) {
  files::Hdf5Table table = file.addTable(name, {}, chunkRows(vector.size(), 1));
  if (vector.size() > 0) table.append(vector.data(), static_cast<std::size_t>(vector.size()));
}

VectorXd readVector(const Hdf5File& file, const std::string& name) {
  const std::vector<double> numbers = file.readNumbers(name);
  requireFinite(numbers, name);
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

MatrixXd readMatrix(const Hdf5File& file, const std::string& name, Eigen::Index rows,
                    Eigen::Index columns) {
  const std::vector<std::size_t> shape = file.readShape(name);
  const bool fits = shape.size() == 2 && (rows < 0 || shape[0] == static_cast<std::size_t>(rows)) &&
                    (columns < 0 || shape[1] == static_cast<std::size_t>(columns));
  if (!fits) throw WrongContent("'" + name + "' has the wrong size");
  const bool isEmpty = shape[0] == 0 || shape[1] == 0;
  const std::vector<double> numbers =
      isEmpty ? std::vector<double>() : file.readRows(name, 0, shape[0]);
  requireFinite(numbers, name);
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      numbers.data(), static_cast<Eigen::Index>(shape[0]), static_cast<Eigen::Index>(shape[1]));
}

}  // namespace flexloop::fem
