#include "files/binary_table.hpp"

#include <cmath>
#include <matio.h>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "base/nearest_word.hpp"
#include "files/hdf5_file.hpp"
#include "files/mat_content.hpp"

namespace flexloop::files {
namespace {

using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

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

// One number of a variable of any real type, counted down the columns.
template <class T>
double numberAt(const void* data, std::size_t i) {
  return static_cast<double>(static_cast<const T*>(data)[i]);
}

using Reader = double (*)(const void*, std::size_t);

Reader findReader(matio_types type) {
  switch (type) {
    case MAT_T_DOUBLE:
      return numberAt<double>;
    case MAT_T_SINGLE:
      return numberAt<float>;
    case MAT_T_INT8:
      return numberAt<mat_int8_t>;
    case MAT_T_UINT8:
      return numberAt<mat_uint8_t>;
    case MAT_T_INT16:
      return numberAt<mat_int16_t>;
    case MAT_T_UINT16:
      return numberAt<mat_uint16_t>;
    case MAT_T_INT32:
      return numberAt<mat_int32_t>;
    case MAT_T_UINT32:
      return numberAt<mat_uint32_t>;
    case MAT_T_INT64:
      return numberAt<mat_int64_t>;
    case MAT_T_UINT64:
      return numberAt<mat_uint64_t>;
    default:
      return nullptr;
  }
}

void fillSparse(const matvar_t& variable, NumberTable& table) {
  const auto& sparse = *static_cast<const mat_sparse_t*>(variable.data);
  const Reader read = findReader(variable.data_type);
  for (std::size_t column = 0; column + 1 < sparse.njc && column < table.columns; ++column) {
    for (std::size_t k = sparse.jc[column]; k < sparse.jc[column + 1] && k < sparse.ndata; ++k) {
      if (sparse.ir[k] >= table.rows) continue;
      table.values[sparse.ir[k] * table.columns + column] = read(sparse.data, k);
    }
  }
}

base::Result<NumberTable> makeTable(const matvar_t& variable) {
  const bool isSparse = variable.class_type == MAT_C_SPARSE;
  const Reader read = findReader(variable.data_type);
  if (variable.rank != 2 || variable.isComplex != 0 || read == nullptr ||
      variable.data == nullptr || variable.class_type == MAT_C_CHAR) {
    return base::Failure{"the variable is not a matrix of real numbers", {}};
  }
  NumberTable table;
  table.rows = variable.dims[0];
  table.columns = variable.dims[1];
  constexpr std::size_t kMostEntries = std::size_t{1} << 27;
  if (table.rows == 0 || table.columns == 0 || table.rows > kMostEntries / table.columns) {
    return base::Failure{"the matrix is empty or too large", {}};
  }
  const std::size_t count = table.rows * table.columns;
  if (!isSparse && variable.nbytes < count * static_cast<std::size_t>(variable.data_size)) {
    return base::Failure{"the variable is damaged", {}};
  }
  table.values.assign(count, 0.0);
  if (isSparse) {
    fillSparse(variable, table);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      table.values[i % table.rows * table.columns + i / table.rows] = read(variable.data, i);
    }
  }
  return table;
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

std::string textOf(const matvar_t& variable) {
  std::string text;
  const auto* bytes = static_cast<const unsigned char*>(variable.data);
  const std::size_t width =
      variable.data_size > 0 ? static_cast<std::size_t>(variable.data_size) : 1;
  for (std::size_t i = 0; bytes != nullptr && i + width <= variable.nbytes; i += width) {
    const unsigned char c = bytes[i];
    if (c >= ' ' && c < 0x7f) text += static_cast<char>(c);
  }
  return text;
}

// Structures field by field, and arrays of structures entry by entry.
void addVariable(const matvar_t& variable, const std::string& name, int depth,
                 MatContent& content) {
  constexpr int kDeepest = 8;
  constexpr std::size_t kMostEntries = 10000;
  if (depth > kDeepest) return;
  if (variable.class_type == MAT_C_CHAR) {
    content.texts.push_back({name, {textOf(variable)}});
    return;
  }
  if (variable.class_type == MAT_C_CELL || variable.class_type == MAT_C_STRUCT) {
    std::size_t entries = 1;
    for (int i = 0; i < variable.rank; ++i) {
      if (variable.dims[i] > kMostEntries) return;
      entries *= variable.dims[i];
    }
    if (entries > kMostEntries) return;
    if (variable.class_type == MAT_C_CELL) {
      MatContent::Texts texts{name, {}};
      for (std::size_t k = 0; k < entries; ++k) {
        const matvar_t* cell =
            Mat_VarGetCell(const_cast<matvar_t*>(&variable), static_cast<int>(k));
        const bool isText = cell != nullptr && cell->class_type == MAT_C_CHAR;
        texts.lines.push_back(isText ? textOf(*cell) : std::string());
      }
      content.texts.push_back(std::move(texts));
      return;
    }
    char* const* fields = Mat_VarGetStructFieldnames(&variable);
    const unsigned count = Mat_VarGetNumberOfFields(const_cast<matvar_t*>(&variable));
    for (std::size_t k = 0; k < entries; ++k) {
      const std::string entry = entries > 1 ? name + "(" + std::to_string(k + 1) + ")" : name;
      for (unsigned f = 0; fields != nullptr && f < count; ++f) {
        const matvar_t* field =
            Mat_VarGetStructFieldByIndex(const_cast<matvar_t*>(&variable), f, k);
        if (field != nullptr) addVariable(*field, entry + "." + fields[f], depth + 1, content);
      }
    }
    return;
  }
  const base::Result<NumberTable> table = checkFinite(makeTable(variable));
  if (table) {
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
  const MemoryFile memory(bytes);
  const std::unique_ptr<mat_t, int (*)(mat_t*)> file(
      Mat_Open(memory.path().c_str(), MAT_ACC_RDONLY), Mat_Close);
  if (!file) return base::Failure{"it is not a MAT-file", {}};
  MatContent content;
  while (const Variable variable{Mat_VarReadNext(file.get()), Mat_VarFree}) {
    if (variable->name != nullptr) addVariable(*variable, variable->name, 0, content);
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
  const MemoryFile memory(bytes);
  const std::unique_ptr<mat_t, int (*)(mat_t*)> file(
      Mat_Open(memory.path().c_str(), MAT_ACC_RDONLY), Mat_Close);
  if (!file) return base::Failure{"it is not a MAT-file", {}};
  std::vector<std::string> names;
  while (const Variable info{Mat_VarReadNextInfo(file.get()), Mat_VarFree}) {
    if (info->name != nullptr) names.emplace_back(info->name);
  }
  const base::Result<std::string> name = choose(names, variable, "variable");
  if (!name) return name.failure();
  const Variable found(Mat_VarRead(file.get(), name.value().c_str()), Mat_VarFree);
  if (!found) return base::Failure{"the variable '" + name.value() + "' cannot be read", {}};
  base::Result<NumberTable> table = checkFinite(makeTable(*found));
  if (table) return table;
  return base::Failure{"'" + name.value() + "': " + table.failure().message, table.failure().hint};
}

}  // namespace flexloop::files
