#include "files/mat_reader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <zlib.h>

#include "files/mat_elements.hpp"

namespace flexloop::files {
namespace {

using namespace mat;

using Kind = MatVariable::Kind;

// A matrix that needs more is no honest one; deflate makes a thousand bytes of one.
constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;
constexpr std::size_t kMostSparseEntries = std::size_t{1} << 24;  // of a matrix, with its zeros
constexpr std::size_t kMostEntries = 10'000;                      // of cells and structures
constexpr int kDeepest = 8;
constexpr std::size_t kHead = 128, kVersionPlace = 124;

// A count or an index.
std::size_t toSize(double number) {
  if (!(number >= 0.0 && number <= std::numeric_limits<std::int32_t>::max())) throw Damaged();
  return static_cast<std::size_t>(number);
}

// At most so many bytes; a stream that ends early is damaged unless only its beginning is wanted.
std::string unpack(std::string_view packed, std::size_t most, bool isWhole) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  // zlib does not change what it reads, but has no const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string bytes;
  std::array<char, 1 << 15> piece;
  int status = Z_OK;
  while (status == Z_OK && bytes.size() < most) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.append(piece.data(), piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END && (isWhole || status != Z_OK)) throw Damaged();
  return bytes;
}

struct Header {
  std::uint32_t flags = 0;
  std::vector<std::size_t> dimensions;
  std::string name;

  int kind() const { return static_cast<int>(flags & 0xffU); }
  bool isComplex() const { return (flags & 0x800U) != 0; }
};

enum Class {
  kCellClass = 1,
  kStructureClass = 2,
  kCharClass = 4,
  kSparseClass = 5,
  kFirstNumbers = 6,
  kLastNumbers = 15
};

Header takeHeader(Input& input) {
  Header header;
  const Element flags = takeElement(input), dimensions = takeElement(input),
                name = takeElement(input);
  const std::vector<double> words = numbersOf(flags, input.isSwapped());
  if (words.empty() || flags.type != kUInt32) throw Damaged();
  header.flags = static_cast<std::uint32_t>(words[0]);
  for (const double n : numbersOf(dimensions, input.isSwapped())) {
    header.dimensions.push_back(toSize(n));
  }
  header.name = std::string(name.bytes.substr(0, name.bytes.find('\0')));
  return header;
}

std::size_t countOf(const Header& header) {
  std::size_t count = 1;
  for (const std::size_t n : header.dimensions) {
    if (n > 0 && count > kMostUnpacked / n) throw Damaged();
    count *= n;
  }
  return header.dimensions.empty() ? 0 : count;
}

std::string textOf(const Element& element, bool isSwapped) {
  std::string text;
  for (const double code : numbersOf(element, isSwapped)) {
    if (code >= ' ' && code < 0x7f) text += static_cast<char>(code);
  }
  return text;
}

// Columns follow each other in the file, rows in the table.
void fillTable(const Header& header, const std::vector<double>& numbers, MatVariable& variable) {
  NumberTable& table = variable.table;
  table.rows = header.dimensions[0];
  table.columns = header.dimensions[1];
  const std::size_t count = table.rows * table.columns;
  if (numbers.size() < count) throw Damaged();
  table.values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    table.values[i % table.rows * table.columns + i / table.rows] = numbers[i];
  }
  variable.kind = Kind::kNumbers;
}

void fillSparse(const Header& header, Input& input, MatVariable& variable) {
  const Element rowElement = takeElement(input), startElement = takeElement(input);
  const std::vector<double> rows = numbersOf(rowElement, input.isSwapped());
  const std::vector<double> starts = numbersOf(startElement, input.isSwapped());
  const std::vector<double> numbers = numbersOf(takeElement(input), input.isSwapped());
  NumberTable& table = variable.table;
  table.rows = header.dimensions[0];
  table.columns = header.dimensions[1];
  if (countOf(header) > kMostSparseEntries || starts.size() < table.columns + 1) throw Damaged();
  table.values.assign(table.rows * table.columns, 0.0);
  for (std::size_t column = 0; column < table.columns; ++column) {
    const std::size_t end = toSize(starts[column + 1]);
    for (std::size_t k = toSize(starts[column]); k < end; ++k) {
      if (k >= numbers.size() || k >= rows.size()) throw Damaged();
      const std::size_t row = toSize(rows[k]);
      if (row >= table.rows) throw Damaged();
      table.values[row * table.columns + column] = numbers[k];
    }
  }
  variable.kind = Kind::kNumbers;
}

MatVariable readMatrix(std::string_view bytes, bool isSwapped, int depth);

// Nothing is written for what is empty.
MatVariable takeEntry(Input& input, int depth) {
  const Element element = takeElement(input);
  if (element.type != kMatrix) throw Damaged();
  if (element.bytes.empty()) return {};
  return readMatrix(element.bytes, input.isSwapped(), depth + 1);
}

void takeFieldNames(Input& input, MatVariable& variable) {
  const std::vector<double> length = numbersOf(takeElement(input), input.isSwapped());
  const std::string_view names = takeElement(input).bytes;
  const std::size_t size = length.empty() ? 0 : toSize(length[0]);
  if (size == 0 || names.size() / size > kMostEntries) throw Damaged();
  for (std::size_t at = 0; at + size <= names.size(); at += size) {
    const std::string_view name = names.substr(at, size);
    variable.fields.emplace_back(name.substr(0, name.find('\0')));
  }
}

void fillEntries(const Header& header, Input& input, int depth, MatVariable& variable) {
  const bool isCells = header.kind() == kCellClass;
  variable.count = countOf(header);
  if (!isCells) takeFieldNames(input, variable);
  if (depth >= kDeepest || variable.count > kMostEntries) return;
  const std::size_t fields = isCells ? 1 : variable.fields.size();
  // Each takes the eight bytes of its tag at least.
  if (variable.count * fields > input.left() / 8) throw Damaged();
  for (std::size_t k = 0; k < variable.count * fields; ++k) {
    variable.entries.push_back(takeEntry(input, depth));
  }
  variable.kind = isCells ? Kind::kCells : Kind::kStructure;
}

MatVariable readMatrix(std::string_view bytes, bool isSwapped, int depth) {
  Input input(bytes, isSwapped);
  const Header header = takeHeader(input);
  MatVariable variable{.name = header.name};
  const int kind = header.kind();
  const bool isMatrix = header.dimensions.size() == 2 && !header.isComplex();
  if (kind == kCellClass || kind == kStructureClass) {
    fillEntries(header, input, depth, variable);
  } else if (kind == kCharClass) {
    if (!input.isAtEnd()) variable.text = textOf(takeElement(input), isSwapped);
    variable.kind = Kind::kText;
  } else if (kind == kSparseClass && isMatrix) {
    fillSparse(header, input, variable);
  } else if (kind >= kFirstNumbers && kind <= kLastNumbers && isMatrix) {
    fillTable(header, numbersOf(takeElement(input), isSwapped), variable);
  }
  return variable;
}

using Visit = std::function<void(std::string_view matrix, bool isSwapped)>;

// Calls visit with what each variable consists of; with its beginning at least, where that suffices.
void eachVariable5(std::string_view bytes, bool isSwapped, bool isWhole, const Visit& visit) {
  constexpr std::size_t kBeginning = 4096;
  Input input(bytes.substr(kHead), isSwapped);
  std::size_t unpacked = 0;
  while (!input.isAtEnd()) {
    const Element element = takeElement(input);
    if (element.type == kMatrix) visit(element.bytes, isSwapped);
    if (element.type != kCompressed) continue;
    const std::string content =
        unpack(element.bytes,
               isWhole ? kMostUnpacked - std::min(kMostUnpacked, unpacked) : kBeginning, isWhole);
    unpacked += isWhole ? content.size() : 0;
    Input inner(content, isSwapped);
    const auto type = inner.take<std::uint32_t>();
    const std::size_t size = inner.take<std::uint32_t>();
    if (type != kMatrix) continue;
    visit(inner.takeBytes(isWhole ? size : std::min(size, inner.left())), isSwapped);
  }
}

// Version 4 has neither a head nor types of its own: five whole numbers, the name, and the numbers.
struct Version4 {
  std::uint32_t type;  // of the numbers
  bool isText, isFull, isComplex;
  std::size_t rows, columns;
  std::string name;
  std::string_view bytes;
};

bool isSwapped4(std::string_view bytes) {
  const auto type = Input(bytes, false).take<std::uint32_t>();
  return type > 9999;
}

Version4 takeVersion4(Input& input) {
  constexpr std::array<std::uint32_t, 6> kTypes{kDouble, kSingle, kInt32, kInt16, kUInt16, kUInt8};
  const auto code = input.take<std::uint32_t>();
  const auto rows = input.take<std::uint32_t>(), columns = input.take<std::uint32_t>(),
             imaginary = input.take<std::uint32_t>(), name = input.take<std::uint32_t>();
  const std::uint32_t format = code / 10 % 10, kind = code % 10;
  if (code / 1000 > 1 || code / 100 % 10 != 0 || format >= kTypes.size() || kind > 2 ||
      imaginary > 1) {
    throw Damaged();
  }
  Version4 variable{kTypes[format], kind == 1, kind == 0, imaginary == 1, rows, columns, {}, {}};
  const std::string_view text = input.takeBytes(name);
  variable.name = std::string(text.substr(0, text.find('\0')));
  const std::size_t size = sizeOf(variable.type);
  const std::size_t most = input.left() / size;
  if (columns > 0 && rows > most / columns) throw Damaged();
  variable.bytes = input.takeBytes(size * rows * columns);
  if (variable.isComplex) input.takeBytes(variable.bytes.size());
  return variable;
}

MatVariable readVariable4(const Version4& from, bool isSwapped) {
  MatVariable variable{.name = from.name};
  const Element element{from.type, from.bytes};
  if (from.isText) {
    variable.text = textOf(element, isSwapped);
    variable.kind = Kind::kText;
  } else if (from.isFull && !from.isComplex) {
    fillTable({.flags = 0, .dimensions = {from.rows, from.columns}, .name = {}},
              numbersOf(element, isSwapped), variable);
  }
  return variable;
}

// Of version 5; the marks are those of a computer that has written them in its order of bytes.
bool isVersion5(std::string_view bytes, bool& isSwapped) {
  if (bytes.size() < kHead) return false;
  const std::string_view mark = bytes.substr(kVersionPlace, 4);
  isSwapped = mark == std::string_view("\x01\x00MI", 4);
  return isSwapped || mark == std::string_view("\x00\x01IM", 4);
}

void eachVariable(std::string_view bytes, bool isWhole,
                  const std::function<void(const std::string& name,
                                           const std::function<MatVariable()>& read)>& visit) {
  bool isSwapped = false;
  if (isVersion5(bytes, isSwapped)) {
    return eachVariable5(bytes, isSwapped, isWhole, [&](std::string_view matrix, bool swapped) {
      Input input(matrix, swapped);
      const Header header = takeHeader(input);
      visit(header.name, [&] { return readMatrix(matrix, swapped, 0); });
    });
  }
  Input input(bytes, isSwapped4(bytes));
  while (!input.isAtEnd()) {
    const Version4 variable = takeVersion4(input);
    visit(variable.name, [&] { return readVariable4(variable, input.isSwapped()); });
  }
}

template <class Action>
auto guarded(std::string_view bytes, const Action& action) -> base::Result<decltype(action())> {
  constexpr std::size_t kLeast = 20;  // a variable of version 4 without name and numbers
  if (bytes.size() < kLeast) return base::Failure{"it is not a MAT-file", {}};
  try {
    return action();
  } catch (const Damaged& error) {
    bool ignored = false;
    return base::Failure{isVersion5(bytes, ignored) ? error.what() : "it is not a MAT-file", {}};
  }
}

}  // namespace

base::Result<std::vector<std::string>> listMatVariables(std::string_view bytes) {
  return guarded(bytes, [&] {
    std::vector<std::string> names;
    eachVariable(bytes, false, [&](const std::string& name, const auto&) {
      if (!name.empty()) names.push_back(name);  // MATLAB's own have no name
    });
    return names;
  });
}

base::Result<MatVariable> readMatVariable(std::string_view bytes, const std::string& name) {
  return guarded(bytes, [&] {
    std::vector<MatVariable> found;
    eachVariable(bytes, true, [&](const std::string& other, const auto& read) {
      if (found.empty() && other == name) found.push_back(read());
    });
    if (found.empty()) throw Damaged();
    return std::move(found.front());
  });
}

base::Result<std::vector<MatVariable>> readMatVariables(std::string_view bytes) {
  return guarded(bytes, [&] {
    std::vector<MatVariable> all;
    eachVariable(bytes, true, [&](const std::string& name, const auto& read) {
      if (!name.empty()) all.push_back(read());
    });
    return all;
  });
}

}  // namespace flexloop::files
