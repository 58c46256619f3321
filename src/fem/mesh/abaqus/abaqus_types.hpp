// The element types of Abaqus and CalculiX, and the faces of solids.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fem/mesh/abaqus/abaqus_deck.hpp"

namespace flexloop::fem {

// Null if there is none; upper case.
const AbaqusType* findAbaqusType(const std::string& name);
std::vector<std::string> listAbaqusTypes();

// Places of the nodes of face 1, 2, … of a solid; empty if it has no such face.
std::vector<int> listFaceNodes(ElementShape shape, int face);

}  // namespace flexloop::fem
