#include "fem/reduction/reduced_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <unistd.h>

#include "base/file_text.hpp"
#include "fem/reduction/matrix_tables.hpp"
#include "files/file_seal.hpp"
#include "files/hdf5_file.hpp"
#include "files/staged_file.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using files::Hdf5File;

namespace {

constexpr const char* kFormat = "flexloop reduced part";
constexpr std::array kAxes{"x", "y", "z"};

int toWhole(double number) {
  const bool isWhole = number >= 0.0 && number < 2147483647.0 && number == std::floor(number);
  if (!isWhole) throw WrongContent("a count is no whole number");
  return static_cast<int>(number);
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
  for (std::size_t j = 0; j < model.B.size(); ++j)
    writeMatrix(file, "B_" + std::to_string(j), model.B[j]);
  if (model.Kg[0][0].size() == 0) return;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b)
      writeMatrix(file, std::string("Kg_") + kAxes[a] + kAxes[b], model.Kg[a][b]);
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
  for (Eigen::Index j = 0; j < 3 * (count - 1) && file.has("B_0"); ++j)
    model.B.push_back(readMatrix(file, "B_" + std::to_string(j), n, n));
  if (!file.has("Kg_xx")) return model;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b)
      model.Kg[a][b] = readMatrix(file, std::string("Kg_") + kAxes[a] + kAxes[b], n, n);
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

MatrixXd toRows(const std::vector<Eigen::Vector3d>& points) {
  MatrixXd rows(points.size(), 3);
  for (std::size_t i = 0; i < points.size(); ++i) rows.row(i) = points[i];
  return rows;
}

std::vector<Eigen::Vector3d> readPoints(const Hdf5File& file, const std::string& name) {
  const MatrixXd rows = readMatrix(file, name, -1, 3);
  std::vector<Eigen::Vector3d> points;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) points.emplace_back(rows.row(i).transpose());
  return points;
}

// In single precision, as they are in memory.
void writeRows(Hdf5File& file, const std::string& name, const Eigen::MatrixXf& rows) {
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(rows.size());
  std::string content(bytes, '\0');
  if (bytes > 0) std::memcpy(content.data(), rows.data(), bytes);
  file.addBytes(name, content);
}

// With so many rows, or none where they may be missing.
Eigen::MatrixXf readRows(const Hdf5File& file, const std::string& name, Eigen::Index rows,
                         Eigen::Index columns, bool mayMiss) {
  const std::string content = file.readBytes(name);
  Eigen::MatrixXf matrix(mayMiss && content.empty() ? 0 : rows, columns);
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(matrix.size());
  if (content.size() != bytes) throw WrongContent("'" + name + "' has the wrong size");
  if (bytes > 0) std::memcpy(matrix.data(), content.data(), bytes);
  if (!matrix.allFinite()) throw WrongContent("'" + name + "' has numbers that are none");
  return matrix;
}

void writeSurface(Hdf5File& file, const mechanics::PartSurface& surface) {
  writeMatrix(file, "surface_points", toRows(surface.points));
  MatrixXd triangles(surface.triangles.size(), 3);
  for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
    for (int k = 0; k < 3; ++k)
      triangles(static_cast<Eigen::Index>(i), k) = surface.triangles[i][k];
  }
  writeMatrix(file, "surface_triangles", triangles);
  writeVector(file, "surface_size", VectorXd::Constant(1, surface.allPoints));
  writeRows(file, "surface_rows", surface.displacement);
  writeRows(file, "surface_stress_rows", surface.stress);
  writeRows(file, "surface_stress_below_rows", surface.stressBelow);
}

mechanics::PartSurface readSurface(const Hdf5File& file, Eigen::Index coordinates) {
  mechanics::PartSurface surface;
  surface.points = readPoints(file, "surface_points");
  const int count = static_cast<int>(surface.points.size());
  const MatrixXd triangles = readMatrix(file, "surface_triangles", -1, 3);
  for (Eigen::Index i = 0; i < triangles.rows(); ++i) {
    std::array<int, 3> triangle;
    for (int k = 0; k < 3; ++k) {
      triangle[k] = toWhole(triangles(i, k));
      if (triangle[k] >= count) throw WrongContent("'surface_triangles' has no such point");
    }
    surface.triangles.push_back(triangle);
  }
  const VectorXd size = readVector(file, "surface_size");
  if (size.size() != 1) throw WrongContent("'surface_size' has the wrong size");
  surface.allPoints = toWhole(size[0]);
  const Eigen::Index points = count;
  surface.displacement = readRows(file, "surface_rows", 3 * points, coordinates, false);
  surface.stress = readRows(file, "surface_stress_rows", 6 * points, coordinates, true);
  surface.stressBelow = readRows(file, "surface_stress_below_rows", 6 * points, coordinates, true);
  return surface;
}

void writeRecovery(Hdf5File& file, const mechanics::PartRecovery& recovery) {
  const mechanics::RecoveredNodes& nodes = recovery.nodes;
  VectorXd ids(nodes.ids.size());
  for (std::size_t i = 0; i < nodes.ids.size(); ++i) ids[i] = static_cast<double>(nodes.ids[i]);
  writeVector(file, "recovered_nodes", ids);
  writeMatrix(file, "recovered_points", toRows(nodes.points));
  writeMatrix(file, "displacement_rows", nodes.displacement);
  writeMatrix(file, "stress_rows", nodes.stress);
  writeMatrix(file, "stress_below_rows", nodes.stressBelow);
  writeSurface(file, recovery.surface);
}

mechanics::PartRecovery readRecovery(const Hdf5File& file, Eigen::Index coordinates) {
  mechanics::PartRecovery recovery;
  mechanics::RecoveredNodes& nodes = recovery.nodes;
  for (const double id : readVector(file, "recovered_nodes")) nodes.ids.push_back(toWhole(id));
  nodes.points = readPoints(file, "recovered_points");
  const auto count = static_cast<Eigen::Index>(nodes.ids.size());
  if (static_cast<Eigen::Index>(nodes.points.size()) != count) {
    throw WrongContent("'recovered_points' has the wrong size");
  }
  nodes.displacement = readMatrix(file, "displacement_rows", 3 * count, coordinates);
  const auto readStress = [&](const char* name) {
    MatrixXd stress = readMatrix(file, name, -1, coordinates);
    if (stress.rows() != 0 && stress.rows() != 6 * count) {
      throw WrongContent(std::string("'") + name + "' has the wrong size");
    }
    return stress;
  };
  nodes.stress = readStress("stress_rows");
  nodes.stressBelow = readStress("stress_below_rows");
  recovery.surface = readSurface(file, coordinates);
  return recovery;
}

// Matrices without rows have as many columns as all others, so that every reader may rely on it.
mechanics::PartRecovery completed(mechanics::PartRecovery recovery, Eigen::Index coordinates) {
  mechanics::RecoveredNodes& nodes = recovery.nodes;
  mechanics::PartSurface& surface = recovery.surface;
  for (MatrixXd* rows : {&nodes.displacement, &nodes.stress, &nodes.stressBelow}) {
    if (rows->size() == 0) rows->resize(0, coordinates);
  }
  for (Eigen::MatrixXf* rows : {&surface.displacement, &surface.stress, &surface.stressBelow}) {
    if (rows->size() == 0) rows->resize(0, coordinates);
  }
  return recovery;
}

base::Failure refuse(const std::string& path, const std::string& why, const std::string& hint) {
  return {"'" + path + "' " + why, hint};
}

constexpr const char* kAgain =
    "reduce the part again: flexloop reduce MODEL --part NAME -o FILE.h5";

// A file of our own that is gone afterwards: HDF5 reads and writes files.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string name = (std::filesystem::temp_directory_path() / "flexloop-part-XXXXXX").string();
    const int handle = mkstemp(name.data());
    if (handle < 0) throw std::runtime_error("no temporary file can be made");
    close(handle);
    path_ = name;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

base::Result<std::string> packReducedPart(const StoredPart& part) {
  constexpr std::size_t kLargest = std::size_t{4} << 30;
  try {
    const TemporaryFile file;
    if (auto failure = writeReducedPart(file.path(), part)) return *failure;
    return base::readFileText(file.path(), kLargest);
  } catch (const std::exception& error) {
    return base::Failure{error.what(), {}, base::FailureKind::kOther};
  }
}

base::Result<StoredPart> unpackReducedPart(const std::string& bytes) {
  try {
    const TemporaryFile file;
    std::ofstream(file.path(), std::ios::binary) << bytes;
    return readReducedPart(file.path());
  } catch (const std::exception& error) {
    return base::Failure{error.what(), {}, base::FailureKind::kOther};
  }
}

std::optional<base::Failure> writeReducedPart(const std::string& path, const StoredPart& part) {
  try {
    files::StagedFile staged(path);
    Hdf5File file = Hdf5File::create(staged.name());
    file.setAttribute("/", "format", std::string(kFormat));
    file.setAttribute("/", "version", std::string(kReducedFormat));
    file.addText("key", part.key);
    file.addText("request", part.request);
    file.addText("warnings", part.warnings);
    writeModel(file, part.model);
    ReductionReport report = part.report;
    if (report.effectiveMasses.size() == 0) report.effectiveMasses.resize(report.modes, 6);
    writeReport(file, report);
    writeRecovery(file, completed(part.recovery, part.model.K.rows()));
    file.close();
    files::sealFile(staged.name());
    staged.commit();
  } catch (const std::exception& error) {
    return base::Failure{error.what(), {}, base::FailureKind::kOther};
  }
  return std::nullopt;
}

base::Result<StoredPart> readReducedPart(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
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
    if (version != kReducedFormat) {
      return refuse(path, "has version " + version + " of the format instead of " + kReducedFormat,
                    kAgain);
    }
    StoredPart part;
    part.key = file.readText("key");
    part.request = file.readText("request");
    part.warnings = file.readText("warnings");
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
