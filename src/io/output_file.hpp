// A file that is written under a temporary name and gets its own when it is whole.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace flexloop::io {

// Where a file stands until it is whole.
std::string partialName(const std::string& path);

// Gives a partial file its final name. Throws std::runtime_error if that is not possible.
void renamePartial(const std::string& path);

// Text that is written piece by piece. `-` is standard output; a pipe or a device is written
// directly.
class OutputFile {
 public:
  // Throws std::runtime_error if it cannot be written, here and below.
  explicit OutputFile(const std::string& path);
  ~OutputFile();  // a file that has not been closed keeps its temporary name
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void flush();
  void close();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  bool renames_ = false;
  std::FILE* file_ = nullptr;
};

// The whole text at once.
void writeTextFile(const std::string& path, std::string_view text);

}  // namespace flexloop::io
