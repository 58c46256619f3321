// A ZIP archive that is written file by file. The same files give the same bytes: it has no times and no owners.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "files/output_file.hpp"

namespace flexloop::files {

class ZipWriter {
 public:
  // Throws std::runtime_error if it cannot be written, here and below. Nothing is there under this name before close().
  explicit ZipWriter(const std::string& path) : file_(path) {}

  // Names have '/' between folders.
  void add(const std::string& name, std::string_view bytes);
  void close();

 private:
  OutputFile file_;
  std::string directory_;  // at the end of the archive, one record by file
  std::uint64_t written_ = 0;
  unsigned files_ = 0;
};

}  // namespace flexloop::files
