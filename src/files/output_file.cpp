#include "files/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>
#include <utility>

#include "base/plain_text.hpp"
#include "files/staged_file.hpp"

namespace flexloop::files {
namespace {

namespace fs = std::filesystem;

// A pipe, a device, or a file that is open already under a number: none of them can get another name.
bool isSpecial(const std::string& path) {
  if (path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/")) return true;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// False, with errno, where the medium reports an error; a file system that cannot do it is none.
bool synchronise(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool ok = ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return ok;
}

[[noreturn]] void failToWrite(const std::string& path, int error) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code ignored;
  const bool isNowhere = error == ENOENT && !folder.empty() && !fs::exists(folder, ignored);
  throw std::runtime_error(
      "the file '" + path + "' cannot be written: " +
      (isNowhere ? "the folder '" + folder.string() + "' does not exist\n  hint: create it first"
                 : std::strerror(error)));
}

[[noreturn]] void failToRename(const std::string& from, const std::string& to) {
  throw std::runtime_error("the file '" + from + "' cannot be renamed to '" + to +
                           "': " + std::strerror(errno));
}

}  // namespace

std::string partialName(const std::string& path) {
  return path + ".partial";
}

std::string ownPartialName(const std::string& path) {
  return path + "." + std::to_string(::getpid()) + ".partial";
}

void renameFile(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) failToRename(from, to);
}

void renameWhole(const std::string& from, const std::string& to) {
  if (!synchronise(from, O_RDONLY)) failToRename(from, to);
  renameFile(from, to);
  const std::string folder = fs::path(to).parent_path().string();
  if (!synchronise(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY)) failToRename(from, to);
}

OutputFile::OutputFile(const std::string& path) : path_(path), partial_(ownPartialName(path)) {
  if (path == "-") {
    file_ = stdout;
    isScreen_ = ::isatty(STDOUT_FILENO) != 0;
    return;
  }
  renames_ = !isSpecial(path);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) failToWrite(path, EISDIR);
  file_ = std::fopen((renames_ ? partial_ : path).c_str(), "wbe");
  if (file_ == nullptr) fail();
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) discard();
}

void OutputFile::fail() const {
  const int error = errno;
  if (path_ != "-") failToWrite(path_, error);
  throw std::runtime_error(std::string("standard output cannot be written: ") +
                           std::strerror(error));
}

void OutputFile::write(std::string_view text) {
  const std::string plain = isScreen_ ? base::makePlain(text) : std::string();
  if (isScreen_) text = plain;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void OutputFile::flush() {
  if (std::fflush(file_) != 0) fail();
}

void OutputFile::close() {
  flush();
  if (file_ == stdout) return;
  if (renames_) renameWhole(partial_, path_);
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail();
}

void OutputFile::discard() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  file_ = nullptr;
  if (renames_) std::remove(partial_.c_str());
}

void writeTextFile(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.close();
}

void requireWritable(const std::string& path) {
  if (path != "-" && !isSpecial(path)) OutputFile(path).discard();
}

StagedFile::StagedFile(std::string path) : path_(std::move(path)), partial_(ownPartialName(path_)) {
  if (isSpecial(path_)) {
    throw std::runtime_error("the file '" + path_ +
                             "' cannot be written: it is a pipe or a device");
  }
  requireWritable(path_);
}

StagedFile::~StagedFile() {
  if (!partial_.empty()) std::remove(partial_.c_str());
}

void StagedFile::commit() {
  renameWhole(partial_, path_);
  partial_.clear();
}

}  // namespace flexloop::files
