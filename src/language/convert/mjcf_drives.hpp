// Actuators and equality constraints of a file of MuJoCo.
#pragma once

#include "language/convert/left_out.hpp"
#include "language/convert/mjcf_source.hpp"

namespace flexloop::language {

// Two numbers, the lower one first; nothing where they do not count, by the attribute `flag`.
std::optional<std::pair<double, double>> readMjcfLimits(MjcfSource& source,
                                                        const pugi::xml_node& node, const char* key,
                                                        const char* flag, ErrorList& errors);

// After bodies and joints, which they name.
void readMjcfDrives(MjcfSource& source, Robot& robot, LeftOut& left, ErrorList& errors);

}  // namespace flexloop::language
