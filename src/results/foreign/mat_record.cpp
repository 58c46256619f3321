#include <algorithm>
#include <memory>
#include <optional>

#include "base/diagnostics.hpp"
#include "files/mat_content.hpp"
#include "language/error_list.hpp"
#include "results/foreign/foreign_record.hpp"

namespace flexloop::results {
namespace {

using analysis::TimeRecord;
using files::MatContent;
using files::NumberTable;

constexpr const char* kKnown =
    "known are the array of a To File block, a structure with time, vectors beside one that is "
    "called time, t or "
    "tout, and the files of 'flexloop export'; timeseries objects are saved as one of these first";

std::vector<double> rowOf(const NumberTable& table, std::size_t row) {
  std::vector<double> values;
  for (std::size_t k = 0; k < table.columns; ++k) values.push_back(table.at(row, k));
  return values;
}

std::vector<double> columnOf(const NumberTable& table, std::size_t column) {
  std::vector<double> values;
  for (std::size_t k = 0; k < table.rows; ++k) values.push_back(table.at(k, column));
  return values;
}

bool increases(const std::vector<double>& values) {
  return values.size() > 1 &&
         std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

class Reader {
 public:
  Reader(const MatContent& content, const std::string& path) : content_(content), path_(path) {}

  TimeRecord read() {
    if (readExport() || readStructure() || readVectors() || readArray()) return std::move(record_);
    std::string message = "it holds no record that is known";
    if (!content_.others.empty()) {
      message += "; '" + content_.others.front() + "' is neither numbers nor text";
    }
    throw base::InputError({std::make_shared<const std::string>(path_), 0, 0}, message, kKnown);
  }

 private:
  void add(const std::string& name, std::vector<double> values, const std::string& unit = {}) {
    std::string plain = name, split = unit;
    if (unit.empty()) splitUnit(plain, split);
    record_.names.push_back(names_.make(plain));
    record_.units.push_back(split);
    record_.columns.push_back(std::move(values));
  }

  // The values of one signal: a vector, or a column for each component.
  void addColumns(const std::string& name, const NumberTable& table) {
    const std::size_t n = record_.times.size();
    const bool isRow = table.rows == 1 && table.columns == n && n > 1;
    if (isRow) return add(name, rowOf(table, 0));
    for (std::size_t c = 0; c < table.columns; ++c) {
      add(table.columns == 1 ? name : name + "_" + std::to_string(c + 1), columnOf(table, c));
    }
  }

  bool fits(const NumberTable& table) const {
    const std::size_t n = record_.times.size();
    return table.rows == n || (table.rows == 1 && table.columns == n);
  }

  bool takeTime(const NumberTable* time) {
    if (time == nullptr || (time->rows != 1 && time->columns != 1)) return false;
    record_.times = time->values;
    return increases(record_.times);
  }

  // time, names, units and values
  bool readExport() {
    const NumberTable* values = content_.find("values");
    const auto* names = content_.findTexts("names");
    if (values == nullptr || names == nullptr || values->columns != names->size()) return false;
    if (!takeTime(content_.find("time")) || values->rows != record_.times.size()) return false;
    const auto* units = content_.findTexts("units");
    for (std::size_t c = 0; c < names->size(); ++c) {
      const bool hasUnit = units != nullptr && units->size() == names->size();
      add((*names)[c], columnOf(*values, c), hasUnit ? (*units)[c] : std::string());
    }
    return true;
  }

  // log.time, log.signals(k).values and log.signals(k).label
  bool readStructure() {
    for (const MatContent::Matrix& time : content_.matrices) {
      if (!time.name.ends_with(".time")) continue;
      const std::string signals = time.name.substr(0, time.name.size() - 4) + "signals";
      if (!takeTime(&time.table)) continue;
      for (const MatContent::Matrix& one : content_.matrices) {
        if (!one.name.starts_with(signals) || !one.name.ends_with(".values") || !fits(one.table)) {
          continue;
        }
        const std::string start = one.name.substr(0, one.name.size() - 6);
        const auto* label = content_.findTexts(start + "label");
        const bool hasLabel = label != nullptr && !label->empty() && !label->front().empty();
        addColumns(hasLabel ? label->front() : "signal" + std::to_string(record_.names.size() + 1),
                   one.table);
      }
      if (!record_.names.empty()) return true;
    }
    return false;
  }

  bool readVectors() {
    for (const char* name : {"time", "Time", "t", "tout"}) {
      if (!takeTime(content_.find(name))) continue;
      for (const MatContent::Matrix& one : content_.matrices) {
        if (one.name != name && fits(one.table)) addColumns(one.name, one.table);
      }
      if (!record_.names.empty()) return true;
    }
    return false;
  }

  // One matrix: the time is its first row, as To File blocks write it, or its first column.
  bool readArray() {
    const MatContent::Matrix* only = nullptr;
    for (const MatContent::Matrix& one : content_.matrices) {
      if (one.table.rows < 2 || one.table.columns < 2) continue;
      if (only != nullptr) return false;
      only = &one;
    }
    if (only == nullptr) return false;
    const NumberTable& table = only->table;
    const bool byRow = increases(rowOf(table, 0)), byColumn = increases(columnOf(table, 0));
    if (!byRow && !byColumn) return false;
    if (byRow && byColumn && table.rows == table.columns) return false;
    const bool isRow = byRow && (!byColumn || table.columns > table.rows);
    record_.times = isRow ? rowOf(table, 0) : columnOf(table, 0);
    const std::size_t signals = (isRow ? table.rows : table.columns) - 1;
    for (std::size_t k = 1; k <= signals; ++k) {
      add(signals == 1 ? only->name : only->name + "_" + std::to_string(k),
          isRow ? rowOf(table, k) : columnOf(table, k));
    }
    return true;
  }

  const MatContent& content_;
  const std::string& path_;
  TimeRecord record_;
  UniqueNames names_;
};

}  // namespace

TimeRecord readMatRecord(const std::string& bytes, const std::string& path) {
  const base::Result<MatContent> content = files::readMatContent(bytes);
  if (!content) {
    throw base::InputError({std::make_shared<const std::string>(path), 0, 0},
                           content.failure().message, kKnown);
  }
  TimeRecord record = Reader(content.value(), path).read();
  convertToSi(record);
  return record;
}

}  // namespace flexloop::results
