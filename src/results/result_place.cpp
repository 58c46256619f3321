#include "results/result_place.hpp"

#include <exception>
#include <filesystem>
#include <vector>

#include "files/hdf5_file.hpp"
#include "files/output_file.hpp"

namespace flexloop::results {
namespace {

namespace fs = std::filesystem;

bool holdsRecords(const std::string& file) {
  try {
    const std::vector<std::size_t> size = files::Hdf5File::open(file).readShape("/time");
    return !size.empty() && size.front() > 0;
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

bool isFinishedResult(const std::string& path) {
  if (!fs::exists(path)) return false;
  try {
    return files::Hdf5File::open(path).readFlag("/", "complete");
  } catch (const std::exception&) {
    return true;
  }
}

bool beginsBefore(const std::string& path, double time) {
  try {
    const files::Hdf5File file = files::Hdf5File::open(path);
    const std::vector<std::size_t> size = file.readShape("/time");
    return !size.empty() && size.front() > 0 && file.readRows("/time", 0, 1).front() < time;
  } catch (const std::exception&) {
    return true;
  }
}

std::string keepAside(const std::string& result, const std::string& file) {
  if (!fs::exists(file) || !holdsRecords(file)) return {};
  const fs::path path(result);
  for (int i = 1;; ++i) {
    fs::path name = path.parent_path() / path.stem();
    name += ".part-" + std::to_string(i) + path.extension().string();
    if (fs::exists(fs::symlink_status(name))) continue;
    files::renameWhole(file, name.string());
    return name.string();
  }
}

}  // namespace flexloop::results
