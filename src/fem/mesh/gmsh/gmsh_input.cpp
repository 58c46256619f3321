#include "fem/mesh/gmsh/gmsh_input.hpp"

#include <algorithm>
#include <string>

namespace flexloop::fem {

bool GmshInput::takeReal(double& value) {
  if (isBinary_) return takeBytes(value);
  skipBlanks();
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  const std::size_t next = end - text_.data();
  if (error == std::errc() && isWordEnd(next)) {
    at_ = next;
    return true;
  }
  const std::string_view word = peekWord();
  const std::optional<double> number = parseReal(word);
  if (!number) return false;
  value = *number;
  at_ += word.size();
  return true;
}

std::string_view GmshInput::takeLine() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  const std::string_view line = text_.substr(at_, end - at_);
  at_ = std::min(end + 1, text_.size());
  ++line_;
  return trim(line);
}

std::string_view GmshInput::takeFilledLine() {
  std::string_view line;
  while (line.empty() && !isAtEnd()) line = takeLine();
  return line;
}

std::string_view GmshInput::peekWord() const {
  std::size_t first = at_;
  while (first < text_.size() && (text_[first] == '\n' || isBlank(text_[first]))) ++first;
  std::size_t last = first;
  constexpr std::size_t kLongest = 80;
  while (!isWordEnd(last) && last - first < kLongest) ++last;
  return text_.substr(first, last - first);
}

bool GmshInput::skipTo(std::string_view endOfSection) {
  // A binary section may hold these bytes by chance, but hardly behind a line break.
  for (std::size_t found = text_.find(endOfSection, at_); found != text_.npos;
       found = text_.find(endOfSection, found + 1)) {
    const std::size_t after = found + endOfSection.size();
    if ((found > 0 && text_[found - 1] != '\n') || !isWordEnd(after)) continue;
    line_ += static_cast<int>(std::count(text_.begin() + at_, text_.begin() + after, '\n'));
    at_ = after;
    takeLine();
    return true;
  }
  return false;
}

}  // namespace flexloop::fem
