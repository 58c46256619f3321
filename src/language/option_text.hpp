// Options of the command line whose values are those of the model language, so that they take the
// same numbers, units, words and expressions, and mistakes get the same answers.
#pragma once

#include <string>
#include <vector>

#include "language/error_list.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

// `--alpha-f 0.3` as {"alpha-f", "0.3"}.
struct OptionText {
  std::string name;
  std::string text;
};

struct OptionHelp {
  std::string name;     // without the dashes
  std::string meaning;  // one line, for the help
};

// With the default in brackets, where there is one.
std::vector<OptionHelp> describeOptions(const std::vector<system::Parameter>& parameters);

// As an entry of a map: `alpha_f: 0.3`. Its place is the option as the user wrote it.
RawEntry parseOption(const OptionText& option, ErrorList& errors);
// An entry that is there already is a mistake.
void addOption(RawEntry entry, RawMap& map, ErrorList& errors);
// Options as an item of this type. Throws base::InputError with all mistakes.
system::Item readOptions(const std::vector<OptionText>& options,
                         const std::vector<system::Parameter>& parameters, const char* type);

}  // namespace flexloop::language
