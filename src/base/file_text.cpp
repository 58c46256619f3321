#include "base/file_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/nearest_word.hpp"

namespace flexloop::base {
namespace {

namespace fs = std::filesystem;

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

std::string describeKind(mode_t mode) {
  if (S_ISREG(mode)) return {};
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

class Descriptor {
 public:
  // A pipe that nobody writes to would be waited for without end.
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::string describeSpecialFile(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? describeKind(status.st_mode) : std::string();
}

base::Result<std::string> readFileText(const std::string& path, std::size_t largest) {
  const std::string subject = "the file '" + path + "' cannot be read: ";
  const Descriptor file(path);
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
    const int error = errno;
    const std::string special = describeSpecialFile(path);  // a socket does not open
    if (!special.empty()) return base::Failure{subject + "it is " + special, {}};
    return base::Failure{subject + (error == ENOENT ? "it does not exist" : std::strerror(error)),
                         error == ENOENT ? suggestFile(path) : std::string()};
  }
  const std::string kind = describeKind(status.st_mode);
  if (!kind.empty()) {
    return base::Failure{subject + "it is " + kind,
                         S_ISDIR(status.st_mode) ? "" : "write the text to a file first"};
  }
  std::string text;
  text.reserve(std::min(static_cast<std::size_t>(status.st_size), largest));
  std::vector<char> buffer(std::size_t{1} << 16);
  for (;;) {
    const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return base::Failure{subject + std::strerror(errno), {}};
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > largest) {
      return base::Failure{subject + "it is larger than " + std::to_string(largest >> 20) + " MB",
                           largest == kLargestModelFile ? "is it a model?" : ""};
    }
  }
}

}  // namespace flexloop::base
