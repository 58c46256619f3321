// A file without a name on disk, for reports that the commands write to a path.
#pragma once

#include <string>

namespace flexloop::python {

class MemoryFile {
 public:
  // Throws std::runtime_error where there is no memory, also below.
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const;
  // What has been written to the path so far.
  std::string read() const;

 private:
  int descriptor_ = -1;
};

}  // namespace flexloop::python
