// Numbers of strangers: tables, matrices and records of other programs, and the files of our own in which they are kept.
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "api/failed.hpp"
#include "base/diagnostics.hpp"
#include "commands/controller_files.hpp"
#include "control/lpv/lpv_file.hpp"
#include "fem/matrices/matrix_market.hpp"
#include "fem/matrices/node_table.hpp"
#include "fem/parts/obtain_part.hpp"
#include "fem/reduction/reduced_file.hpp"
#include "files/file_seal.hpp"
#include "files/hdf5_file.hpp"
#include "files/mat_file.hpp"
#include "files/number_table.hpp"
#include "harness.hpp"
#include "mechanics/parts/reduced_matrices.hpp"
#include "results/foreign/foreign_record.hpp"
#include "support/temporary_folder.hpp"

namespace flexloop::fuzz {
namespace {

void checkTable(const std::string& bytes, const char* path, const char* variable) {
  const auto table = files::readNumberTable(bytes, path, variable);
  if (!table) return;
  const files::NumberTable& t = table.value();
  if (t.values.size() != t.rows * t.columns) std::abort();
  if (!t.names.empty() && t.names.size() != t.columns) std::abort();
  for (const double value : t.values) {
    if (!std::isfinite(value)) std::abort();
  }
}

void checkRecord(const analysis::TimeRecord& record) {
  if (record.columns.size() != record.names.size()) std::abort();
  if (record.units.size() != record.names.size()) std::abort();
  for (const std::vector<double>& column : record.columns) {
    if (column.size() != record.times.size()) std::abort();
  }
}

// What it is stands in the first letter.
void readTable(char kind, const std::string& bytes) {
  switch (kind) {
    case 'c':
      return checkTable(bytes, "input.csv", "");
    case 'm':
      return checkTable(bytes, "input.mtx", "");
    case 'M':
      checkTable(bytes, "input.mat", "");
      return checkTable(bytes, "input.mat", "A");
    case 'h':
      return checkTable(bytes, "input.h5", "A");
    case 'R':
      return checkRecord(results::readMatRecord(bytes, "input.mat"));
    case 'o':
      return checkRecord(results::readOpenFastText(bytes, "input.out"));
    case 'b':
      return checkRecord(results::readOpenFastBinary(bytes, "input.outb"));
    case 'k':
      return static_cast<void>(fem::readMatrixMarketText(bytes, "k.mtx"));
    case 'n':
      return static_cast<void>(fem::readNodeTableText(bytes, "nodes.csv", 1.0, 6));
    default:
      return;
  }
}

// Mutations shall reach the content.
std::string putSealed(const std::string& bytes) {
  const std::string path = putInFile(bytes);
  if (files::checkSeal(path) != files::Seal::kWhole) files::sealFile(path);
  return path;
}

std::string makeMat() {
  const testing::TemporaryFolder folder;
  files::MatFile file(folder.file("a.mat"));
  file.write("time", {0.0, 0.5, 1.0}, {3, 1});
  file.write("values", {1, 2, 3, 4, 5, 6}, {3, 2});
  file.write("names", std::vector<std::string>{"x", "force"});
  file.close();
  return testing::readWhole(folder.file("a.mat"));
}

std::string makeHdf5() {
  const testing::TemporaryFolder folder;
  files::Hdf5File file = files::Hdf5File::create(folder.file("a.h5"));
  const double numbers[] = {1, 2, 3, 4, 5, 6};
  file.addTable("A", {2}, 2).append(numbers, 3);
  file.close();
  return testing::readWhole(folder.file("a.h5"));
}

std::string makeLpv(bool isCubic) {
  const testing::TemporaryFolder folder;
  control::LpvModel model;
  model.axes = {{"load", {1.0, 2.0, 4.0}}};
  if (!isCubic) model.axes.push_back({"speed", {0.0, 1.0}});
  model.inputs = {"force"};
  model.outputs = {"x", "y"};
  model.layout = {1, 1, 1, 2};
  model.isCubic = isCubic;
  const control::LpvRows values =
      control::LpvRows::Constant(isCubic ? 3 : 6, model.layout.size(), 0.5);
  model.sets.assign(isCubic ? 2 : 1, values);
  if (control::writeLpv(folder.file("a.lpv"), model)) return {};
  return testing::readWhole(folder.file("a.lpv"));
}

std::string makePart() {
  setenv("FLEXLOOP_CACHE", "off", 1);
  fem::PartRequest request;
  request.block = fem::BlockRequest{{0.2, 0.03, 0.02}, {1, 1, 1}, fem::ElementShape::kHex8};
  request.material = fem::MeshMaterial{.name = "alu", .E = 7e10, .nu = 0.3, .rho = 2700.0};
  request.interfaces.emplace_back().name = "foot";
  request.interfaces.back().set = "x0";
  request.modes = 1;
  const auto part = fem::obtainPart(request);
  if (!part) return {};
  const auto bytes = fem::packReducedPart(part.value());
  return bytes ? bytes.value() : std::string();
}

}  // namespace

void runTable(const std::string& bytes) {
  if (bytes.empty()) return;
  try {
    readTable(bytes.front(), bytes.substr(1));
  } catch (const base::InputError&) {
    return;
  }
}

void runLpv(const std::string& bytes) {
  const auto read = control::readLpv(putSealed(bytes));
  if (!read) return;
  const control::LpvModel& model = read.value();
  std::vector<double> middle;
  for (const control::LpvAxis& axis : model.axes) {
    middle.push_back(0.5 * (axis.points.front() + axis.points.back()));
  }
  const auto s = control::evaluate(model, middle);
  if (s.B.cols() != std::ssize(model.inputs) || s.C.rows() != std::ssize(model.outputs)) {
    std::abort();
  }
}

void runPartFile(const std::string& bytes) {
  const auto part = fem::readReducedPart(putSealed(bytes));
  if (!part) return;
  const mechanics::ReducedMatrices matrices(part.value().model);
  if (matrices.coordinates < 0) std::abort();
}

void runController(const std::string& bytes) {
  try {
    const auto given = commands::readController(putInFile(bytes));
    if (given.inputs.size() != static_cast<std::size_t>(given.system.B.cols())) std::abort();
  } catch (const base::InputError&) {
    return;
  } catch (const api::Failed&) {
    return;
  }
}

std::vector<std::string> makeNumberSamples(std::string_view name) {
  if (name == "table") return {"M" + makeMat(), "R" + makeMat(), "h" + makeHdf5()};
  if (name == "lpv") return {makeLpv(true), makeLpv(false)};
  return {makePart()};
}

}  // namespace flexloop::fuzz
