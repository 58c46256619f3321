// Numbers in the text of a mesh.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace flexloop::view {

// The words between blanks, one after the other; empty at the end.
class MeshWords {
 public:
  explicit MeshWords(std::string_view text) : text_(text) {}

  std::string_view next() {
    constexpr const char* kBlanks = " \t\r\n\v\f";
    const std::size_t first = text_.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return text_ = {};
    const std::size_t last = std::min(text_.find_first_of(kBlanks, first), text_.size());
    const std::string_view word = text_.substr(first, last - first);
    text_.remove_prefix(last);
    return word;
  }

 private:
  std::string_view text_;
};

template <class Number>
Number readMeshNumber(std::string_view word) {
  std::string_view digits = word;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  Number number{};
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status == std::errc() && end == digits.data() + digits.size()) return number;
  throw std::runtime_error("'" + std::string(word.substr(0, 40)) + "' is not a number");
}

template <class Number>
std::vector<Number> readMeshNumbers(std::string_view text) {
  std::vector<Number> numbers;
  MeshWords words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    numbers.push_back(readMeshNumber<Number>(word));
  }
  return numbers;
}

}  // namespace flexloop::view
