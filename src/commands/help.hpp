// The command `help`: what the manual says about a word.
#pragma once

#include <string>

#include "commands/commands.hpp"

namespace flexloop::commands {

// An empty topic gives a list of all. A topic of which the manual knows nothing is bad input.
Outcome help(const std::string& topic, const Console& console);

}  // namespace flexloop::commands
