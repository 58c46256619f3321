#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "base/diagnostics.hpp"
#include "results/foreign/foreign_record.hpp"

namespace flexloop::results {
namespace {

using analysis::TimeRecord;

[[noreturn]] void fail(const std::string& path, int line, const std::string& message,
                       const std::string& hint) {
  throw base::InputError({std::make_shared<const std::string>(path), line, 0}, message, hint);
}

std::vector<std::string_view> splitWords(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\r";
  for (std::size_t at = line.find_first_not_of(kBlanks); at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = std::min(line.find_first_not_of(kBlanks, end), line.size());
  }
  return words;
}

// "(kN-m)" is kN*m.
std::string unitOf(std::string_view text) {
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    text = text.substr(1, text.size() - 2);
  }
  if (text == "-") return {};
  std::string unit(text);
  for (std::size_t i = 1; i + 1 < unit.size(); ++i) {
    const bool isBetweenLetters = std::isalpha(static_cast<unsigned char>(unit[i - 1])) != 0 &&
                                  std::isalpha(static_cast<unsigned char>(unit[i + 1])) != 0;
    if (unit[i] == '-' && isBetweenLetters) unit[i] = '*';
  }
  return unit;
}

// Names that are there twice would be one channel.
void addChannel(TimeRecord& record, UniqueNames& names, const std::string& name,
                const std::string& unit) {
  record.names.push_back(names.make(name));
  record.units.push_back(unitOf(unit));
  record.columns.emplace_back();
}

// Numbers of a binary file, one behind the other.
class Bytes {
 public:
  Bytes(const std::string& bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  template <class T>
  T take() {
    T value{};
    need(sizeof value);
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::string takeText(std::size_t length) {
    need(length);
    std::string text = bytes_.substr(at_, length);
    at_ += length;
    while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.pop_back();
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    return text;
  }

  // A count of things of which each takes so many bytes of what is left.
  std::size_t takeCount(std::size_t bytesOfEach) {
    const auto count = take<std::int32_t>();
    if (count < 0 || static_cast<std::size_t>(count) > (bytes_.size() - at_) / bytesOfEach) {
      failTruncated();
    }
    return static_cast<std::size_t>(count);
  }

  std::size_t left() const { return bytes_.size() - at_; }
  [[noreturn]] void failTruncated() const {
    fail(path_, 0, "the file is truncated or damaged", "OpenFAST may still be writing it");
  }

 private:
  void need(std::size_t bytes) const {
    if (bytes > bytes_.size() - at_) failTruncated();
  }

  const std::string& bytes_;
  const std::string& path_;
  std::size_t at_ = 0;
};

// Numbers are packed in whole ones: (packed − offset) / scale.
class BinaryReader {
 public:
  BinaryReader(const std::string& bytes, const std::string& path)
      : bytes_(bytes, path), path_(path) {}

  TimeRecord read() {
    const auto kind = bytes_.take<std::int16_t>();
    if (kind < kWithTime || kind > kLongNames) {
      fail(path_, 0, "this is no binary output of OpenFAST that is known",
           "the first number of the file is its kind, 1 to 4");
    }
    std::size_t nameLength = 10;
    if (kind == kLongNames) {
      const auto length = bytes_.take<std::int16_t>();
      if (length <= 0) bytes_.failTruncated();
      nameLength = static_cast<std::size_t>(length);
    }
    const std::size_t channels = bytes_.takeCount(2 * nameLength);
    const std::size_t rows = bytes_.takeCount(1);
    const auto first = bytes_.take<double>(), second = bytes_.take<double>();
    std::vector<double> scale(channels, 1.0), offset(channels, 0.0);
    if (kind != kPlain) {
      for (double& value : scale) value = bytes_.take<float>();
      for (double& value : offset) value = bytes_.take<float>();
    }
    bytes_.takeText(bytes_.takeCount(1));  // a description
    std::vector<std::string> names, units;
    for (std::size_t i = 0; i <= channels; ++i) names.push_back(bytes_.takeText(nameLength));
    for (std::size_t i = 0; i <= channels; ++i) units.push_back(bytes_.takeText(nameLength));
    UniqueNames unique;
    for (std::size_t i = 1; i <= channels; ++i) addChannel(record_, unique, names[i], units[i]);
    checkSize(kind, rows, channels);
    for (std::size_t k = 0; k < rows; ++k) {
      const double time = kind == kWithTime ? (bytes_.take<std::int32_t>() - second) / first
                                            : first + second * static_cast<double>(k);
      record_.times.push_back(time);
    }
    for (std::size_t k = 0; k < rows; ++k) {
      for (std::size_t i = 0; i < channels; ++i) {
        const double number = kind == kPlain ? bytes_.take<double>() : bytes_.take<std::int16_t>();
        // A channel that never changes has no scale.
        const bool isConstant = std::isnan(scale[i]) || scale[i] == 0.0;
        record_.columns[i].push_back(isConstant ? 0.0 : (number - offset[i]) / scale[i]);
      }
    }
    return std::move(record_);
  }

 private:
  enum Kind { kWithTime = 1, kWithoutTime = 2, kPlain = 3, kLongNames = 4 };

  void checkSize(int kind, std::size_t rows, std::size_t channels) const {
    const std::size_t row = channels * (kind == kPlain ? sizeof(double) : sizeof(std::int16_t)) +
                            (kind == kWithTime ? sizeof(std::int32_t) : 0);
    if (row != 0 && rows > bytes_.left() / row) bytes_.failTruncated();
  }

  Bytes bytes_;
  const std::string& path_;
  TimeRecord record_;
};

std::optional<double> numberOf(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0.0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

TimeRecord readOpenFastBinary(const std::string& bytes, const std::string& path) {
  TimeRecord record = BinaryReader(bytes, path).read();
  convertToSi(record);
  return record;
}

TimeRecord readOpenFastText(const std::string& bytes, const std::string& path) {
  TimeRecord record;
  UniqueNames names;
  std::string_view rest = bytes;
  bool hasNames = false, hasUnits = false;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::vector<std::string_view> words = splitWords(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (words.empty()) continue;
    if (!hasNames) {
      hasNames = words[0] == "Time";
      for (std::size_t i = 1; hasNames && i < words.size(); ++i) {
        addChannel(record, names, std::string(words[i]), "(-)");
      }
      continue;
    }
    if (words.size() != record.names.size() + 1) {
      fail(path, line,
           "this line has " + std::to_string(words.size()) + " words, but there are " +
               std::to_string(record.names.size() + 1) + " channels with the time",
           "the file may be truncated");
    }
    if (!hasUnits) {
      hasUnits = true;
      for (std::size_t i = 1; i < words.size(); ++i) {
        record.units[i - 1] = unitOf(words[i]);
      }
      continue;
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::optional<double> number = numberOf(words[i]);
      if (!number) fail(path, line, "'" + std::string(words[i]) + "' is not a number", "");
      (i == 0 ? record.times : record.columns[i - 1]).push_back(*number);
    }
  }
  if (!hasNames) {
    fail(path, 0, "this is no output of OpenFAST: no line starts with 'Time'",
         "it has its channels in one line, their units in the next, then their numbers");
  }
  convertToSi(record);
  return record;
}

}  // namespace flexloop::results
