// Which elements of a mesh carry stiffness. Mesh generators write the faces and edges of a solid as elements too, only to
// mark boundaries.
#pragma once

#include <set>
#include <string>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// By the name of a property, group or element set.
struct StructuralChoice {
  std::set<std::string> shells;  // groups of faces that the user gave a thickness
  std::set<std::string> beams;   // groups of lines that the user gave a section
  bool allShells = false;        // a thickness for all faces
};

// Removes the elements that carry no stiffness:
//   solids  always carry it;
//   faces   do if there is no solid (a missing thickness is then an error, which assembly reports), if their property has
//           a thickness, or if a group of theirs is in `shells`;
//   lines   do if their property has a section, if a group of theirs is in `beams`, or if there is nothing else.
// Element sets of removed elements stay as node sets.
struct RemovedElements {
  int faces = 0, lines = 0;
};
RemovedElements selectStructuralElements(Mesh& mesh, const StructuralChoice& choice);

}  // namespace flexloop::fem
