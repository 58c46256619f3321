#include "language/yaml/yaml_text.hpp"

#include <algorithm>

namespace flexloop::language {
namespace {

// The length of the valid UTF-8 character at the start of the text, or 0. Overlong forms and
// surrogates pass: they harm nobody here.
std::size_t characterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    const bool control = first < 0x20 && first != '\t' && first != '\n' && first != '\r';
    return control || first == 0x7F ? 0 : 1;
  }
  const std::size_t length =
      first >= 0xC2 && first < 0xE0 ? 2 : (first >= 0xE0 && first < 0xF0 ? 3 : 4);
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

YamlText::YamlText(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') starts_.push_back(i + 1);
  }
}

std::size_t YamlText::offset(int line, int column) const {
  if (line < 0 || column < 0 || static_cast<std::size_t>(line) >= starts_.size()) {
    return text_.size();
  }
  return std::min(starts_[line] + static_cast<std::size_t>(column), text_.size());
}

char YamlText::at(int line, int column) const {
  const std::size_t i = offset(line, column);
  return i < text_.size() ? text_[i] : '\0';
}

bool YamlText::isClosed(int line, int column) const {
  std::size_t i = offset(line, column);
  const char sign = at(line, column);
  if (sign != '"' && sign != '\'') return true;
  for (++i; i < text_.size(); ++i) {
    if (sign == '"' && text_[i] == '\\') {
      ++i;
    } else if (text_[i] == sign) {
      const bool doubled = sign == '\'' && i + 1 < text_.size() && text_[i + 1] == sign;
      if (!doubled) return true;
      ++i;
    }
  }
  return false;
}

std::optional<int> YamlText::findTab(int last) const {
  for (int line = 0; line <= last && line < static_cast<int>(starts_.size()); ++line) {
    const std::string_view rest = text_.substr(starts_[line]);
    const std::size_t end = rest.find_first_not_of(" \t");
    if (rest.substr(0, end).find('\t') != std::string_view::npos) return line;
  }
  return std::nullopt;
}

std::optional<int> YamlText::findBinary() const {
  std::size_t i = 0;
  while (i < text_.size()) {
    const std::size_t length = characterLength(text_.substr(i));
    if (length == 0) {
      const auto next = std::upper_bound(starts_.begin(), starts_.end(), i);
      return static_cast<int>(next - starts_.begin()) - 1;
    }
    i += length;
  }
  return std::nullopt;
}

base::Failure explainYamlError(std::string_view message, char next) {
  const auto says = [&](std::string_view part) {
    return message.find(part) != std::string_view::npos;
  };
  if (says("illegal map value")) {
    return {"unexpected ':'",
            "check the indentation; put a text or expression that contains ': ' in quotes"};
  }
  if (says("end of map not found") || says("end of sequence not found")) {
    return {"this does not match the structure above",
            "entries of one section start in the same column; a value ends with its line"};
  }
  if (says("illegal block entry")) {
    return {"unexpected '- '", "write a list as [a, b], or each entry on its own line"};
  }
  if (says("illegal flow end")) {
    return {std::string("unexpected '") + next + "'", "there is nothing open that it could close"};
  }
  if (says("illegal EOF in scalar"))
    return {"a quoted text is not closed", "add the closing quote"};
  if (says("unknown token")) {
    return {std::string("a value cannot start with '") + next + "'", "put it in quotes"};
  }
  if (says("anchor") || says("alias")) {
    return {"anchors (&) and aliases (*) are not part of the model language",
            "put a text that starts with & or * in quotes"};
  }
  return {"this is not YAML: " + std::string(message), "check indentation, brackets and quotes"};
}

}  // namespace flexloop::language
