#include "fem/mesh/abaqus/abaqus_types.hpp"

#include <algorithm>

namespace flexloop::fem {
namespace {

using enum ElementShape;
using enum AbaqusType::Kind;

constexpr AbaqusType kTypes[] = {
    {"C3D4", kStructural, kTet4, 4},
    {"C3D5", kStructural, kPyramid5, 5},
    {"C3D6", kStructural, kWedge6, 6},
    {"C3D8", kStructural, kHex8, 8, true},
    {"C3D8I", kStructural, kHex8, 8},
    {"C3D8R", kStructural, kHex8, 8, true},
    {"C3D10", kStructural, kTet10, 10},
    {"C3D10M", kStructural, kTet10, 10, true},
    {"C3D10T", kStructural, kTet10, 10, true},
    {"C3D15", kStructural, kWedge15, 15},
    {"C3D20", kStructural, kHex20, 20},
    {"C3D20R", kStructural, kHex20, 20, true},
    {"S3", kStructural, kTri3, 3},
    {"S3R", kStructural, kTri3, 3},
    {"STRI3", kStructural, kTri3, 3},
    {"S4", kStructural, kQuad4, 4},
    {"S4R", kStructural, kQuad4, 4, true},
    {"S6", kStructural, kTri6, 6},
    {"STRI65", kStructural, kTri6, 6},
    {"S8", kStructural, kQuad8, 8},
    {"S8R", kStructural, kQuad8, 8, true},
    {"S8R5", kStructural, kQuad8, 8, true},
    {"B31", kStructural, kBeam2, 2},
    {"B31R", kStructural, kBeam2, 2, true},
    {"T3D2", kFacet, kBeam2, 2},
    {"T3D3", kNodes, kBeam2, 3},
    {"CPS3", kFacet, kTri3, 3},
    {"CPS4", kFacet, kQuad4, 4},
    {"CPS4R", kFacet, kQuad4, 4},
    {"CPS6", kFacet, kTri6, 6},
    {"CPS8", kFacet, kQuad8, 8},
    {"CPS8R", kFacet, kQuad8, 8},
    {"CPE3", kFacet, kTri3, 3},
    {"CPE4", kFacet, kQuad4, 4},
    {"CPE6", kFacet, kTri6, 6},
    {"CPE8", kFacet, kQuad8, 8},
    {"MASS", kNodes, kBeam2, 1},
    {"ROTARYI", kNodes, kBeam2, 1},
};

// Corners, then middles of the edges, of each face.
const std::vector<std::vector<int>> kTetFaces = {
    {0, 1, 2, 4, 5, 6}, {0, 3, 1, 7, 8, 4}, {1, 3, 2, 8, 9, 5}, {2, 3, 0, 9, 7, 6}};
const std::vector<std::vector<int>> kHexFaces = {
    {0, 1, 2, 3, 8, 9, 10, 11},  {4, 7, 6, 5, 15, 14, 13, 12}, {0, 4, 5, 1, 16, 12, 17, 8},
    {1, 5, 6, 2, 17, 13, 18, 9}, {2, 6, 7, 3, 18, 14, 19, 10}, {3, 7, 4, 0, 19, 15, 16, 11}};
const std::vector<std::vector<int>> kWedgeFaces = {{0, 1, 2, 6, 7, 8},
                                                   {3, 5, 4, 11, 10, 9},
                                                   {0, 3, 4, 1, 12, 9, 13, 6},
                                                   {1, 4, 5, 2, 13, 10, 14, 7},
                                                   {2, 5, 3, 0, 14, 11, 12, 8}};
const std::vector<std::vector<int>> kPyramidFaces = {
    {0, 1, 2, 3}, {0, 4, 1}, {1, 4, 2}, {2, 4, 3}, {3, 4, 0}};

}  // namespace

const AbaqusType* findAbaqusType(const std::string& name) {
  for (const AbaqusType& type : kTypes) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

std::vector<std::string> listAbaqusTypes() {
  std::vector<std::string> names;
  for (const AbaqusType& type : kTypes) names.emplace_back(type.name);
  return names;
}

std::vector<int> listFaceNodes(ElementShape shape, int face) {
  if (!isSolid(shape)) return {};
  const int corners = cornerCount(shape);
  const auto& faces = corners == 4   ? kTetFaces
                      : corners == 5 ? kPyramidFaces
                      : corners == 6 ? kWedgeFaces
                                     : kHexFaces;
  if (face < 1 || face > static_cast<int>(faces.size())) return {};
  std::vector<int> nodes = faces[face - 1];
  if (nodeCount(shape) == corners) {  // linear: the corners only
    std::erase_if(nodes, [&](int node) { return node >= corners; });
  }
  return nodes;
}

}  // namespace flexloop::fem
