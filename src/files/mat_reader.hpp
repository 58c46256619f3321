// MAT-files of versions 4 and 5 (MathWorks, "MAT-File Format") by our own reader: they come from strangers, and libraries have
// trusted their sizes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "files/number_table.hpp"

namespace flexloop::files {

struct MatVariable {
  enum class Kind { kNumbers, kText, kCells, kStructure, kOther };

  std::string name;
  Kind kind = Kind::kOther;
  NumberTable table{};                 // of kNumbers: a real matrix, full or sparse
  std::string text{};                  // of kText; letters of ASCII
  std::size_t count = 0;               // of cells or of structures in an array
  std::vector<std::string> fields{};   // of structures
  std::vector<MatVariable> entries{};  // cells, or the fields of each structure one after the other
};

// The names of all variables, in the order of the file.
base::Result<std::vector<std::string>> listMatVariables(std::string_view bytes);
// One of them; nothing of the others is kept.
base::Result<MatVariable> readMatVariable(std::string_view bytes, const std::string& name);
base::Result<std::vector<MatVariable>> readMatVariables(std::string_view bytes);

}  // namespace flexloop::files
