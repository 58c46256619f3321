#include "results/record_file.hpp"

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "base/diagnostics.hpp"
#include "base/file_text.hpp"
#include "files/file_lock.hpp"
#include "language/error_list.hpp"
#include "results/foreign/foreign_record.hpp"
#include "results/result_reader.hpp"

namespace flexloop::results {
namespace {

using analysis::TimeRecord;

constexpr std::string_view kHdf5Mark = "\x89HDF\r\n\x1a\n";
constexpr std::size_t kLongestMark = 64;  // bytes that tell what a file is
constexpr std::chrono::milliseconds kPatience{2000};
constexpr const char* kExpected =
    "expected a result.h5 or CSV of 'flexloop run', a record of another program (.csv, .mat, .out, "
    ".outb), or a "
    "model (.yaml)";
constexpr std::string_view kMatMark = "MATLAB ";  // of versions 5 to 7.3

base::Place placeOf(const std::string& path, int line = 0) {
  return {std::make_shared<const std::string>(path), line, 0};
}

std::string readStart(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string start(kLongestMark, '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  return start;
}

bool endsWith(const std::string& path, std::initializer_list<const char*> ends) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const char* end : ends) {
    if (extension == end) return true;
  }
  return false;
}

// Cells of a line; a carriage return before its end does not count.
std::vector<std::string_view> splitLine(std::string_view line, char separator) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::vector<std::string_view> cells;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(separator, start), line.size());
    std::string_view cell = line.substr(start, end - start);
    while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
    while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.push_back(cell);
    start = end + 1;
  }
  return cells;
}

class CsvReader {
 public:
  CsvReader(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  TimeRecord read() {
    readHeader();
    while (!text_.empty()) {
      const std::string_view line = takeLine();
      if (line.find_first_not_of(" \r") != std::string_view::npos)
        readRow(splitLine(line, separator_));
    }
    scaleTime();
    convertToSi(record_);
    return std::move(record_);
  }

 private:
  std::string_view takeLine() {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++line_;
    return line;
  }

  void readHeader() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    const std::string_view line = takeLine();
    separator_ = findSeparator(line);
    const std::vector<std::string_view> cells = splitLine(line, separator_);
    std::string time(cells.front());
    splitUnit(time, timeUnit_);
    if (time != "time" && time != "Time") {
      fail("the header starts with " + language::quote(cells.front()) + " instead of 'time'",
           "it must be 'time,NAME,…', as 'flexloop run --csv' writes it");
    }
    record_.names.assign(cells.begin() + 1, cells.end());
    record_.units.resize(record_.names.size());
    record_.columns.resize(record_.names.size());
    for (std::size_t i = 0; i < record_.names.size(); ++i) {
      splitUnit(record_.names[i], record_.units[i]);
    }
  }

  static char findSeparator(std::string_view line) {
    for (const char separator : {',', ';', '\t'}) {
      if (line.find(separator) != std::string_view::npos) return separator;
    }
    return ',';
  }

  void scaleTime() {
    if (timeUnit_.empty()) return;
    analysis::TimeRecord time{{"time"}, {timeUnit_}, {}, {std::move(record_.times)}};
    convertToSi(time);
    record_.times = std::move(time.columns.front());
    if (time.units.front() == "s") return;
    line_ = 1;
    fail("the time is given in " + language::quote(timeUnit_),
         "it must be in seconds, or in ms or min");
  }

  void readRow(const std::vector<std::string_view>& cells) {
    if (cells.size() != record_.names.size() + 1) {
      fail("this row has " + std::to_string(cells.size()) + " cells, but the header has " +
               std::to_string(record_.names.size() + 1),
           "the file may be truncated");
    }
    record_.times.push_back(readNumber(cells.front()));
    for (std::size_t i = 1; i < cells.size(); ++i) {
      record_.columns[i - 1].push_back(readNumber(cells[i]));
    }
  }

  double readNumber(std::string_view cell) const {
    double number = 0.0;
    const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (status != std::errc() || end != cell.data() + cell.size()) {
      fail(language::quote(cell) + " is not a number",
           "use a decimal point in numbers, and commas between them");
    }
    return number;
  }

  [[noreturn]] void fail(const std::string& message, const std::string& hint) const {
    throw base::InputError(placeOf(path_, line_), message, hint);
  }

  const std::string& path_;
  std::string_view text_;
  int line_ = 0;
  char separator_ = ',';
  std::string timeUnit_;  // empty: s
  TimeRecord record_;
};

TimeRecord readCsv(const std::string& path) {
  const base::Result<std::string> text = base::readFileText(path);
  if (!text) throw base::InputError({}, text.failure().message, "the result.h5 has no such limit");
  return CsvReader(path, text.value()).read();
}

TimeRecord readHdf5(const std::string& path) {
  try {
    // Of a run in progress.
    const files::FileLock lock(path, files::FileLock::Use::kRead);
    lock.lock(kPatience);
    Result result = readResult(path);
    return {std::move(result.outputs), std::move(result.units), std::move(result.time),
            std::move(result.values)};
  } catch (const std::runtime_error& error) {
    throw base::InputError({}, error.what(), kExpected);
  }
}

}  // namespace

RecordKind findRecordKind(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    const std::string result = (std::filesystem::path(path) / "result.h5").string();
    throw base::InputError(placeOf(path), "this is a folder",
                           std::filesystem::exists(result)
                               ? "did you mean " + language::quote(result) + "?"
                               : kExpected);
  }
  const bool isSpecial = !base::describeSpecialFile(path).empty();
  const std::string start = isSpecial ? std::string() : readStart(path);
  if (start.empty()) {
    const base::Result<std::string> text = base::readFileText(path);
    if (!text) throw base::InputError({}, text.failure().message, text.failure().hint);
    throw base::InputError(placeOf(path), "the file is empty", kExpected);
  }
  if (start.starts_with(kHdf5Mark)) return RecordKind::kResult;
  if (start.starts_with(kMatMark) || endsWith(path, {".mat"})) return RecordKind::kMat;
  if (endsWith(path, {".outb"})) return RecordKind::kOpenFastBinary;
  if (endsWith(path, {".out"})) return RecordKind::kOpenFastText;
  if (endsWith(path, {".yaml", ".yml"})) return RecordKind::kModel;
  if (endsWith(path, {".csv"}) || start.starts_with("time,")) return RecordKind::kCsv;
  throw base::InputError(placeOf(path), "this is neither a result, nor CSV, nor a model",
                         kExpected);
}

namespace {

using ForeignReader = TimeRecord (*)(const std::string& bytes, const std::string& path);

TimeRecord readForeign(const std::string& path, ForeignReader read) {
  const base::Result<std::string> bytes = base::readFileText(path);
  if (!bytes) throw base::InputError({}, bytes.failure().message, bytes.failure().hint);
  return read(bytes.value(), path);
}

TimeRecord readAny(const std::string& path, RecordKind kind) {
  switch (kind) {
    case RecordKind::kCsv:
      return readCsv(path);
    case RecordKind::kMat:
      return readForeign(path, readMatRecord);
    case RecordKind::kOpenFastText:
      return readForeign(path, readOpenFastText);
    case RecordKind::kOpenFastBinary:
      return readForeign(path, readOpenFastBinary);
    default:
      return readHdf5(path);
  }
}

}  // namespace

TimeRecord readRecordFile(const std::string& path, RecordKind kind) {
  TimeRecord record = readAny(path, kind);
  if (record.names.empty()) {
    throw base::InputError(placeOf(path), "no channels were recorded",
                           "list some under 'outputs:' in the model");
  }
  return record;
}

}  // namespace flexloop::results
