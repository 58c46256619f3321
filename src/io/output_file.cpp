#include "io/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace flexloop::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void failOn(const std::string& path) {
  throw std::runtime_error("the file '" + path + "' cannot be written: " + std::strerror(errno));
}

bool isSpecial(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

std::string partialName(const std::string& path) {
  return path + ".partial";
}

void renamePartial(const std::string& path) {
  std::error_code error;
  fs::rename(partialName(path), path, error);
  if (error) {
    throw std::runtime_error("the file '" + partialName(path) + "' cannot be renamed to '" + path +
                             "': " + error.message());
  }
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path == "-") {
    file_ = stdout;
    return;
  }
  renames_ = !isSpecial(path);
  file_ = std::fopen((renames_ ? partialName(path) : path).c_str(), "wb");
  if (file_ == nullptr) fail();
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void OutputFile::fail() const {
  failOn(path_);
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void OutputFile::flush() {
  if (std::fflush(file_) != 0) fail();
}

void OutputFile::close() {
  flush();
  if (file_ == stdout) return;
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail();
  if (renames_) renamePartial(path_);
}

void writeTextFile(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.close();
}

}  // namespace flexloop::io
