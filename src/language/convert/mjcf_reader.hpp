// Robots in the format of MuJoCo (MJCF).
#pragma once

#include <string>

#include "language/convert/robot.hpp"

namespace flexloop::language {

// By its outermost element. Throws base::InputError for what is no XML.
bool isMjcf(const std::string& text, const std::string& file);

// Meshes are looked for where the file says. Throws base::InputError for what is no MJCF or is wrong; what is not
// understood in it is among the notes.
Robot readMjcf(const std::string& text, const std::string& file);

}  // namespace flexloop::language
