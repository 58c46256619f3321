#include "fem/mesh/gmsh/gmsh_elements.hpp"

namespace flexloop::fem {
namespace {

using enum ElementShape;

// Gmsh's edges: tet 01 12 20 03 23 13; hex 01 03 04 12 15 23 26 37 45 47 56 67; prism 01 02 03 12 14 25 34 35 45.
#define FLEXLOOP_WEDGE15 \
  { 0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11 }
#define FLEXLOOP_HEX20 \
  { 0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15 }

constexpr GmshType kTypes[] = {
    {1, "2-node line", 1, 2, kBeam2, {0, 1}},
    {2, "3-node triangle", 2, 3, kTri3, {0, 1, 2}},
    {3, "4-node quadrangle", 2, 4, kQuad4, {0, 1, 2, 3}},
    {4, "4-node tetrahedron", 3, 4, kTet4, {0, 1, 2, 3}},
    {5, "8-node hexahedron", 3, 8, kHex8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {6, "6-node prism", 3, 6, kWedge6, {0, 1, 2, 3, 4, 5}},
    {7, "5-node pyramid", 3, 5, kPyramid5, {0, 1, 2, 3, 4}},
    {8, "3-node line", 1, 3, {}, {}},
    {9, "6-node triangle", 2, 6, kTri6, {0, 1, 2, 3, 4, 5}},
    {10, "9-node quadrangle", 2, 9, kQuad8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {11, "10-node tetrahedron", 3, 10, kTet10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}},
    {12, "27-node hexahedron", 3, 27, kHex20, FLEXLOOP_HEX20},
    {13, "18-node prism", 3, 18, kWedge15, FLEXLOOP_WEDGE15},
    {14, "14-node pyramid", 3, 14, {}, {}},
    {15, "point", 0, 1, {}, {}},
    {16, "8-node quadrangle", 2, 8, kQuad8, {0, 1, 2, 3, 4, 5, 6, 7}},
    {17, "20-node hexahedron", 3, 20, kHex20, FLEXLOOP_HEX20},
    {18, "15-node prism", 3, 15, kWedge15, FLEXLOOP_WEDGE15},
    {19, "13-node pyramid", 3, 13, {}, {}},
};

#undef FLEXLOOP_WEDGE15
#undef FLEXLOOP_HEX20

}  // namespace

const GmshType* findGmshType(std::int64_t number) {
  for (const GmshType& type : kTypes) {
    if (type.number == number) return &type;
  }
  return nullptr;
}

}  // namespace flexloop::fem
