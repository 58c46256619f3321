#include "files/binary_table.hpp"

#include <cmath>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "base/nearest_word.hpp"
#include "files/hdf5_file.hpp"
#include "files/mat_content.hpp"
#include "files/mat_reader.hpp"

namespace flexloop::files {
namespace {

constexpr std::string_view kHdf5Inside = "MATLAB 7.3";  // how such a MAT-file begins

// Bytes as a file, for libraries that want a path: they are those that were read and are kept, whatever is on disk now.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : handle_(memfd_create("flexloop", MFD_CLOEXEC)) {
    if (handle_ < 0) throw std::runtime_error("there is no memory for a file");
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t written = ::write(handle_, bytes.data() + at, bytes.size() - at);
      if (written <= 0) throw std::runtime_error("there is no memory for a file");
      at += static_cast<std::size_t>(written);
    }
  }
  ~MemoryFile() {
    if (handle_ >= 0) close(handle_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(handle_); }

 private:
  int handle_;
};

std::string listOf(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i)
    text += (i > 0 ? ", " : "") + names[i];
  return text + (names.size() > kMost ? ", …" : "");
}

// The variable that is meant, or why none is.
base::Result<std::string> choose(const std::vector<std::string>& names, const std::string& given,
                                 const char* kind) {
  if (names.empty()) return base::Failure{std::string("there is no ") + kind + " in it", {}};
  if (given.empty()) {
    if (names.size() == 1) return names.front();
    return base::Failure{std::string("it has several ") + kind + "s",
                         "add 'variable: ...' with one of " + listOf(names)};
  }
  for (const std::string& name : names) {
    if (name == given) return given;
  }
  const auto nearest = base::findNearestWord(given, names);
  return base::Failure{std::string("it has no ") + kind + " '" + given + "'",
                       nearest ? "did you mean '" + *nearest + "'?" : "known: " + listOf(names)};
}

base::Result<NumberTable> makeTable(const MatVariable& variable) {
  if (variable.kind != MatVariable::Kind::kNumbers) {
    return base::Failure{"the variable is not a matrix of real numbers", {}};
  }
  if (variable.table.values.empty()) return base::Failure{"the matrix is empty", {}};
  return variable.table;
}

NumberTable transposed(const NumberTable& table) {
  NumberTable other{table.columns, table.rows, {}, {}};
  other.values.resize(table.values.size());
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    other.values[i % table.columns * table.rows + i / table.columns] = table.values[i];
  }
  return other;
}

base::Result<NumberTable> checkFinite(base::Result<NumberTable> table) {
  if (!table) return table;
  const NumberTable& found = table.value();
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    if (std::isfinite(found.values[i])) continue;
    return base::Failure{"the entry in row " + std::to_string(i / found.columns + 1) + ", column " +
                             std::to_string(i % found.columns + 1) + " is not a finite number",
                         {}};
  }
  return table;
}

}  // namespace

namespace {

// Structures field by field, and arrays of structures entry by entry.
void addVariable(const MatVariable& variable, const std::string& name, MatContent& content) {
  using Kind = MatVariable::Kind;
  if (variable.kind == Kind::kText) {
    content.texts.push_back({name, {variable.text}});
  } else if (variable.kind == Kind::kCells) {
    MatContent::Texts texts{name, {}};
    for (const MatVariable& cell : variable.entries) texts.lines.push_back(cell.text);
    content.texts.push_back(std::move(texts));
  } else if (variable.kind == Kind::kStructure) {
    const std::size_t fields = variable.fields.size();
    for (std::size_t i = 0; i < variable.entries.size(); ++i) {
      const std::string number =
          variable.count > 1 ? "(" + std::to_string(i / fields + 1) + ")" : std::string();
      addVariable(variable.entries[i], name + number + "." + variable.fields[i % fields], content);
    }
  } else if (const base::Result<NumberTable> table = checkFinite(makeTable(variable))) {
    content.matrices.push_back({name, table.value()});
  } else {
    content.others.push_back(name);
  }
}

}  // namespace

const NumberTable* MatContent::find(const std::string& name) const {
  for (const Matrix& matrix : matrices) {
    if (matrix.name == name) return &matrix.table;
  }
  return nullptr;
}

const std::vector<std::string>* MatContent::findTexts(const std::string& name) const {
  for (const Texts& one : texts) {
    if (one.name == name) return &one.lines;
  }
  return nullptr;
}

base::Result<MatContent> readMatContent(const std::string& bytes) {
  if (bytes.starts_with(kHdf5Inside)) {
    return base::Failure{"it is a MAT-file of version 7.3", "save it with '-v7'"};
  }
  const base::Result<std::vector<MatVariable>> variables = readMatVariables(bytes);
  if (!variables) return variables.failure();
  MatContent content;
  for (const MatVariable& variable : variables.value()) {
    addVariable(variable, variable.name, content);
  }
  return content;
}

base::Result<NumberTable> readHdf5Table(const std::string& bytes, const std::string& variable) {
  if (variable.empty()) {
    return base::Failure{"the dataset is not named", "add 'variable: /group/name'"};
  }
  const MemoryFile memory(bytes);
  try {
    const Hdf5File file = Hdf5File::open(memory.path());
    const std::string name = variable.starts_with('/') ? variable : "/" + variable;
    if (!file.has(name)) return base::Failure{"it has no dataset '" + variable + "'", {}};
    const std::vector<std::size_t> shape = file.readShape(name);
    if (shape.empty() || shape.size() > 2 || shape[0] == 0 || shape.back() == 0) {
      return base::Failure{"'" + variable + "' is not a table of numbers", {}};
    }
    NumberTable table;
    table.rows = shape[0];
    table.columns = shape.size() == 2 ? shape[1] : 1;
    table.values = file.readRows(name, 0, table.rows);
    if (table.values.size() != table.rows * table.columns) {
      return base::Failure{"'" + variable + "' is damaged", {}};
    }
    return checkFinite(std::move(table));
  } catch (const std::runtime_error&) {
    return base::Failure{
        "'" + variable + "' cannot be read from it",
        "it must be a dataset of real numbers that is neither packed nor elsewhere"};
  }
}

base::Result<NumberTable> readMatTable(const std::string& bytes, const std::string& variable) {
  if (bytes.starts_with(kHdf5Inside)) {  // with matrices by columns
    base::Result<NumberTable> columns = readHdf5Table(bytes, variable);
    return columns ? transposed(columns.value()) : columns;
  }
  const base::Result<std::vector<std::string>> names = listMatVariables(bytes);
  if (!names) return names.failure();
  const base::Result<std::string> name = choose(names.value(), variable, "variable");
  if (!name) return name.failure();
  const base::Result<MatVariable> found = readMatVariable(bytes, name.value());
  if (!found) return found.failure();
  base::Result<NumberTable> table = checkFinite(makeTable(found.value()));
  if (table) return table;
  return base::Failure{"'" + name.value() + "': " + table.failure().message, table.failure().hint};
}

}  // namespace flexloop::files
