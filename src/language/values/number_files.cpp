#include "language/values/number_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file_text.hpp"
#include "base/nearest_word.hpp"
#include "language/source_reader.hpp"

namespace flexloop::language {
namespace {

namespace fs = std::filesystem;

// A value of the command line has no line, and belongs to the folder in which the program was started.
std::string pathOf(const RawNode& file) {
  const fs::path name = file.scalar()->text;
  if (file.place.file == nullptr || file.place.line == 0) return name.string();
  return (fs::path(*file.place.file).parent_path() / name).string();
}

std::string nameOf(const RawNode& file, const model::SourceFiles& files) {
  const std::string from = file.place.file != nullptr ? *file.place.file : std::string();
  return files.nameFrom(from, file.scalar()->text);
}

const RawNode* findText(const RawMap& map, const char* key) {
  const RawEntry* entry = findEntry(map, key);
  return entry != nullptr && entry->value.scalar() != nullptr ? &entry->value : nullptr;
}

std::string textOf(const RawMap& map, const char* key) {
  const RawNode* node = findText(map, key);
  return node != nullptr ? node->scalar()->text : std::string();
}

bool hasOnlyKnownKeys(const RawMap& map, const std::vector<std::string>& known,
                      const Subject& subject, ErrorList& errors) {
  bool isRight = true;
  for (const RawEntry& entry : map) {
    const bool isKnown = std::find(known.begin(), known.end(), entry.key) != known.end();
    if (isKnown && entry.key != "columns" && entry.value.scalar() == nullptr) {
      errors.add(entry.place, subject.text() + "." + entry.key + ": expected a single word");
      isRight = false;
    } else if (!isKnown) {
      errors.addUnknown(entry.place, subject.text() + ": unknown key " + quote(entry.key),
                        entry.key, known);
      isRight = false;
    }
  }
  return isRight;
}

// The index of a column that is given by its name, or by its number from 1 on.
std::optional<std::size_t> findColumn(const files::NumberTable& table, const RawNode& column,
                                      const std::string& subject, ErrorList& errors) {
  const std::string& word = column.scalar()->text;
  const auto named = std::find(table.names.begin(), table.names.end(), word);
  if (named != table.names.end()) return named - table.names.begin();
  std::size_t number = 0;
  const char* end = word.data() + word.size();
  const auto [last, status] = std::from_chars(word.data(), end, number);
  const bool isNumber = status == std::errc() && last == end;
  if (isNumber && number >= 1 && number <= table.columns) return number - 1;
  if (!table.names.empty()) {
    errors.addUnknown(column.place, subject + ": there is no column " + quote(word), word,
                      table.names);
  } else {
    errors.add(column.place, subject + ": there is no column " + quote(word),
               "its columns have no names: give their numbers, from 1 to " +
                   std::to_string(table.columns));
  }
  return std::nullopt;
}

}  // namespace

bool namesFile(const RawNode& node) {
  return node.map() != nullptr && findEntry(*node.map(), "file") != nullptr;
}

std::optional<RawMap> spreadColumns(const RawMap& item, const std::vector<std::string>& lists,
                                    const std::string& owner, ErrorList& errors) {
  const RawEntry* file = findEntry(item, "file");
  if (lists.empty() || file == nullptr) return std::nullopt;
  const RawEntry* columns = findEntry(item, "columns");
  RawList words = columns != nullptr ? asList(columns->value) : RawList();
  for (std::size_t i = words.size(); columns == nullptr && i < lists.size(); ++i) {
    words.push_back({file->place, RawScalar{std::to_string(i + 1), false}});
  }
  if (words.size() != lists.size()) {
    errors.add(columns->place,
               owner + ".columns: " + std::to_string(lists.size()) + " columns are expected, not " +
                   std::to_string(words.size()),
               "one for each of " + listOf(lists));
  }
  RawMap spread;
  for (const RawEntry& entry : item) {
    if (entry.key == "file" || entry.key == "columns" || entry.key == "variable") continue;
    if (std::find(lists.begin(), lists.end(), entry.key) != lists.end()) {
      errors.add(entry.place, owner + ": " + quote(entry.key) + " cannot be combined with 'file'",
                 "its numbers come from a column of the file");
      continue;
    }
    spread.push_back(entry);
  }
  for (std::size_t i = 0; i < lists.size() && i < words.size(); ++i) {
    RawMap source{*file, {"column", words[i].place, words[i]}};
    if (const RawEntry* variable = findEntry(item, "variable")) source.push_back(*variable);
    spread.push_back({lists[i], file->place, {file->value.place, std::move(source)}});
  }
  return spread;
}

base::Result<std::string> NumberFiles::readBytes(const RawNode& file) const {
  if (stored_ != nullptr) {
    const std::string name = nameOf(file, *stored_);
    if (const model::SourceFile* found = stored_->findName(name)) return found->text;
    if (stored_->isStored) {
      return base::Failure{"the file " + quote(name) + " was not part of the run", {}};
    }
  }
  return base::readFileText(pathOf(file));
}

const files::NumberTable* NumberFiles::read(const RawMap& map, const Subject& subject,
                                            ErrorList& errors) {
  const RawNode* file = findText(map, "file");
  if (file == nullptr || file->scalar()->text.empty()) {
    errors.add(findEntry(map, "file")->place,
               subject.text() + ".file: expected the name of a file");
    return nullptr;
  }
  const std::string path = pathOf(*file), variable = textOf(map, "variable");
  const auto [entry, isNew] = tables_.try_emplace({path, variable});
  if (!isNew) return entry->second.get();  // what is wrong with it has been reported
  const base::Result<std::string> bytes = readBytes(*file);
  if (!bytes) {
    errors.add(file->place, subject.text() + ": " + bytes.failure().message, bytes.failure().hint);
    return nullptr;
  }
  const base::Result<Table> table = files::readNumberTable(bytes.value(), path, variable);
  if (!table) {
    errors.add(file->place,
               subject.text() + ": " + quote(file->scalar()->text) + ": " + table.failure().message,
               table.failure().hint);
    return nullptr;
  }
  entry->second = std::make_unique<const Table>(table.value());
  return entry->second.get();
}

std::optional<std::vector<std::vector<double>>> NumberFiles::readRows(const RawMap& map,
                                                                      const Subject& subject,
                                                                      ErrorList& errors) {
  if (!hasOnlyKnownKeys(map, {"file", "variable", "columns"}, subject, errors)) return std::nullopt;
  const Table* table = read(map, subject, errors);
  if (table == nullptr) return std::nullopt;
  std::vector<std::size_t> chosen;
  if (const RawEntry* columns = findEntry(map, "columns")) {
    for (const RawNode& column : asList(columns->value)) {
      const auto index =
          column.scalar() != nullptr
              ? findColumn(*table, column, subject.text() + ": " + quote(textOf(map, "file")),
                           errors)
              : std::nullopt;
      if (!index) return std::nullopt;
      chosen.push_back(*index);
    }
  } else {
    for (std::size_t i = 0; i < table->columns; ++i) chosen.push_back(i);
  }
  std::vector<std::vector<double>> rows(table->rows);
  for (std::size_t row = 0; row < table->rows; ++row) {
    for (const std::size_t column : chosen) rows[row].push_back(table->at(row, column));
  }
  return rows;
}

std::optional<std::vector<double>> NumberFiles::readColumn(const RawMap& map,
                                                           const Subject& subject,
                                                           ErrorList& errors) {
  if (!hasOnlyKnownKeys(map, {"file", "variable", "column"}, subject, errors)) return std::nullopt;
  const Table* table = read(map, subject, errors);
  if (table == nullptr) return std::nullopt;
  const RawNode* column = findText(map, "column");
  if (column == nullptr && (table->rows == 1 || table->columns == 1)) return table->values;
  const std::string file = subject.text() + ": " + quote(textOf(map, "file"));
  if (column == nullptr) {
    errors.add(
        findText(map, "file")->place, file + " has " + std::to_string(table->columns) + " columns",
        "add 'column: ...' with " +
            (table->names.empty() ? "its number, from 1 on" : "one of " + listOf(table->names)));
    return std::nullopt;
  }
  const auto index = findColumn(*table, *column, file, errors);
  if (!index) return std::nullopt;
  std::vector<double> numbers(table->rows);
  for (std::size_t row = 0; row < table->rows; ++row) numbers[row] = table->at(row, *index);
  return numbers;
}

namespace {

class Collector {
 public:
  Collector(const system::Registry& registry, model::SourceFiles& files)
      : registry_(registry), files_(files) {}

  void addSection(const std::string& section, const RawMap& entries) {
    for (const RawEntry& item : entries) {
      if (const RawMap* map = item.value.map()) addItem(section, *map);
    }
  }

 private:
  void addItem(const std::string& section, const RawMap& item) {
    const RawNode* word = findText(item, "type");
    const system::TypeEntry* type =
        registry_.find(section, word != nullptr ? std::string_view(word->scalar()->text) : "");
    if (type == nullptr) return;
    if (!type->fileColumns.empty()) addFile(item);
    addValues(item, type->parameters);
  }

  void addValues(const RawMap& map, const std::vector<system::Parameter>& parameters) {
    using system::Shape;
    for (const system::Parameter& parameter : parameters) {
      const RawEntry* entry = findEntry(map, parameter.name);
      const RawMap* inner = entry != nullptr ? entry->value.map() : nullptr;
      if (inner == nullptr) continue;
      const Shape shape = parameter.shape;
      const bool isNumbers =
          shape == Shape::kNumbers || shape == Shape::kVector || shape == Shape::kMatrix;
      if (isNumbers) addFile(*inner);
      if (shape == Shape::kMap) addValues(*inner, parameter.fields);
    }
  }

  // What cannot be read is reported by who reads the model.
  void addFile(const RawMap& map) {
    const RawNode* file = findText(map, "file");
    if (file == nullptr) return;
    const std::string name = nameOf(*file, files_), path = pathOf(*file);
    if (files_.findName(name) != nullptr) return;
    const base::Result<std::string> bytes = base::readFileText(path);
    if (bytes) files_.files.push_back({name, path, bytes.value(), false});
  }

  const system::Registry& registry_;
  model::SourceFiles& files_;
};

}  // namespace

void addNumberFiles(const std::string& path, const system::Registry& registry,
                    const Overrides& overrides, model::SourceFiles& files) {
  ErrorList ignored;
  RawModel raw;
  try {
    raw = readRawFiles(files, path, registry, ignored);
    applyOverrides(overrides, registry, raw, ignored);
  } catch (const base::InputError&) {
    return;  // who reads the model will say so
  }
  Collector collector(registry, files);
  for (const RawSection& section : raw.sections) {
    if (hasItems(section.name)) collector.addSection(section.name, section.entries);
    if (section.name != "diagrams" && section.name != "assemblies") continue;
    for (const RawEntry& group : section.entries) {
      const RawMap* parts = group.value.map();
      for (const RawEntry& part : parts != nullptr ? *parts : RawMap()) {
        if (part.value.map() != nullptr) collector.addSection(part.key, *part.value.map());
      }
    }
  }
}

}  // namespace flexloop::language
