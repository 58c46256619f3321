// What the words of a command line mean, and what is wrong with those that mean nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "commands/command.hpp"

namespace flexloop::app {

bool isList(const commands::Option& option);

// Puts the words where the option wants them, or says why they cannot be its values.
[[nodiscard]] std::optional<std::string> store(const commands::Option& option,
                                               const std::vector<std::string>& words);

// Nothing if there is such a command.
std::optional<base::Failure> describeUnknownCommand(const std::string& word);

// Of words that belong to none of these options and to no argument, the first that looks like an option; or else the first
// word. The hint may be empty.
base::Failure describeExtras(const std::vector<std::string>& words,
                             const std::vector<commands::Option>& options);

}  // namespace flexloop::app
