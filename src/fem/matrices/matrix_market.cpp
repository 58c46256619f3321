#include "fem/matrices/matrix_market.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/file_text.hpp"
#include "fem/mesh/number_text.hpp"
#include "files/output_file.hpp"

namespace flexloop::fem {
namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 30;
constexpr double kAsymmetry = 1e-8;

using Triplet = Eigen::Triplet<double, int>;

class MarketReader {
 public:
  MarketReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  base::Result<linalg::SparseMatrix> read() {
    if (!readHeader() || !readSize() || !readEntries()) return *failure_;
    linalg::SparseMatrix matrix(size_, size_);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    if (!isSymmetric_ && !checkSymmetry(matrix)) return *failure_;
    const linalg::SparseMatrix lower = matrix.triangularView<Eigen::Lower>();
    return lower;
  }

 private:
  bool fail(const std::string& message, const std::string& hint = {}) {
    failure_ = base::Failure{
        path_ + (line_ > 0 ? ":" + std::to_string(line_) : "") + ": " + message, hint};
    return false;
  }

  bool takeLine(std::string_view& line) {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line = trim(text_.substr(at_, end - at_));
      at_ = end + 1;
      ++line_;
      if (!line.empty() && !(line_ > 1 && line.starts_with('%'))) return true;
    }
    return false;
  }

  static std::string_view takeWord(std::string_view& line) {
    line = trim(line);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    return word;
  }

  bool readHeader() {
    std::string_view line;
    const char* const form = "the first line is: %%MatrixMarket matrix coordinate real symmetric";
    if (!takeLine(line) || toUpper(takeWord(line)) != "%%MATRIXMARKET") {
      line_ = 1;
      return fail("this is no Matrix Market file", form);
    }
    const std::string object = toUpper(takeWord(line)), format = toUpper(takeWord(line)),
                      field = toUpper(takeWord(line)), symmetry = toUpper(takeWord(line));
    if (object != "MATRIX" || format != "COORDINATE")
      return fail("the matrix is not sparse (coordinate)", form);
    if (field != "REAL" && field != "INTEGER" && field != "DOUBLE") {
      return fail("the values are neither real nor integer", form);
    }
    if (symmetry != "SYMMETRIC" && symmetry != "GENERAL") {
      return fail("the matrix is neither symmetric nor general", form);
    }
    isSymmetric_ = symmetry == "SYMMETRIC";
    return true;
  }

  bool readSize() {
    std::string_view line;
    if (!takeLine(line)) return fail("the file ends before the size of the matrix");
    const auto rows = parseInteger(takeWord(line)), columns = parseInteger(takeWord(line)),
               count = parseInteger(takeWord(line));
    if (!rows || !columns || !count || !trim(line).empty()) {
      return fail("the size of the matrix is given as: rows columns entries");
    }
    if (*rows != *columns) {
      return fail("the matrix has " + std::to_string(*rows) + " rows and " +
                      std::to_string(*columns) + " columns",
                  "stiffness and mass are square");
    }
    if (*rows < 1 || *rows > std::numeric_limits<int>::max())
      return fail("the matrix has no rows, or too many");
    // An entry takes six characters at least: 1 1 1 and the end of its line.
    if (*count < 0 ||
        static_cast<std::uint64_t>(*count) > (text_.size() - std::min(at_, text_.size())) / 6 + 1 ||
        *rows > *count) {
      return fail("the file promises " + std::to_string(*count) + " entries for " +
                      std::to_string(*rows) + " rows, which cannot be",
                  *rows > *count ? "every row of K and M has an entry" : "it was cut off");
    }
    size_ = static_cast<int>(*rows);
    count_ = static_cast<std::size_t>(*count);
    return true;
  }

  bool readEntries() {
    entries_.reserve(count_);
    std::string_view line;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!takeLine(line)) {
        return fail("the file ends after " + std::to_string(i) + " of " + std::to_string(count_) +
                    " entries");
      }
      const auto row = parseInteger(takeWord(line)), column = parseInteger(takeWord(line));
      const auto value = parseReal(takeWord(line));
      if (!row || !column || !value || !trim(line).empty())
        return fail("an entry is given as: row column value");
      if (*row < 1 || *row > size_ || *column < 1 || *column > size_) {
        return fail("the entry (" + std::to_string(*row) + ", " + std::to_string(*column) +
                    ") is outside of the matrix");
      }
      int r = static_cast<int>(*row) - 1, c = static_cast<int>(*column) - 1;
      if (isSymmetric_ && r < c) std::swap(r, c);
      entries_.emplace_back(r, c, *value);
    }
    if (takeLine(line))
      return fail("there are more entries than the " + std::to_string(count_) + " of the header");
    line_ = 0;
    return true;
  }

  bool checkSymmetry(const linalg::SparseMatrix& matrix) {
    const linalg::SparseMatrix transposed = matrix.transpose();
    double largest = 0.0;
    for (int k = 0; k < matrix.nonZeros(); ++k)
      largest = std::max(largest, std::abs(matrix.valuePtr()[k]));
    const linalg::SparseMatrix difference = matrix - transposed;
    for (int c = 0; c < size_; ++c) {
      for (linalg::SparseMatrix::InnerIterator entry(difference, c); entry; ++entry) {
        if (std::abs(entry.value()) <= kAsymmetry * largest) continue;
        return fail("the matrix is not symmetric: the entries (" + std::to_string(entry.row() + 1) +
                        ", " + std::to_string(c + 1) + ") and (" + std::to_string(c + 1) + ", " +
                        std::to_string(entry.row() + 1) + ") differ",
                    "if the file holds one triangle, its header must say symmetric");
      }
    }
    return true;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
  int line_ = 0;
  bool isSymmetric_ = false;
  int size_ = 0;
  std::size_t count_ = 0;
  std::vector<Triplet> entries_;
  std::optional<base::Failure> failure_;
};

}  // namespace

base::Result<linalg::SparseMatrix> readMatrixMarketText(const std::string& text,
                                                        const std::string& path) {
  return MarketReader(text, path).read();
}

base::Result<linalg::SparseMatrix> readMatrixMarket(const std::string& path) {
  const base::Result<std::string> text = base::readFileText(path, kLargestFile);
  if (!text) return text.failure();
  return readMatrixMarketText(text.value(), path);
}

std::string formatMatrixMarket(const linalg::SparseMatrix& matrix, const std::string& comment) {
  const linalg::SparseMatrix lower = matrix.triangularView<Eigen::Lower>();
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n";
  if (!comment.empty()) text += "% " + comment + "\n";
  text += std::to_string(lower.rows()) + " " + std::to_string(lower.cols()) + " " +
          std::to_string(lower.nonZeros()) + "\n";
  char buffer[64];
  for (int c = 0; c < lower.cols(); ++c) {
    for (linalg::SparseMatrix::InnerIterator entry(lower, c); entry; ++entry) {
      text += std::to_string(entry.row() + 1) + " " + std::to_string(c + 1) + " ";
      const auto end = std::to_chars(buffer, buffer + sizeof(buffer), entry.value()).ptr;
      text.append(buffer, end);
      text += '\n';
    }
  }
  return text;
}

std::optional<base::Failure> writeMatrixMarket(const std::string& path,
                                               const linalg::SparseMatrix& matrix,
                                               const std::string& comment) {
  try {
    files::writeTextFile(path, formatMatrixMarket(matrix, comment));
    return {};
  } catch (const std::runtime_error& error) {
    return base::Failure{error.what(), {}, base::FailureKind::kOther};
  }
}

}  // namespace flexloop::fem
