// All that is in a MAT-file, of whatever version.
#pragma once

#include <string>
#include <vector>

#include "files/number_table.hpp"

namespace flexloop::files {

struct MatContent {
  struct Matrix {
    std::string name;  // of a field: log.signals(2).values
    NumberTable table;
  };
  struct Texts {
    std::string name;
    std::vector<std::string> lines;
  };
  std::vector<Matrix> matrices;     // real ones
  std::vector<Texts> texts;         // of characters, and cells of them
  std::vector<std::string> others;  // variables of other kinds, such as objects

  const NumberTable* find(const std::string& name) const;
  const std::vector<std::string>* findTexts(const std::string& name) const;
};

base::Result<MatContent> readMatContent(const std::string& bytes);

}  // namespace flexloop::files
