// Tables and matrices of numbers in the files of other programs, from the bytes of a file:
//
//   text          rows of numbers, separated by commas, semicolons or blanks, under a line of names or not; `#` and `%`
//                 start comments
//   Matrix Market .mtx, `array` or `coordinate`
//   MATLAB        .mat, versions 4 to 7.3, one variable of it
//   HDF5          .h5 and .hdf5, one dataset of it
//
// All numbers are finite, and all rows have the same length. A failure names the line or the variable.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flexloop::files {

struct NumberTable {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;      // row by row
  std::vector<std::string> names;  // of the columns; empty: the file has none

  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

base::Result<NumberTable> parseTextTable(std::string_view text);
base::Result<NumberTable> parseMatrixMarket(std::string_view text);

// The ending of the path determines the kind of file, whose content is `bytes`. Without `variable`, a file with a single one
// gives that; text and Matrix Market have none.
base::Result<NumberTable> readNumberTable(const std::string& bytes, const std::string& path,
                                          const std::string& variable);

}  // namespace flexloop::files
