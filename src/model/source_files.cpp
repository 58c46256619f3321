#include "model/source_files.hpp"

#include <algorithm>
#include <filesystem>

namespace flexloop::model {
namespace {

namespace fs = std::filesystem;

template <class Match>
const SourceFile* find(const std::vector<SourceFile>& files, const Match& match) {
  const auto found = std::find_if(files.begin(), files.end(), match);
  return found != files.end() ? &*found : nullptr;
}

}  // namespace

const SourceFile* SourceFiles::findName(const std::string& name) const {
  return find(files, [&](const SourceFile& file) { return file.name == name; });
}

const SourceFile* SourceFiles::findPath(const std::string& path) const {
  return find(files, [&](const SourceFile& file) { return file.path == path; });
}

std::string SourceFiles::nameFrom(const std::string& path, const std::string& reference) const {
  if (fs::path(reference).is_absolute()) return reference;
  const SourceFile* file = findPath(path);
  // A value of the command line belongs to the folder in which the program was started.
  if (file == nullptr) return fs::absolute(reference).lexically_normal().string();
  return (fs::path(file->name).parent_path() / reference).lexically_normal().string();
}

}  // namespace flexloop::model
