#include "control/lpv/lpv_file.hpp"

#include <cmath>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <unistd.h>

#include "files/file_seal.hpp"
#include "files/hdf5_file.hpp"

namespace flexloop::control {

using Eigen::MatrixXd;
using files::Hdf5File;

namespace {

constexpr const char* kFormat = "flexloop lpv";
constexpr const char* kVersion = "1";  // goes up with every change of what is in the file
constexpr const char* kAgain =
    "make it again: flexloop lpv MODEL -p NAME=from:to:count --from SIGNAL --to SIGNAL --order N "
    "-o FILE.lpv";
constexpr int kMostStates = 10000;

// What a file should have and has not.
struct WrongContent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void writeMatrix(Hdf5File& file, const char* name, const MatrixXd& matrix) {
  files::Hdf5Table table = file.addTable(name, {static_cast<std::size_t>(matrix.cols())},
                                         static_cast<std::size_t>(matrix.rows()));
  const RowMatrix rows = matrix;
  table.append(rows.data(), static_cast<std::size_t>(rows.rows()));
}

void requireFinite(const std::vector<double>& numbers, const char* name) {
  for (const double number : numbers) {
    if (!std::isfinite(number))
      throw WrongContent(std::string(name) + " has numbers that are none");
  }
}

MatrixXd readMatrix(const Hdf5File& file, const char* name, std::size_t rows, std::size_t columns) {
  const std::vector<std::size_t> shape = file.readShape(name);
  if (shape.size() != 2 || shape[0] != rows || shape[1] != columns) {
    throw WrongContent(std::string("'") + name + "' has the wrong size");
  }
  const std::vector<double> numbers = file.readRows(name, 0, rows);
  requireFinite(numbers, name);
  return Eigen::Map<const RowMatrix>(numbers.data(), static_cast<Eigen::Index>(rows),
                                     static_cast<Eigen::Index>(columns));
}

std::vector<double> readVector(const Hdf5File& file, const char* name) {
  std::vector<double> numbers = file.readNumbers(name);
  requireFinite(numbers, name);
  return numbers;
}

int toCount(double number) {
  if (!(number >= 0.0 && number <= kMostStates && number == std::floor(number))) {
    throw WrongContent("a count is no whole number");
  }
  return static_cast<int>(number);
}

std::vector<std::string> readNames(const Hdf5File& file, const char* key) {
  std::vector<std::string> names = file.readTexts(key);
  const std::set<std::string> different(names.begin(), names.end());
  if (names.empty() || different.size() != names.size() || different.contains("")) {
    throw WrongContent(std::string("'") + key + "' are no different names");
  }
  return names;
}

LpvModel readModel(const Hdf5File& file) {
  LpvModel model;
  model.parameter = file.readText("parameter");
  model.inputs = readNames(file, "inputs");
  model.outputs = readNames(file, "outputs");
  const std::vector<double> counts = readVector(file, "counts");
  if (counts.size() != 2) throw WrongContent("its counts are not complete");
  model.layout = {toCount(counts[0]), toCount(counts[1]), static_cast<int>(model.inputs.size()),
                  static_cast<int>(model.outputs.size())};
  if (model.layout.states() > kMostStates) throw WrongContent("it has too many states");
  model.isRooted = file.readFlag("/", "rooted");
  model.isCubic = file.readFlag("/", "cubic");
  model.points = readVector(file, "points");
  if (model.points.size() < 2) throw WrongContent("it has fewer than two points");
  for (std::size_t i = 1; i < model.points.size(); ++i) {
    if (!(model.points[i] > model.points[i - 1])) throw WrongContent("its points do not rise");
  }
  const auto columns = static_cast<std::size_t>(model.layout.size());
  model.values = readMatrix(file, "values", model.points.size(), columns);
  model.slopes = readMatrix(file, "slopes", model.points.size(), columns);
  const std::vector<double> error = readVector(file, "error");
  if (error.size() != 1) throw WrongContent("its error is missing");
  model.error = error[0];
  return model;
}

void writeVector(Hdf5File& file, const char* name, const std::vector<double>& numbers) {
  files::Hdf5Table table = file.addTable(name, {}, numbers.size());
  table.append(numbers.data(), numbers.size());
}

base::Failure refuse(const std::string& path, const std::string& why, const char* hint = kAgain) {
  return {"'" + path + "' " + why, hint};
}

}  // namespace

std::optional<base::Failure> writeLpv(const std::string& path, const LpvModel& model) {
  namespace fs = std::filesystem;
  const std::string own = path + "." + std::to_string(getpid()) + ".tmp";
  std::error_code ignored;
  try {
    Hdf5File file = Hdf5File::create(own);
    file.setAttribute("/", "format", std::string(kFormat));
    file.setAttribute("/", "version", std::string(kVersion));
    file.setAttribute("/", "rooted", model.isRooted);
    file.setAttribute("/", "cubic", model.isCubic);
    file.addText("parameter", model.parameter);
    file.addTexts("inputs", model.inputs);
    file.addTexts("outputs", model.outputs);
    writeVector(
        file, "counts",
        {static_cast<double>(model.layout.pairs), static_cast<double>(model.layout.others)});
    writeVector(file, "points", model.points);
    writeVector(file, "error", {model.error});
    writeMatrix(file, "values", model.values);
    writeMatrix(file, "slopes", model.slopes);
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

base::Result<LpvModel> readLpv(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    return refuse(path, "cannot be read: there is no such file", "check its name and its folder");
  }
  try {
    const files::Seal seal = files::checkSeal(path);
    if (seal == files::Seal::kMissing) {
      return refuse(path, "is no parameter-dependent model, or its end is missing");
    }
    if (seal == files::Seal::kBroken) return refuse(path, "is damaged");
    const Hdf5File file = Hdf5File::open(path);
    if (!file.hasAttribute("/", "format") || file.readTextAttribute("/", "format") != kFormat) {
      return refuse(path, "is no parameter-dependent model");
    }
    const std::string version = file.readTextAttribute("/", "version");
    if (version != kVersion) {
      return refuse(path, "has version " + version + " of the format instead of " + kVersion);
    }
    return readModel(file);
  } catch (const std::bad_alloc&) {
    return base::Failure{"'" + path + "' does not fit the memory", {}, base::FailureKind::kOther};
  } catch (const WrongContent& error) {
    return refuse(path, std::string("is damaged: ") + error.what());
  } catch (const std::exception& error) {
    return refuse(path, std::string("cannot be read: ") + error.what());
  }
}

}  // namespace flexloop::control
