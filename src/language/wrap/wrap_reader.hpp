// The description of a controller in C, a small YAML file (docs/manual/black_boxes.md, "Code with an interface of its own").
#pragma once

#include <string>

#include "control/boxes/wrap/c_wrapper.hpp"

namespace flexloop::language {

// Throws base::InputError with all that is wrong in the file.
control::WrapDescription readWrapDescription(const std::string& text, const std::string& file);

}  // namespace flexloop::language
