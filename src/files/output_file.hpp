// A file that is written under a temporary name and gets its own when it is whole, so that whatever happens there is
// the old file or the new one.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace flexloop::files {

// Of the result of a run until it is whole. The run holds the lock of its folder (folder_lock.hpp).
std::string partialName(const std::string& path);

// Of other files until they are whole: another process that writes the same file has another.
std::string ownPartialName(const std::string& path);

// Throws std::runtime_error if it is not possible.
void renameFile(const std::string& from, const std::string& to);

// Gives a file that is whole another name, in place of a file that may have it. Both have reached the medium before
// this returns. Throws std::runtime_error if it is not possible.
void renameWhole(const std::string& from, const std::string& to);

// Text that is written piece by piece. `-` is standard output; a pipe, a device or a file that is
// open already (`/dev/fd/3`) is written directly.
class OutputFile {
 public:
  // Throws std::runtime_error if it cannot be written, here and below.
  explicit OutputFile(const std::string& path);
  ~OutputFile();  // a file that has not been closed is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void flush();
  void close();
  // Leaves nothing behind.
  void discard();

 private:
  [[noreturn]] void fail() const;

  std::string path_, partial_;
  bool renames_ = false;
  bool isScreen_ = false;  // where control characters would do something
  std::FILE* file_ = nullptr;
};

// The whole text at once.
void writeTextFile(const std::string& path, std::string_view text);

}  // namespace flexloop::files
