// Actuators and equality constraints of a file of MuJoCo.
#pragma once

#include "language/convert/left_out.hpp"
#include "language/convert/mjcf_source.hpp"

namespace flexloop::language {

// After bodies and joints, which they name.
void readMjcfDrives(MjcfSource& source, Robot& robot, LeftOut& left, ErrorList& errors);

}  // namespace flexloop::language
