#include "control/lpv/lpv_file.hpp"

#include <cmath>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "files/file_seal.hpp"
#include "files/hdf5_file.hpp"
#include "files/staged_file.hpp"

namespace flexloop::control {

using files::Hdf5File;

namespace {

constexpr const char* kFormat = "flexloop lpv";
// Of models with one parameter, with several, and with the terms of their rates or from sample to sample. They go up with every change of what is in the
// file.
constexpr const char* kVersion = "1";
constexpr const char* kGridVersion = "2";
constexpr const char* kMoreVersion = "3";
constexpr const char* kAgain =
    "make it again: flexloop lpv MODEL -p NAME=from:to:count --from SIGNAL --to SIGNAL --order N "
    "-o FILE.lpv";
constexpr int kMostStates = 10'000;  // and inputs, and outputs

// What a file should have and has not.
struct WrongContent : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void writeMatrix(Hdf5File& file, const char* name, const LpvRows& rows) {
  files::Hdf5Table table = file.addTable(name, {static_cast<std::size_t>(rows.cols())},
                                         static_cast<std::size_t>(rows.rows()));
  table.append(rows.data(), static_cast<std::size_t>(rows.rows()));
}

void requireFinite(const std::vector<double>& numbers, const char* name) {
  for (const double number : numbers) {
    if (!std::isfinite(number))
      throw WrongContent(std::string(name) + " has numbers that are none");
  }
}

LpvRows readMatrix(const Hdf5File& file, const char* name, std::size_t rows, std::size_t columns) {
  const std::vector<std::size_t> shape = file.readShape(name);
  if (shape.size() != 2 || shape[0] != rows || shape[1] != columns) {
    throw WrongContent(std::string("'") + name + "' has the wrong size");
  }
  const std::vector<double> numbers = file.readRows(name, 0, rows);
  requireFinite(numbers, name);
  return Eigen::Map<const LpvRows>(numbers.data(), static_cast<Eigen::Index>(rows),
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
  // With as many states, so that no size of a matrix overflows.
  if (names.size() > kMostStates) throw WrongContent(std::string("it has too many ") + key);
  return names;
}

LpvAxis readAxis(const Hdf5File& file, const std::string& name, const char* points) {
  LpvAxis axis{name, readVector(file, points)};
  if (axis.points.size() < 2) throw WrongContent("it has fewer than two points");
  for (std::size_t i = 1; i < axis.points.size(); ++i) {
    if (!(axis.points[i] > axis.points[i - 1])) throw WrongContent("its points do not rise");
  }
  return axis;
}

std::string numbered(const char* name, int number) {
  return name + std::to_string(number);
}

void readGrid(const Hdf5File& file, LpvModel& model) {
  const std::vector<std::string> names = readNames(file, "parameters");
  if (names.size() > LpvModel::kMostParameters) throw WrongContent("it has too many parameters");
  std::size_t rows = 1;
  for (const std::string& name : names) {
    const std::string points = numbered("points", static_cast<int>(model.axes.size()));
    model.axes.push_back(readAxis(file, name, points.c_str()));
    rows *= model.axes.back().points.size();
  }
  const int sets = model.isCubic ? 1 << names.size() : 1;
  for (int i = 0; i < sets; ++i) {
    model.sets.push_back(readMatrix(file, numbered("values", i).c_str(), rows,
                                    static_cast<std::size_t>(model.layout.size())));
  }
}

LpvModel readModel(const Hdf5File& file, bool isGrid, bool hasMore) {
  LpvModel model;
  model.inputs = readNames(file, "inputs");
  model.outputs = readNames(file, "outputs");
  const std::vector<double> counts = readVector(file, "counts");
  if (counts.size() != 2) throw WrongContent("its counts are not complete");
  model.layout = {toCount(counts[0]), toCount(counts[1]), static_cast<int>(model.inputs.size()),
                  static_cast<int>(model.outputs.size())};
  if (model.layout.pairs > kMostStates / 2 || model.layout.states() > kMostStates) {
    throw WrongContent("it has too many states");
  }
  if (hasMore) {
    const std::vector<double> more = readVector(file, "rates and sample");
    if (more.size() != 2 || !(more[1] >= 0.0)) throw WrongContent("its sampling is not complete");
    const std::size_t parameters = readNames(file, "parameters").size();
    if (more[0] != 0.0) model.layout.rates = static_cast<int>(parameters);
    model.sample = more[1];
  }
  if (file.hasAttribute("/", "no_rates")) model.noRates = file.readTextAttribute("/", "no_rates");
  model.isRooted = file.readFlag("/", "rooted");
  model.isCubic = file.readFlag("/", "cubic");
  model.isCompanion = file.hasAttribute("/", "companion") && file.readFlag("/", "companion");
  if (isGrid) {
    readGrid(file, model);
  } else {
    model.axes.push_back(readAxis(file, file.readText("parameter"), "points"));
    const auto columns = static_cast<std::size_t>(model.layout.size());
    const std::size_t rows = model.axes[0].points.size();
    model.sets.push_back(readMatrix(file, "values", rows, columns));
    const LpvRows slopes = readMatrix(file, "slopes", rows, columns);
    if (model.isCubic) model.sets.push_back(slopes);
  }
  const std::vector<double> error = readVector(file, "error");
  if (error.size() != 1) throw WrongContent("its error is missing");
  model.error = error[0];
  return model;
}

void writeVector(Hdf5File& file, const char* name, const std::vector<double>& numbers) {
  files::Hdf5Table table = file.addTable(name, {}, numbers.size());
  table.append(numbers.data(), numbers.size());
}

void writeLine(Hdf5File& file, const LpvModel& model) {
  const LpvRows& values = model.sets[0];
  file.addText("parameter", model.axes[0].name);
  writeVector(file, "points", model.axes[0].points);
  writeMatrix(file, "values", values);
  writeMatrix(file, "slopes",
              model.isCubic ? model.sets[1] : LpvRows::Zero(values.rows(), values.cols()).eval());
}

void writeGrid(Hdf5File& file, const LpvModel& model) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < model.axes.size(); ++d) {
    names.push_back(model.axes[d].name);
    writeVector(file, numbered("points", static_cast<int>(d)).c_str(), model.axes[d].points);
  }
  file.addTexts("parameters", names);
  for (std::size_t i = 0; i < model.sets.size(); ++i) {
    writeMatrix(file, numbered("values", static_cast<int>(i)).c_str(), model.sets[i]);
  }
}

base::Failure refuse(const std::string& path, const std::string& why, const char* hint = kAgain) {
  return {"'" + path + "' " + why, hint};
}

}  // namespace

std::optional<base::Failure> writeLpv(const std::string& path, const LpvModel& model) {
  try {
    files::StagedFile staged(path);
    Hdf5File file = Hdf5File::create(staged.name());
    file.setAttribute("/", "format", std::string(kFormat));
    const bool hasMore = model.layout.rates > 0 || model.sample > 0.0;
    const bool isGrid = model.axes.size() > 1 || hasMore;
    file.setAttribute("/", "version",
                      std::string(hasMore  ? kMoreVersion
                                  : isGrid ? kGridVersion
                                           : kVersion));
    if (hasMore) {
      writeVector(file, "rates and sample",
                  {static_cast<double>(model.layout.rates > 0), model.sample});
    }
    if (!model.noRates.empty()) file.setAttribute("/", "no_rates", model.noRates);
    file.setAttribute("/", "rooted", model.isRooted);
    file.setAttribute("/", "cubic", model.isCubic);
    if (model.isCompanion) file.setAttribute("/", "companion", true);
    file.addTexts("inputs", model.inputs);
    file.addTexts("outputs", model.outputs);
    writeVector(
        file, "counts",
        {static_cast<double>(model.layout.pairs), static_cast<double>(model.layout.others)});
    writeVector(file, "error", {model.error});
    isGrid ? writeGrid(file, model) : writeLine(file, model);
    file.close();
    files::sealFile(staged.name());
    staged.commit();
  } catch (const std::exception& error) {
    return base::Failure{error.what(), {}, base::FailureKind::kOther};
  }
  return std::nullopt;
}

base::Result<LpvModel> readLpv(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
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
    if (version != kVersion && version != kGridVersion && version != kMoreVersion) {
      return refuse(path, "has version " + version + " of the format instead of " + kVersion +
                              ", " + kGridVersion + " or " + kMoreVersion);
    }
    return readModel(file, version != kVersion, version == kMoreVersion);
  } catch (const std::bad_alloc&) {
    return base::Failure{"'" + path + "' does not fit the memory", {}, base::FailureKind::kOther};
  } catch (const WrongContent& error) {
    return refuse(path, std::string("is damaged: ") + error.what());
  } catch (const std::exception& error) {
    return refuse(path, std::string("cannot be read: ") + error.what());
  }
}

}  // namespace flexloop::control
