// A MAT-file (version 5) for MATLAB, Octave and SciPy, variable by variable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "files/staged_file.hpp"

struct _mat_t;

namespace flexloop::files {

class MatFile {
 public:
  // Throws std::runtime_error if it cannot be written, here and below.
  explicit MatFile(std::string path);

  void write(const char* name, const Eigen::MatrixXd& matrix);
  // Numbers with the first index changing fastest, as everything in a MAT-file.
  void write(const char* name, const std::vector<double>& numbers,
             const std::vector<std::size_t>& size);
  void write(const char* name, const std::vector<std::string>& texts);  // a column of cells
  // The file gets its name; without it nothing is left.
  void close();

 private:
  std::string path_;
  StagedFile staged_;
  std::vector<std::size_t> values_;  // bytes of the values of each variable
  std::unique_ptr<_mat_t, int (*)(_mat_t*)> file_;
};

}  // namespace flexloop::files
