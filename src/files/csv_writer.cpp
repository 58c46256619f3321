#include "files/csv_writer.hpp"

#include <array>
#include <charconv>

namespace flexloop::files {
namespace {

constexpr std::size_t kBufferSize = 1 << 16;

}  // namespace

void appendNumber(double value, std::string& text) {
  std::array<char, 32> digits;
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text.append(digits.data(), end);
}

CsvWriter::CsvWriter(const std::string& path, const std::vector<std::string>& names) : file_(path) {
  buffer_ = "time";
  for (const std::string& name : names) buffer_ += "," + name;
  buffer_ += '\n';
}

void CsvWriter::write(double time, const std::vector<double>& values) {
  appendNumber(time, buffer_);
  for (const double value : values) {
    buffer_ += ',';
    appendNumber(value, buffer_);
  }
  buffer_ += '\n';
  if (buffer_.size() < kBufferSize) return;
  file_.write(buffer_);
  buffer_.clear();
}

void CsvWriter::close() {
  file_.write(buffer_);
  buffer_.clear();
  file_.close();
}

}  // namespace flexloop::files
