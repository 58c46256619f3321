// Meshes in files of other programs: Gmsh .msh (2.2 and 4.1, text and binary), Abaqus and CalculiX .inp, Nastran bulk
// data .bdf, .dat and .nas.
//
// Lengths in the file are multiples of the given unit, L metres. All other numbers of the file are in the consistent
// system of that length, newton and second, and become SI:
//
//   stress, modulus   N/length²      · L⁻²         mass               N s²/length        · L⁻¹
//   density           mass/length³   · L⁻⁴         moment of inertia  mass · length²     · L
//   area              length²        · L²          mass per area      mass/length²       · L⁻³
//   second moment     length⁴        · L⁴          thickness, offset  length             · L
//
// With millimetres this is the usual t, N, mm, MPa (steel: 210000, 7.85e-9); with metres it is SI.
//
// A card, keyword or element type that is not understood is a failure that names file and line. What does not belong to
// a part (loads, supports, steps) is read over with a warning; sets of supported nodes are kept.
#pragma once

#include <string>

#include "base/diagnostics.hpp"
#include "base/result.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct MeshFile {
  Mesh mesh;
  base::Diagnostics notes;  // warnings only
};

// The format follows from the content, and from the name where the content fits several.
base::Result<MeshFile> readMesh(const std::string& path, double lengthUnit);

// The same for bytes that are in memory; `path` is used in messages, for its extension, and to find included files.
base::Result<MeshFile> readMeshText(const std::string& bytes, const std::string& path,
                                    double lengthUnit);

}  // namespace flexloop::fem
