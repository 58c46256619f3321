#include "mechanics/springs/stiffness_reader.hpp"

#include <vector>

namespace flexloop::mechanics {

namespace {

constexpr double kSymmetric = 1e-9;  // relative to the largest entry

const char* wordOf(int size) {
  return size == 5 ? "five" : "six";
}

}  // namespace

void noteNegative(const system::Item& item, bool isNegative, system::Builder& builder) {
  if (!isNegative) return;
  builder.diagnostics().addWarning(item.placeOf("stiffness"),
                                   "springs." + item.name() +
                                       ": the stiffness is negative: the spring pushes away from "
                                       "where it is relaxed");
}

Eigen::MatrixXd readSymmetric(const system::Item& item, const std::string& key, int size,
                              system::Builder& builder) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size, size);
  const std::string matrixKey = key + "_matrix";
  const std::string subject = "springs." + item.name() + ": ";
  if (item.has(key) && item.has(matrixKey)) {
    builder.error(item.placeOf(matrixKey),
                  subject + "'" + key + "' and '" + matrixKey + "' cannot be combined",
                  std::string(wordOf(size)) +
                      " numbers are the diagonal of the matrix; give only one of the two");
  }
  if (item.has(key)) {
    const std::vector<double> diagonal = item.numbers(key);
    for (int i = 0; i < size; ++i) result(i, i) = diagonal[i];
    noteNegative(item, result.diagonal().minCoeff() < 0.0, builder);
  }
  if (!item.has(matrixKey)) return result;
  const Eigen::MatrixXd given = item.matrix(matrixKey);
  if (given.rows() != size || given.cols() != size) {
    builder.error(item.placeOf(matrixKey), subject + "'" + matrixKey + "' must have " +
                                               std::to_string(size) + " rows and columns");
    return result;
  }
  const double largest = given.cwiseAbs().maxCoeff();
  if ((given - given.transpose()).cwiseAbs().maxCoeff() > kSymmetric * largest) {
    builder.error(item.placeOf(matrixKey), subject + "'" + matrixKey + "' is not symmetric");
  }
  return given;
}

}  // namespace flexloop::mechanics
