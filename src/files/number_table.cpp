#include "files/number_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "files/binary_table.hpp"

namespace flexloop::files {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kLongestQuote = 40;

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string quoted(std::string_view text) {
  const bool isLong = text.size() > kLongestQuote;
  return "'" + std::string(text.substr(0, kLongestQuote)) + (isLong ? "…'" : "'");
}

// Nothing if the text is no number; one that is not finite is a number.
std::optional<double> parseNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return HUGE_VAL;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// The lines of a text that are not empty and not comments.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  bool next() {
    while (!text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      line = trim(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number;
      if (!line.empty() && line.front() != '#' && line.front() != '%') return true;
    }
    return false;
  }

  std::string_view line;
  std::size_t number = 0;

 private:
  std::string_view text_;
};

// The separator of a file is that of its first line: a semicolon, else a comma, else blanks.
char findSeparator(std::string_view line) {
  if (line.find(';') != std::string_view::npos) return ';';
  return line.find(',') != std::string_view::npos ? ',' : ' ';
}

void split(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  const auto isEnd = [&](char c) {
    return separator == ' ' ? c == ' ' || c == '\t' : c == separator;
  };
  for (std::size_t at = 0; at <= line.size();) {
    if (separator == ' ') {
      at = std::min(line.find_first_not_of(" \t", at), line.size());
      if (at == line.size()) return;
    }
    const bool isQuoted = at < line.size() && line[at] == '"';
    std::size_t end = isQuoted ? std::min(line.find('"', at + 1), line.size()) : at;
    while (end < line.size() && !isEnd(line[end])) ++end;
    std::string_view field = trim(line.substr(at, end - at));
    if (field.size() > 1 && field.front() == '"' && field.back() == '"') {
      field = field.substr(1, field.size() - 2);
    }
    fields.push_back(field);
    at = end + 1;
  }
}

base::Failure failureAt(std::size_t line, const std::string& message, std::string hint = {}) {
  return {"line " + std::to_string(line) + ": " + message, std::move(hint)};
}

std::optional<base::Failure> addRow(const std::vector<std::string_view>& fields, std::size_t line,
                                    char separator, NumberTable& table) {
  if (fields.size() != table.columns) {
    return failureAt(line, std::to_string(fields.size()) + " values, where the lines before have " +
                               std::to_string(table.columns));
  }
  for (const std::string_view field : fields) {
    const std::optional<double> number = parseNumber(field);
    if (number && std::isfinite(*number)) {
      table.values.push_back(*number);
      continue;
    }
    if (number) return failureAt(line, quoted(field) + " is not a finite number");
    const bool hasComma = separator == ';' && field.find(',') != std::string_view::npos;
    return failureAt(line,
                     field.empty() ? "a value is missing" : quoted(field) + " is not a number",
                     hasComma ? "use a point as the decimal separator" : "");
  }
  ++table.rows;
  return std::nullopt;
}

}  // namespace

base::Result<NumberTable> parseTextTable(std::string_view text) {
  NumberTable table;
  Lines lines(text);
  std::vector<std::string_view> fields;
  if (!lines.next()) return base::Failure{"there are no numbers in it", {}};
  const char separator = findSeparator(lines.line);
  split(lines.line, separator, fields);
  table.columns = fields.size();
  const bool hasNames = std::none_of(fields.begin(), fields.end(), [](std::string_view field) {
    return parseNumber(field).has_value();
  });
  if (hasNames) {
    table.names.assign(fields.begin(), fields.end());
  } else if (auto failure = addRow(fields, lines.number, separator, table)) {
    return *failure;
  }
  while (lines.next()) {
    split(lines.line, separator, fields);
    if (auto failure = addRow(fields, lines.number, separator, table)) return *failure;
  }
  if (table.rows == 0) return base::Failure{"there are no numbers in it", {}};
  return table;
}

namespace {

constexpr std::size_t kMostEmptyEntries = std::size_t{1} << 24;  // as many as 4096 x 4096

struct MarketHead {
  bool isCoordinate = false, isSymmetric = false, isSkew = false;
};

std::optional<MarketHead> parseHead(std::string_view line) {
  std::vector<std::string_view> words;
  split(trim(line), ' ', words);
  if (words.size() != 5 || words[0] != "%%MatrixMarket" || words[1] != "matrix") return {};
  const bool isCoordinate = words[2] == "coordinate";
  const bool isReal = words[3] == "real" || words[3] == "integer" || words[3] == "double";
  const bool isSymmetric = words[4] == "symmetric", isSkew = words[4] == "skew-symmetric";
  if ((!isCoordinate && words[2] != "array") || !isReal) return {};
  if (!isSymmetric && !isSkew && words[4] != "general") return {};
  return MarketHead{isCoordinate, isSymmetric, isSkew};
}

class MarketReader {
 public:
  explicit MarketReader(std::string_view text) : text_(text), lines_(text) {}

  base::Result<NumberTable> read() {
    const std::optional<MarketHead> head = parseHead(text_.substr(0, text_.find('\n')));
    if (!head) {
      return base::Failure{"it does not start like a real Matrix Market file",
                           "its first line is '%%MatrixMarket matrix array real general' or alike"};
    }
    head_ = *head;
    std::vector<std::size_t> sizes;
    if (!readNumbers(head_.isCoordinate ? 3 : 2)) return *failure_;
    for (const double number : numbers_) {
      if (!(number >= 0.0 && number <= 1e9 && number == std::floor(number))) {
        return failureAt(lines_.number, "the size of the matrix is wrong");
      }
      sizes.push_back(static_cast<std::size_t>(number));
    }
    // A sparse matrix may have many more entries than its file has characters, and each of them takes memory.
    const std::size_t most = std::max(kMostEmptyEntries, text_.size());
    if (sizes[0] == 0 || sizes[1] == 0 || sizes[0] > most / sizes[1]) {
      return failureAt(lines_.number, "the matrix is empty or too large");
    }
    table_.rows = sizes[0];
    table_.columns = sizes[1];
    table_.values.assign(sizes[0] * sizes[1], 0.0);
    const bool isRight = head_.isCoordinate ? readEntries(sizes[2]) : readArray();
    if (isRight && lines_.next()) fail("there is more than the matrix needs");
    if (failure_) return *failure_;
    // Entries that are there twice are added.
    if (!std::all_of(table_.values.begin(), table_.values.end(),
                     [](double value) { return std::isfinite(value); })) {
      return base::Failure{"a sum of entries is not a finite number", {}};
    }
    return std::move(table_);
  }

 private:
  bool fail(const std::string& message) {
    failure_ = failureAt(lines_.number, message);
    return false;
  }

  bool readNumbers(std::size_t count) {
    if (!lines_.next()) return fail("the file ends too early");
    split(lines_.line, ' ', fields_);
    numbers_.clear();
    if (fields_.size() != count) return fail(std::to_string(count) + " numbers are expected");
    for (const std::string_view field : fields_) {
      const std::optional<double> number = parseNumber(field);
      if (!number || !std::isfinite(*number))
        return fail(quoted(field) + " is not a finite number");
      numbers_.push_back(*number);
    }
    return true;
  }

  void set(std::size_t row, std::size_t column, double value) {
    table_.values[row * table_.columns + column] += value;
    if (row == column || (!head_.isSymmetric && !head_.isSkew)) return;
    table_.values[column * table_.columns + row] += head_.isSkew ? -value : value;
  }

  bool readEntries(std::size_t count) {
    if (!isSquareIfNeeded()) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!readNumbers(3)) return false;
      const double row = numbers_[0], column = numbers_[1];
      const bool isInside = row >= 1.0 && row <= static_cast<double>(table_.rows) &&
                            column >= 1.0 && column <= static_cast<double>(table_.columns);
      if (!isInside || row != std::floor(row) || column != std::floor(column)) {
        return fail("the entry is outside the matrix");
      }
      set(static_cast<std::size_t>(row) - 1, static_cast<std::size_t>(column) - 1, numbers_[2]);
    }
    return true;
  }

  // Column by column; of a symmetric matrix the lower triangle.
  bool readArray() {
    if (!isSquareIfNeeded()) return false;
    for (std::size_t column = 0; column < table_.columns; ++column) {
      const std::size_t first = head_.isSkew ? column + 1 : head_.isSymmetric ? column : 0;
      for (std::size_t row = first; row < table_.rows; ++row) {
        if (!readNumbers(1)) return false;
        set(row, column, numbers_[0]);
      }
    }
    return true;
  }

  bool isSquareIfNeeded() {
    const bool isGeneral = !head_.isSymmetric && !head_.isSkew;
    return isGeneral || table_.rows == table_.columns || fail("a symmetric matrix is square");
  }

  std::string_view text_;
  Lines lines_;
  MarketHead head_;
  NumberTable table_;
  std::vector<std::string_view> fields_;
  std::vector<double> numbers_;
  std::optional<base::Failure> failure_;
};

}  // namespace

base::Result<NumberTable> parseMatrixMarket(std::string_view text) {
  return MarketReader(text).read();
}

base::Result<NumberTable> readNumberTable(const std::string& bytes, const std::string& path,
                                          const std::string& variable) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
  if (ending == ".mat") return readMatTable(bytes, variable);
  if (ending == ".h5" || ending == ".hdf5") return readHdf5Table(bytes, variable);
  if (!variable.empty()) {
    return base::Failure{"a file of this kind has no variables",
                         "variables are those of .mat and .h5; a table has columns"};
  }
  // Also of what is called .csv.
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("\xD0\xCF\x11\xE0")) {
    return base::Failure{"it is a workbook of a spreadsheet program, or an archive",
                         "export the sheet as CSV"};
  }
  return ending == ".mtx" ? parseMatrixMarket(bytes) : parseTextTable(bytes);
}

}  // namespace flexloop::files
