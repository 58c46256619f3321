// Questions about the text of a YAML file that its parser does not answer. A part of yaml_tree.hpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace flexloop::language {

class YamlText {
 public:
  explicit YamlText(std::string_view text);

  // Whether the quoted text that starts there has its closing quote; true if none starts there.
  // Lines and columns from 0, as yaml-cpp counts them.
  bool isClosed(int line, int column) const;

  char at(int line, int column) const;

  // The first line, from 0 up to `last`, that has a tab in its indentation.
  std::optional<int> findTab(int last) const;

  // The line, from 0, of the first byte that cannot occur in a text file, such as a null.
  std::optional<int> findBinary() const;

 private:
  std::size_t offset(int line, int column) const;

  std::string_view text_;
  std::vector<std::size_t> starts_;  // of the lines
};

// What a message of yaml-cpp means to a user; `next` is the character at which it gave up.
base::Failure explainYamlError(std::string_view message, char next);

}  // namespace flexloop::language
