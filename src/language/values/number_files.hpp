// Files of numbers that a model names in place of numbers: `{file: wind.csv, column: speed}`, `{file: plant.mat, variable: A}`.
// Their paths are relative to the file that names them. Each is read once, from the files that a result keeps where there are
// such, so that a model which is made again is the one that ran.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/number_table.hpp"
#include "language/error_list.hpp"
#include "language/overrides.hpp"
#include "language/parameter_table.hpp"
#include "language/raw_model.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "model/source_files.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

// Whether a value is a map that names a file.
bool namesFile(const RawNode& node);

// Where an item has `file` and `columns`: the same with the lists of numbers as columns of that file, one by one. Nothing
// where it has none; what is wrong is reported.
std::optional<RawMap> spreadColumns(const RawMap& item, const std::vector<std::string>& lists,
                                    const std::string& owner, ErrorList& errors);

class NumberFiles {
 public:
  // Without stored files, those on disk.
  explicit NumberFiles(const model::SourceFiles* stored = nullptr) : stored_(stored) {}

  // The numbers that a map with `file` means: rows of a matrix, or one column. Nothing if they are not there, which is
  // reported.
  std::optional<std::vector<std::vector<double>>> readRows(const RawMap& map,
                                                           const Subject& subject,
                                                           ErrorList& errors);
  std::optional<std::vector<double>> readColumn(const RawMap& map, const Subject& subject,
                                                ErrorList& errors);

 private:
  using Table = files::NumberTable;

  const Table* read(const RawMap& map, const Subject& subject, ErrorList& errors);
  base::Result<std::string> readBytes(const RawNode& file) const;

  const model::SourceFiles* stored_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<const Table>>
      tables_;  // by path and variable
};

// Adds the files of numbers that the model names, with the values of the command line, to those of the model.
void addNumberFiles(const std::string& path, const system::Registry& registry,
                    const Overrides& overrides, model::SourceFiles& files);

}  // namespace flexloop::language
