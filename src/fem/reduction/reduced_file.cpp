#include "fem/reduction/reduced_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <unistd.h>

#include "files/file_seal.hpp"
#include "files/hdf5_file.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using files::Hdf5File;

namespace {

constexpr const char* kFormat = "flexloop reduced part";
constexpr const char* kVersion = "1";  // goes up with every change of what is in the file
constexpr std::size_t kChunkNumbers = 16384;
constexpr std::array kAxes{"x", "y", "z"};

// What a file should have and has not.
struct WrongContent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// No more rows in a chunk than there are: chunks are written whole.
std::size_t chunkRows(Eigen::Index rows, Eigen::Index columns) {
  const std::size_t most =
      kChunkNumbers / static_cast<std::size_t>(std::max<Eigen::Index>(1, columns));
  return std::clamp<std::size_t>(most, 1,
                                 static_cast<std::size_t>(std::max<Eigen::Index>(1, rows)));
}

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

VectorXd toNumbers(const std::vector<int>& list) {
  VectorXd numbers(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) numbers[i] = list[i];
  return numbers;
}

void requireFinite(const std::vector<double>& numbers, const std::string& name) {
  for (const double number : numbers) {
    if (!std::isfinite(number)) throw WrongContent("'" + name + "' has numbers that are none");
  }
}

VectorXd readVector(const Hdf5File& file, const std::string& name) {
  const std::vector<double> numbers = file.readNumbers(name);
  requireFinite(numbers, name);
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

// With as many rows and columns as asked for; -1: any.
MatrixXd readMatrix(const Hdf5File& file, const std::string& name, Eigen::Index rows,
                    Eigen::Index columns) {
  const std::vector<std::size_t> shape = file.readShape(name);
  const bool fits = shape.size() == 2 && (rows < 0 || shape[0] == static_cast<std::size_t>(rows)) &&
                    (columns < 0 || shape[1] == static_cast<std::size_t>(columns));
  if (!fits) throw WrongContent("'" + name + "' has the wrong size");
  const std::vector<double> numbers =
      shape[0] * shape[1] == 0 ? std::vector<double>() : file.readRows(name, 0, shape[0]);
  requireFinite(numbers, name);
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      numbers.data(), static_cast<Eigen::Index>(shape[0]), static_cast<Eigen::Index>(shape[1]));
}

int toWhole(double number) {
  const bool isWhole = number >= 0.0 && number < 2147483647.0 && number == std::floor(number);
  if (!isWhole) throw WrongContent("a count is no whole number");
  return static_cast<int>(number);
}

std::vector<int> readNodes(const Hdf5File& file, const std::string& name) {
  std::vector<int> nodes;
  for (const double number : readVector(file, name)) nodes.push_back(toWhole(number));
  return nodes;
}

void writeModel(Hdf5File& file, const mechanics::ReducedModel& model) {
  file.addTexts("interface_names", model.interfaceNames);
  MatrixXd points(model.interfaces.size(), 3);
  for (std::size_t i = 0; i < model.interfaces.size(); ++i) points.row(i) = model.interfaces[i];
  writeMatrix(file, "interfaces", points);
  writeMatrix(file, "K", model.K);
  writeMatrix(file, "D", model.D);
  writeMatrix(file, "M", model.M);
  for (int a = 0; a < 3; ++a) {
    writeMatrix(file, std::string("G_") + kAxes[a], model.G[a]);
    for (int b = 0; b < 3; ++b)
      writeMatrix(file, std::string("Q_") + kAxes[a] + kAxes[b], model.Q[a][b]);
  }
}

mechanics::ReducedModel readModel(const Hdf5File& file) {
  mechanics::ReducedModel model;
  model.interfaceNames = file.readTexts("interface_names");
  const auto count = static_cast<Eigen::Index>(model.interfaceNames.size());
  const MatrixXd points = readMatrix(file, "interfaces", count, 3);
  for (Eigen::Index i = 0; i < count; ++i) model.interfaces.emplace_back(points.row(i).transpose());
  model.K = readMatrix(file, "K", -1, -1);
  const Eigen::Index n = model.K.rows();
  if (count == 0 || model.K.cols() != n || n < 6 * count)
    throw WrongContent("'K' has the wrong size");
  model.D = readMatrix(file, "D", n, n);
  model.M = readMatrix(file, "M", n, n);
  for (int a = 0; a < 3; ++a) {
    model.G[a] = readMatrix(file, std::string("G_") + kAxes[a], n, n);
    for (int b = 0; b < 3; ++b)
      model.Q[a][b] = readMatrix(file, std::string("Q_") + kAxes[a] + kAxes[b], n, n);
  }
  return model;
}

void writeReport(Hdf5File& file, const ReductionReport& report) {
  file.addText("method", nameOf(report.method));
  VectorXd numbers(10);
  numbers << report.freedoms, report.interfaceFreedoms, report.modes, report.normalModes,
      report.dropped, report.verified ? 1 : 0, report.staticError, report.massError, report.mass,
      report.reachedAccuracy.value_or(-1.0);
  writeVector(file, "report", numbers);
  writeVector(file, "frequencies", report.frequencies);
  writeVector(file, "full_frequencies", report.fullFrequencies);
  writeVector(file, "frequency_errors", report.frequencyErrors);
  writeMatrix(file, "effective_masses", report.effectiveMasses);
}

ReductionReport readReport(const Hdf5File& file) {
  ReductionReport report;
  const auto method = findMethod(file.readText("method"));
  const VectorXd numbers = readVector(file, "report");
  if (!method || numbers.size() != 10) throw WrongContent("its report is not complete");
  report.method = *method;
  report.freedoms = toWhole(numbers[0]);
  report.interfaceFreedoms = toWhole(numbers[1]);
  report.modes = toWhole(numbers[2]);
  report.normalModes = toWhole(numbers[3]);
  report.dropped = toWhole(numbers[4]);
  report.verified = numbers[5] != 0.0;
  report.staticError = numbers[6];
  report.massError = numbers[7];
  report.mass = numbers[8];
  if (numbers[9] >= 0.0) report.reachedAccuracy = numbers[9];
  report.frequencies = readVector(file, "frequencies");
  report.fullFrequencies = readVector(file, "full_frequencies");
  report.frequencyErrors = readVector(file, "frequency_errors");
  report.effectiveMasses = readMatrix(file, "effective_masses", report.modes, 6);
  return report;
}

void writeRecovery(Hdf5File& file, const RecoveryRows& rows) {
  writeVector(file, "displacement_nodes", toNumbers(rows.displacementNodes));
  writeMatrix(file, "displacement_rows", rows.displacements);
  writeVector(file, "stress_nodes", toNumbers(rows.stressNodes));
  writeMatrix(file, "stress_rows", rows.stresses);
  writeVector(file, "surface_nodes", toNumbers(rows.surfaceNodes));
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(rows.surface.size());
  std::string surface(bytes, '\0');
  if (bytes > 0) std::memcpy(surface.data(), rows.surface.data(), bytes);
  file.addBytes("surface_rows", surface);
}

RecoveryRows readRecovery(const Hdf5File& file, Eigen::Index coordinates) {
  RecoveryRows rows;
  const auto size = [](const std::vector<int>& nodes, int each) {
    return each * static_cast<Eigen::Index>(nodes.size());
  };
  rows.displacementNodes = readNodes(file, "displacement_nodes");
  rows.displacements =
      readMatrix(file, "displacement_rows", size(rows.displacementNodes, 6), coordinates);
  rows.stressNodes = readNodes(file, "stress_nodes");
  rows.stresses = readMatrix(file, "stress_rows", size(rows.stressNodes, 6), coordinates);
  rows.surfaceNodes = readNodes(file, "surface_nodes");
  const std::string surface = file.readBytes("surface_rows");
  rows.surface.resize(size(rows.surfaceNodes, 3), coordinates);
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(rows.surface.size());
  if (surface.size() != bytes) throw WrongContent("'surface_rows' has the wrong size");
  if (bytes > 0) std::memcpy(rows.surface.data(), surface.data(), bytes);
  if (!rows.surface.allFinite()) throw WrongContent("'surface_rows' has numbers that are none");
  return rows;
}

// Matrices without rows have as many columns as all others, so that every reader may rely on it.
RecoveryRows completed(RecoveryRows rows, Eigen::Index coordinates) {
  if (rows.displacements.size() == 0) rows.displacements.resize(0, coordinates);
  if (rows.stresses.size() == 0) rows.stresses.resize(0, coordinates);
  if (rows.surface.size() == 0) rows.surface.resize(0, coordinates);
  return rows;
}

base::Failure refuse(const std::string& path, const std::string& why, const std::string& hint) {
  return {"'" + path + "' " + why, hint};
}

constexpr const char* kAgain =
    "reduce the part again: flexloop reduce MODEL --part NAME -o FILE.h5";

}  // namespace

std::optional<base::Failure> writeReducedPart(const std::string& path, const StoredPart& part) {
  namespace fs = std::filesystem;
  const std::string own = path + "." + std::to_string(getpid()) + ".tmp";
  std::error_code ignored;
  try {
    Hdf5File file = Hdf5File::create(own);
    file.setAttribute("/", "format", std::string(kFormat));
    file.setAttribute("/", "version", std::string(kVersion));
    file.addText("key", part.key);
    writeModel(file, part.model);
    ReductionReport report = part.report;
    if (report.effectiveMasses.size() == 0) report.effectiveMasses.resize(report.modes, 6);
    writeReport(file, report);
    writeRecovery(file, completed(part.recovery, part.model.K.rows()));
    file.close();
    files::sealFile(own);
    fs::rename(own, path);
  } catch (const std::exception& error) {
    fs::remove(own, ignored);
    return base::Failure{
        "'" + path + "' cannot be written: " + error.what(), {}, base::FailureKind::kOther};
  }
  return std::nullopt;
}

base::Result<StoredPart> readReducedPart(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))
    return refuse(path, "cannot be read: there is no such file", "check its name and its folder");
  try {
    const files::Seal seal = files::checkSeal(path);
    if (seal == files::Seal::kMissing)
      return refuse(path, "is no reduced part of Flexloop, or its end is missing", kAgain);
    if (seal == files::Seal::kBroken) return refuse(path, "is damaged", kAgain);
    const Hdf5File file = Hdf5File::open(path);
    if (!file.hasAttribute("/", "format") || file.readTextAttribute("/", "format") != kFormat)
      return refuse(path, "is no reduced part", kAgain);
    const std::string version = file.readTextAttribute("/", "version");
    if (version != kVersion) {
      return refuse(path, "has version " + version + " of the format instead of " + kVersion,
                    kAgain);
    }
    StoredPart part;
    part.key = file.readText("key");
    part.model = readModel(file);
    part.report = readReport(file);
    part.recovery = readRecovery(file, part.model.K.rows());
    return part;
  } catch (const std::bad_alloc&) {
    return base::Failure{"'" + path + "' does not fit the memory", {}, base::FailureKind::kOther};
  } catch (const WrongContent& error) {
    return refuse(path, std::string("is damaged: ") + error.what(), kAgain);
  } catch (const std::exception& error) {
    return refuse(path, std::string("cannot be read: ") + error.what(), kAgain);
  }
}

}  // namespace flexloop::fem
