// Records as comma-separated values: a header `time,<output>,…`, then one row per record, every
// number with the fewest digits that give it back exactly.
#pragma once

#include <string>
#include <vector>

#include "files/output_file.hpp"

namespace flexloop::files {

// The shortest text that reads back as the same number.
void appendNumber(double value, std::string& text);

class CsvWriter {
 public:
  CsvWriter(const std::string& path, const std::vector<std::string>& names);

  void write(double time, const std::vector<double>& values);
  void close();

 private:
  OutputFile file_;
  std::string buffer_;
};

}  // namespace flexloop::files
