#include "fem/reduction/reduction_pieces.hpp"

#include <filesystem>
#include <utility>

#include "fem/reduction/matrix_tables.hpp"
#include "files/file_seal.hpp"
#include "files/staged_file.hpp"

namespace flexloop::fem {

namespace fs = std::filesystem;
using files::Hdf5File;

namespace {

constexpr const char* kFormat = "flexloop reduction in progress";

std::string tableName(std::size_t i) {
  return "matrix_" + std::to_string(i);
}

std::string sizeName(std::size_t i) {
  return "rows_" + std::to_string(i);
}

}  // namespace

ReductionPieces::ReductionPieces(std::string path, std::string key, double least)
    : path_(std::move(path)), key_(std::move(key)), least_(least) {}

std::string ReductionPieces::fileFor(const std::string& stage) const {
  return path_ + "." + stage + kEnding;
}

std::optional<ReductionPieces::Matrices> ReductionPieces::find(const std::string& stage) const {
  std::error_code ignored;
  if (path_.empty() || !fs::is_regular_file(fileFor(stage), ignored)) return std::nullopt;
  try {
    if (files::checkSeal(fileFor(stage)) != files::Seal::kWhole) return std::nullopt;
    const Hdf5File file = Hdf5File::open(fileFor(stage));
    const bool isOurs = file.hasAttribute("/", "format") &&
                        file.readTextAttribute("/", "format") == kFormat &&
                        file.readText("key") == key_ && file.readText("stage") == stage;
    if (!isOurs) return std::nullopt;
    Matrices matrices;
    while (file.has(tableName(matrices.size()))) {
      const std::size_t i = matrices.size();
      const auto rows = static_cast<Eigen::Index>(readVector(file, sizeName(i)).sum());
      matrices.push_back(readMatrix(file, tableName(i), -1, -1));
      if (matrices.back().cols() == 0) matrices.back().resize(rows, 0);
    }
    return matrices;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void ReductionPieces::keep(const std::string& stage, const Matrices& matrices,
                           double seconds) const {
  if (path_.empty() || seconds < least_) return;
  try {
    files::StagedFile staged(fileFor(stage));
    Hdf5File file = Hdf5File::create(staged.name());
    file.setAttribute("/", "format", std::string(kFormat));
    file.addText("key", key_);
    file.addText("stage", stage);
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const auto rows = static_cast<double>(matrices[i].rows());
      // A table without columns has no rows either.
      writeVector(file, sizeName(i), Eigen::VectorXd::Constant(1, rows));
      writeMatrix(file, tableName(i), matrices[i]);
    }
    file.close();
    files::sealFile(staged.name());
    staged.commit();
  } catch (const std::exception&) {
    // A convenience only.
  }
}

void ReductionPieces::remove() const {
  if (path_.empty()) return;
  const fs::path path(path_);
  const std::string start = path.filename().string() + ".";
  std::error_code error;
  std::vector<fs::path> ours;
  for (fs::directory_iterator at(path.parent_path(), error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(start) && name.ends_with(kEnding)) ours.push_back(at->path());
  }
  std::error_code ignored;
  for (const fs::path& file : ours) fs::remove(file, ignored);
}

}  // namespace flexloop::fem
