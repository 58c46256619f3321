// Files that are written when everything has been computed, and those that libraries write by their names (output_file.hpp has
// the others).
#pragma once

#include <string>

namespace flexloop::files {

// Throws std::runtime_error, as OutputFile would, before anything is computed for the file. `-` can always be written.
void requireWritable(const std::string& path);

// A file that a library writes by its name. It is written under another one, and gets its own when it is whole.
class StagedFile {
 public:
  // Throws std::runtime_error for what is no file: it would be replaced by one.
  explicit StagedFile(std::string path);
  ~StagedFile();  // removes what has not been committed
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  const std::string& name() const { return partial_; }
  void commit();

 private:
  std::string path_, partial_;
};

}  // namespace flexloop::files
