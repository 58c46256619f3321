// A MAT-file (version 5) for MATLAB, Octave and SciPy, variable by variable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "files/output_file.hpp"

namespace flexloop::files {

class MatFile {
 public:
  // Throws std::runtime_error if it cannot be written, here and below.
  explicit MatFile(const std::string& path);

  void write(const char* name, const Eigen::MatrixXd& matrix);
  // Numbers with the first index changing fastest, as everything in a MAT-file.
  void write(const char* name, const std::vector<double>& numbers,
             const std::vector<std::size_t>& size);
  void write(const char* name, const std::vector<std::string>& texts);  // a column of cells
  // The file gets its name; without it nothing is left.
  void close();

 private:
  void writeNumbers(const char* name, const double* numbers, const std::vector<std::size_t>& size);

  std::string path_;
  OutputFile file_;
};

}  // namespace flexloop::files
