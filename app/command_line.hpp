// What the user typed. The only source that knows CLI11, which takes long to compile, is command_line.cpp.
#pragma once

#include "commands/command.hpp"

namespace flexloop::app {

// Fills the call by the options of the command that is named. False if there is nothing left to do; `exitCode` then says
// how it ended.
bool parseCommandLine(int count, char** words, commands::Call& call, int& exitCode);

}  // namespace flexloop::app
