// Robots in the Unified Robot Description Format (URDF).
#pragma once

#include <string>

#include "language/convert/robot.hpp"

namespace flexloop::language {

// Meshes are looked for beside `file`. Throws base::InputError for what is no URDF or is no tree of links; what is
// not understood in it is among the notes.
Robot readUrdf(const std::string& text, const std::string& file);

}  // namespace flexloop::language
