// A picture of a mesh.
#pragma once

#include <string>

#include "fem/mesh/mesh.hpp"

namespace flexloop::reports {

// Its surface seen from above and from the side, as SVG.
void writePartSvg(const std::string& path, const fem::Mesh& mesh);

}  // namespace flexloop::reports
