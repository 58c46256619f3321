// The page that shows a machine: one HTML file, linked into the program.
#pragma once

#include <string_view>

namespace flexloop::view {

// Empty in a program that was built without it.
std::string_view pageText();

}  // namespace flexloop::view
