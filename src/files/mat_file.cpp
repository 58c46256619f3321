#include "files/mat_file.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace flexloop::files {
namespace {

static_assert(std::endian::native == std::endian::little);

// Types of data elements and classes of matrices (MathWorks, "MAT-File Format").
constexpr std::uint32_t kBytes = 1, kInt32 = 5, kUInt32 = 6, kDouble = 9, kMatrix = 14, kUtf8 = 16;
constexpr std::uint32_t kCellClass = 1, kCharClass = 4, kDoubleClass = 6;
constexpr std::size_t kAlignment = 8;

void append(std::uint32_t number, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::size_t paddingOf(std::size_t size) {
  return (kAlignment - size % kAlignment) % kAlignment;
}

std::string makeElement(std::uint32_t type, std::string_view content) {
  std::string bytes;
  append(type, bytes);
  append(static_cast<std::uint32_t>(content.size()), bytes);
  return bytes.append(content).append(paddingOf(content.size()), '\0');
}

// What the content of a matrix begins with.
std::string makeHead(std::uint32_t kind, std::string_view name,
                     const std::vector<std::size_t>& size) {
  std::string flags, dimensions;
  append(kind, flags);
  append(0, flags);
  for (const std::size_t n : size) append(static_cast<std::uint32_t>(n), dimensions);
  return makeElement(kUInt32, flags) + makeElement(kInt32, dimensions) + makeElement(kBytes, name);
}

// As many as it has letters, not bytes.
std::size_t countLetters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

MatFile::MatFile(const std::string& path) : path_(path), file_(path) {
  constexpr std::size_t kText = 116, kOffset = 8;
  std::string head = "MATLAB 5.0 MAT-file, written by Flexloop";
  head.resize(kText, ' ');
  head.append(kOffset, '\0');
  head.append("\x00\x01IM", 4);  // the version, and how bytes are ordered
  file_.write(head);
}

void MatFile::writeNumbers(const char* name, const double* numbers,
                           const std::vector<std::size_t>& size) {
  std::size_t bytes = sizeof(double);
  for (const std::size_t n : size) bytes *= n;
  std::string head = makeHead(kDoubleClass, name, size);
  append(kDouble, head);
  append(static_cast<std::uint32_t>(bytes), head);
  if (bytes > std::numeric_limits<std::uint32_t>::max() - head.size()) {
    throw std::runtime_error("'" + std::string(name) + "' is too large for a MAT-file, '" + path_ +
                             "'");
  }
  std::string tag;
  append(kMatrix, tag);
  append(static_cast<std::uint32_t>(head.size() + bytes), tag);
  file_.write(tag);
  file_.write(head);
  file_.write({reinterpret_cast<const char*>(numbers), bytes});
}

void MatFile::write(const char* name, const Eigen::MatrixXd& matrix) {
  writeNumbers(name, matrix.data(),
               {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())});
}

void MatFile::write(const char* name, const std::vector<double>& numbers,
                    const std::vector<std::size_t>& size) {
  writeNumbers(name, numbers.data(), size);
}

void MatFile::write(const char* name, const std::vector<std::string>& texts) {
  std::string cells = makeHead(kCellClass, name, {texts.size(), 1});
  for (const std::string& text : texts) {
    cells += makeElement(
        kMatrix, makeHead(kCharClass, "", {1, countLetters(text)}) + makeElement(kUtf8, text));
  }
  file_.write(makeElement(kMatrix, cells));
}

void MatFile::close() {
  file_.close();
}

}  // namespace flexloop::files
