#include "io/file_text.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "base/nearest_word.hpp"

namespace flexloop::io {
namespace {

namespace fs = std::filesystem;

// Far above the largest model; ends the reading of devices that never end.
constexpr std::size_t kLargestFile = std::size_t{256} << 20;
constexpr std::size_t kMostNames = 10000;

std::string suggestFile(const fs::path& path) {
  std::error_code error;
  std::vector<std::string> names;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
    if (names.size() >= kMostNames) break;
  }
  const std::optional<std::string> nearest = base::findNearestWord(path.filename().string(), names);
  return nearest ? "did you mean '" + (path.parent_path() / *nearest).string() + "'?" : "";
}

}  // namespace

base::Result<std::string> readFileText(const std::string& path) {
  const std::string subject = "the file '" + path + "' cannot be read: ";
  std::error_code error;
  if (fs::is_directory(path, error)) return base::Failure{subject + "it is a folder", {}};
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    const bool missing = errno == ENOENT;
    return base::Failure{subject + (missing ? "there is none" : std::strerror(errno)),
                         missing ? suggestFile(path) : std::string()};
  }
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (stream) {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    text.append(buffer.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestFile) {
      return base::Failure{subject + "it is larger than 256 MB", "is it a model?"};
    }
  }
  if (stream.bad()) return base::Failure{subject + "the medium reports an error", {}};
  return text;
}

}  // namespace flexloop::io
